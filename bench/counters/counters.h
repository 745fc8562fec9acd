// What of the hardware's counters can be used on one CPU, and how: cycles and instructions, and whatever events were
// asked for, divided into groups that fit the hardware's counters all at once. Each group is tried before anything is
// measured with it. Reading them is perf_group.h.
#ifndef BENCH_COUNTERS_COUNTERS_H
#define BENCH_COUNTERS_COUNTERS_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/counters/perf_group.h"

#include <stdbool.h>

struct counters {
    unsigned n_groups; // 0: nothing can be counted
    struct perf_group groups[TARGET_MAX_GROUPS];
};

// Encodes the events of the wish for `cpu`, tries them there, and sets what the target says of its counters. Without
// any event, counters that do not work are no failure: the target's notes say why. With events they are
// (FAIL_UNAVAILABLE), as is an event that this CPU cannot count; a name nobody knows is FAIL_INPUT.
bool counters_prepare(struct arena *arena, int cpu, const struct target_wish *wish, struct counters *counters,
                      struct target *target, struct fail *fail);

#endif
