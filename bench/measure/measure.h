// Private to this folder.
// Measuring in a session that is calibrated, or on the way to it. calibrate.c is what others see of it.
#ifndef BENCH_MEASURE_MEASURE_H
#define BENCH_MEASURE_MEASURE_H

#include "bench/measure/sampling.h"

// As bench_measure; or one piece of code, while another thread runs `corunner`; null: nothing.
bool measure_codes(struct bench *bench, const struct bench_code *codes, const struct bench_code *corunner,
                   struct bench_measurement *results, size_t n, const struct bench_listener *listener,
                   struct fail *fail);

// One with its samples, for calibration. `is_search`: see struct progress.
bool measure_samples(struct bench *bench, const struct bench_code *code, bool is_search, struct sampling *sampling,
                     struct bench_measurement *result, struct fail *fail);

// The user wants no more.
bool measure_is_stopped(const struct bench *bench);
// Time that budgets count, ns.
uint64_t measure_now_ns(struct target *target);
// Waits `ns` of that time, less where the user ends the run. `is_retry`: takes it from the session's time for retries.
void measure_wait(struct bench *bench, uint64_t ns, bool is_retry);

#endif
