// Private to this folder.
// Fillers of windows, certified by experiments on the CPU at hand. A filler that is said to wait in a scheduler, or to
// write a register, must be executed: some CPUs add constants when they rename, and then `lea d, [p + 1]` never enters
// a scheduler. Where a filler fails, the next candidate takes its place.
#ifndef PARAMETERS_FILLERS_H
#define PARAMETERS_FILLERS_H

#include "parameters/session.h"

struct fillers {
    const char *lines[RECIPE_N_LINES];  // as in struct recipe, but only what is certified, or needs no certificate
    const char *why[RECIPE_N_LINES];    // why there is no such line; null: there is
    unsigned candidate[RECIPE_N_LINES]; // number of the candidate that is certified, from 0
};

// False: not measured yet.
bool fillers_certify(struct session *session, struct fillers *fillers);

#endif
