// The time clock: cycles = seconds × frequency, where somebody says what the frequency is. The method of the article
// "Benchmarking instruction timings": where a loop's count of iterations is the frequency in Hz, its seconds are the
// cycles of its body. It needs neither counters nor a belief about how long an add takes, and so it is the one that
// shows adds of two cycles for what they are. But a frequency other than the stated one is in every value, in full.
// What shows it: the chains of adds and of multiplies, which take whole cycles at the true frequency (calibrate.c);
// the chain of adds again, beside each measurement (verdict.c); and values that are near no fraction of small numbers.
#include "bench/measure/clock.h"

bool clock_time_cycles(const struct target_job *job, const struct target_round *round, double *cycles,
                       enum bench_drop *why) {
    double ticks = (double)round->code_long.ticks - (double)round->code_short.ticks;
    *cycles = ticks / ((double)target_job_iterations(job) * job->code->bodies) / job->ticks_per_cycle;
    *why = DROP_NEGATIVE;
    return *cycles > 0 && clock_reference_is_steady(job, round, why);
}
