// What this machine does of a published experiment.
#include "cli/reproduce.h"

#include "cli/interrupt.h"

#include <math.h>

// Null and a clause in `why` where it did not go well.
static const struct bench_measurement *measure(struct lab *lab, struct experiment *experiment, const char **why,
                                               struct fail *fail) {
    const char *feature = lab_missing_feature(lab, &experiment->program);
    if (feature) {
        *why = arena_printf(lab->arena, "this CPU has no %s", feature);
        return NULL;
    }
    if (interrupt_seen() || !lab_run(lab, &experiment, 1, fail)) {
        *why = "interrupted";
        return NULL;
    }
    const struct bench_measurement *m = &experiment->measurement;
    if (m->outcome != BENCH_OK) {
        *why = bench_outcome_name(m->outcome);
        return NULL;
    }
    if (m->samples == 0) {
        *why = m->why ? m->why : "no sample was undisturbed";
        return NULL;
    }
    return m;
}

static bool measure_sweep(struct lab *lab, struct reproduction *r, bool other, struct fail *fail) {
    struct reproduced_value *value = &r->values[0];
    size_t n = value->reference->n, n_good = 0;
    double *cycles = ARENA_ARRAY(lab->arena, double, n);
    const char *why = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct bench_measurement *m = measure(lab, r->plan.experiments[i + (other ? n : 0)], &why, fail);
        if (fail->status != FAIL_NONE)
            return false;
        cycles[i] = m ? m->cycles : (double)NAN;
        n_good += m != NULL;
        value->is_unstable |= m && m->verdict == MEASURED_UNSTABLE;
    }
    double **to = other ? &value->measured_other : &value->measured;
    *to = n_good ? cycles : NULL;
    if (!n_good && !other)
        value->not_measured = why;
    return true;
}

// Of the two programs of an instruction's kernel, or of a block's one, what a value is about.
static bool measure_value(struct lab *lab, struct reproduction *r, struct reproduced_value *value, struct fail *fail) {
    enum reference_quantity quantity = value->reference->quantity;
    bool is_block = r->reference->asm_text != NULL;
    bool is_measurable = is_block ? quantity == QUANTITY_CYCLES || quantity == QUANTITY_IPC
                                  : quantity == QUANTITY_LATENCY || quantity == QUANTITY_RTHROUGHPUT;
    if (!is_measurable) {
        value->not_measured = "only simulators report it";
        return true;
    }
    struct experiment *experiment = r->plan.experiments[!is_block && quantity == QUANTITY_RTHROUGHPUT];
    const struct bench_measurement *m = measure(lab, experiment, &value->not_measured, fail);
    if (fail->status != FAIL_NONE)
        return false;
    if (!m)
        return true;
    double *number = ARENA_NEW(lab->arena, double);
    *number = quantity == QUANTITY_IPC           ? experiment->program.instructions / m->cycles
              : quantity == QUANTITY_RTHROUGHPUT ? m->cycles / experiment->program.streams
                                                 : m->cycles;
    value->measured = number;
    value->is_unstable = m->verdict == MEASURED_UNSTABLE;
    return true;
}

bool reproduce_measure(struct lab *lab, struct reproduction *reproduction, struct fail *fail) {
    if (reproduction->plan.n_experiments == 0 || reproduction->values[0].not_measured)
        return true;
    if (reproduction->reference->kind == REFERENCE_SWEEP)
        return measure_sweep(lab, reproduction, false, fail) && measure_sweep(lab, reproduction, true, fail);
    for (size_t i = 0; i < reproduction->reference->n_values; i++)
        if (!measure_value(lab, reproduction, &reproduction->values[i], fail))
            return false;
    return true;
}
