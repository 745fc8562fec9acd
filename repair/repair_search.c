#include "repair/repair_search.h"

#include "repair/repair_latencies.h"
#include "repair/repair_suggest.h"

#include <math.h>
#include <string.h>

enum { MOST_HINTS = 8, MOST_ROUNDS = 6 };

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
    repair_try(search, &numbers);
}

// LLVM's uops, latencies or uses again, or several of them: what makes a value worse may be one of them, and the others
// were measured.
static void take_parts_back(struct repair_search *search) {
    enum { UOPS = 1, LATENCIES = 2, USES = 4, ALL = 7 };
    for (unsigned parts = 1; parts <= ALL; parts++) {
        struct repair_numbers numbers = search->best;
        if (parts & UOPS)
            numbers.uops = search->base.uops;
        if (parts & LATENCIES)
            numbers = repair_numbers_with_latencies(&numbers, &search->base);
        if (parts & USES)
            memcpy(numbers.uses, search->base.uses, sizeof numbers.uses);
        repair_try(search, &numbers);
    }
}

static void search_round(struct repair_search *search, struct arena *arena) {
    const struct check_value *values = search->all;
    double hints[CHECK_N_QUANTITIES][MOST_HINTS] = {{0}};
    size_t n_hints[CHECK_N_QUANTITIES] = {0};
    bool has_latency = false;
    if (search->cost.n_worse)
        take_parts_back(search);
    for (size_t i = 0; i < search->n_values; i++) {
        const struct check_value *value = &values[search->values[i]];
        const struct predicted *predicted = &search->predicted[i];
        if (!repair_can_explain(value) || repair_gap_to_close(search, search->values[i], predicted) == 0)
            continue;
        if (repair_is_too_far_below(search, search->values[i], predicted))
            take_latencies_back(search);
        has_latency |= value->quantity == CHECK_LATENCY;
        // Equal differences suggest the same.
        double hint = value->quantity == CHECK_LATENCY ? value->value.cycles - predicted->cycles
                                                       : value->value.cycles * 1000 + predicted->cycles;
        size_t *n = &n_hints[value->quantity];
        if (*n == MOST_HINTS || is_suggested(hints[value->quantity], *n, hint))
            continue;
        hints[value->quantity][(*n)++] = hint;
        repair_suggest(search, arena, value, predicted->cycles, predicted->kind);
    }
    struct repair_dependences found;
    size_t n_tried = search->n_tried;
    if (has_latency && repair_find_dependences(search, arena, &found)) {
        repair_solve_latencies(search, arena, &found, REPAIR_FROM_OTHERS, n_tried);
        repair_solve_latencies(search, arena, &found, REPAIR_FROM_ALL, n_tried);
        repair_solve_latencies(search, arena, &found, REPAIR_FROM_BOUNDS, n_tried);
    }
}

// A source that is read late, and a longer latency with the other sources read early, often predict the same. The
// latter is how models are written, and what then holds for a source without a value.
static void prefer_early_reads(struct repair_search *search, struct arena *arena) {
    struct repair_numbers early = search->best;
    struct repair_dependences found;
    int latest = 0;
    for (unsigned r = 0; r < early.n_reads; r++)
        if (early.advances[r] < search->base.advances[r] && early.advances[r] < latest)
            latest = early.advances[r];
    if (!latest || !repair_find_dependences(search, arena, &found))
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
    repair_try(search, &early);
    if (search->next_cost.distance < search->cost.distance) {
        search->best = early;
        search->cost = search->next_cost;
    }
}

// Leaves the model's latencies where those that only bounds show do not explain all of these.
static void leave_latencies(struct repair_search *search) {
    const struct repair_numbers kept = repair_numbers_with_latencies(&search->best, &search->base);
    for (size_t i = 0; search->has_only_bounds && i < search->n_values; i++)
        if (search->all[search->values[i]].quantity == CHECK_LATENCY &&
            repair_can_explain(&search->all[search->values[i]]) &&
            repair_gap_to_close(search, search->values[i], &search->predicted[i]) > 0)
            search->leaves_latencies = true;
    if (!search->leaves_latencies || repair_numbers_are_equal(&search->best, &kept))
        return;
    search->best = kept;
    repair_evaluate_fully(search, &search->best, &search->cost, search->predicted);
}

bool repair_search_run(struct repair_search *search) {
    struct arena arena = {0};
    const struct repair_numbers first = search->best;
    bool is_improved = false;
    search->predicted = ARENA_ARRAY(&arena, struct predicted, search->n_values);
    search->tried = ARENA_ARRAY(&arena, struct repair_numbers, REPAIR_MOST_TRIED);
    if (!repair_evaluate_fully(search, &search->best, &search->cost, search->predicted)) {
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
        repair_evaluate_fully(search, &search->best, &search->cost, search->predicted);
    }
    if (is_improved)
        prefer_early_reads(search, &arena);
    leave_latencies(search);
    is_improved &= !repair_numbers_are_equal(&search->best, &first);
    arena_free(&arena);
    return is_improved;
}
