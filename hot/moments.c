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

// They stay apart from each other.
static void limit_moves(double room, struct hot_moments *moments) {
    static const double most = 0.4; // of the distance to the next one, by which a moment may be moved to it
    for (size_t i = 1; i < moments->n; i++) {
        const double part = (moments->times[i] - moments->times[i - 1]) * fmin(most, room / 2);
        moments->most[i - 1] = fmin(moments->most[i - 1], moments->times[i - 1] + part);
        moments->least[i] = fmax(moments->least[i], moments->times[i] - part);
    }
}

void hot_moments_choose(struct arena *arena, const struct hot_profile *profile, const struct hot_loops *loops,
                        const struct hot_loop *loop, size_t most, double room, struct hot_moments *moments) {
    // The other run may be faster: the first moment is early enough that a loop which does not run for long is not
    // over, but in the loop's own time.
    static const double earlier_share = 0.03, earlier_seconds = 0.01, most_of_it = 0.3;
    size_t n_times, n = 0;
    const double *times = list_times(arena, profile, loops, loop, &n_times);
    *moments = (struct hot_moments){.times = ARENA_ARRAY(arena, double, most + 1),
                                    .least = ARENA_ARRAY(arena, double, most + 1),
                                    .most = ARENA_ARRAY(arena, double, most + 1)};
    for (size_t i = 0; i < most && n_times; i++) {
        const double middle = 2 * (double)i + 1, per_half = (double)n_times / (2 * (double)most);
        double time = times[(size_t)(middle * per_half)], earliest = times[(size_t)((middle - room) * per_half)],
               latest = times[(size_t)fmin((middle + room) * per_half, (double)n_times - 1)];
        if (!n) {
            time -= fmin(time * earlier_share + earlier_seconds, (time - times[0]) * most_of_it);
            earliest = times[(size_t)(per_half / 2)]; // not in its very first turns
            latest = room < HOT_WIDE ? time : latest;
            moments->before = time - times[0];
        }
        if (n && time <= moments->times[n - 1])
            continue;
        moments->times[n] = time;
        moments->least[n] = fmin(time, earliest);
        moments->most[n++] = latest;
    }
    moments->n = n;
    limit_moves(room, moments);
}

struct movable {
    double least, most, *time;
};

static int compare_most(const void *a, const void *b) {
    const struct movable *x = a, *y = b;
    return (x->most > y->most) - (x->most < y->most);
}

// The earliest end of all, and all that may be there, make a group. The others follow in the same way.
size_t hot_moments_join(struct arena *arena, struct hot_moments *all, size_t n) {
    struct movable *items = NULL;
    size_t n_items = 0, n_left = 0, n_times = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < all[i].n; k++)
            *ARENA_ADD(arena, items, n_items) = (struct movable){all[i].least[k], all[i].most[k], &all[i].times[k]};
    if (n_items)
        qsort(items, n_items, sizeof *items, compare_most);
    for (; n_items; n_items = n_left, n_times++) {
        const double end = items[0].most;
        double begin = items[0].least, sum = 0, n_group = 0;
        for (size_t i = 0; i < n_items; i++)
            if (items[i].least <= end) {
                begin = fmax(begin, items[i].least);
                sum += *items[i].time;
                n_group++;
            }
        n_left = 0;
        for (size_t i = 0; i < n_items; i++)
            if (items[i].least <= end)
                *items[i].time = fmin(fmax(sum / n_group, begin), end);
            else
                items[n_left++] = items[i];
    }
    return n_times;
}

void hot_moments_weigh(const struct hot_profile *profile, const struct hot_loops *loops, const struct hot_loop *loop,
                       struct hot_state *const *states, size_t n) {
    struct arena scratch = {0};
    size_t n_times, nearest = 0;
    const double *times = list_times(&scratch, profile, loops, loop, &n_times);
    if (n && states[0]->clock != profile->clock)
        n_times = 0; // of another clock
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
