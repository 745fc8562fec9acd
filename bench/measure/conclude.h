// Private to this folder.
// Turns samples into a value with its verdict.
#ifndef BENCH_MEASURE_CONCLUDE_H
#define BENCH_MEASURE_CONCLUDE_H

#include "bench/measure/sampling.h"

// Fills in value, interval, verdict and its reason, and the numbers of samples.
void conclude_samples(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                      struct bench_measurement *result);

#endif
