#include "bench/event_counts.h"

#include "bench/statistics.h"

#include <assert.h>

static void add(struct event_counts *counts, struct counts *one, const struct target_job *job,
                const struct target_round *round, unsigned counter) {
    double difference = (double)round->code_long.counters[counter] - (double)round->code_short.counters[counter];
    one->values = arena_grow(counts->arena, one->values, one->n, sizeof *one->values);
    one->values[one->n++] = difference / ((double)(job->code_long - job->code_short) * job->code->bodies);
}

void event_counts_add(struct event_counts *counts, const struct target_job *job, const struct target_round *round) {
    add(counts, &counts->instructions, job, round, 1);
    for (unsigned i = 0; i < counts->target->groups[job->group].n_events; i++)
        add(counts, &counts->events[job->group][i], job, round, TARGET_FIXED_COUNTERS + i);
}

static void conclude(const struct counts *one, const char *name, struct bench_measurement *result) {
    if (one->n == 0)
        return;
    assert(result->n_events < BENCH_MAX_EVENTS);
    statistics_sort(one->values, one->n);
    result->events[result->n_events++] = (struct bench_event){name, statistics_median(one->values, one->n)};
}

void event_counts_conclude(const struct event_counts *counts, struct bench_measurement *result) {
    const struct target *target = counts->target;
    conclude(&counts->instructions, "instructions", result);
    for (unsigned group = 0; group < target->n_groups; group++)
        for (unsigned i = 0; i < target->groups[group].n_events; i++)
            conclude(&counts->events[group][i], target->groups[group].events[i], result);
}
