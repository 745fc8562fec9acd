// Private to this folder.
// How many cycles an iteration takes for ever, known long before the simulator's steady state (sim/periodic.h) shows
// it: nobody has to walk on.
//
// A state of the core comes again, so all between comes again. Where the signature of a state comes again, it is kept:
// several ones, further and further apart. Two things make such a state smaller than the simulator's. It looks back
// only as far as a time that is over can still matter to this block. And it may leave out the front end, whose own
// period may be many iterations, where what it took meanwhile is what no execution can do without, and dispatch did not
// wait for the front end: that is walked on alone, until its state comes again as well, to show that dispatch never
// will.
#ifndef ANALYZER_SIM_CORE_SETTLED_H
#define ANALYZER_SIM_CORE_SETTLED_H

#include "analyzer/sim/core/front_end.h"
#include "analyzer/sim/stash.h"

struct units;
struct settled;

// `least`: cycles per iteration that no execution can do without.
struct settled *settled_open(const struct units *units, double least, struct stash *stash);
// What a cycle was.
struct settled_cycle {
    bool ends_iteration;
    bool waits; // dispatch, for the front end
};

// After each cycle that is walked. Sets core->settled_cycles.
void settled_look(struct settled *settled, struct units *units, const struct settled_cycle *what);

#endif
