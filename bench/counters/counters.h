// The hardware's counters that can be used on one CPU: cycles and instructions, and the requested events. Divides the
// events into groups, each of which fits the hardware's counters at once, and tries each group. Reading is in
// perf_group.h.
#ifndef BENCH_COUNTERS_COUNTERS_H
#define BENCH_COUNTERS_COUNTERS_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/counters/perf_group.h"

#include <stdbool.h>

struct counters {
    unsigned n_groups; // 0 to TARGET_MAX_GROUPS; 0: nothing can be counted
    struct perf_group groups[TARGET_MAX_GROUPS];
};

// Encodes the requested events for `cpu`, tries them there, and sets `counters` and the counters' fields of `target`.
// Where counters do not work, the target's notes have the reason. Fails:
//  - FAIL_INPUT: an unknown name, or too many events
//  - FAIL_UNAVAILABLE: events are requested, and this CPU cannot count them; or `cpu` cannot be used
bool counters_prepare(struct arena *arena, int cpu, const struct target_request *request, struct counters *counters,
                      struct target *target, struct fail *fail);

#endif
