// The ratio clock: cycles without a counter. The reference is a chain of dependent register adds; each is taken to
// last one cycle, or as many as the user says (two on a MIPS 74K), so its time is the length of a cycle now, and code
// time / that = cycles. A change of frequency between rounds cancels; one within a round shows as a difference between
// the reference before the code and after it. Time-stamp timers run at a rate of their own, so without this quotient
// they count no cycles.
// Never a chain of immediate adds: Golden Cove executes several dependent ones in a cycle.
#include "bench/measure/clock.h"

#include <math.h>

// How far the two may differ. Timer noise alone is 0.1 to 0.3 % of the 10 µs that a reference takes; their mean is
// good to half the difference.
static const double reference_tolerance = 0.01;

static double ticks_per_cycle(const struct target_sample samples[2], double n_cycles) {
    return ((double)samples[1].ticks - (double)samples[0].ticks) / n_cycles;
}

static double reference_cycles(const struct target_job *job) {
    double n_bodies = (double)(job->reference_long - job->reference_short) * job->reference->bodies;
    return n_bodies * job->reference->body_cycles;
}

double clock_reference_ticks(const struct target_job *job, const struct target_round *round) {
    double before = ticks_per_cycle(round->reference_before, reference_cycles(job));
    double after = ticks_per_cycle(round->reference_after, reference_cycles(job));
    return before > 0 && after > 0 ? (before + after) / 2 : 0;
}

double clock_reference_change(const struct target_job *job, const struct target_round *round) {
    double mean = clock_reference_ticks(job, round);
    double before = ticks_per_cycle(round->reference_before, reference_cycles(job));
    return mean > 0 ? 2 * (mean - before) / mean : 0;
}

bool clock_reference_is_steady(const struct target_job *job, const struct target_round *round, enum bench_drop *why) {
    double before = ticks_per_cycle(round->reference_before, reference_cycles(job));
    double after = ticks_per_cycle(round->reference_after, reference_cycles(job));
    *why = DROP_NEGATIVE;
    if (before <= 0 || after <= 0)
        return false;
    *why = DROP_REFERENCE;
    return fabs(before - after) <= reference_tolerance * fmin(before, after);
}

bool clock_ratio_cycles(const struct target_job *job, const struct target_round *round, double *cycles,
                        enum bench_drop *why) {
    double code = ((double)round->code_long.ticks - (double)round->code_short.ticks) /
                  ((double)target_job_iterations(job) * job->code->bodies);
    *why = DROP_NEGATIVE;
    if (code <= 0 || !clock_reference_is_steady(job, round, why))
        return false;
    *cycles = code / clock_reference_ticks(job, round);
    return true;
}
