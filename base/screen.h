// What the reader of a report can be shown: how many columns, and which characters. The signs that Cyclops itself
// writes (± → ‖ …) become ASCII where the locale is not UTF-8; what others wrote, such as file names, stays as it is.
// Not for JSON and other files, which are UTF-8 everywhere.
#ifndef BASE_SCREEN_H
#define BASE_SCREEN_H

#include "base/arena.h"

#include <stddef.h>
#include <stdio.h>

// Columns of a pipe or file.
enum { SCREEN_PIPE_COLUMNS = 100 };

// Once, when the program starts: takes the user's locale. Before that, characters are ASCII.
void screen_set_up(void);

// Columns that fit: COLUMNS of the environment, else those of the terminal that `out` is, else SCREEN_PIPE_COLUMNS.
// 20 to 10000.
size_t screen_columns(FILE *out);

// UTF-8 `text` as the locale shows it.
const char *screen_text(struct arena *arena, const char *text);

// `text`, which the locale shows, cut in its middle to so many columns: "mov rax, [rdi]…add rbx, 1".
const char *screen_cut(struct arena *arena, const char *text, size_t columns);

// Prints `text` as the locale shows it.
void screen_puts(const char *text, FILE *out);

// Prints a sentence and a newline, in lines that fit; lines but the first are indented.
void screen_print_sentence(const char *text, FILE *out);

// Prints UTF-8 `text` and a newline, in lines of at most `columns`, broken between words; lines but the first begin
// with `indent` spaces. `at`: columns already taken in the first line.
void screen_wrap(const char *text, size_t at, size_t indent, size_t columns, FILE *out);

#endif
