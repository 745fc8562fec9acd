#include "analyzer/predict/pairing.h"

#include <assert.h>
#include <math.h>

// What loops, a pipe's round robin and the edges of an unrolled body cost beside the instructions themselves.
static const double slack = 0.02;

const char *pairing_name(enum pairing_kind kind) {
    static const char *const names[PAIRING_N_KINDS] = {
        [PAIRING_TOGETHER] = "together", [PAIRING_PARTLY] = "partly",   [PAIRING_APART] = "apart",
        [PAIRING_SLOWER] = "slower",     [PAIRING_WAITING] = "waiting", [PAIRING_UNCLEAR] = "unclear",
    };
    assert(kind < PAIRING_N_KINDS);
    return names[kind];
}

// Where streams wait for their latency, they leave the pipes alone for a part of the time, in which the other kernel
// may run even if they share them. What is free beyond that part is not explained by waiting.
static const double least_seen = 2 / 3.0;

static double overlap_of(const struct pairing_times *times) {
    double a = times->alone[0].cycles, b = times->alone[1].cycles;
    return (a + b - times->mix.cycles) / fmin(a, b);
}

static enum pairing_kind kind_of(const struct pairing_times *times) {
    const struct pairing_time *a = &times->alone[0], *b = &times->alone[1], *mix = &times->mix;
    double longer_low = fmax(a->low, b->low) * (1 - slack), longer_high = fmax(a->high, b->high) * (1 + slack);
    double both_low = (a->low + b->low) * (1 - slack), both_high = (a->high + b->high) * (1 + slack);
    double few_high = fmax(times->few[0].high, times->few[1].high) * (1 + slack);
    if (mix->high < longer_low) // then alone was not at its best
        return PAIRING_UNCLEAR;
    if (mix->low <= longer_high) // a long one hides any short one's share
        return mix->high >= both_low ? PAIRING_UNCLEAR : PAIRING_TOGETHER;
    if (few_high > longer_high && mix->low <= few_high) // the mix costs what one of them costs in so few streams
        return overlap_of(times) >= least_seen ? PAIRING_TOGETHER : PAIRING_WAITING;
    if (mix->low > both_high)
        return PAIRING_SLOWER;
    return mix->high >= both_low ? PAIRING_APART : PAIRING_PARTLY;
}

struct pairing pairing_find(const struct pairing_times *times) {
    return (struct pairing){kind_of(times), overlap_of(times)};
}
