#include "check/stores.h"

#include <stdlib.h>

static const double same = 0.03; // relative difference of throughputs that are the same

// The throughput on lines of their own, or all that there is of loads. Where fillers make copies faster
// (survey/table/fills.h), it is that of copies alone, though a bound: lines may still be what limits these.
static const struct table_throughput *of_lines(const struct table_row *row) {
    if (row->headline == row->n_throughputs)
        return NULL;
    const struct table_throughput *headline = &row->throughputs[row->headline];
    const struct table_throughput *alone = headline->fillers ? NULL : headline;
    for (size_t i = 0; headline->fillers && i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        if (!each->fillers && !each->is_elsewhere && each->placement == headline->placement &&
            each->streams >= headline->streams && table_is_stable(&each->value) &&
            (!alone || each->value.cycles < alone->value.cycles))
            alone = each;
    }
    return alone && table_is_stable(&alone->value) && (headline->fillers || alone->value.relation == TABLE_EQUAL)
               ? alone
               : NULL;
}

bool stores_are_together(const struct table_row *row, const struct table_throughput *throughput) {
    // Those of a load are in one line.
    bool has_lines =
        row->headline < row->n_throughputs && row->throughputs[row->headline].placement != PLACEMENT_SAME_LINE;
    return has_lines &&
           (throughput->placement == PLACEMENT_SAME_ADDRESS || throughput->placement == PLACEMENT_SAME_LINE);
}

const struct table_throughput *stores_together(const struct table_row *row) {
    const struct table_throughput *lines = of_lines(row);
    const struct table_throughput *fastest = NULL;
    for (size_t i = 0; lines && i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        if (stores_are_together(row, each) && table_is_stable(&each->value) && each->value.relation == TABLE_EQUAL &&
            each->value.cycles <= lines->value.cycles * (1 + same) &&
            (!fastest || each->value.cycles < fastest->value.cycles * (1 - same)))
            fastest = each;
    }
    return fastest;
}

static int compare_cycles(const void *a, const void *b) {
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

double stores_line_cycles(struct arena *arena, const struct survey_table *table) {
    static const double clearly_less = 0.9;
    double *cycles = ARENA_ARRAY(arena, double, table->n_rows);
    size_t n = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_throughput *together = stores_together(&table->rows[i]);
        const struct table_throughput *lines = of_lines(&table->rows[i]);
        // A loop of copies may be slower than straight code for its branch.
        if (together && together->is_looped == lines->is_looped &&
            together->value.cycles < clearly_less * lines->value.cycles)
            cycles[n++] = lines->value.cycles;
    }
    if (n == 0)
        return 0;
    qsort(cycles, n, sizeof *cycles, compare_cycles);
    return cycles[n / 2];
}

bool stores_wait_for_lines(const struct table_row *row, double line_cycles) {
    const struct table_throughput *lines = of_lines(row);
    bool stores = false;
    for (size_t i = 0; i < row->n_throughputs; i++)
        stores |= stores_are_together(row, &row->throughputs[i]);
    return stores && lines && lines->value.cycles <= line_cycles * (1 + same);
}
