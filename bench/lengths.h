// How long the two timed runs of a piece of code are, in iterations: from what a pilot took. Needed on both sides of a
// target: by those that choose the lengths themselves, and by who chooses for the others.
#ifndef BENCH_LENGTHS_H
#define BENCH_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

// The short run's share of the long one: 1 in so many.
enum { LENGTHS_SHORT_SHARE = 8 };

struct target_lengths {
    uint64_t n_short, n_long; // iterations
    unsigned n_calls;         // of the code in each execution; 0 or 1: one
};

// What is asked of who chooses.
struct lengths_request {
    double wanted_ticks;  // time of the long run, ticks
    unsigned fewest_runs; // of a pilot, where that is more than two
};

// What some runs of the same number of iterations took. The first one fills caches and branch predictors, and what
// takes the core away lengthens any of them. So the least time counts once another one agrees with it within a quarter.
// Where gaps are frequent, they may all have one length, and hit two runs: then three are the fewest.
struct lengths_pilot {
    unsigned fewest;    // runs, where that is more than two
    double ticks, next; // the least time, and the least but one; next is meaningless with n below 2
    unsigned n;         // runs
};
void lengths_pilot_take(struct lengths_pilot *pilot, double ticks);
// Whether there are enough, or so many that the code itself varies.
bool lengths_pilot_is_done(const struct lengths_pilot *pilot);

// Times below an eighth of the wanted one are partly overhead, and only say that more is needed. Returns the next n to
// time; 0 where n is long enough, or cannot grow.
double lengths_more(double n, double ticks, double wanted_ticks);
// What follows from n iterations in so many ticks: a long run of `wanted_ticks`. At least 1 and 2 iterations.
struct target_lengths lengths_for(double n, double ticks, double wanted_ticks);

#endif
