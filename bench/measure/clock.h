// Private to this folder.
// A clock turns one round of timed executions into cycles, and knows how far it is to be trusted. clock.c has them all.
#ifndef BENCH_MEASURE_CLOCK_H
#define BENCH_MEASURE_CLOCK_H

#include "bench/target.h"

#include <stdbool.h>

// What the kept rounds of a measurement show of the reference.
struct clock_seen {
    double ticks_per_cycle; // of the timer, median
    double change_spread;   // of the change within a round, between its quartiles, relative
    unsigned n;             // rounds
    double step;            // the least difference that the clock can show, as a share of the cycles
};

// Functions may be null where that is said.
struct clock {
    bool counts;   // reads hardware counters: needs no reference, and counts events
    bool believes; // a frequency that somebody states: where that is wrong, every value is
    // Why it cannot be used on this target; null: it can. Null: it always can.
    const char *(*why_not)(const struct target *target);
    // Readies a session, before anything is timed. Null: nothing is to be done.
    bool (*open)(struct bench *bench, struct fail *fail);
    // Cycles of one body of the job's code; or false, and why the round is worthless.
    bool (*convert)(const struct target_job *job, const struct target_round *round, double *cycles,
                    enum bench_drop *why);
    // The least difference that it can show in this round, as a share of the cycles.
    double (*step)(const struct bench *bench, const struct target_round *round);
    // Relative error in these rounds; at least that of calibration. Null: it is that.
    double (*error)(const struct bench *bench, const struct clock_seen *seen);
    // A clause for people where that error is too large.
    const char *(*describe_error)(const struct bench *bench, const struct clock_seen *seen, double error);
    // For people: what a cycle is, in brackets, or ""; and what the session rests on, with `error` in it.
    const char *(*unit)(const struct bench *bench);
    const char *(*note)(const struct bench *bench, const char *error);
};

// By enum bench_clock, but CLOCK_AUTO.
const struct clock *clock_of(enum bench_clock clock);

// Those that CLOCK_AUTO tries, best first; up to CLOCK_AUTO.
const enum bench_clock *clock_tiers(void);

// Whether the reference takes the same before the code and after it; else why the round is worthless.
bool clock_reference_is_steady(const struct target_job *job, const struct target_round *round, enum bench_drop *why);

// Timer ticks of one cycle of the reference in this round, mean of before and after; not above 0 where the round is
// disturbed.
double clock_reference_ticks(const struct target_job *job, const struct target_round *round);
// By how much that is more after the code than before it, relative to the mean; 0 where the round is disturbed.
double clock_reference_change(const struct target_job *job, const struct target_round *round);

#endif
