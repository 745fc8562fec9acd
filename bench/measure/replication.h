// The same code in other layouts must take the same time: elsewhere in its cache lines, in other registers, with more
// or fewer copies in a row. Else the code does not have one number. This adds such replicates to a value: its interval
// holds them all, or the value is marked as depending on the layout.
#ifndef BENCH_MEASURE_REPLICATION_H
#define BENCH_MEASURE_REPLICATION_H

#include "bench/bench.h"

// Adds one replicate, at most BENCH_MAX_REPLICATES. `change`: its difference from the code of `value`, for people ("16
// bytes further on"). A replicate that is unstable, or did not run, is noted and changes nothing.
void replication_add(struct arena *arena, struct bench_measurement *value, const char *change,
                     const struct bench_measurement *replicate);

#endif
