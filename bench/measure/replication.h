// The same code, laid out in other ways (elsewhere in its cache lines, in other registers, more or fewer copies in a
// row), must take the same time; where it does not, no one number is the code's. Takes what such replicates measured
// into a value: its interval holds them all, or it is marked as depending on the layout.
#ifndef BENCH_MEASURE_REPLICATION_H
#define BENCH_MEASURE_REPLICATION_H

#include "bench/bench.h"

// `change`: how the replicate differs from the code of `value`, for people ("16 bytes further on"). At most
// BENCH_MAX_REPLICATES, one after the other. A replicate that is unstable, or did not run, is noted and changes
// nothing.
void replication_add(struct arena *arena, struct bench_measurement *value, const char *change,
                     const struct bench_measurement *replicate);

#endif
