// Names of the hardware events that can be requested on this CPU: libpfm4's, and those that the kernel lists for its
// PMU. event_name.h encodes them.
#ifndef BENCH_COUNTERS_EVENTS_H
#define BENCH_COUNTERS_EVENTS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stddef.h>

// Sets `names`: "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS" in libpfm4's order, then "cpu/cache-misses/". Returns their
// number; 0 and FAIL_UNAVAILABLE where this CPU has no names. `cpu`: as in struct bench_options.
size_t events_list(struct arena *arena, int cpu, const char ***names, struct fail *fail);

#endif
