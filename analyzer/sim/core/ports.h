// Private to this folder.
// Pipes: which one a uop takes, and until when it is held.
#ifndef ANALYZER_SIM_CORE_PORTS_H
#define ANALYZER_SIM_CORE_PORTS_H

#include "analyzer/sim/core/plan.h"
#include "analyzer/sim/core/ticks.h"

enum { MOST_PIPES = 64 };

struct ports {
    const struct core_plan *plan;
    struct gate pipes[MOST_PIPES];
    unsigned n_bound[MOST_PIPES]; // uops that wait for it, and were bound to it at rename
    unsigned last_load;           // pipe that the last bound load takes
    unsigned n_pipes;
    uint64_t history;   // the pipes that were bound or taken last, for signatures
    uint64_t all, open; // pipes; those that are open in this cycle
    // Pipes that uops of the block want alike, a set each: those that they want least come first.
    uint64_t wanted_alike[MOST_PIPES];
    uint8_t queues[MOST_PIPES]; // by pipe: of uops that are bound to it
    // By pipe: the queues whose uops may take it, a bit each; and those that some open pipe serves, or that need none.
    uint64_t served_by[MOST_PIPES], served;
    uint64_t served_by_it_alone[MOST_PIPES]; // of served_by
};

void ports_open(struct ports *ports, const struct core_plan *plan);
void ports_begin(struct ports *ports, int64_t cycle);
// At rename: the pipe that the fewest uops wait for; of equal ones that with the higher number. Loads take theirs in
// turn.
// Source: the rule that A. Abel and J. Reineke found for Intel's cores with 8 ports (uiCA, ICS 2022), without what it
// makes of an instruction's place in its group.
unsigned ports_bind(struct ports *ports, const struct core_uop *uop);
// Of those that are open: the one that the fewest other uops of the block want; of equal ones, where it wastes least of
// a pipe's time. `pipes` has one that is open. `ready`: ticks.
unsigned ports_choose(const struct ports *ports, uint64_t pipes, int64_t cycle, int64_t ready);
// Returns when the uop begins.
int64_t ports_take(struct ports *ports, const struct core_uop *uop, unsigned pipe, int64_t cycle, int64_t earliest,
                   int64_t hold);

void ports_put(const struct ports *ports, struct coder *coder);

#endif
