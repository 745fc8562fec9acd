// Private to this folder.
// Calibrates once more: a quiet moment may give what a noisy one has spoilt. bench_open calibrates first.
#ifndef BENCH_MEASURE_CALIBRATE_H
#define BENCH_MEASURE_CALIBRATE_H

#include "bench/bench.h"

// Repeats as long as the session is doubtful and half of its time for retries is left. `listener`: null for none.
bool calibrate_if_doubtful(struct bench *bench, const struct bench_listener *listener, struct fail *fail);

#endif
