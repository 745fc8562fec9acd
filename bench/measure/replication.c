#include "bench/measure/replication.h"

#include "bench/bench.h"

#include <assert.h>
#include <math.h>

void replication_add(struct arena *arena, struct bench_measurement *value, const struct replication_change *change,
                     const struct bench_measurement *replicate) {
    assert(value->n_replicates < BENCH_MAX_REPLICATES);
    *ARENA_ADD(arena, value->replicates, value->n_replicates) = (struct bench_replicate){
        change->text, replicate->cycles, replicate->low, replicate->high, replicate->verdict,
    };
    bool is_far = change->width > 0 && (replicate->cycles * (1 + change->width) < value->low ||
                                        replicate->low - change->cost > value->high * (1 + change->width));
    if (value->verdict == MEASURED_UNSTABLE || replicate->outcome != BENCH_OK ||
        (replicate->verdict == MEASURED_UNSTABLE && !is_far))
        return;
    bool is_cost = replicate->cycles > value->cycles && replicate->low - change->cost <= value->high;
    if (change->cost > 0 && is_cost)
        return;
    if (measured_differ(value, replicate)) {
        const char *dependence = arena_printf(arena, "depends on the layout: %.4g cycles, and %.4g %s", value->cycles,
                                              replicate->cycles, change->text);
        if (fmax(value->high, replicate->cycles) > (1 + change->width) * fmin(value->low, replicate->cycles)) {
            value->verdict = MEASURED_UNSTABLE;
            value->why = dependence;
            return;
        }
        value->warning = dependence;
    }
    value->low = fmin(value->low, replicate->cycles);
    value->high = fmax(value->high, replicate->cycles);
    double fraction = value->denominator ? (double)value->numerator / value->denominator : 0;
    if (value->verdict == MEASURED_EXACT && (fraction < measured_low(replicate) || fraction > measured_high(replicate)))
        value->verdict = MEASURED_WITHIN;
}
