#include "survey/table/recheck.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// 0: they may be compared.
static int compare_kinds(const struct recheck_peer *a, const struct recheck_peer *b) {
    unsigned one = table_throughput_way(a->throughput), other = table_throughput_way(b->throughput);
    int order = strcmp(a->sched_class, b->sched_class);
    if (order)
        return order;
    if (one == other) {
        one = a->throughput->copies;
        other = b->throughput->copies;
    }
    if (one != other)
        return one < other ? -1 : 1;
    return a->throughput->streams < b->throughput->streams ? -1 : a->throughput->streams > b->throughput->streams;
}

bool recheck_are_alike(const struct recheck_peer *a, const struct recheck_peer *b) {
    return compare_kinds(a, b) == 0;
}

int recheck_compare_peers(const struct recheck_peer *a, const struct recheck_peer *b) {
    int order = compare_kinds(a, b);
    double delta = a->throughput->value.cycles - b->throughput->value.cycles;
    return order ? order : (delta > 0) - (delta < 0);
}

static int compare_peers(const void *a, const void *b) {
    return recheck_compare_peers(a, b);
}

static bool is_a_little_slower(const struct table_value *value, const struct table_value *other) {
    static const double least = 0.01, most = 0.15;
    return other->high * (1 + least) < value->low && other->cycles * (1 + most) >= value->cycles;
}

const char **recheck_than_class(struct arena *arena, const struct survey_table *table, size_t *n) {
    struct recheck_peer *candidates = NULL;
    enum { WITNESSES = 2 };
    const char **names = NULL;
    size_t n_candidates = 0;
    *n = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        for (size_t k = 0; row->sched_class && k < row->n_throughputs; k++)
            if (table_is_single(&row->throughputs[k].value))
                *ARENA_ADD(arena, candidates, n_candidates) =
                    (struct recheck_peer){row->sched_class, &row->throughputs[k]};
    }
    if (!n_candidates)
        return NULL;
    qsort(candidates, n_candidates, sizeof *candidates, compare_peers);
    for (size_t i = 0, first = 0; i < n_candidates; i++) {
        const struct table_value *value = &candidates[i].throughput->value;
        unsigned n_witnesses = 0;
        if (!recheck_are_alike(&candidates[first], &candidates[i]))
            first = i;
        for (size_t k = first; k < i && n_witnesses < WITNESSES; k++) {
            const struct table_value *faster = &candidates[k].throughput->value;
            if (is_a_little_slower(value, faster) && ++n_witnesses)
                *ARENA_ADD(arena, names, *n) = faster->kernel;
        }
        if (n_witnesses)
            *ARENA_ADD(arena, names, *n) = value->kernel;
    }
    *n = text_sort(names, *n);
    return names;
}
