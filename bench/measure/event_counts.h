// Private to this folder.
// Counts of events over the rounds of one measurement. Each round counts one group of the target's events, so an event
// has only the rounds of its group. The number of rounds does not depend on the counts: there is one look, at the end,
// and its interval need not be wider.
#ifndef BENCH_MEASURE_EVENT_COUNTS_H
#define BENCH_MEASURE_EVENT_COUNTS_H

#include "bench/target.h"

#include <stdbool.h>
#include <stddef.h>

struct event_counts {
    struct arena *arena;
    const struct target *target;
    struct counts {
        double *values; // counts per body, in the order of the rounds; grown in the arena
        size_t n;
        double step; // size of one count, per body; the coarsest of the rounds
    } instructions, events[TARGET_MAX_GROUPS][TARGET_MAX_COUNTERS - TARGET_FIXED_COUNTERS];
};

// Adds a kept round.
void event_counts_add(struct event_counts *counts, const struct target_job *job, const struct target_round *round);
// Whether each group has as many rounds as an interval needs. Their number depends on what was dropped, not on the
// counts.
bool event_counts_are_enough(const struct event_counts *counts);
// Writes the medians and their intervals: instructions first, then the events in the order of the request. An event
// whose rounds were all dropped has no count, and a reason. Writes nothing where no counter was read. The result's
// events live in `arena`.
void event_counts_conclude(struct arena *arena, const struct event_counts *counts, struct bench_measurement *result);

#endif
