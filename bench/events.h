// Names of the hardware events that libpfm4 knows for this CPU: what can be counted where there are counters.
#ifndef BENCH_EVENTS_H
#define BENCH_EVENTS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stddef.h>

// Names as libpfm4 writes them ("amd64_fam19h_zen4::RETIRED_INSTRUCTIONS"), in its order; returns their number, 0 and a
// failure (FAIL_UNAVAILABLE) where it knows none for this CPU.
size_t events_list(struct arena *arena, const char ***names, struct fail *fail);

#endif
