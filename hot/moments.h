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

struct hot_moments {
    double *times;        // since the program's start, s, ascending
    double *least, *most; // of each, as far as it may be moved
    size_t n;             // 0: the profile has no times
    double before;        // since the loop's first sample, to the first moment, s
};

// Chooses up to `most` times. `room`: share of each part in which its moment may be moved. Where that is wide, the
// first one may be moved to a later time, too.
#define HOT_NARROW 0.5
#define HOT_WIDE 0.8
void hot_moments_choose(struct arena *arena, const struct hot_profile *profile, const struct hot_loops *loops,
                        const struct hot_loop *loop, size_t most, double room, struct hot_moments *moments);

// Moves moments of all loops to as few times as possible. Pages that the program writes to are copied again after each
// copy of it: copies that follow one another at once cost little more than one. Returns how many times there are.
size_t hot_moments_join(struct arena *arena, struct hot_moments *all, size_t n);

// Sets the share of each state, which were copied at these times: together 1. Equal ones, where there are no times
// by the clock of the states.
void hot_moments_weigh(const struct hot_profile *profile, const struct hot_loops *loops, const struct hot_loop *loop,
                       struct hot_state *const *states, size_t n);

#endif
