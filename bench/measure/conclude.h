// Private to this folder.
// From samples to a value and how far to trust it.
#ifndef BENCH_MEASURE_CONCLUDE_H
#define BENCH_MEASURE_CONCLUDE_H

#include "bench/measure/sampling.h"

// What the samples of the job say: fills value, interval, verdict and its reason, and the numbers of samples.
void conclude_samples(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                      struct bench_measurement *result);

#endif
