// Text: a growing string, and the few questions about strings that C's library does not answer.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

// A growing string. Zero it and set `arena`; `data` is zero-terminated once something was appended.
struct text {
    struct arena *arena;
    char *data;
    size_t length; // bytes, without the terminating zero
    size_t room;   // bytes allocated
};

void text_append(struct text *text, const char *bytes, size_t length);
void text_add(struct text *text, const char *string);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Terminal columns that UTF-8 `string` takes: code points, without combining marks and "\033[…m" sequences.
size_t text_width(const char *string);

// Bytes of the first character of UTF-8 `string`, 1 where that is no UTF-8, 0 at its end. It is not `is_shown` where a
// terminal acts on it or hides it: control characters (C0, DEL, C1), those that reverse or join the text around them,
// and what is no UTF-8.
size_t text_character(const char *string, bool *is_shown);

// A stranger's text, fit to be printed: what is unprintable becomes \xNN by byte, and what is beyond `most` bytes "…".
const char *text_printable(struct arena *arena, const char *string, size_t most);

// A copy with a space for each tab, for sentences: LLVM prints an instruction's operands behind a tab.
const char *text_without_tabs(struct arena *arena, const char *string);

// Number of edits (insert, delete, replace, swap neighbours) between two strings, ignoring case.
unsigned text_distance(const char *a, const char *b);

// " (did you mean 'x' or 'y'?)" for the up to three names nearest to `word`, or "" where none is near.
const char *text_did_you_mean(struct arena *arena, const char *word, const char *const *names, size_t n_names);

// A view of bytes inside somebody else's string.
struct slice {
    const char *data;
    size_t length;
};

// Takes the next piece up to `separator` off the front of `rest`; false when nothing is left.
bool slice_next(struct slice *rest, char separator, struct slice *piece);
// Takes the words that fit into a line of `columns` off the front of UTF-8 `rest`, and the blanks behind them; a word
// that is wider is broken. False when nothing is left.
bool slice_next_line(struct slice *rest, size_t columns, struct slice *line);
// Without leading and trailing white space.
struct slice slice_trim(struct slice s);
bool slice_is(struct slice s, const char *string);

#endif
