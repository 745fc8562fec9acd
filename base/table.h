// A table of aligned columns for a terminal or a pipe, at most as wide as base/screen.h allows. Handles UTF-8. Uses
// colours only on request.
// Not for reports with the layout of another tool, such as llvm-mca's views.
//       n   measured       model         difference
//       1   4.00 ±0.01      4.00                0 %
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

// Where a table is too wide, it changes in this order:
// 1. A note that does not fit goes to separate lines below its row.
// 2. Titles break between words.
// 3. Texts of TABLE_CUT columns are cut in the middle, those of TABLE_WRAP columns break between words.
// 4. A name in the first column of which little would remain goes to a separate line above its row.
// 5. Columns that still do not fit follow in further parts. Each part repeats the first column.
enum table_align {
    TABLE_LEFT,
    TABLE_RIGHT,
    TABLE_BESIDE, // right; in the same part as the column before it
    TABLE_CUT,    // left; for names: "mov rax, [rdi]…add rbx, 1"
    TABLE_WRAP,   // left; for texts of several words
    TABLE_NOTE,   // left; the last column
    TABLE_BELOW,  // a note that always stands below its row, from where the column before it begins
};
enum table_colour { TABLE_PLAIN, TABLE_GREEN, TABLE_YELLOW, TABLE_RED, TABLE_DIM };

enum { TABLE_MAX_COLUMNS = 16 };

// The caller zeroes it, sets `arena`, adds columns, then cells row by row.
struct table {
    struct arena *arena;
    bool is_whole; // in a pipe, lines are as wide as they need: screen_whole_columns
    unsigned n_columns;
    struct table_column {
        const char *title;
        enum table_align align;
        size_t widest; // width of the widest cell so far, terminal columns
    } columns[TABLE_MAX_COLUMNS];
    struct table_cell {
        const char *text;
        enum table_colour colour;
    } * cells;
    size_t n_cells; // cells, row by row; the last row may be short
};

void table_column(struct table *table, enum table_align align, const char *title);
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_cell_colour(struct table *table, enum table_colour colour, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Prints titles and rows, with two spaces before each column and no trailing blanks. `colour`: uses escape sequences.
void table_print(const struct table *table, FILE *out, bool colour);

#endif
