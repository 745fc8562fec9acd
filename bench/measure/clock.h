// Private to this folder.
// A clock turns one round of timed executions into cycles, and knows its own error. clock.c has all clocks.
#ifndef BENCH_MEASURE_CLOCK_H
#define BENCH_MEASURE_CLOCK_H

#include "bench/target.h"

#include <stdbool.h>

// The reference in the kept rounds of a measurement.
struct clock_seen {
    double ticks_per_cycle; // timer ticks per cycle of the reference, median
    double change_spread;   // distance between the quartiles of the relative change within a round
    unsigned n;             // rounds
    double step;            // the least difference that the clock can show, as a share of the cycles
};

// A function may be null where its comment has "Null:".
struct clock {
    bool counts;   // reads hardware counters: needs no reference, and counts events
    bool believes; // rests on a stated frequency: where that is wrong, every value is
    // Returns why it cannot be used on this target, or null. Null: it always can.
    const char *(*why_not)(const struct target *target);
    // Prepares a session, before anything is timed. Null: there is nothing to do.
    bool (*open)(struct bench *bench, struct fail *fail);
    // Sets the cycles of one body of the job's code; or returns false, and sets why the round is worthless.
    bool (*convert)(const struct target_job *job, const struct target_round *round, double *cycles,
                    enum bench_drop *why);
    // The least difference that the clock can show in this round, as a share of the cycles.
    double (*step)(const struct bench *bench, const struct target_round *round);
    // Relative error in these rounds, at least that of calibration. Null: that of calibration.
    double (*error)(const struct bench *bench, const struct clock_seen *seen);
    // A clause for people where that error is too large.
    const char *(*describe_error)(const struct bench *bench, const struct clock_seen *seen, double error);
    // For people. `unit`: what a cycle is, in brackets, or "". `note`: what the clock rests on, including `error`.
    const char *(*unit)(const struct bench *bench);
    const char *(*note)(const struct bench *bench, const char *error);
};

// The clock of that name, which is not CLOCK_AUTO.
const struct clock *clock_of(enum bench_clock clock);

// The clocks that CLOCK_AUTO tries, best first; CLOCK_AUTO ends the list.
const enum bench_clock *clock_tiers(void);

// Whether the reference takes the same before the code and after it; else why the round is worthless.
bool clock_reference_is_steady(const struct target_job *job, const struct target_round *round, enum bench_drop *why);

// Timer ticks of one cycle of the reference in this round, mean of before and after; not above 0 where the round is
// disturbed.
double clock_reference_ticks(const struct target_job *job, const struct target_round *round);
// Increase of these ticks from before the code to after it, relative to the mean; 0 where the round is disturbed.
double clock_reference_change(const struct target_job *job, const struct target_round *round);

#endif
