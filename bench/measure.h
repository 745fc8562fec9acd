// One measurement with its samples, for calibration; bench_measure is this without the samples.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench/sampling.h"

bool measure_samples(const struct bench *bench, const struct bench_code *code, struct sampling *sampling,
                     struct bench_measurement *result, struct fail *fail);

#endif
