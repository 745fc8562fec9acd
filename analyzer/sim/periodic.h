// Private to the simulator.
// Steady state: where a core at the end of one iteration is as it was at the end of an earlier one, all that happened
// in between happens again and again. Whole periods are then left out.
//
// "As it was" means the complete state that the core puts (coder.h), relative to the current cycle and instruction. It
// is compared with one earlier state only: one that looked like a state before it, by a signature that is cheap to
// make. Where nothing comes of that for a while, a later state takes its place, for twice as long. So memory is
// bounded, and a period of any length is found at last; a time without a period is walked whole.
#ifndef ANALYZER_SIM_PERIODIC_H
#define ANALYZER_SIM_PERIODIC_H

#include "analyzer/sim/stash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct core;
struct pipeline_options;

enum { SIGNATURE_PLACES = 64, SIGNATURES_AT_PLACE = 4 };

struct seen_signature {
    uint64_t signature, end; // 0: none; else the number of the end that it was last seen at
};

struct periodic {
    bool is_on;
    uint64_t walk_insns; // those with lower indices have to leave first
    uint64_t max_cycles; // as in the options

    uint64_t n_ends;  // of iterations looked at so far: cycles in which one ended
    int64_t last_end; // cycle
    // By signature; at each place the latest first. Several, so that few signatures do not displace each other for
    // ever.
    struct seen_signature seen[SIGNATURE_PLACES][SIGNATURES_AT_PLACE];

    struct stash *stash; // of the run: holds the state
    uint64_t *state;     // words
    size_t n_state;      // 0: none kept
    size_t room;         // words that `state` can hold
    uint64_t signature;
    uint64_t keep_until, keep_for; // ends
    // When it was kept.
    uint64_t insns, n_unreported;
    int64_t cycles;
};

void periodic_init(struct periodic *periodic, const struct core *core, const struct pipeline_options *options,
                   struct stash *stash);
// To be called after each cycle in which an iteration ended, or several; core->now is the next one.
void periodic_look(struct periodic *periodic, struct core *core);

#endif
