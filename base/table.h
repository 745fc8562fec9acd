// A table of aligned columns for a terminal or a pipe. UTF-8 aware; colour only where the caller says so.
// Not for reports whose layout is fixed by another tool (llvm-mca's views print themselves).
//       n   measured       model         difference
//       1   4.00 ±0.01      4.00                0 %
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT };
enum table_colour { TABLE_PLAIN, TABLE_GREEN, TABLE_YELLOW, TABLE_RED, TABLE_DIM };

enum { TABLE_MAX_COLUMNS = 16 };

// Zero it, set `arena`, add columns, then add cells row by row.
struct table {
    struct arena *arena;
    unsigned n_columns;
    struct table_column {
        const char *title;
        enum table_align align;
        size_t width; // terminal columns of the widest cell so far
    } columns[TABLE_MAX_COLUMNS];
    struct table_cell {
        const char *text;
        enum table_colour colour;
    } * cells;
    size_t n_cells; // row by row; the last row may be short
};

void table_column(struct table *table, enum table_align align, const char *title);
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_cell_colour(struct table *table, enum table_colour colour, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Prints titles and rows, two spaces before each column, no trailing blanks. `colour`: use escape sequences. Where
// `out` is a terminal that is too narrow for a row, a last cell that is text has a line of its own.
void table_print(const struct table *table, FILE *out, bool colour);

#endif
