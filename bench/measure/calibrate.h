// Private to this folder.
// Calibrating once more: what a noisy moment has spoilt, a quiet one may mend. The first time is bench_open's.
#ifndef BENCH_MEASURE_CALIBRATE_H
#define BENCH_MEASURE_CALIBRATE_H

#include "bench/bench.h"

// As long as the session is doubtful and half of its time for retries is left. `listener`: null for none.
bool calibrate_if_doubtful(struct bench *bench, const struct bench_listener *listener, struct fail *fail);

#endif
