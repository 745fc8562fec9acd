// Lines of CSV, as RFC 4180 has them but with newlines alone. Cells that need quotes get them.
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/fail.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The caller zeroes it and sets `line.arena`.
struct csv {
    struct text line;
    size_t n_cells; // of this line
};

void csv_put(struct csv *csv, const char *text);        // null: an empty cell
void csv_put_quoted(struct csv *csv, const char *text); // in quotes even where it needs none
// Put a number with at most so many decimals, with exactly so many, with all its digits. An empty cell where it is not
// finite.
void csv_put_number(struct csv *csv, double number, int decimals);
void csv_put_fixed(struct csv *csv, double number, int decimals);
void csv_put_exact(struct csv *csv, double number);
void csv_put_count(struct csv *csv, int64_t count);
void csv_end_line(struct csv *csv, FILE *out);
void csv_end_text(struct csv *csv, struct text *out); // the same, to a text
// At the end: fails where a line could not be written.
bool csv_is_written(FILE *out, struct fail *fail);

#endif
