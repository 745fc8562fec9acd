// Counts of events over the rounds of one measurement. Each round counts one group of the target's events, so that an
// event has the rounds of its group only.
#ifndef BENCH_EVENT_COUNTS_H
#define BENCH_EVENT_COUNTS_H

#include "bench/target.h"

#include <stddef.h>

struct event_counts {
    struct arena *arena;
    const struct target *target;
    struct counts {
        double *values; // per body; grown in the arena
        size_t n;
    } instructions, events[TARGET_MAX_GROUPS][TARGET_MAX_COUNTERS - TARGET_FIXED_COUNTERS];
};

// Adds a round that was kept.
void event_counts_add(struct event_counts *counts, const struct target_job *job, const struct target_round *round);
// Writes the medians: instructions first, then the events as they were asked for.
void event_counts_conclude(const struct event_counts *counts, struct bench_measurement *result);

#endif
