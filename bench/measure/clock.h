// From the times of a round to cycles: one function per tier.
#ifndef BENCH_MEASURE_CLOCK_H
#define BENCH_MEASURE_CLOCK_H

#include "bench/target.h"

#include <stdbool.h>

// Cycles of one body of the job's code; or false, and why the round is worthless.
typedef bool (*clock_cycles_function)(const struct target_job *job, const struct target_round *round, double *cycles,
                                      enum bench_drop *why);
bool clock_ratio_cycles(const struct target_job *job, const struct target_round *round, double *cycles,
                        enum bench_drop *why);
bool clock_perf_cycles(const struct target_job *job, const struct target_round *round, double *cycles,
                       enum bench_drop *why);

bool clock_time_cycles(const struct target_job *job, const struct target_round *round, double *cycles,
                       enum bench_drop *why);

// Whether the reference takes the same before the code and after it; else why the round is worthless.
bool clock_reference_is_steady(const struct target_job *job, const struct target_round *round, enum bench_drop *why);

// Timer ticks of one cycle of the reference in this round, mean of before and after; not above 0 where the round is
// disturbed.
double clock_reference_ticks(const struct target_job *job, const struct target_round *round);
// By how much that is more after the code than before it, relative to the mean; 0 where the round is disturbed.
double clock_reference_change(const struct target_job *job, const struct target_round *round);

#endif
