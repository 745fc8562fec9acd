// Passes over the values that are still unstable, each with a clock that is calibrated anew, until none is left or a
// budget is spent. Several short tries find a quiet moment sooner than a long one. Where they no longer help, values
// wait for others to leave the core.
#ifndef LAB_PASSES_H
#define LAB_PASSES_H

#include "lab/listener.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct passes {
    double budget_seconds; // for all passes together, s
    unsigned passes_left;  // a pass may take one part in so many of the time that is left
    uint64_t start_ns;
    size_t n_before; // values that were unstable before the last pass
    unsigned n;      // passes so far
};

// How much a pass may spend on values, above all on those that others disturb or that have no single value. What the
// options of a command ask for themselves goes before `precision`, `attempt_ms` and `processes`.
struct pass_effort {
    double precision;       // half-width of the interval to stop at, as a share of the value
    double least_precision; // likewise: no value is measured more precisely, whatever the options ask for
    double attempt_ms;      // computing time of a value, ms
    unsigned processes;     // least number; 0: bench/'s
    unsigned most_needed;   // as in struct bench_options
    unsigned n_stable;      // times that a value must have been stable; 0: as 1
    double retry_seconds;   // waiting for others to leave the core, s; in a hasty pass, only for a steady clock
    double steady_seconds;  // waiting for a steady clock, s; without one, only a first look measures. 0: no waiting
    bool is_first_look;     // as in struct bench_options
    bool is_hasty;          // likewise
};

// Begins behind the passes that measure everything. `n_before`: values that were open before the last one of these.
void passes_start(struct passes *passes, double budget_seconds, unsigned passes_left, size_t n_before);
// Whether another pass is worth its while for the values that are unstable now. Reports it to the listener. Sets the
// effort's `attempt_ms`, `retry_seconds` and `is_hasty`; all else is 0.
bool passes_next(struct passes *passes, const struct lab_listener *listener, size_t n_unstable,
                 struct pass_effort *effort);

#endif
