#include "survey/table/few_streams.h"

#include "survey/table/loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A throughput that few streams make a bound.
struct bound {
    const char *sched_class, *form;
    const struct table_throughput *throughput;
};

static int compare_classes(const void *a, const void *b) {
    const struct bound *one = a, *other = b;
    return strcmp(one->sched_class, other->sched_class);
}

static bool is_as(const struct table_throughput *throughput, const struct table_throughput *bound) {
    static const double share = 0.03;
    return table_throughput_way(throughput) == table_throughput_way(bound) &&
           (bound->faster_streams ||
            (throughput->streams <= bound->streams && !loops_is_of_whole_cycles(&throughput->value))) &&
           fabs(throughput->value.cycles - bound->value.cycles) <= share * bound->value.cycles;
}

static const struct bound *find(const struct bound *bounds, size_t n, const struct table_row *row,
                                const struct table_throughput *throughput) {
    const struct bound wanted = {.sched_class = row->sched_class};
    const struct bound *found = bsearch(&wanted, bounds, n, sizeof wanted, compare_classes);
    while (found && found > bounds && compare_classes(found - 1, &wanted) == 0)
        found--;
    for (; found && found < bounds + n && compare_classes(found, &wanted) == 0; found++)
        if (is_as(throughput, found->throughput))
            return found;
    return NULL;
}

static const char *describe(struct arena *arena, const struct bound *bound) {
    unsigned faster = bound->throughput->faster_streams;
    return faster ? arena_printf(arena, "%u streams of %s, of its class, take less", faster, bound->form)
                  : arena_printf(arena, "fewer streams of %s, of its class, take longer, so more may take less",
                                 bound->form);
}

static void mark_row(struct arena *arena, struct table_row *row, const struct bound *bounds, size_t n) {
    struct table_throughput *throughputs = table_copy_throughputs(arena, row);
    for (size_t i = 0; i < row->n_throughputs; i++) {
        struct table_value *value = &throughputs[i].value;
        const struct bound *bound = value->is_known && value->relation == TABLE_EQUAL && !throughputs[i].has_breakers
                                        ? find(bounds, n, row, &throughputs[i])
                                        : NULL;
        if (!bound)
            continue;
        value->relation = TABLE_AT_MOST;
        value->why = value->why ? value->why : describe(arena, bound);
        row->throughputs = throughputs;
    }
}

void few_streams_mark(struct arena *arena, struct table_row *rows, size_t n) {
    struct bound *bounds = NULL;
    size_t n_bounds = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; rows[i].sched_class && k < rows[i].n_throughputs; k++)
            if (rows[i].throughputs[k].is_short_of_streams || rows[i].throughputs[k].faster_streams)
                *ARENA_ADD(arena, bounds, n_bounds) =
                    (struct bound){rows[i].sched_class, rows[i].form, &rows[i].throughputs[k]};
    if (!n_bounds)
        return;
    qsort(bounds, n_bounds, sizeof *bounds, compare_classes);
    for (size_t i = 0; i < n; i++)
        if (rows[i].sched_class && rows[i].n_throughputs)
            mark_row(arena, &rows[i], bounds, n_bounds);
}
