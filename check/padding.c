#include "check/padding.h"

#include "check/gap.h"
#include "check/sums.h"

#include <string.h>

// The cause of a wrong throughput of a form; null: it is right, or not known.
static const char *cause_of(struct arena *arena, struct predictor *predictor, const struct check_results *results,
                            const char *form) {
    const struct check_value *end = results->values + results->n_values,
                             *value =
                                 results->values + check_values_find_form(results->values, results->n_values, form);
    for (; value < end && strcmp(value->form, form) == 0; value++) {
        if (value->quantity != CHECK_THROUGHPUT || value->is_for_hardware_only || !gap_is_sure(value))
            continue;
        const struct predicted predicted = predictor_predict(predictor, value);
        if (predicted.is_known && gap_find(value, &predicted) > 0)
            return gap_describe(arena, value, &predicted).own;
    }
    return NULL;
}

void padding_blame(struct arena *arena, struct predictor *predictor, const struct check_results *results,
                   const struct predicted *predicted, struct check_difference *difference) {
    const struct check_value *value = difference->value;
    if (value->quantity != CHECK_LATENCY || !value->value.kernel || !strstr(value->value.kernel, ".padded."))
        return;
    const struct sums_partners steps = sums_find_partners(arena, predictor, value);
    for (size_t i = 0; i < steps.n; i++) {
        const char *cause = cause_of(arena, predictor, results, steps.opcodes[i]);
        if (!cause)
            continue;
        difference->own = cause;
        difference->shared = NULL;
        difference->about = arena_printf(arena, "in a chain with many %s, whose throughput differs", steps.opcodes[i]);
        return;
    }
    if (steps.n && (predicted->kind == BOTTLENECK_RESOURCE || predicted->kind == BOTTLENECK_UNEVEN))
        difference->about = arena_printf(arena, "many %s hold %s as well", steps.opcodes[0], predicted->resource);
}
