// Private to this folder.
// A spin loop over the raw timer, in a child on the measuring CPU and in the class that measures: where two readings
// are far apart, something took the core away.
#ifndef BENCH_TARGETS_NATIVE_WATCH_H
#define BENCH_TARGETS_NATIVE_WATCH_H

#include "bench/target.h"

// As target_ops.watch, on logical CPU `cpu`. `ticks_per_second`, `timer_step`: the raw timer's.
bool native_watch(int cpu, double ticks_per_second, uint64_t timer_step, struct target_watch *watch, struct fail *fail);

#endif
