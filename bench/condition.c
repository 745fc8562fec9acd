#include "bench/condition.h"

#include <math.h>

static bool holds(const struct bench_rule *rule, const double *cycles) {
    for (unsigned i = 0; i < rule->n_terms; i++) {
        const struct bench_term *term = &rule->terms[i];
        double value = cycles[term->program];
        if (isnan(value) || value < term->low || value > term->high)
            return false;
    }
    return true;
}

bool bench_case_holds(const struct bench_rule *rules, const struct bench_case *cases, size_t n, const double *cycles) {
    for (size_t i = 0; i < n; i++)
        if (holds(&rules[cases[i].rule], cycles) && holds(&cases[i].own, cycles))
            return true;
    return false;
}
