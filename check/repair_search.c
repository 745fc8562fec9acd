#include "check/repair_search.h"

#include "check/gap.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HINTS = 8, MOST_ROUNDS = 6, MOST_TRIED = 256 };

// ---- trying a change

static unsigned held(const struct repair_use *use) {
    return use->release > use->acquire ? use->release - use->acquire : 0;
}

// Cycles for which the uses hold resources that this one contains (LLVM: Super).
static unsigned held_inside(const struct machine *machine, const struct repair_numbers *numbers, unsigned u) {
    unsigned cycles = 0;
    for (unsigned i = 0; i < numbers->n_uses; i++)
        cycles += machine->resources[numbers->uses[i].resource].super == numbers->uses[u].resource
                      ? held(&numbers->uses[i])
                      : 0;
    return cycles;
}

// Whether the use follows from those of resources inside, and is not one by itself.
static bool follows(const struct machine *machine, const struct repair_numbers *numbers, unsigned u) {
    return held(&numbers->uses[u]) > 0 && held(&numbers->uses[u]) == held_inside(machine, numbers, u);
}

// Cycles for which the resource is held.
static unsigned held_of(const struct repair_numbers *numbers, unsigned resource) {
    unsigned cycles = 0;
    for (unsigned i = 0; i < numbers->n_uses; i++)
        cycles += numbers->uses[i].resource == resource ? held(&numbers->uses[i]) : 0;
    return cycles;
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
        if (follows(machine, numbers, u) && follows(machine, &search->base, u)) {
            cost.distance -= use->release != was->release || use->acquire != was->acquire;
            continue;
        }
        cost.distance += use->resource != was->resource; // other pipes are more of a change than a longer time
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
    if (a.distance != b.distance)
        return a.distance < b.distance;
    return a.commonness < b.commonness - share;
}

bool repair_is_larger(double gap, double other) {
    static const double rounding = 1e-9;
    return gap > other * (1 + rounding);
}

bool repair_can_explain(const struct check_value *value) {
    return value->quantity != CHECK_LATENCY ||
           (strcmp(value->source, "same") != 0 && strcmp(value->destination, "memory") != 0);
}

static bool is_too_far_below(const struct repair_search *search, size_t value, const struct predicted *predicted) {
    return search->allowed_below && repair_can_explain(&search->all[value]) &&
           gap_below(&search->all[value], predicted) > search->allowed_below[value];
}

// By how much the prediction differs, as far as the search can help it; infinite: the model has no prediction.
static double gap_to_close(const struct repair_search *search, size_t value, const struct predicted *predicted) {
    double gap = predicted->is_known ? gap_find(&search->all[value], predicted) : INFINITY;
    if (gap == 0 && is_too_far_below(search, value, predicted))
        return gap_below(&search->all[value], predicted) /
               fmax(fabs(search->all[value].value.cycles), MEASURED_LEAST_DIFFERENCE);
    bool is_old = search->gaps && !repair_can_explain(&search->all[value]) && gap <= search->gaps[value] * (1 + 1e-9);
    return is_old ? 0 : gap;
}

bool repair_search_evaluate(const struct repair_search *search, const struct repair_numbers *numbers,
                            struct repair_cost *cost, struct predicted *all) {
    // What no number predicts is a few hundredths from several. That one of them is nearer is no reason for it.
    static const double close = 0.03;
    struct arena arena = {0};
    struct text text = {.arena = &arena};
    struct fail fail = {0};
    struct predictor predictor;
    const struct machine *machine = search->model->machine;
    struct repair_rule rule = {
        .opcodes = search->opcodes, .n_opcodes = search->n_opcodes, .before = search->base, .after = *numbers};
    *cost = distance_of(search, numbers);
    repair_head_write(machine, "try", "a change that is tried", search->dispatch_width, &text);
    text_add(&text, "instructions:\n");
    for (size_t i = 0; i < search->n_context; i++)
        repair_rule_write(&arena, machine, &search->context[i], &text);
    repair_rule_write(&arena, machine, &rule, &text);
    struct overlay *overlay = overlay_parse(&arena, "a change that is tried", text.data, &fail);
    bool is_good =
        overlay && predictor_open_changed(&predictor, &arena, search->model, overlay, search->n_values, &fail);
    for (size_t i = 0; is_good && i < search->n_values; i++) {
        struct predicted predicted = predictor_predict(&predictor, &search->all[search->values[i]]);
        double gap = gap_to_close(search, search->values[i], &predicted);
        is_good = isfinite(gap);
        size_t weight = search->weights ? search->weights[i] : 1;
        cost->n_differ += gap > 0 ? weight : 0;
        cost->n_worse +=
            search->is_careful && repair_is_larger(gap, search->worst_gaps[search->values[i]]) ? weight : 0;
        cost->gaps += fmax(0, gap - close) * (double)weight;
        if (all) {
            all[i] = predicted;
            all[i].resource = all[i].why = NULL; // these end with this trial
        }
    }
    overlay_close(overlay);
    arena_free(&arena);
    return is_good;
}

// Notes that the numbers are tried. False: they are the best, or were tried in this round, or too many were.
static bool note_trial(struct repair_search *search, const struct repair_numbers *numbers) {
    if (repair_numbers_are_equal(numbers, &search->best) || search->n_tried == MOST_TRIED)
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

static void try_numbers(struct repair_search *search, const struct repair_numbers *numbers) {
    struct repair_cost cost;
    if (note_trial(search, numbers) && repair_search_evaluate(search, numbers, &cost, NULL))
        keep_if_less(search, numbers, cost);
}

// ---- what differences suggest

// False: no latency is that short, so it does not explain the difference.
static bool add_to(unsigned *latency, int delta) {
    int sum = (int)*latency + delta;
    if (sum < 0)
        return false;
    *latency = (unsigned)sum;
    return true;
}

// Returns the advance to try instead of `advance`. An operand that is read as early as the form's longest latency waits
// for no result of the form's own: earlier changes nothing but the number.
static int clamp_advance(const struct repair_numbers *numbers, int now, int advance) {
    int most = now;
    for (unsigned w = 0; w < numbers->n_writes; w++)
        most = (int)numbers->latencies[w] > most ? (int)numbers->latencies[w] : most;
    return advance > most ? most : advance;
}

static void suggest_latency(struct repair_search *search, int delta) {
    struct repair_numbers all = search->best;
    for (unsigned w = 0; w < all.n_writes; w++) {
        struct repair_numbers one = search->best;
        add_to(&all.latencies[w], delta);
        if (add_to(&one.latencies[w], delta))
            try_numbers(search, &one);
    }
    try_numbers(search, &all);
    for (unsigned r = 0; r < all.n_reads; r++) {
        struct repair_numbers one = search->best;
        one.advances[r] = clamp_advance(&one, one.advances[r], one.advances[r] - delta);
        try_numbers(search, &one);
    }
}

static unsigned whole(double number) {
    return number < 1 ? 1 : (unsigned)lround(number);
}

// Pipes that another resource has in common with this one.
static bool are_related(const struct resource *a, const struct resource *b) {
    return (resource_pipes(a->mask) & resource_pipes(b->mask)) != 0;
}

static bool has_other_pipes(const struct repair_numbers *a, const struct repair_numbers *b) {
    for (unsigned u = 0; u < a->n_uses; u++)
        if (a->uses[u].resource != b->uses[u].resource)
            return true;
    return false;
}

// Tries other uses. LLVM's file holds a resource as long as those inside it, so that follows.
static void try_uses(struct repair_search *search, struct repair_numbers *numbers) {
    const struct machine *machine = search->model->machine;
    if (search->base.has_fixed_uses || (search->base.has_fixed_pipes && has_other_pipes(&search->base, numbers)))
        return;
    for (unsigned u = 0; u < numbers->n_uses; u++)
        if (follows(machine, &search->base, u) && numbers->uses[u].resource == search->base.uses[u].resource)
            numbers->uses[u].release = numbers->uses[u].acquire + held_inside(machine, numbers, u);
    try_numbers(search, numbers);
}

// Shorter times, the longest first, so that the least change that suffices is taken.
static void suggest_shorter(struct repair_search *search, unsigned u) {
    enum { MOST_TRIES = 8 };
    const struct repair_use *use = &search->best.uses[u];
    for (unsigned cycles = held(use) - 1, n = 0; cycles > 0 && n < MOST_TRIES; cycles--, n++) {
        struct repair_numbers one = search->best;
        one.uses[u].release = use->acquire + cycles;
        try_uses(search, &one);
    }
}

// An upper bound may show that there are more pipes than LLVM's. That those are the wrong ones it cannot show.
static bool can_be_chosen(const struct resource *other, const struct resource *own, bool is_bound) {
    uint64_t pipes = resource_pipes(own->mask);
    return are_related(other, own) && (!is_bound || (resource_pipes(other->mask) & pipes) == pipes);
}

// How far the bounds of other pipes may be from what was measured, as a share: as far as the nearest of any pipes.
static double distance_of_bounds(const struct machine *machine, double measured) {
    double nearest = INFINITY;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        double units = machine->resources[r].units, bound = whole(measured * units) / units;
        nearest = fmin(nearest, fabs(bound - measured) / measured);
    }
    return fmax(0.02, nearest * (1 + 1e-9));
}

// The shortest throughput that pipes related to `own` can give, cycles. What takes less takes no pipe, as a lea that
// renaming adds up; but as many pipes as there are come nearest.
static double shortest_of(const struct machine *machine, const struct resource *own, bool is_bound) {
    double shortest = 1;
    for (unsigned g = 1; g < machine->n_resources; g++)
        if (can_be_chosen(&machine->resources[g], own, is_bound))
            shortest = fmin(shortest, 1.0 / machine->resources[g].units);
    return shortest;
}

static void suggest_uses(struct repair_search *search, double measured, double predicted, bool is_bound) {
    const struct machine *machine = search->model->machine;
    const struct repair_numbers *best = &search->best;
    struct repair_numbers all = *best, first_all = *best;
    for (unsigned u = 0; u < best->n_uses; u++) {
        const struct repair_use *use = &best->uses[u];
        unsigned held = use->release - use->acquire, units = machine->resources[use->resource].units;
        if (use->release <= use->acquire || follows(machine, &search->base, u))
            continue;
        struct repair_numbers one = *best;
        one.uses[u].release = use->acquire + whole(held * measured / predicted);
        try_uses(search, &one);
        one.uses[u].release = use->acquire + whole(measured * units);
        try_uses(search, &one);
        if (held > measured * units)
            all.uses[u].release = use->acquire + whole(floor(measured * units + 0.05));
        if (is_bound)
            suggest_shorter(search, u);
        first_all.uses[u].release = use->acquire + whole(held * measured / predicted);
        const struct repair_use *own = &search->base.uses[u];
        const double aim = fmax(measured, shortest_of(machine, &machine->resources[own->resource], is_bound)),
                     share = distance_of_bounds(machine, aim);
        for (unsigned g = 1; g < machine->n_resources; g++) {
            unsigned wanted = whole(aim * machine->resources[g].units);
            bool is_wider = machine->resources[g].units > machine->resources[own->resource].units;
            // Pipes of LLVM's, and not those of an earlier change. More pipes that are held longer are no pipes' limit.
            if (g == use->resource ||
                !can_be_chosen(&machine->resources[g], &machine->resources[own->resource], is_bound) ||
                (is_wider && wanted > own->release - own->acquire))
                continue;
            double bound = (double)wanted / machine->resources[g].units;
            if (fabs(bound - aim) > share * aim)
                continue;
            one = *best;
            one.uses[u] = (struct repair_use){g, use->acquire, use->acquire + wanted, use->units};
            try_uses(search, &one);
        }
    }
    try_uses(search, &all);
    try_uses(search, &first_all);
}

static int cycles_between(const struct check_value *value, double predicted, double factor) {
    double delta = (value->value.cycles - predicted) * factor;
    return (int)lround(check_value_is_bound(value) ? floor(delta + 0.05) : delta);
}

// Other uops; and with them uses, where a throughput was right only because there were as many uops.
static void suggest_uops(struct repair_search *search, struct arena *arena, unsigned uops) {
    const struct repair_numbers best = search->best;
    struct predicted *all = ARENA_ARRAY(arena, struct predicted, search->n_values);
    struct repair_cost cost;
    struct repair_numbers one = best;
    one.uops = uops;
    bool is_new = note_trial(search, &one);
    if (!repair_search_evaluate(search, &one, &cost, all))
        return;
    if (is_new)
        keep_if_less(search, &one, cost);
    search->best = one;
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &search->all[search->values[i]];
        if (value->quantity == CHECK_THROUGHPUT && !check_value_is_bound(value) &&
            gap_to_close(search, search->values[i], &search->predicted[i]) == 0 &&
            gap_to_close(search, search->values[i], &all[i]) > 0) {
            suggest_uses(search, value->value.cycles, all[i].cycles, false);
            break; // one suggests enough: the others are of the same uses
        }
    }
    search->best = best;
}

static void suggest(struct repair_search *search, struct arena *arena, const struct check_value *value,
                    double predicted, enum bottleneck kind) {
    const struct table_value *measured = &value->value;
    double wanted = measured->cycles;
    if (value->quantity == CHECK_SLOTS) {
        suggest_uops(search, arena, whole(wanted));
        return;
    }
    if (value->quantity == CHECK_LATENCY || kind == BOTTLENECK_DEPENDENCY) {
        // Copies that take longer than their latencies wait for something else: a throughput lengthens no latency.
        bool is_latency = value->quantity == CHECK_LATENCY;
        if (is_latency || measured->cycles < predicted)
            suggest_latency(search, cycles_between(value, predicted, 1));
        // A chain goes through each copy, or once through all.
        if (!is_latency && measured->cycles < predicted && measured->n_parts)
            suggest_latency(search, cycles_between(value, predicted, 1 / measured->parts[0].factor));
    }
    if (value->quantity != CHECK_LATENCY && predicted > 0 && wanted > 0) {
        suggest_uses(search, wanted, predicted, check_value_is_bound(value));
        if (kind == BOTTLENECK_DISPATCH) {
            struct repair_numbers one = search->best;
            one.uops = whole(one.uops * wanted / predicted);
            try_numbers(search, &one);
        }
    }
}

static int compare_numbers(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

enum { SEVERAL = -1, NONE = 0 };

// Which write and which read each latency depends on, found by changing them: numbers + 1, NONE or SEVERAL.
struct dependences {
    int *write, *read;
};

static int with_dependence(int found, unsigned number) {
    return found == NONE ? (int)number + 1 : SEVERAL;
}

enum { PROBE_CYCLES = 4 }; // more than any pipe limits a chain to

// Changes that show which latencies depend on a write or a read. A chain waits for pipes where the result is there
// before the next copy comes to read it; the change is longer by as much.
static struct repair_numbers probe_of_write(const struct repair_numbers *numbers, unsigned write) {
    struct repair_numbers probe = *numbers;
    int longest = (int)probe.latencies[write];
    for (unsigned r = 0; r < probe.n_reads; r++)
        longest = probe.advances[r] > longest ? probe.advances[r] : longest;
    probe.latencies[write] = (unsigned)(longest + PROBE_CYCLES);
    return probe;
}

static struct repair_numbers probe_of_read(const struct repair_numbers *numbers, unsigned read) {
    struct repair_numbers probe = *numbers;
    int least = probe.advances[read];
    for (unsigned w = 0; w < probe.n_writes; w++)
        least = (int)probe.latencies[w] < least ? (int)probe.latencies[w] : least;
    probe.advances[read] = least - PROBE_CYCLES;
    return probe;
}

static bool find_dependences(struct repair_search *search, struct arena *arena, struct dependences *found) {
    struct predicted *all = ARENA_ARRAY(arena, struct predicted, search->n_values);
    static const double least = 0.5;
    struct repair_cost cost;
    found->write = ARENA_ARRAY(arena, int, search->n_values);
    found->read = ARENA_ARRAY(arena, int, search->n_values);
    for (unsigned w = 0; w < search->best.n_writes; w++) {
        struct repair_numbers probe = probe_of_write(&search->best, w);
        if (!repair_search_evaluate(search, &probe, &cost, all))
            return false;
        for (size_t i = 0; i < search->n_values; i++)
            if (all[i].cycles > search->predicted[i].cycles + least)
                found->write[i] = with_dependence(found->write[i], w);
    }
    for (unsigned r = 0; r < search->best.n_reads; r++) {
        struct repair_numbers probe = probe_of_read(&search->best, r);
        if (!repair_search_evaluate(search, &probe, &cost, all))
            return false;
        for (size_t i = 0; i < search->n_values; i++)
            if (all[i].cycles > search->predicted[i].cycles + least)
                found->read[i] = with_dependence(found->read[i], r);
    }
    return true;
}

static bool are_uses_equal(const struct repair_numbers *a, const struct repair_numbers *b) {
    struct repair_numbers other = *a;
    memcpy(other.uses, b->uses, sizeof other.uses);
    return repair_numbers_are_equal(a, &other);
}

// Tries the latencies also with each other use that this round has tried: where a chain waits for pipes, neither change
// shows by itself that it is right.
static void try_latencies(struct repair_search *search, const struct repair_numbers *latencies, size_t n_tried) {
    enum { MOST_TOGETHER = 24 };
    try_numbers(search, latencies);
    for (size_t i = 0, n = 0; i < n_tried && n < MOST_TOGETHER; i++) {
        struct repair_numbers both = *latencies;
        if (are_uses_equal(&search->best, &search->tried[i]))
            continue;
        memcpy(both.uses, search->tried[i].uses, sizeof both.uses);
        try_numbers(search, &both);
        n++;
    }
}

// The longest latency of a write that the bounds leave, once they bound it at all.
static unsigned latency_of_bounds(const struct repair_search *search, const struct dependences *found, unsigned write) {
    int least = INT_MAX, latency = (int)search->best.latencies[write];
    bool is_below = false;
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &search->all[search->values[i]];
        if (value->quantity != CHECK_LATENCY || value->value.relation != TABLE_AT_MOST || !repair_can_explain(value) ||
            found->write[i] != (int)write + 1)
            continue;
        int cycles = cycles_between(value, search->predicted[i].cycles, 1);
        least = cycles < least ? cycles : least;
        is_below |= is_too_far_below(search, search->values[i], &search->predicted[i]);
    }
    if (least == INT_MAX || (least > 0 && !is_below) || latency + least < 0)
        return (unsigned)latency;
    return (unsigned)(latency + least);
}

// Which pairs a write's latency is from: those whose source does not come early, all, or what bounds it.
enum latencies_from { FROM_OTHERS, FROM_ALL, FROM_BOUNDS };

// Latencies of the writes, and from each other pair by how much its source comes early.
static void solve(struct repair_search *search, struct arena *arena, const struct dependences *found,
                  enum latencies_from from, size_t n_tried) {
    struct repair_numbers numbers = search->best;
    const struct check_value *values = search->all;
    int *list = ARENA_ARRAY(arena, int, search->n_values);
    for (unsigned w = 0; w < numbers.n_writes; w++) {
        if (from == FROM_BOUNDS) {
            numbers.latencies[w] = latency_of_bounds(search, found, w);
            continue;
        }
        int most = -1, least = INT32_MAX;
        for (size_t i = 0; i < search->n_values; i++) {
            const struct check_value *value = &values[search->values[i]];
            int read = found->read[i];
            bool counts =
                value->quantity == CHECK_LATENCY && repair_can_explain(value) && found->write[i] == (int)w + 1;
            if (!counts || (from == FROM_OTHERS && read > 0 && search->best.advances[read - 1]))
                continue;
            int cycles = (int)lround(value->value.cycles);
            if (check_value_is_bound(value) && cycles < least)
                least = cycles;
            if (value->value.relation == TABLE_EQUAL && cycles > most)
                most = cycles;
        }
        if (most >= 0)
            numbers.latencies[w] = (unsigned)most;
        else if (least < (int)numbers.latencies[w] && least >= 0)
            numbers.latencies[w] = (unsigned)least;
    }
    for (unsigned r = 0; r < numbers.n_reads; r++) {
        size_t n = 0;
        for (size_t i = 0; i < search->n_values; i++) {
            const struct check_value *value = &values[search->values[i]];
            if (value->quantity == CHECK_LATENCY && repair_can_explain(value) && found->read[i] == (int)r + 1 &&
                found->write[i] > 0 && value->value.relation == TABLE_EQUAL)
                list[n++] = (int)numbers.latencies[found->write[i] - 1] - (int)lround(value->value.cycles);
        }
        if (n) {
            qsort(list, n, sizeof *list, compare_numbers);
            numbers.advances[r] = list[n / 2];
        } else if (numbers.advances[r] && numbers.n_writes) {
            numbers.advances[r] += (int)numbers.latencies[0] - (int)search->best.latencies[0];
        }
    }
    try_latencies(search, &numbers, n_tried);
}

// ---- the search

static bool is_suggested(const double *hints, size_t n, double hint) {
    static const double share = 0.005;
    for (size_t i = 0; i < n; i++)
        if (fabs(hints[i] - hint) <= share * fabs(hint))
            return true;
    return false;
}

// What became too short for a bound is LLVM's again, and the rest stays.
static void take_latencies_back(struct repair_search *search) {
    const struct repair_numbers numbers = repair_numbers_with_latencies(&search->best, &search->base);
    try_numbers(search, &numbers);
}

static void search_round(struct repair_search *search, struct arena *arena) {
    const struct check_value *values = search->all;
    double hints[CHECK_N_QUANTITIES][MOST_HINTS];
    size_t n_hints[CHECK_N_QUANTITIES] = {0};
    bool has_latency = false;
    if (search->cost.n_worse)
        try_numbers(search, &search->base);
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &values[search->values[i]];
        const struct predicted *predicted = &search->predicted[i];
        if (!repair_can_explain(value) || gap_to_close(search, search->values[i], predicted) == 0)
            continue;
        if (is_too_far_below(search, search->values[i], predicted))
            take_latencies_back(search);
        has_latency |= value->quantity == CHECK_LATENCY;
        // Equal differences suggest the same.
        double hint = value->quantity == CHECK_LATENCY ? value->value.cycles - predicted->cycles
                                                       : value->value.cycles * 1000 + predicted->cycles;
        size_t *n = &n_hints[value->quantity];
        if (*n == MOST_HINTS || is_suggested(hints[value->quantity], *n, hint))
            continue;
        hints[value->quantity][(*n)++] = hint;
        suggest(search, arena, value, predicted->cycles, predicted->kind);
    }
    struct dependences found;
    size_t n_tried = search->n_tried;
    if (has_latency && find_dependences(search, arena, &found)) {
        solve(search, arena, &found, FROM_OTHERS, n_tried);
        solve(search, arena, &found, FROM_ALL, n_tried);
        solve(search, arena, &found, FROM_BOUNDS, n_tried);
    }
}

// A source that is read late, and a longer latency with the other sources read early, often predict the same. The
// latter is how models are written, and what then holds for a source without a value.
static void prefer_early_reads(struct repair_search *search, struct arena *arena) {
    struct repair_numbers early = search->best;
    struct dependences found;
    int latest = 0;
    for (unsigned r = 0; r < early.n_reads; r++)
        if (early.advances[r] < search->base.advances[r] && early.advances[r] < latest)
            latest = early.advances[r];
    if (!latest || !find_dependences(search, arena, &found))
        return;
    for (unsigned w = 0; w < early.n_writes; w++)
        early.latencies[w] += (unsigned)-latest;
    for (unsigned r = 0; r < early.n_reads; r++) {
        bool has_value = early.advances[r] < 0;
        for (size_t i = 0; i < search->n_values; i++)
            has_value |= found.read[i] == (int)r + 1;
        early.advances[r] -= has_value ? latest : 0;
    }
    search->n_tried = 0;
    search->next_cost = search->cost;
    try_numbers(search, &early);
    if (search->next_cost.distance < search->cost.distance) {
        search->best = early;
        search->cost = search->next_cost;
    }
}

bool repair_search_run(struct repair_search *search) {
    struct arena arena = {0};
    bool is_improved = false;
    search->predicted = ARENA_ARRAY(&arena, struct predicted, search->n_values);
    search->tried = ARENA_ARRAY(&arena, struct repair_numbers, MOST_TRIED);
    if (!repair_search_evaluate(search, &search->best, &search->cost, search->predicted)) {
        arena_free(&arena);
        return false;
    }
    for (int round = 0; round < MOST_ROUNDS && search->cost.n_differ; round++) {
        search->next = search->best;
        search->next_cost = search->cost;
        search->n_tried = 0;
        search_round(search, &arena);
        if (search->next_cost.n_worse >= search->cost.n_worse && search->next_cost.n_differ >= search->cost.n_differ &&
            search->next_cost.gaps >= 0.9 * search->cost.gaps)
            break;
        search->best = search->next;
        is_improved = true;
        repair_search_evaluate(search, &search->best, &search->cost, search->predicted);
    }
    if (is_improved)
        prefer_early_reads(search, &arena);
    arena_free(&arena);
    return is_improved;
}
