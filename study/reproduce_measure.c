// Measures a published experiment on this machine.
#include "study/reproduce.h"

#include <math.h>

// Returns the measurement of an experiment; null, with a clause in `why`: it did not end well.
static const struct bench_measurement *find_measurement(const struct lab *lab, const struct experiment *experiment,
                                                        const char **why) {
    const char *feature = lab_missing_feature(lab, &experiment->program);
    if (feature) {
        *why = arena_printf(lab->arena, "this CPU has no %s", feature);
        return NULL;
    }
    const struct bench_measurement *m = &experiment->measurement;
    if (m->outcome != BENCH_OK) {
        *why = m->outcome == BENCH_STOPPED ? "interrupted" : bench_outcome_name(m->outcome);
        return NULL;
    }
    if (m->samples == 0) {
        *why = m->why ? m->why : "no sample was undisturbed";
        return NULL;
    }
    return m;
}

static void take_sweep(const struct lab *lab, struct reproduction *r, bool other) {
    struct reproduced_value *value = &r->values[0];
    size_t n = value->reference->n, n_good = 0;
    double *cycles = ARENA_ARRAY(lab->arena, double, n);
    bool *are_unstable = ARENA_ARRAY(lab->arena, bool, n);
    const char *why = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct bench_measurement *m = find_measurement(lab, r->plan.experiments[i + (other ? n : 0)], &why);
        cycles[i] = m ? m->cycles : (double)NAN;
        n_good += m != NULL;
        are_unstable[i] = m && m->verdict == MEASURED_UNSTABLE;
        value->is_unstable |= are_unstable[i];
    }
    *(other ? &value->measured_other : &value->measured) = n_good ? cycles : NULL;
    *(other ? &value->are_unstable_other : &value->are_unstable) = n_good ? are_unstable : NULL;
    if (!n_good && !other)
        value->not_measured = why;
}

// Takes a published value's measurement, from the two programs of an instruction's kernel or the one of a block.
static void take_value(const struct lab *lab, const struct reproduction *r, struct reproduced_value *value) {
    enum reference_quantity quantity = value->reference->quantity;
    bool is_block = r->reference->asm_text != NULL;
    bool is_measurable = is_block ? quantity == QUANTITY_CYCLES || quantity == QUANTITY_IPC
                                  : quantity == QUANTITY_LATENCY || quantity == QUANTITY_RTHROUGHPUT;
    if (!is_measurable) {
        value->not_measured = "only simulators report it";
        return;
    }
    const struct experiment *experiment = r->plan.experiments[!is_block && quantity == QUANTITY_RTHROUGHPUT];
    const struct bench_measurement *m = find_measurement(lab, experiment, &value->not_measured);
    if (!m)
        return;
    double *number = ARENA_NEW(lab->arena, double);
    *number = quantity == QUANTITY_IPC           ? experiment->program.instructions / m->cycles
              : quantity == QUANTITY_RTHROUGHPUT ? m->cycles / experiment->program.streams
                                                 : m->cycles;
    value->measured = number;
    value->is_unstable = m->verdict == MEASURED_UNSTABLE;
}

static bool is_measured(const struct reproduction *reproduction) {
    return reproduction->plan.n_experiments > 0 && !reproduction->values[0].not_measured;
}

static void take(const struct lab *lab, struct reproduction *reproduction) {
    if (reproduction->reference->kind == REFERENCE_SWEEP) {
        take_sweep(lab, reproduction, false);
        take_sweep(lab, reproduction, true);
        return;
    }
    for (size_t i = 0; i < reproduction->reference->n_values; i++)
        take_value(lab, reproduction, &reproduction->values[i]);
}

bool reproduce_measure(struct lab *lab, struct reproduction *all, size_t n, struct fail *fail) {
    struct experiment **wanted = NULL;
    size_t n_wanted = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; is_measured(&all[i]) && e < all[i].plan.n_experiments; e++) {
            if (lab_missing_feature(lab, &all[i].plan.experiments[e]->program))
                continue;
            *ARENA_ADD(lab->arena, wanted, n_wanted) = all[i].plan.experiments[e];
        }
    if (!lab_run(lab, wanted, n_wanted, NULL, fail))
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_measured(&all[i]))
            take(lab, &all[i]);
    return true;
}
