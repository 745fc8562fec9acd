// The perf and rdpmc clocks: cycles as the hardware counts them (perf_group.h). Frequency plays no part, so the
// reference is not looked at; the constant cost of reading the counters cancels between the short run and the long one.
// The count of instructions is known beforehand, so that it tells whether anything else was counted: an interrupt adds
// one on many CPUs (V. Weaver, D. Terpstra, S. Moore: "Non-determinism and overcount on modern hardware performance
// counter implementations", ISPASS 2013), and one in the middle of a sample is reason enough to drop it.
#include "bench/measure/clock.h"

bool clock_perf_cycles(const struct target_job *job, const struct target_round *round, double *cycles,
                       enum bench_drop *why) {
    uint64_t iterations = target_job_iterations(job);
    uint64_t instructions = round->code_long.counters[1] - round->code_short.counters[1];
    double n_bodies = (double)iterations * job->code->bodies;
    *cycles = ((double)round->code_long.counters[0] - (double)round->code_short.counters[0]) / n_bodies;
    *why = DROP_RETIRED;
    if (job->code->iteration_instructions && instructions != iterations * job->code->iteration_instructions)
        return false;
    *why = DROP_NEGATIVE;
    return *cycles > 0;
}
