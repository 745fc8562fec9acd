// The programs that a campaign would measure, for another machine to measure them. Each comes once, and those with a
// value in the campaign's folder do not come at all.
#ifndef LAB_COLLECT_H
#define LAB_COLLECT_H

#include "base/index.h"
#include "bench/record/record.h"
#include "lab/experiment.h"

struct collect {
    struct arena *arena; // of what lives as long as this
    void *context;
    // Takes a program, assembled. The experiment ends with the pass.
    bool (*take)(void *context, const struct experiment *experiment, struct fail *fail);
    size_t n_taken, n_measured, n_refused; // programs: taken, with a value, not to be made
    struct index places;                   // of the keys
    const char **keys;                     // of the programs that came
    size_t n_keys;
};

// Hands on the plan's programs. `known`: what was measured. `n_stable`: as in struct pass_effort.
bool collect_plan(struct collect *collect, struct arena *arena, struct plan *plan, const struct record_file *known,
                  unsigned n_stable, struct fail *fail);

#endif
