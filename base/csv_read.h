// Reads CSV as RFC 4180 has it, in memory. Lines may end in a newline alone, and cells in quotes may hold newlines.
#ifndef BASE_CSV_READ_H
#define BASE_CSV_READ_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

enum { CSV_MOST_CELLS = 256 }; // of a line

// The caller zeroes it, and sets `at` and `file`.
struct csv_reader {
    char *at;                          // what is not read yet, with a zero behind it; reading changes it
    const char *file;                  // its name, for messages
    unsigned line;                     // of the cells, from 1: where they begin
    const char *cells[CSV_MOST_CELLS]; // those of the line that was read last
    size_t n_cells;
    unsigned n_lines; // read so far
};

// Reads the next line that is not empty. False at the end; and where a quote is not closed or stands inside a cell, or
// cells are too many, which is a failure.
bool csv_read_next(struct csv_reader *reader, struct fail *fail);

#endif
