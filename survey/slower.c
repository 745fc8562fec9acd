#include "survey/slower.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

struct candidate {
    const char *sched_class;
    const struct table_throughput *throughput;
};

// 0: they may be compared.
static int compare_kinds(const struct candidate *a, const struct candidate *b) {
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

// Those that may be compared stand beside each other, the fastest first.
static int compare_candidates(const void *a, const void *b) {
    const struct candidate *one = a, *other = b;
    int order = compare_kinds(one, other);
    double delta = one->throughput->value.cycles - other->throughput->value.cycles;
    return order ? order : (delta > 0) - (delta < 0);
}

static bool is_a_little_slower(const struct table_value *value, const struct table_value *other) {
    static const double least = 0.01, most = 0.15;
    return other->high * (1 + least) < value->low && other->cycles * (1 + most) >= value->cycles;
}

static bool is_single(const struct table_value *value) {
    return table_is_stable(value) && !value->has_two_speeds && value->relation == TABLE_EQUAL;
}

const char **slower_than_class(struct arena *arena, const struct survey_table *table, size_t *n) {
    struct candidate *candidates = NULL;
    const char **names = NULL;
    size_t n_candidates = 0;
    *n = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        for (size_t k = 0; row->sched_class && k < row->n_throughputs; k++)
            if (is_single(&row->throughputs[k].value))
                *ARENA_ADD(arena, candidates, n_candidates) =
                    (struct candidate){row->sched_class, &row->throughputs[k]};
    }
    if (!n_candidates)
        return NULL;
    qsort(candidates, n_candidates, sizeof *candidates, compare_candidates);
    for (size_t i = 0, first = 0; i < n_candidates; i++) {
        const struct table_value *value = &candidates[i].throughput->value;
        bool is_slower = false;
        if (compare_kinds(&candidates[first], &candidates[i]) != 0)
            first = i;
        for (size_t k = i; k-- > first && !is_slower;)
            is_slower = is_a_little_slower(value, &candidates[k].throughput->value);
        if (is_slower)
            *ARENA_ADD(arena, names, *n) = value->kernel;
    }
    *n = text_sort(names, *n);
    return names;
}
