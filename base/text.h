// Text: a growing string, and functions on strings that C's library lacks.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

// A growing string. The caller zeroes it and sets `arena`. `data` is null until something is appended, then
// zero-terminated.
struct text {
    struct arena *arena;
    char *data;
    size_t length; // length without the terminating zero, bytes
    size_t room;   // allocated bytes
};

void text_append(struct text *text, const char *bytes, size_t length);
void text_add(struct text *text, const char *string);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Appends a number with at most so many decimals: "4.41", "4". What rounds to 0 has no sign.
void text_add_number(struct text *text, double number, int decimals);

// Appends a word of a command line, quoted where a shell would not take it for one word.
void text_add_word(struct text *text, const char *word);

// Returns the width of UTF-8 `string`, terminal columns: its code points, without combining marks and "\033[…m"
// sequences.
size_t text_width(const char *string);

// Returns the bytes of the first character of UTF-8 `string`; 1 where that is not UTF-8, 0 at its end. Sets `is_shown`
// to false where a terminal acts on the character or hides it: control characters (C0, DEL, C1), those that reverse or
// join the text around them, and bytes that are not UTF-8.
size_t text_character(const char *string, bool *is_shown);

// Returns untrusted text in a printable form: unprintable bytes become \xNN, and the text beyond `most` bytes "…".
const char *text_printable(struct arena *arena, const char *string, size_t most);

// Return a copy with `to` for each `from`, and a copy in lower case.
const char *text_replaced(struct arena *arena, const char *string, char from, char to);
const char *text_lower(struct arena *arena, const char *string);

// Returns a number with its noun: "1 form", "2 forms".
const char *text_count(struct arena *arena, size_t n, const char *noun);
// The same with the verb: "1 form is", "2 forms are".
const char *text_count_are(struct arena *arena, size_t n, const char *noun);

// Returns a number with so many significant digits ("%.3g"), or with as many more as tell it from `other`: "1.004"
// where that is 1. Equal numbers, and one that is not finite, have no more.
const char *text_number_beside(struct arena *arena, double number, double other, int digits);

// Returns a copy with a space for each tab, for sentences: LLVM prints a tab before an instruction's operands.
const char *text_without_tabs(struct arena *arena, const char *string);

// Returns the number of edits (insert, delete, replace, swap neighbours) between two strings, ignoring case.
unsigned text_distance(const char *a, const char *b);

// Returns " (did you mean 'x' or 'y'?)" with up to three names nearest to `word`; "" where no name is near.
const char *text_did_you_mean(struct arena *arena, const char *word, const char *const *names, size_t n_names);

// Returns the index of the first of `n` names that equals `word`; `n` where no name does.
size_t text_find(const char *word, const char *const *names, size_t n);

bool text_starts(const char *text, const char *start);

// Orders pointers to strings, for qsort and bsearch.
int text_compare(const void *a, const void *b);
// Sorts strings. Returns how many different ones there are; those come first.
size_t text_sort(const char **texts, size_t n);

// A view of bytes inside a string, which it does not own.
struct slice {
    const char *data;
    size_t length;
};

// Takes the next piece up to `separator` off the front of `rest`. Returns false where nothing is left.
bool slice_next(struct slice *rest, char separator, struct slice *piece);
// Takes the words that fit into a line of `columns`, and the blanks after them, off the front of UTF-8 `rest`. Breaks a
// word that is wider. Returns false where nothing is left.
bool slice_next_line(struct slice *rest, size_t columns, struct slice *line);
// Returns the slice without leading and trailing white space.
struct slice slice_trim(struct slice s);
bool slice_is(struct slice s, const char *string);
bool slice_equals(struct slice a, struct slice b);
bool slice_starts(struct slice s, const char *start);

#endif
