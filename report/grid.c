#include "report/grid.h"

#include "base/table.h"

#include <assert.h>

struct grid {
    struct table table;
};

static_assert((int)GRID_NOTE == (int)TABLE_NOTE && (int)GRID_CUT == (int)TABLE_CUT &&
                  (int)GRID_BESIDE == (int)TABLE_BESIDE && (int)GRID_RED == (int)TABLE_RED &&
                  (int)GRID_DIM == (int)TABLE_DIM && (int)GRID_MAX_COLUMNS == (int)TABLE_MAX_COLUMNS,
              "the enums of grid.h follow base/table.h");

struct grid *grid_new(struct arena *arena) {
    struct grid *grid = ARENA_NEW(arena, struct grid);
    grid->table.arena = arena;
    return grid;
}

void grid_column(struct grid *grid, enum grid_align align, const char *title) {
    table_column(&grid->table, (enum table_align)align, title);
}

void grid_cell(struct grid *grid, enum grid_colour colour, const char *text) {
    table_cell_colour(&grid->table, (enum table_colour)colour, "%s", text);
}

void grid_print(const struct grid *grid, FILE *out, bool colour) {
    if (grid->table.n_cells)
        table_print(&grid->table, out, colour);
}
