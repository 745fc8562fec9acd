#include "infer/unexplained.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

const char *unexplained_about(enum unexplained_cause cause) {
    static const char *const words[UNEXPLAINED_N_CAUSES] = {
        [UNEXPLAINED_LATENCY_LONGER] = "latencies: longer",
        [UNEXPLAINED_LATENCY_SHORTER] = "latencies: shorter",
        [UNEXPLAINED_SUM] = "sums of two latencies",
        [UNEXPLAINED_MEMORY] = "latencies through memory",
        [UNEXPLAINED_THROUGHPUT_LONGER] = "throughputs: longer",
        [UNEXPLAINED_THROUGHPUT_SHORTER] = "throughputs: shorter",
        [UNEXPLAINED_SLOTS] = "slots",
        [UNEXPLAINED_SLOWER] = "pairs: longer than in another order",
        [UNEXPLAINED_DISTURBED] = "pairs: longer than one after the other",
        [UNEXPLAINED_SPREAD] = "pairs: longer than the best spread",
        [UNEXPLAINED_PAIR_SHORTER] = "pairs: shorter than by these ports",
        [UNEXPLAINED_NO_RECIPE] = "pairs: a form has no recipe",
    };
    return words[cause];
}

struct unexplained_value unexplained_compare(struct predictor *predictor, const struct check_value *value) {
    static const double share = 0.05, least = 0.1;
    struct predicted predicted = {.is_known = false};
    struct unexplained_value found = {.is_compared = false};
    if (table_is_stable(&value->value) && !value->value.has_two_speeds)
        predicted = predictor_predict(predictor, value);
    if (!predicted.is_known)
        return found;
    found = (struct unexplained_value){
        .is_compared = true, .predicted = predicted.cycles, .off = predicted.cycles - value->value.cycles};
    found.is_off =
        fabs(found.off) > fmax(share * value->value.cycles, least) && (found.off > 0 || !check_value_is_bound(value));
    return found;
}

static enum unexplained_cause cause_of(const struct check_value *value, double off) {
    if (value->quantity == CHECK_SLOTS)
        return UNEXPLAINED_SLOTS;
    if (value->quantity != CHECK_LATENCY)
        return off < 0 ? UNEXPLAINED_THROUGHPUT_LONGER : UNEXPLAINED_THROUGHPUT_SHORTER;
    if (strcmp(value->destination, "memory") == 0 || strcmp(value->source, "memory") == 0)
        return UNEXPLAINED_MEMORY;
    if (value->value.sum > 0)
        return UNEXPLAINED_SUM;
    return off < 0 ? UNEXPLAINED_LATENCY_LONGER : UNEXPLAINED_LATENCY_SHORTER;
}

// Relative; of next to nothing, such as an instruction without a slot, as if that were a quarter of a cycle.
static double error_of(double measured, double predicted) {
    static const double least = 0.25;
    return fabs(predicted - measured) / fmax(measured, least);
}

static void add(struct unexplained_values *values, const char *name, double measured, double predicted) {
    double error = error_of(measured, predicted);
    if (!values->worst || error > error_of(values->measured, values->predicted)) {
        values->worst = name;
        values->measured = measured;
        values->predicted = predicted;
    }
    values->n++;
    values->error += error;
}

void unexplained_add_survey(struct arena *arena, const struct model *model, const struct check_results *results,
                            struct unexplained *unexplained) {
    struct predictor predictor;
    predictor_open(&predictor, arena, model);
    predictor.only_cycles = true;
    for (size_t i = 0; i < results->n_values; i++) {
        const struct check_value *value = &results->values[i];
        const struct unexplained_value found = unexplained_compare(&predictor, value);
        double measured = value->value.cycles;
        if (!found.is_compared) {
            bool is_stable = table_is_stable(&value->value);
            unexplained->n_unstable += value->value.is_known && !is_stable;
            unexplained->n_unpredicted += is_stable;
            continue;
        }
        unexplained->n_values++;
        unexplained->values_error += error_of(measured, found.predicted);
        if (found.is_off)
            add(&unexplained->by_cause[cause_of(value, found.off)],
                arena_printf(arena, "%s %s", value->form, check_value_label(arena, value)), measured, found.predicted);
    }
}

static bool has_all_recipes(const struct ports *ports, const struct evidence_item *item) {
    for (unsigned t = 0; t < item->n_terms; t++)
        if (ports->map.recipes[item->terms[t].form].n == 0 && ports->forms[item->terms[t].form].state != PORTS_DISPATCH)
            return false;
    return true;
}

void unexplained_add_pairs(struct arena *arena, const struct ports *ports, struct unexplained *unexplained) {
    bool *is_disturbed = ARENA_ARRAY(arena, bool, ports->evidence->n_items + 1);
    bool *is_slower = ARENA_ARRAY(arena, bool, ports->evidence->n_items + 1);
    for (size_t i = 0; i < ports->n_slower; i++)
        is_slower[ports->slower[i]] = true;
    for (size_t i = 0; i < ports->n_conflicts; i++)
        is_disturbed[ports->conflicts[i]] = true;
    for (size_t i = 0; i < ports->evidence->n_items; i++) {
        const struct evidence_item *item = &ports->evidence->items[i];
        if (item->n_terms < 2 || (ports->is_unused[i] && !is_disturbed[i] && !is_slower[i]))
            continue;
        const struct ports_band band = ports_band_of(ports, i);
        double predicted = port_map_cycles(&ports->map, item, NULL);
        unexplained->n_experiments++;
        unexplained->experiments_error += error_of(item->cycles, predicted);
        bool is_fit = predicted >= band.low && predicted <= band.high;
        if (is_fit && !is_disturbed[i] && !is_slower[i])
            continue;
        enum unexplained_cause cause = is_slower[i]                    ? UNEXPLAINED_SLOWER
                                       : is_disturbed[i]               ? UNEXPLAINED_DISTURBED
                                       : !has_all_recipes(ports, item) ? UNEXPLAINED_NO_RECIPE
                                       : predicted < item->cycles      ? UNEXPLAINED_SPREAD
                                                                       : UNEXPLAINED_PAIR_SHORTER;
        add(&unexplained->by_cause[cause], item->id, item->cycles, predicted);
    }
}
