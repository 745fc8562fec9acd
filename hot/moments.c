#include "hot/moments.h"

#include <math.h>
#include <stdlib.h>

static bool is_in(const struct hot_loop *loop, struct hot_place place) {
    for (size_t i = 0; i < loop->n_ranges && loop->module == place.module; i++)
        if (place.address >= loop->ranges[i].begin && place.address < loop->ranges[i].end)
            return true;
    return false;
}

// Whether a sample is in the loop itself, and in no loop inside it.
static bool is_own(const struct hot_loops *loops, const struct hot_loop *loop, struct hot_place place) {
    const size_t number = (size_t)(loop - loops->loops);
    if (!is_in(loop, place))
        return false;
    for (size_t i = 0; i < loops->n; i++)
        if (loops->loops[i].is_loop && i != number && loops->loops[i].parent == number &&
            is_in(&loops->loops[i], place))
            return false;
    return true;
}

static int compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// The times of a loop's own samples, ascending.
static double *list_times(struct arena *arena, const struct hot_profile *profile, const struct hot_loops *loops,
                          const struct hot_loop *loop, size_t *n) {
    double *times = ARENA_ARRAY(arena, double, profile->n_timed + 1);
    *n = 0;
    for (size_t i = 0; i < profile->n_timed; i++)
        if (is_own(loops, loop, profile->timed[i].place))
            times[(*n)++] = profile->timed[i].seconds;
    qsort(times, *n, sizeof *times, compare);
    return times;
}

size_t hot_moments_choose(struct arena *arena, const struct hot_profile *profile, const struct hot_loops *loops,
                          const struct hot_loop *loop, size_t most, const double **moments) {
    // The other run may be faster: the first moment is early enough that a loop which does not run for long is not
    // over, but in the loop's own time.
    static const double earlier_share = 0.03, earlier_seconds = 0.01, most_of_it = 0.3;
    size_t n_times, n = 0;
    const double *times = list_times(arena, profile, loops, loop, &n_times);
    double *chosen = ARENA_ARRAY(arena, double, most + 1);
    for (size_t i = 0; i < most && n_times; i++) {
        double time = times[(2 * i + 1) * n_times / (2 * most)];
        if (!n)
            time -= fmin(time * earlier_share + earlier_seconds, (time - times[0]) * most_of_it);
        if (!n || time > chosen[n - 1])
            chosen[n++] = time;
    }
    *moments = chosen;
    return n;
}

void hot_moments_weigh(const struct hot_profile *profile, const struct hot_loops *loops, const struct hot_loop *loop,
                       struct hot_state *const *states, size_t n) {
    struct arena scratch = {0};
    size_t n_times, nearest = 0;
    const double *times = list_times(&scratch, profile, loops, loop, &n_times);
    for (size_t i = 0; i < n; i++)
        states[i]->share = n_times ? 0 : 1 / (double)n;
    for (size_t i = 0; i < n_times && n; i++) {
        while (nearest + 1 < n && times[i] > (states[nearest]->seconds + states[nearest + 1]->seconds) / 2)
            nearest++;
        states[nearest]->share += 1 / (double)n_times;
    }
    for (size_t i = 0; i < n; i++)
        states[i]->share = fmin(1, states[i]->share);
    arena_free(&scratch);
}
