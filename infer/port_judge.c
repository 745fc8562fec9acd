#include "infer/port_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_evidence(const struct evidence *evidence, const struct index *index, const struct evidence_item *item) {
    for (size_t place = 0, i; (i = index_next(index, evidence_hash(item), &place)) != INDEX_END;)
        if (evidence_is_same(&evidence->items[i], item))
            return true;
    return false;
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// What the forms take alone, added up, and the most of them. False: a form's time alone is not known.
static bool add_alone(const struct ports *ports, const struct evidence_item *item, double *sum, double *most) {
    bool is_known = true;
    *sum = *most = 0;
    for (unsigned t = 0; t < item->n_terms; t++) {
        unsigned form = item->terms[t].form;
        double alone = form < ports->evidence->n_forms ? item->terms[t].count * ports->forms[form].alone : 0;
        is_known &= alone > 0;
        *sum += alone;
        *most = fmax(*most, alone);
    }
    return is_known;
}

// Whether nothing explains a form: on a port of its own, it costs nothing beside others.
static bool lacks_recipe(const struct ports *ports, const struct evidence_item *item) {
    for (unsigned t = 0; t < item->n_terms; t++) {
        const struct ports_form *form = &ports->forms[item->terms[t].form];
        if (form->n_hypotheses == 0 && form->state != PORTS_DISPATCH)
            return true;
    }
    return false;
}

static void take_averages(struct port_judgement *result, double *errors) {
    double n = (double)result->n;
    if (result->n == 0)
        return;
    qsort(errors, result->n, sizeof *errors, compare_numbers);
    result->mean /= n;
    result->bias /= n;
    result->mean_sum /= n;
    result->mean_most /= n;
    result->median = errors[result->n / 2];
    result->p90 = errors[result->n * 9 / 10];
}

struct port_judgement port_judge(struct arena *arena, const struct ports *ports, const struct evidence *judged,
                                 unsigned least) {
    struct port_judgement result = {0};
    struct index index = {.arena = arena};
    double *errors = ARENA_ARRAY(arena, double, judged->n_items);
    for (size_t i = 0; i < ports->evidence->n_items; i++)
        index_add(&index, evidence_hash(&ports->evidence->items[i]), i);
    for (size_t i = 0; i < judged->n_items; i++) {
        const struct evidence_item *item = &judged->items[i];
        double sum, most;
        if (item->n_terms < least)
            continue;
        if (is_evidence(ports->evidence, &index, item)) {
            result.n_seen++;
            continue;
        }
        if (!add_alone(ports, item, &sum, &most)) {
            result.n_unknown++;
            continue;
        }
        if (lacks_recipe(ports, item)) {
            result.n_unexplained++;
            continue;
        }
        double off = port_map_cycles(&ports->map, item, NULL) / item->cycles - 1;
        errors[result.n++] = fabs(off);
        result.mean += fabs(off);
        result.bias += off;
        result.mean_sum += fabs(sum / item->cycles - 1);
        result.mean_most += fabs(most / item->cycles - 1);
    }
    take_averages(&result, errors);
    return result;
}
