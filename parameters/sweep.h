// Private to this folder.
// A sweep: the same body in more and more copies, until its time per copy rises. The copies are straight code in a
// loop, so their number is the footprint of what holds code or branches.
#ifndef PARAMETERS_SWEEP_H
#define PARAMETERS_SWEEP_H

#include "parameters/session.h"

struct sweep {
    const char *name;   // of the curve, and of its trials with the number of copies
    const char *body;   // lines of one copy
    const char *writes; // as in struct timing
    unsigned units;     // instructions in one copy; the curve counts these
    const int *grid;    // numbers of copies, ascending
    unsigned n_grid;
    unsigned n_base; // points at the begin that give the base: their median
    double rise;     // the step: the time is this many times the base
};

// The step of a sweep: the time is near its base up to `low` copies, and has risen from `high` copies on.
struct step {
    bool is_known;   // all of it is measured
    bool is_beyond;  // there is no rise up to `low` copies
    int low, high;   // copies
    double base;     // cycles per copy, before
    double last;     // cycles per copy at the largest number
    const char *why; // why there is none, one clause
};

// Searches the step: the grid, then finer points inside its interval, until noise hides it or the interval is a
// hundredth. Adds the curve to the card.
struct step sweep_find(struct session *session, const struct sweep *sweep);

#endif
