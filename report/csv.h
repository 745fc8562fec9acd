// Private to this folder.
// Lines of CSV, as RFC 4180 has them but with newlines alone. Cells that need quotes get them.
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/fail.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// The caller zeroes it and sets `line.arena`.
struct csv {
    struct text line;
    size_t n_cells; // of this line
};

void csv_put(struct csv *csv, const char *text); // null: an empty cell
// Puts a number of up to five decimals; an empty cell where it is not known or not finite.
void csv_put_number(struct csv *csv, bool is_known, double number);
// Puts a number with all its digits; an empty cell where it is not finite.
void csv_put_exact(struct csv *csv, double number);
void csv_put_truth(struct csv *csv, bool value); // "yes" or "no"
void csv_put_all(struct csv *csv, const char *const *texts, size_t n);
void csv_end_line(struct csv *csv, FILE *out);
// At the end: fails where a line could not be written.
bool csv_is_written(FILE *out, struct fail *fail);

#endif
