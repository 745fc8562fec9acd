// When a loop is copied, and what each copy stands for: a loop whose data change does not take the same time
// throughout.
//
// The profile has the times of samples. The moments cut the loop's own time into equal parts, and are in the middle of
// each. A copy stands for the samples that are nearer to it than to other copies.
#ifndef HOT_MOMENTS_H
#define HOT_MOMENTS_H

#include "hot/loops.h"
#include "hot/state.h"

enum { HOT_MOMENTS = 3 }; // as many, where nothing else is requested

// Chooses up to `most` times since the program's start, ascending. Returns their number; 0: the profile has no times.
size_t hot_moments_choose(struct arena *arena, const struct hot_profile *profile, const struct hot_loops *loops,
                          const struct hot_loop *loop, size_t most, const double **moments);

// Sets the share of each state, which were copied at these times: together 1. Equal ones, where there are no times.
void hot_moments_weigh(const struct hot_profile *profile, const struct hot_loops *loops, const struct hot_loop *loop,
                       struct hot_state *const *states, size_t n);

#endif
