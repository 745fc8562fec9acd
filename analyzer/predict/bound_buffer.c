// The bound of the reorder buffer. A walk as behind latency, in which an instruction enters the reorder buffer, the
// queues of loads and stores and its scheduler only when they have room:
//     it enters no sooner than the one before it, nor before what must have retired for that has,
//     it begins a cycle after that, and as soon as its sources are there,
//     it retires when it is done, and all before it are.
// Each line states what any execution has to wait for, so that the walk's growth from turn to turn is no more than any
// execution takes. A scheduler's entry is free when its instruction begins, in whatever order: of those before, the
// latest ones that are as many as it has entries may still wait. Source: what a reorder buffer is, since J. Smith and
// A. Pleszkun, "Implementing precise interrupts in pipelined processors" (1988); the sizes are the CPU file's.
#include "analyzer/predict/bound_walk.h"

#include <math.h>

enum { MOST_PERIOD = 16 }; // turns

// How many turns are in the reorder buffer at once.
static double turns_in_flight(const struct bound_code *code, const struct bounds *bounds) {
    return cpu_value(code->cpu, CPU_REORDER_BUFFER) / fmax(bounds->slots, 1);
}

// A chain of `longest` cycles that does not repeat takes as many for each time that the buffer is filled anew, and no
// path that joins such chains by the buffer takes more a turn, but where it repeats.
static bool may_matter(const struct bound_code *code, const struct bounds *bounds) {
    return cpu_knows(code->cpu, CPU_REORDER_BUFFER) && bounds->longest > bounds->most * turns_in_flight(code, bounds);
}

// Turns until growth is the same again, as the last `checked` turns show; 0: it is not.
static unsigned period_of(const double *ends, unsigned n, unsigned checked) {
    for (unsigned period = 1; period <= MOST_PERIOD && 2 * period + checked < n; period++) {
        const double grown = ends[n - 1] - ends[n - 1 - period];
        unsigned same = 1;
        while (same <= period + checked && fabs(ends[n - 1 - same] - ends[n - 1 - same - period] - grown) < 1e-9)
            same++;
        if (same > period + checked)
            return period;
    }
    return 0;
}

void bound_buffer(struct bound_code *code, struct bounds *bounds) {
    if (!may_matter(code, bounds))
        return;
    struct bound_code bare = *code;
    bare.trace = NULL;
    bare.accesses = NULL;
    struct walk *walk = walk_open(&bare);
    walk->windows = walk_windows_open(bare.arena, bare.cpu, bare.recipes, bare.n);
    walk->moving = NULL; // pages that are new are not looked for
    // What is in flight of a long turn is a part of it, so that the next turn soon begins as the one before.
    const double in_flight = turns_in_flight(code, bounds);
    const unsigned filled = (unsigned)ceil(in_flight) + 1, checked = in_flight < 1. / 4 ? 3 : 2 * MOST_PERIOD,
                   most = 2 * filled + 8 * MOST_PERIOD;
    double *ends = ARENA_ARRAY(code->arena, double, most); // of turns: when all of it has retired
    unsigned turn = 0, period = 0;
    while (turn < most && !period) {
        walk_turn(walk, NULL);
        ends[turn++] = walk_windows_end(walk->windows);
        period = turn > 2 * filled ? period_of(ends, turn, checked) : 0;
    }
    if (!period)
        period = most / 2;
    bounds->cycles[BOUND_BUFFER] = (ends[turn - 1] - ends[turn - 1 - period]) / period;
}
