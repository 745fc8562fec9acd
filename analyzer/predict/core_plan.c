#include "analyzer/predict/core_plan.h"

#include "analyzer/predict/bound_walk.h"
#include "analyzer/predict/steady.h"
#include "analyzer/sim/core/cpu_core.h"

#include <math.h>
#include <string.h>

// Adds a part of the front end, unless it takes no time.
static void add_supply(struct arena *arena, struct core_plan *plan, const struct supply *supply, double cycles) {
    if (!supply->n || cycles <= 0)
        return;
    struct core_supply *added = &plan->supplies[plan->n_supplies++];
    *added = (struct core_supply){.n_steps = supply->n, .repeats_from = supply->repeats_from};
    added->steps = ARENA_ARRAY(arena, struct core_supply_step, supply->n);
    for (unsigned i = 0; i < supply->n; i++)
        added->steps[i] =
            (struct core_supply_step){.n_insns = supply->steps[i].n_insns, .ticks = ticks_of(supply->steps[i].cycles)};
}

static void add_front_end(struct core_plan *plan, const struct bound_code *code) {
    struct supply first = {0}, second = {0}, third = {0};
    double cycles;
    if (code->request->is_decoded) {
        cycles = bound_predecode(code, &first);
        add_supply(code->arena, plan, &first, cycles);
        cycles = bound_decode(code, &second);
    } else {
        double size = cpu_value(code->cpu, CPU_CACHE_LINE_BYTES);
        unsigned copies = code->request->is_loop || size < 1 ? 1 : bound_copies(code, (unsigned)size);
        cycles = bound_cache_lines(code, copies, &first);
        add_supply(code->arena, plan, &first, cycles);
        cycles = bound_cache_immediates(code, &third);
        add_supply(code->arena, plan, &third, cycles);
        cycles = bound_cache_slots(code, &second);
    }
    add_supply(code->arena, plan, &second, cycles);
}

// How many turns it takes until accesses are as before, at the end of the walk: at most half of it. Before that, they
// may meet what comes once.
static unsigned period_of(struct core_access *const *turns, unsigned n_turns, size_t n) {
    const unsigned half = n_turns / 2;
    for (unsigned period = 1; period < half; period++) {
        bool is_same = true;
        for (unsigned turn = half; turn < n_turns && is_same; turn++)
            is_same = memcmp(turns[turn], turns[turn - period], n * sizeof **turns) == 0;
        if (is_same)
            return period;
    }
    return half > 0 ? half : 1;
}

static void add_accesses(struct core_plan *plan, const struct bound_code *code) {
    const unsigned n_turns = code->n_access_turns, period = period_of(code->accesses, n_turns, code->n);
    plan->n_turns = period;
    plan->accesses = arena_alloc_uncleared(code->arena, (size_t)period * code->n * sizeof *plan->accesses);
    for (unsigned i = 0; i < period; i++)
        memcpy(&plan->accesses[(size_t)i * code->n], code->accesses[n_turns - period + i],
               code->n * sizeof *plan->accesses);
}

struct core_plan *core_plan_find(struct arena *arena, const struct bounds_request *request, struct bounds *bounds,
                                 struct fail *fail) {
    struct bound_code code;
    if (!bound_code_open(&code, arena, request, fail))
        return NULL;
    code.accesses = ARENA_ARRAY(arena, struct core_access *, MOST_TURNS);
    bounds_of_code(&code, bounds);
    struct core_plan *plan = core_plan_make(arena, request->cpu, code.recipes, code.n);
    add_accesses(plan, &code);
    add_front_end(plan, &code);
    return plan;
}

// How far to walk until the mean is taken, where no state comes again: parts of a cycle may make a period very long.
// Windows are full after SLOTS, and the mean of the second half is off by a cycle at most.
struct effort {
    double cycles, slots;
};
static const struct effort little = {200, 300}, enough = {500, 800};

// Iterations until the front end's first part begins anew, which is not even in between.
static uint64_t period_of_supply(const struct core_plan *plan) {
    uint64_t n_insns = 0;
    for (unsigned i = 0; plan->n_supplies && i < plan->supplies[0].n_steps; i++)
        n_insns += plan->supplies[0].steps[i].n_insns;
    return n_insns > plan->n ? n_insns / plan->n : 1;
}

// Even, and each half is of whole periods.
static uint64_t iterations_of(const struct core_plan *plan, const struct bounds *bounds, const struct effort *effort) {
    const double of_cycles = effort->cycles / fmax(bounds->most, 0.05);
    const double of_slots = effort->slots / fmax(bounds->slots, 1);
    const uint64_t period = 2 * period_of_supply(plan);
    const uint64_t wanted = (uint64_t)ceil(fmax(of_slots, fmin(of_cycles, 4 * of_slots)));
    return (wanted / period + 1) * period;
}

// The largest bound that still holds where `relaxed` is out of the way: no execution is faster.
static double least_cycles(const struct bounds *bounds, unsigned relaxed) {
    double least = 0;
    bool holds[BOUND_N];
    for (unsigned i = 0; i < BOUND_N; i++)
        holds[i] = true;
    for (unsigned k = 0; k < cpu_core.n_knobs; k++) {
        holds[BOUND_LATENCY] &= !(relaxed >> k & 1) || cpu_core.knobs[k].limit != LIMIT_DEPENDENCES;
        holds[BOUND_BUFFER] &= !(relaxed >> k & 1) || cpu_core.knobs[k].limit == LIMIT_RETIREMENT;
        holds[BOUND_RETIRE] &= !(relaxed >> k & 1) || cpu_core.knobs[k].limit != LIMIT_RETIREMENT;
    }
    for (unsigned i = 0; i < BOUND_N; i++)
        least = holds[i] ? fmax(least, bounds->cycles[i]) : least;
    return least;
}

static bool simulate(struct arena *arena, const struct steady_request *request, const struct bounds *bounds,
                     double *cycles, struct fail *fail) {
    struct steady_request wanted = *request;
    struct steady steady;
    const uint64_t first = iterations_of(request->plan, bounds, &little);
    const uint64_t most = iterations_of(request->plan, bounds, &enough);
    const double least = least_cycles(bounds, request->relaxed);
    wanted.first_iterations = first;
    wanted.most_iterations = most > first ? most : first;
    wanted.least_cycles = least;
    if (!steady_find(arena, &wanted, &steady, fail))
        return false;
    // Where accesses never come to rest, bounds count more turns than the core repeats, and are nearer to what is
    // measured. What comes within a cycle of the bound without a period, takes as long.
    const double counted = (double)first / 2;
    const bool is_within = !steady.is_exact && most <= first && steady.cycles * counted <= least * counted + 1;
    *cycles = is_within ? least : fmax(steady.cycles, least);
    return true;
}

bool core_cycles_find(const struct bounds_request *request, unsigned relaxed, double *cycles, struct fail *fail) {
    struct arena scratch = {0};
    struct bounds bounds = {.most = 0};
    const struct execution execution = {.block = request->block};
    *cycles = 0;
    const struct core_plan *plan = core_plan_find(&scratch, request, &bounds, fail);
    const struct steady_request wanted = {
        .machine = request->cpu->machine, .execution = &execution, .relaxed = relaxed, .plan = plan};
    bool is_done = plan && simulate(&scratch, &wanted, &bounds, cycles, fail);
    arena_free(&scratch);
    return is_done;
}
