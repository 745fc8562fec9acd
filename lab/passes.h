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

// How much the next pass may spend.
struct passes_effort {
    double attempt_ms;    // computing time of a value, ms
    double retry_seconds; // waiting for others to leave the core, s; in a hasty pass, only for a steady clock
    bool is_hasty;        // as in struct bench_options
};

// Begins behind the passes that measure everything. `n_before`: values that were open before the last one of these.
void passes_start(struct passes *passes, double budget_seconds, unsigned passes_left, size_t n_before);
// Whether another pass is worth its while for the values that are unstable now. Tells the listener.
bool passes_next(struct passes *passes, const struct lab_listener *listener, size_t n_unstable,
                 struct passes_effort *effort);

#endif
