// The same code in other layouts must take the same time: elsewhere in its cache lines, in other registers, with more
// or fewer copies in a row. Else the code does not have one number. This adds such replicates to a value: its interval
// holds them all, or the value is marked as depending on the layout.
#ifndef BENCH_MEASURE_REPLICATION_H
#define BENCH_MEASURE_REPLICATION_H

#include "bench/bench.h"

// A difference of a replicate from the code of a value.
struct replication_change {
    const char *text; // for people: "16 bytes further on"
    double cost;      // cycles that the change itself may take: it may be slower by as much
    double width;     // share of a value by which it may differ; the interval then holds both, and a warning says so
};

// Adds one replicate, at most BENCH_MAX_REPLICATES. One that did not run is noted and changes nothing. Nor does one
// that is unstable, unless it may differ by a share, and all of it is slower by more, or its median faster: what
// disturbs only slows.
void replication_add(struct arena *arena, struct bench_measurement *value, const struct replication_change *change,
                     const struct bench_measurement *replicate);

#endif
