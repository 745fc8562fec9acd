// The picture of `cyclops explain`: the pipes that one instruction holds, and below, those of successive copies.
#include "report/explain.h"

#include "base/svg.h"

enum { LEFT = 130, TOP = 40, ROW = 30, BOX = 22, CELL_MOST = 40, WIDTH = 900, GAP = 60 };

static const char *const colours[] = {"#4e79a7", "#f28e2b", "#59a14f", "#b07aa1"};

struct panel {
    struct svg *svg;
    double top, cell; // upper end, pixels; width of a cycle, pixels
    size_t n_rows;
    uint64_t n_cycles;
};

static double x_of(const struct panel *panel, uint64_t cycle) {
    return LEFT + (double)cycle * panel->cell;
}

static double y_of(const struct panel *panel, size_t row) {
    return panel->top + (double)row * ROW + (double)(ROW - BOX) / 2;
}

// Draws a line at the beginning of each cycle, with the cycle's number where there is room.
static void draw_grid(struct arena *arena, const struct panel *panel) {
    uint64_t step = 1;
    while ((double)step * panel->cell < 22)
        step *= step % 2 ? 5 : 2;
    for (uint64_t cycle = 0; cycle <= panel->n_cycles; cycle++) {
        svg_line(panel->svg, x_of(panel, cycle), panel->top, x_of(panel, cycle),
                 panel->top + (double)panel->n_rows * ROW, "#dddddd", false);
        if (cycle % step == 0 && cycle < panel->n_cycles)
            svg_label(panel->svg, x_of(panel, cycle) + panel->cell / 2, panel->top - 6, SVG_MIDDLE, 11,
                      arena_printf(arena, "%llu", (unsigned long long)cycle));
    }
}

static void draw_held(const struct panel *panel, size_t row, uint64_t from, uint64_t to, uint64_t copy,
                      const char *label) {
    double x = x_of(panel, from), width = x_of(panel, to) - x;
    svg_box(panel->svg, x, y_of(panel, row), width, BOX, colours[copy % (sizeof colours / sizeof *colours)], "#333333",
            false);
    svg_label(panel->svg, x + width / 2, y_of(panel, row) + BOX - 7, SVG_MIDDLE, 11, label);
}

static size_t row_of(const struct explain_row *rows, size_t n, const struct occupied *item) {
    size_t row = 0;
    while (row < n && !(rows[row].resource == item->resource && rows[row].unit == item->unit))
        row++;
    return row;
}

// Draws the held pipes of the first `n_copies` copies, and the rest of each latency as a dashed box in the last rows.
static void draw_copies(struct arena *arena, const struct panel *panel, const struct explanation *e,
                        const struct explain_row *rows, size_t n_rows, uint64_t n_copies) {
    draw_grid(arena, panel);
    for (size_t row = 0; row < n_rows; row++)
        svg_label(panel->svg, LEFT - 10, y_of(panel, row) + BOX - 6, SVG_END, 13, rows[row].name);
    for (size_t i = 0; i < e->copies.n_items; i++) {
        const struct occupied *item = &e->copies.items[i];
        if (item->insn < n_copies)
            draw_held(panel, row_of(rows, n_rows, item), item->from, item->to, item->insn,
                      arena_printf(arena, "%llu", (unsigned long long)item->insn + 1));
    }
    svg_label(panel->svg, LEFT - 10, y_of(panel, n_rows) + BOX - 6, SVG_END, 13, "latency");
    for (uint64_t copy = 0; copy < n_copies && copy < e->copies.n_issues; copy++) {
        uint64_t from = e->copies.issues[copy];
        svg_box(panel->svg, x_of(panel, from), y_of(panel, n_rows + copy), (double)e->insn->cost->latency * panel->cell,
                BOX, "none", colours[copy % (sizeof colours / sizeof *colours)], true);
    }
}

// Returns the last cycle in which one of the first `n_copies` copies is active.
static uint64_t end_of(const struct explanation *e, uint64_t n_copies) {
    uint64_t end = 1;
    for (size_t i = 0; i < e->copies.n_items; i++)
        if (e->copies.items[i].insn < n_copies && e->copies.items[i].to > end)
            end = e->copies.items[i].to;
    for (uint64_t copy = 0; copy < n_copies && copy < e->copies.n_issues; copy++)
        if (e->copies.issues[copy] + e->insn->cost->latency > end)
            end = e->copies.issues[copy] + e->insn->cost->latency;
    return end;
}

static double cell_of(uint64_t n_cycles) {
    double cell = (double)(WIDTH - LEFT - 20) / (double)n_cycles;
    return cell < CELL_MOST ? cell : CELL_MOST;
}

bool explain_svg(struct arena *arena, const struct explanation *explanation, const char *path, struct fail *fail) {
    struct explain_row *rows;
    size_t n_rows = explain_rows(arena, explanation, &rows);
    uint64_t one = end_of(explanation, 1), all = end_of(explanation, EXPLAIN_SHOWN);
    double second = TOP + GAP + (double)(n_rows + 1) * ROW + 20;
    struct svg svg = svg_open(arena, WIDTH, second + (double)(n_rows + EXPLAIN_SHOWN) * ROW + 50);
    struct panel single = {&svg, TOP + 20, cell_of(one), n_rows + 1, one};
    struct panel several = {&svg, second, cell_of(all), n_rows + EXPLAIN_SHOWN, all};
    svg_label(&svg, 20, 26, SVG_START, 16,
              arena_printf(arena, "%s on %s", explanation->insn->text, explanation->machine->name));
    draw_copies(arena, &single, explanation, rows, n_rows, 1);
    draw_copies(arena, &several, explanation, rows, n_rows, EXPLAIN_SHOWN);
    svg_label(&svg, 20, svg.height - 16, SVG_START, 13,
              arena_printf(arena, "reciprocal throughput %.4g: %s; simulated %.4g", explanation->rthroughput.cycles,
                           explain_bound(arena, explanation), explanation->steady));
    return svg_save(&svg, path, fail);
}
