#include "bench/measure/event_counts.h"

#include "bench/measure/sampling.h"
#include "bench/measure/statistics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void add(struct event_counts *counts, struct counts *one, const struct target_job *job,
                const struct target_round *round, unsigned counter) {
    double difference = (double)round->code_long.counters[counter] - (double)round->code_short.counters[counter];
    double bodies = (double)target_job_iterations(job) * job->code->bodies;
    one->values = arena_grow(counts->arena, one->values, one->n, sizeof *one->values);
    one->values[one->n++] = difference / bodies;
    one->step = fmax(one->step, 1 / bodies);
}

void event_counts_add(struct event_counts *counts, const struct target_job *job, const struct target_round *round) {
    add(counts, &counts->instructions, job, round, 1);
    for (unsigned i = 0; i < counts->target->groups[job->group].n_events; i++)
        add(counts, &counts->events[job->group][i], job, round, TARGET_FIXED_COUNTERS + i);
}

bool event_counts_are_enough(const struct event_counts *counts) {
    size_t needed = statistics_samples_needed(SAMPLING_CONFIDENCE);
    for (unsigned group = 0; group < counts->target->n_groups; group++)
        if (counts->events[group][0].n < needed) // all events of a group have the same number
            return false;
    return true;
}

// Start and end of counting have an error of one count each: no interval is narrower than that.
static void put_interval(struct arena *arena, const struct counts *one, struct bench_event *event) {
    double *sorted = ARENA_ARRAY(arena, double, one->n), *in_order = ARENA_ARRAY(arena, double, one->n);
    memcpy(sorted, one->values, one->n * sizeof *sorted);
    memcpy(in_order, one->values, one->n * sizeof *in_order);
    statistics_sort(sorted, one->n);
    event->count = statistics_median(sorted, one->n);
    double effective = statistics_effective_count(in_order, one->n, event->count, one->step);
    struct interval interval = statistics_median_interval(sorted, one->n, effective, SAMPLING_CONFIDENCE);
    event->low = fmin(interval.low, event->count - one->step);
    event->high = fmax(interval.high, event->count + one->step);
    event->confidence = interval.confidence;
}

static void conclude(struct arena *arena, const struct event_counts *counts, const struct counts *one, const char *name,
                     struct bench_measurement *result) {
    assert(result->n_events < BENCH_MAX_EVENTS);
    struct bench_event *event = ARENA_ADD(arena, result->events, result->n_events);
    *event = (struct bench_event){.name = name, .samples = (unsigned)one->n};
    if (one->n)
        put_interval(counts->arena, one, event);
    if (!one->n)
        event->why = "all rounds that counted it were dropped";
    else if (event->confidence < SAMPLING_CONFIDENCE)
        event->why = "too few rounds that counted it were kept";
}

void event_counts_conclude(struct arena *arena, const struct event_counts *counts, struct bench_measurement *result) {
    const struct target *target = counts->target;
    if (!bench_clock_counts(result->clock))
        return;
    conclude(arena, counts, &counts->instructions, "instructions", result);
    for (unsigned group = 0; group < target->n_groups; group++)
        for (unsigned i = 0; i < target->groups[group].n_events; i++)
            conclude(arena, counts, &counts->events[group][i], target->groups[group].events[i], result);
}
