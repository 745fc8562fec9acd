// Private to this folder.
// One measurement with its samples, for calibration; bench_measure is this without the samples. Not for others.
#ifndef BENCH_MEASURE_MEASURE_H
#define BENCH_MEASURE_MEASURE_H

#include "bench/measure/sampling.h"

// `is_search`: see struct progress.
bool measure_samples(struct bench *bench, const struct bench_code *code, bool is_search, struct sampling *sampling,
                     struct bench_measurement *result, struct fail *fail);

// Of the clock that budgets are spent by.
uint64_t measure_now_ns(struct target *target);
// Lets that time pass, on account of the session's retries; less where the user wants no more.
void measure_wait(struct bench *bench, uint64_t ns, bool is_retry);

#endif
