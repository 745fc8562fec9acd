#include "repair/repair_trial.h"

#include "check/gap.h"

#include <math.h>
#include <string.h>

// Cycles for which the resource is held.
static unsigned held_of(const struct repair_numbers *numbers, unsigned resource) {
    unsigned cycles = 0;
    for (unsigned i = 0; i < numbers->n_uses; i++)
        cycles += numbers->uses[i].resource == resource ? repair_use_cycles(&numbers->uses[i]) : 0;
    return cycles;
}

unsigned repair_rank_of(const struct repair_search *search, unsigned use, unsigned resource) {
    return search->ranks ? search->ranks[use * search->model->machine->n_resources + resource] : 0;
}

// How far the numbers are from LLVM's.
static struct repair_cost distance_of(const struct repair_search *search, const struct repair_numbers *numbers) {
    const struct machine *machine = search->model->machine;
    struct repair_cost cost = {.distance = repair_numbers_distance(&search->base, numbers)};
    // Of a source read late and another read early with a longer latency, the latter is how models are written.
    for (unsigned i = 0; i < numbers->n_reads; i++)
        cost.distance += numbers->advances[i] < 0 && numbers->advances[i] != search->base.advances[i];
    for (unsigned u = 0; u < numbers->n_uses; u++) {
        const struct repair_use *use = &numbers->uses[u], *was = &search->base.uses[u];
        if (repair_numbers_follow(machine, numbers, u) && repair_numbers_follow(machine, &search->base, u)) {
            cost.distance -= use->release != was->release || use->acquire != was->acquire;
            continue;
        }
        cost.distance += use->resource != was->resource; // other pipes are more of a change than a longer time
        unsigned rank = use->resource == was->resource ? 0 : repair_rank_of(search, u, use->resource);
        cost.pipes = rank > cost.pipes ? rank : cost.pipes;
        unsigned now = held_of(numbers, use->resource), before = held_of(&search->base, use->resource);
        bool is_counted = false;
        for (unsigned i = 0; i < u; i++)
            is_counted |= numbers->uses[i].resource == use->resource;
        if (search->commonness && now > before && !is_counted)
            cost.commonness += search->commonness[use->resource] * (now - before);
    }
    return cost;
}

static bool is_less(struct repair_cost a, struct repair_cost b) {
    static const double share = 1e-6;
    if (a.n_worse != b.n_worse)
        return a.n_worse < b.n_worse;
    if (a.n_differ != b.n_differ)
        return a.n_differ < b.n_differ;
    if (fabs(a.gaps - b.gaps) > share * fmax(a.gaps, b.gaps))
        return a.gaps < b.gaps;
    if (a.pipes != b.pipes)
        return a.pipes < b.pipes;
    if (a.distance != b.distance)
        return a.distance < b.distance;
    return a.commonness < b.commonness - share;
}

bool repair_is_larger(double gap, double other) {
    static const double rounding = 1e-9;
    return gap > other * (1 + rounding);
}

bool repair_can_explain(const struct check_value *value) {
    return !value->is_kept_only && (value->quantity != CHECK_LATENCY ||
                                    (strcmp(value->source, "same") != 0 && strcmp(value->destination, "memory") != 0));
}

bool repair_is_too_far_below(const struct repair_search *search, size_t value, const struct predicted *predicted) {
    return search->allowed_below && repair_can_explain(&search->all[value]) &&
           gap_below(&search->all[value], predicted) > search->allowed_below[value];
}

double repair_gap_to_close(const struct repair_search *search, size_t value, const struct predicted *predicted) {
    double gap = predicted->is_known ? gap_find(&search->all[value], predicted) : INFINITY;
    if (gap == 0 && repair_is_too_far_below(search, value, predicted))
        return gap_below(&search->all[value], predicted) /
               fmax(fabs(search->all[value].value.cycles), MEASURED_LEAST_DIFFERENCE);
    bool is_old = search->gaps && !repair_can_explain(&search->all[value]) && gap <= search->gaps[value] * (1 + 1e-9);
    return is_old ? 0 : gap;
}

// Whether the values seen so far cost more than `least`, whatever the others cost: no part of a cost becomes smaller.
static bool is_beyond(struct repair_cost cost, struct repair_cost least) {
    cost.distance = 0;
    cost.commonness = 0;
    least.distance = 1;
    return !is_less(cost, least);
}

// The model with the change, and the changes before it. Null where a number cannot be written.
static struct overlay *parse_trial(struct arena *arena, const struct repair_search *search,
                                   const struct repair_numbers *numbers, struct fail *fail) {
    static const char about[] = "a change that is tried";
    const struct machine *machine = search->model->machine;
    struct text text = {.arena = arena};
    const struct repair_rule rule = {
        .opcodes = search->opcodes, .n_opcodes = search->n_opcodes, .before = search->base, .after = *numbers};
    repair_head_write(machine, "try", about, search->dispatch_width, false, &text);
    text_add(&text, "instructions:\n");
    for (size_t i = 0; i < search->n_context; i++)
        repair_rule_write(arena, machine, &search->context[i], &text);
    repair_rule_write(arena, machine, &rule, &text);
    return overlay_parse(arena, about, text.data, fail);
}

// Adds what the i-th of the search's values costs, whose gap is left.
static void add_gap(const struct repair_search *search, size_t i, double gap, struct repair_cost *cost) {
    // What no number predicts is a few hundredths from several. That one of them is nearer is no reason for it, and
    // less so for other pipes.
    static const double close = 0.03, close_by_pipes = 0.05;
    const size_t value = search->values[i], weight = search->weights ? search->weights[i] : 1;
    cost->n_differ += gap > 0 ? weight : 0;
    cost->n_worse += search->is_careful && repair_is_larger(gap, search->worst_gaps[value]) ? weight : 0;
    cost->gaps += fmax(0, gap - close) * (double)weight;
    if (cost->pipes && search->all[value].quantity == CHECK_THROUGHPUT)
        cost->gaps += close_by_pipes * (double)weight;
}

// As repair_evaluate. `least`: where the numbers cost more than this, the rest of the values is left out; null: none
// is.
static bool evaluate(const struct repair_search *search, const struct repair_numbers *numbers,
                     const struct repair_cost *least, bool only_cycles, struct repair_cost *cost,
                     struct predicted *all) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct predictor predictor;
    *cost = distance_of(search, numbers);
    struct overlay *overlay = parse_trial(&arena, search, numbers, &fail);
    bool is_good = overlay && predictor_open_changed(&predictor, &arena, search->model, overlay, &fail);
    predictor.only_cycles = only_cycles;
    for (size_t i = 0; is_good && i < search->n_values && !(least && is_beyond(*cost, *least)); i++) {
        struct predicted predicted = predictor_predict(&predictor, &search->all[search->values[i]]);
        double gap = repair_gap_to_close(search, search->values[i], &predicted);
        is_good = isfinite(gap);
        add_gap(search, i, gap, cost);
        if (all) {
            all[i] = predicted;
            all[i].resource = all[i].why = NULL; // these end with this trial
        }
    }
    overlay_close(overlay);
    arena_free(&arena);
    return is_good;
}

bool repair_evaluate(const struct repair_search *search, const struct repair_numbers *numbers, struct repair_cost *cost,
                     struct predicted *all) {
    return evaluate(search, numbers, NULL, true, cost, all);
}

bool repair_evaluate_fully(const struct repair_search *search, const struct repair_numbers *numbers,
                           struct repair_cost *cost, struct predicted *all) {
    return evaluate(search, numbers, NULL, false, cost, all);
}

// Notes that the numbers are tried. False: they are the best, or were tried in this round, or too many were.
static bool note_trial(struct repair_search *search, const struct repair_numbers *numbers) {
    if (repair_numbers_are_equal(numbers, &search->best) || search->n_tried == REPAIR_MOST_TRIED)
        return false;
    for (size_t i = 0; i < search->n_tried; i++)
        if (repair_numbers_are_equal(numbers, &search->tried[i]))
            return false;
    search->tried[search->n_tried++] = *numbers;
    return true;
}

static void keep_if_less(struct repair_search *search, const struct repair_numbers *numbers, struct repair_cost cost) {
    if (is_less(cost, search->next_cost)) {
        search->next = *numbers;
        search->next_cost = cost;
    }
}

// Whether measured latencies are the reason for those of the numbers.
static bool are_measured(const struct repair_search *search, const struct repair_numbers *numbers) {
    for (unsigned w = 0; w < numbers->n_writes; w++)
        if (!search->has_zero && numbers->latencies[w] < 1 && search->base.latencies[w] >= 1)
            return false;
    for (unsigned r = 0; search->has_only_bounds && r < numbers->n_reads; r++)
        if (numbers->advances[r] != search->base.advances[r])
            return false;
    return true;
}

void repair_try(struct repair_search *search, const struct repair_numbers *numbers) {
    struct repair_cost cost;
    if (!are_measured(search, numbers))
        return;
    if (note_trial(search, numbers) && evaluate(search, numbers, &search->next_cost, true, &cost, NULL))
        keep_if_less(search, numbers, cost);
}

bool repair_try_again(struct repair_search *search, const struct repair_numbers *numbers, struct predicted *all) {
    struct repair_cost cost;
    bool is_new = note_trial(search, numbers);
    if (!repair_evaluate(search, numbers, &cost, all))
        return false;
    if (is_new)
        keep_if_less(search, numbers, cost);
    return true;
}

int repair_cycles_between(const struct check_value *value, double predicted, double factor) {
    double delta = (value->value.cycles - predicted) * factor;
    return (int)lround(check_value_is_bound(value) ? floor(delta + 0.05) : delta);
}
