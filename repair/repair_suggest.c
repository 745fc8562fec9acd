#include "repair/repair_suggest.h"

#include "check/gap.h"
#include "repair/repair_pipes.h"

#include <math.h>

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
            repair_try(search, &one);
    }
    repair_try(search, &all);
    for (unsigned r = 0; r < all.n_reads; r++) {
        struct repair_numbers one = search->best;
        one.advances[r] = clamp_advance(&one, one.advances[r], one.advances[r] - delta);
        repair_try(search, &one);
    }
}

static unsigned whole(double number) {
    return number < 1 ? 1 : (unsigned)lround(number);
}

// Whether all pipes of `inner` are of `outer`.
static bool is_inside(const struct resource *inner, const struct resource *outer) {
    return (resource_pipes(inner->mask) & ~resource_pipes(outer->mask)) == 0;
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
        if (repair_numbers_follow(machine, &search->base, u) &&
            numbers->uses[u].resource == search->base.uses[u].resource)
            numbers->uses[u].release = numbers->uses[u].acquire + repair_numbers_held_inside(machine, numbers, u);
    repair_try(search, numbers);
}

// Shorter times, the longest first, so that the least change that suffices is taken.
static void suggest_shorter(struct repair_search *search, unsigned u) {
    enum { MOST_TRIES = 8 };
    const struct repair_use *use = &search->best.uses[u];
    for (unsigned cycles = repair_use_cycles(use) - 1, n = 0; cycles > 0 && n < MOST_TRIES; cycles--, n++) {
        struct repair_numbers one = search->best;
        one.uses[u].release = use->acquire + cycles;
        try_uses(search, &one);
    }
}

// An upper bound may show that there are more pipes than LLVM's. That those are the wrong ones it cannot show.
static bool can_be_chosen(const struct repair_search *search, unsigned u, unsigned resource, bool is_bound) {
    const struct resource *resources = search->model->machine->resources;
    return repair_rank_of(search, u, resource) != REPAIR_FARTHEST &&
           (!is_bound || is_inside(&resources[search->base.uses[u].resource], &resources[resource]));
}

// Whether LLVM's pipes can give the throughput, each use held for some time: then pipes are no cause.
static bool pipes_suffice(const struct repair_search *search, const struct check_value *value) {
    static const double slack = 0.01;
    const struct machine *machine = search->model->machine;
    const struct repair_numbers *base = &search->base;
    bool is_met = false;
    for (unsigned u = 0; u < base->n_uses; u++) {
        const struct resource *own = &machine->resources[base->uses[u].resource];
        double n_inside = 0;
        if (!repair_use_cycles(&base->uses[u]) || repair_numbers_follow(machine, base, u))
            continue;
        for (unsigned v = 0; v < base->n_uses; v++)
            n_inside += repair_use_cycles(&base->uses[v]) > 0 && !repair_numbers_follow(machine, base, v) &&
                        is_inside(&machine->resources[base->uses[v].resource], own);
        if (n_inside / own->units > value->value.cycles * (1 + slack))
            return false;
        double cycles = check_value_is_bound(value) ? n_inside / own->units
                                                    : whole(value->value.cycles * own->units) / (double)own->units;
        is_met |= gap_find(value, &(struct predicted){.cycles = cycles, .simulated = cycles}) == 0;
    }
    return is_met;
}

// How far the bounds of other pipes may be from what was measured, as a share: as far as the nearest of those that can
// be chosen.
static double distance_of_bounds(const struct repair_search *search, unsigned u, bool is_bound, double measured) {
    const struct machine *machine = search->model->machine;
    double nearest = INFINITY;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        if (!can_be_chosen(search, u, r, is_bound))
            continue;
        double units = machine->resources[r].units, bound = whole(measured * units) / units;
        nearest = fmin(nearest, fabs(bound - measured) / measured);
    }
    return fmax(0.02, nearest * (1 + 1e-9));
}

// The shortest throughput that pipes related to `own` can give, cycles. What takes less takes no pipe, as a lea that
// renaming adds up; but as many pipes as there are come nearest.
static double shortest_of(const struct repair_search *search, unsigned u, bool is_bound) {
    const struct machine *machine = search->model->machine;
    double shortest = 1;
    for (unsigned g = 1; g < machine->n_resources; g++)
        if (can_be_chosen(search, u, g, is_bound))
            shortest = fmin(shortest, 1.0 / machine->resources[g].units);
    return shortest;
}

// Tries a change that takes uses away. What holds no pipe at all is as fast as dispatch; what is slower holds one, of
// which the model has too few, for less than a cycle.
static void try_fewer_uses(struct repair_search *search, double measured, struct repair_numbers *numbers) {
    static const double slack = 0.1;
    const unsigned width = search->dispatch_width ? search->dispatch_width : search->model->machine->dispatch_width;
    bool has_any = false;
    for (unsigned u = 0; u < numbers->n_uses; u++)
        has_any |= repair_use_cycles(&numbers->uses[u]) && !repair_numbers_follow(search->model->machine, numbers, u);
    if (has_any || measured <= (double)numbers->uops / width * (1 + slack))
        try_uses(search, numbers);
}

// What takes less time than any pipes give takes none of them: renaming does it, as with a lea that adds a constant.
static void suggest_no_uses(struct repair_search *search, double measured) {
    static const double slack = 0.01;
    struct repair_numbers none = search->best;
    for (unsigned u = 0; u < none.n_uses; u++) {
        if (!repair_use_cycles(&none.uses[u]) || measured >= shortest_of(search, u, false) * (1 - slack))
            continue;
        struct repair_numbers one = search->best;
        one.uses[u].release = one.uses[u].acquire;
        try_fewer_uses(search, measured, &one);
        none.uses[u].release = none.uses[u].acquire;
    }
    try_fewer_uses(search, measured, &none);
}

// Other pipes for a use, whose bound is near what was measured.
static void suggest_other_pipes(struct repair_search *search, unsigned u, bool is_bound, double measured) {
    const struct machine *machine = search->model->machine;
    const struct repair_use *use = &search->best.uses[u], *own = &search->base.uses[u];
    const double aim = fmax(measured, shortest_of(search, u, is_bound)),
                 share = distance_of_bounds(search, u, is_bound, aim);
    const struct repair_numbers best = search->best;
    for (unsigned g = 1; g < machine->n_resources; g++) {
        unsigned wanted = whole(aim * machine->resources[g].units);
        bool is_wider = machine->resources[g].units > machine->resources[own->resource].units;
        // Pipes of LLVM's, and not those of an earlier change. More pipes that are held longer are no pipes' limit.
        if (g == use->resource || !can_be_chosen(search, u, g, is_bound) ||
            (is_wider && wanted > own->release - own->acquire))
            continue;
        double bound = (double)wanted / machine->resources[g].units;
        if (fabs(bound - aim) > share * aim)
            continue;
        struct repair_numbers one = best;
        one.uses[u] = (struct repair_use){g, use->acquire, use->acquire + wanted, use->units};
        try_uses(search, &one);
    }
}

static void suggest_uses(struct repair_search *search, const struct check_value *value, double predicted) {
    const struct machine *machine = search->model->machine;
    const double measured = value->value.cycles;
    const bool is_bound = check_value_is_bound(value), can_stay = pipes_suffice(search, value);
    const struct repair_numbers *best = &search->best;
    struct repair_numbers all = *best, first_all = *best;
    for (unsigned u = 0; u < best->n_uses; u++) {
        const struct repair_use *use = &best->uses[u];
        unsigned held = use->release - use->acquire, units = machine->resources[use->resource].units;
        if (use->release <= use->acquire || repair_numbers_follow(machine, &search->base, u))
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
        if (!can_stay)
            suggest_other_pipes(search, u, is_bound, measured);
    }
    try_uses(search, &all);
    try_uses(search, &first_all);
    if (!is_bound)
        suggest_no_uses(search, measured);
}

// Other uops; and with them uses, where a throughput was right only because there were as many uops.
static void suggest_uops(struct repair_search *search, struct arena *arena, unsigned uops) {
    const struct repair_numbers best = search->best;
    struct predicted *all = ARENA_ARRAY(arena, struct predicted, search->n_values);
    struct repair_numbers one = best;
    one.uops = uops;
    if (!repair_try_again(search, &one, all))
        return;
    search->best = one;
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &search->all[search->values[i]];
        if (value->quantity == CHECK_THROUGHPUT && !check_value_is_bound(value) &&
            repair_gap_to_close(search, search->values[i], &search->predicted[i]) == 0 &&
            repair_gap_to_close(search, search->values[i], &all[i]) > 0) {
            suggest_uses(search, value, all[i].cycles);
            break; // one suggests enough: the others are of the same uses
        }
    }
    search->best = best;
}

// As many uops as the forms' slots are, where these suggest nothing by themselves.
static void suggest_slots(struct repair_search *search, struct arena *arena) {
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &search->all[search->values[i]];
        if (value->is_kept_only && whole(value->value.cycles) != search->best.uops)
            suggest_uops(search, arena, whole(value->value.cycles));
    }
}

// So many uops as take as long to dispatch, of what takes longer than predicted and on no pipes: where instructions
// issue in order, no slots are measured that would show the uops.
static void suggest_dispatch(struct repair_search *search, const struct check_value *value) {
    const struct machine *machine = search->model->machine;
    const unsigned width = search->dispatch_width ? search->dispatch_width : machine->dispatch_width;
    struct repair_numbers one = search->best;
    if (!machine->in_order || check_value_is_bound(value) || pipes_suffice(search, value))
        return;
    one.uops = whole(value->value.cycles * width);
    if (one.uops > search->best.uops)
        repair_try(search, &one);
}

void repair_suggest(struct repair_search *search, struct arena *arena, const struct check_value *value,
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
            suggest_latency(search, repair_cycles_between(value, predicted, 1));
        // A chain goes through each copy, or once through all.
        if (!is_latency && measured->cycles < predicted && measured->n_parts)
            suggest_latency(search, repair_cycles_between(value, predicted, 1 / measured->parts[0].factor));
    }
    if (value->quantity != CHECK_LATENCY && predicted > 0 && wanted > 0) {
        suggest_uses(search, value, predicted);
        if (kind == BOTTLENECK_DISPATCH) {
            struct repair_numbers one = search->best;
            one.uops = whole(one.uops * wanted / predicted);
            repair_try(search, &one);
        } else if (wanted > predicted) {
            suggest_dispatch(search, value);
        }
        // As a simulation dispatches a form's uops in one cycle, too many may limit it less than all the width does.
        if (kind == BOTTLENECK_DISPATCH || predicted > wanted)
            suggest_slots(search, arena);
    }
}
