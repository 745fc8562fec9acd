// Private to this folder.
// One measurement with its samples, only for calibration; bench_measure is the same without the samples.
#ifndef BENCH_MEASURE_MEASURE_H
#define BENCH_MEASURE_MEASURE_H

#include "bench/measure/sampling.h"

// `is_search`: see struct progress.
bool measure_samples(struct bench *bench, const struct bench_code *code, bool is_search, struct sampling *sampling,
                     struct bench_measurement *result, struct fail *fail);

// Time that budgets count, ns.
uint64_t measure_now_ns(struct target *target);
// Waits `ns` of that time, less where the user ends the run. `is_retry`: takes it from the session's time for retries.
void measure_wait(struct bench *bench, uint64_t ns, bool is_retry);

#endif
