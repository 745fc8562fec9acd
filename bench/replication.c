#include "bench/replication.h"

#include <assert.h>
#include <math.h>

// Replicates that differ by less than this are one value with a wider interval.
static const double least_difference = 0.01;

static double low_of(const struct bench_measurement *m) {
    return m->low * (1 - m->clock_error);
}

static double high_of(const struct bench_measurement *m) {
    return m->high * (1 + m->clock_error);
}

static bool differs(const struct bench_measurement *a, const struct bench_measurement *b) {
    bool is_apart = high_of(a) < low_of(b) || high_of(b) < low_of(a);
    return is_apart && fabs(a->cycles - b->cycles) > least_difference * fmin(a->cycles, b->cycles);
}

void replication_add(struct arena *arena, struct bench_measurement *value, const char *change,
                     const struct bench_measurement *replicate) {
    assert(value->n_replicates < BENCH_MAX_REPLICATES);
    value->replicates[value->n_replicates++] = (struct bench_replicate){
        change, replicate->cycles, replicate->low, replicate->high, replicate->verdict,
    };
    if (value->verdict == MEASURED_UNSTABLE || replicate->outcome != BENCH_OK ||
        replicate->verdict == MEASURED_UNSTABLE)
        return;
    if (differs(value, replicate)) {
        value->verdict = MEASURED_UNSTABLE;
        value->why = arena_printf(arena, "depends on the layout: %.4g cycles, and %.4g %s", value->cycles,
                                  replicate->cycles, change);
        return;
    }
    value->low = fmin(value->low, replicate->cycles);
    value->high = fmax(value->high, replicate->cycles);
    double fraction = value->denominator ? (double)value->numerator / value->denominator : 0;
    if (value->verdict == MEASURED_EXACT && (fraction < low_of(replicate) || fraction > high_of(replicate)))
        value->verdict = MEASURED_WITHIN;
}
