#include "bench/lengths.h"

#include <math.h>

static const double most_iterations = 1e9; // no code is so short, and no timer so coarse, that it needs more

// A loop's counter has 32 bits on some ISAs, whose programs refuse more (gen/isa_armv7.c, gen/isa_mips.c).
static const double longest_run = 4e9;

void lengths_pilot_take(struct lengths_pilot *pilot, double ticks) {
    if (pilot->n++ == 0) {
        pilot->ticks = ticks;
        return;
    }
    double slower = fmax(pilot->ticks, ticks);
    pilot->next = pilot->n == 2 ? slower : fmin(pilot->next, slower);
    pilot->ticks = fmin(pilot->ticks, ticks);
}

bool lengths_pilot_is_done(const struct lengths_pilot *pilot) {
    enum { FEWEST_RUNS = 2, MOST_RUNS = 5 };
    static const double agreement = 1.25;
    bool are_enough = pilot->n >= FEWEST_RUNS && pilot->n >= pilot->fewest;
    return pilot->n >= MOST_RUNS || (are_enough && pilot->next <= agreement * pilot->ticks);
}

double lengths_more(double n, double ticks, double wanted_ticks) {
    if (ticks >= wanted_ticks / 8 || n >= most_iterations)
        return 0;
    n *= ticks > 0 ? fmax(2, fmin(1000, wanted_ticks / ticks)) : 1000; // 0: the timer did not even move
    return 2 * round(fmin(n, most_iterations) / 2);
}

struct target_lengths lengths_for(double n, double ticks, double wanted_ticks) {
    double n_long = fmin(n * wanted_ticks / ticks, longest_run);
    if (n_long < LENGTHS_SHORT_SHARE)
        return (struct target_lengths){1, (uint64_t)fmax(2, round(n_long)), 1};
    uint64_t n_short = (uint64_t)round(n_long / LENGTHS_SHORT_SHARE);
    return (struct target_lengths){n_short, LENGTHS_SHORT_SHARE * n_short, 1};
}
