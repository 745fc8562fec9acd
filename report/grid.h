// Private to this folder.
// base/table.h for files that know survey/table.h: both call their struct `table`, so one file cannot include both.
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

struct grid;
// In the order of base/table.h, which explains them.
enum grid_align { GRID_LEFT, GRID_RIGHT, GRID_BESIDE, GRID_CUT, GRID_WRAP, GRID_NOTE };
enum grid_colour { GRID_PLAIN, GRID_GREEN, GRID_YELLOW, GRID_RED, GRID_DIM };
enum { GRID_MAX_COLUMNS = 16 };

struct grid *grid_new(struct arena *arena);
void grid_column(struct grid *grid, enum grid_align align, const char *title);
void grid_cell(struct grid *grid, enum grid_colour colour, const char *text);
// Prints nothing where there are no cells.
void grid_print(const struct grid *grid, FILE *out, bool colour);

#endif
