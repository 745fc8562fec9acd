// The perf clock: cycles as the hardware counts them (counters.c). Frequency plays no part, so the reference is not
// looked at; the constant cost of reading the counters cancels between the short run and the long one.
#include "bench/clock.h"

bool clock_perf_cycles(const struct target_job *job, const struct target_round *round, double *cycles,
                       enum bench_drop *why) {
    double n_bodies = (double)(job->code_long - job->code_short) * job->code->bodies;
    *cycles = ((double)round->code_long.counters[0] - (double)round->code_short.counters[0]) / n_bodies;
    *why = DROP_NEGATIVE;
    return *cycles > 0;
}
