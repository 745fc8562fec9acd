// Private to this folder.
// Where recorded steps ran, and which of a profile's samples are where the recorded steps of replayed loops run.
#ifndef HOT_COVERAGE_H
#define HOT_COVERAGE_H

#include "hot/loops.h"
#include "hot/state.h"

// Addresses that the first steps of a state run, each once, ascending. Those in no mapped file are left out.
struct coverage_steps {
    struct coverage_step {
        struct hot_place place; // module UINT_MAX: the profile has none such
        const char *file;
        size_t n; // times that it ran
    } * items;
    size_t n;
};
void coverage_steps_open(struct coverage_steps *steps, struct arena *arena, const struct hot_profile *profile,
                         const struct hot_state *state, size_t n_steps);

struct coverage {
    struct arena *arena;
    const struct hot_profile *profile;
    const struct hot_loops *loops;
    size_t *entries; // of each sample: number of the loop, or the rest of a function, that has it; SIZE_MAX: none
    size_t *owners;  // of each sample: number of what has it; SIZE_MAX: no steps run there
    double *heat;    // of each sample: how often that is, or INFINITY: it is its own
};

void coverage_open(struct coverage *coverage, struct arena *arena, const struct hot_profile *profile,
                   const struct hot_loops *loops);

// Adds the first `n_steps` steps of a state, under a number. `entry`: its own, whose samples it gets; others go to what
// runs there most often. `share`: of the program's time that is spent in it, by which that is weighed.
void coverage_add(struct coverage *coverage, size_t number, size_t entry, const struct hot_state *state, size_t n_steps,
                  double share);

// Share of the profile's samples, 0 to 1: of a number; of the samples of an entry that nothing runs over; and of those
// that a state's steps run over.
double coverage_of(const struct coverage *coverage, size_t number);
double coverage_left(const struct coverage *coverage, size_t entry);
double coverage_in(const struct coverage *coverage, size_t entry, const struct hot_state *state);

#endif
