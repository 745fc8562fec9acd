// Private to this folder.
// Counts of events over the rounds of one measurement. Each round counts one group of the target's events, so that an
// event has the rounds of its group only. Their number is not chosen by what they say, as that of the cycles' samples
// is: one look at the end, and its interval needs no more.
#ifndef BENCH_MEASURE_EVENT_COUNTS_H
#define BENCH_MEASURE_EVENT_COUNTS_H

#include "bench/target.h"

#include <stdbool.h>
#include <stddef.h>

struct event_counts {
    struct arena *arena;
    const struct target *target;
    struct counts {
        double *values; // per body, in the order they were taken; grown in the arena
        size_t n;
        double step; // what one count is worth, per body; the coarsest of the rounds
    } instructions, events[TARGET_MAX_GROUPS][TARGET_MAX_COUNTERS - TARGET_FIXED_COUNTERS];
};

// Adds a round that was kept.
void event_counts_add(struct event_counts *counts, const struct target_job *job, const struct target_round *round);
// Whether each group has as many rounds as an interval needs. Their number depends on what was dropped then,
// and still not on what was counted.
bool event_counts_are_enough(const struct event_counts *counts);
// Writes the medians and their intervals: instructions first, then the events as they were asked for. One whose rounds
// were all dropped is there without a count, and says so. Nothing where no counter was read.
void event_counts_conclude(const struct event_counts *counts, struct bench_measurement *result);

#endif
