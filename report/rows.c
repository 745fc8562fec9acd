#include "report/rows.h"

#include "base/text.h"

#include <string.h>

bool row_is_trusted(const struct experiment *e) {
    return e->is_done && e->measurement.verdict != MEASURED_UNSTABLE;
}

double row_divisor(const struct experiment *e) {
    return e->program.mode == PROGRAM_THROUGHPUT && !e->is_sweep ? (double)e->program.streams : 1;
}

// Returns "d->x"; "" where both ends are the same register.
static const char *arc_name(const struct program *program) {
    const char *arrow = strstr(program->arc, "->");
    bool is_loop = arrow && strlen(arrow + 2) == (size_t)(arrow - program->arc) &&
                   strncmp(program->arc, arrow + 2, (size_t)(arrow - program->arc)) == 0;
    return is_loop ? "" : program->arc;
}

const char *row_placement(struct arena *arena, enum program_placement placement) {
    const char *name = text_replaced(arena, program_placement_name(placement), '-', ' ');
    return placement == PLACEMENT_NONE ? "" : arena_printf(arena, ", %s", name);
}

const char *row_measures(struct arena *arena, const struct experiment *e) {
    const struct program *program = &e->program;
    switch (program->mode) {
    case PROGRAM_LATENCY:
        return arena_printf(arena, "latency%s%s", *arc_name(program) ? " " : "", arc_name(program));
    case PROGRAM_THROUGHPUT:
        return arena_printf(arena, "reciprocal throughput, n = %u%s", program->streams,
                            row_placement(arena, program->placement));
    case PROGRAM_BLOCK:
        break;
    }
    return e->block && e->alias == ALIAS_SAME && e->block->options.is_both ? "cycles per iteration, one address"
                                                                           : "cycles per iteration";
}

void row_add_prediction(struct table *table, bool is_known, int decimals, double cycles) {
    if (is_known)
        table_cell(table, "%5.*f", decimals, cycles);
    else
        table_cell(table, "%5s", "-");
}
