// Names of the hardware events that can be asked for on this CPU: libpfm4's, and what the kernel lists of its PMU. What
// they mean to the kernel is event_name.h.
#ifndef BENCH_COUNTERS_EVENTS_H
#define BENCH_COUNTERS_EVENTS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stddef.h>

// "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS" in libpfm4's order, then "cpu/cache-misses/"; returns their number, 0 and a
// failure (FAIL_UNAVAILABLE) where there are none for this CPU. `cpu`: as in struct bench_options.
size_t events_list(struct arena *arena, int cpu, const char ***names, struct fail *fail);

#endif
