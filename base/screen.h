// Columns and characters that the reader's screen can show. Where the locale is not UTF-8, the signs that Cyclops
// writes (± → ‖ …) become ASCII; text by others, such as file names, stays unchanged. Not for JSON and other files,
// which are always UTF-8.
#ifndef BASE_SCREEN_H
#define BASE_SCREEN_H

#include "base/arena.h"

#include <stddef.h>
#include <stdio.h>

// Columns for a pipe or a file.
enum { SCREEN_PIPE_COLUMNS = 100 };

// Takes the user's locale. Call it once when the program starts; before, characters are ASCII.
void screen_set_up(void);

// Returns the columns of a line, 20 to 10000: COLUMNS of the environment, else those of the terminal `out`, else
// SCREEN_PIPE_COLUMNS. A terminal that does not know its columns has 80.
size_t screen_columns(FILE *out);

// The same of a report that is to be whole: in a pipe or a file without COLUMNS, as wide as its longest line.
size_t screen_whole_columns(FILE *out);

// Returns UTF-8 `text` in the characters of the locale.
const char *screen_text(struct arena *arena, const char *text);

// Returns `text`, which the locale shows, cut in its middle to that many columns: "mov rax, [rdi]…add rbx, 1".
const char *screen_cut(struct arena *arena, const char *text, size_t columns);

// Prints `text` in the characters of the locale.
void screen_puts(const char *text, FILE *out);

// Prints a sentence and a newline, in lines that fit. All lines but the first are indented.
void screen_print_sentence(const char *text, FILE *out);
// The same, on one line where screen_whole_columns has no limit.
void screen_print_whole_sentence(const char *text, FILE *out);

// Prints UTF-8 `text` and a newline, in lines of at most `columns`, broken between words. All lines but the first begin
// with `indent` spaces. `at`: columns already used in the first line.
void screen_wrap(const char *text, size_t at, size_t indent, size_t columns, FILE *out);

#endif
