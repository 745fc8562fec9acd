#include "analyzer/predict/bounds.h"

#include "analyzer/predict/addresses.h"
#include "analyzer/predict/bound_parts.h"

#include <math.h>

const char *bound_name(enum bound_kind kind) {
    static const char *const names[BOUND_N] = {"dispatch", "predecode", "decode",  "op cache", "ports",
                                               "loads",    "stores",    "latency", "retire",   "reorder buffer"};
    return names[kind];
}

// Slots that the stack engine's synchronisation adds to an iteration.
static double count_sync_slots(const struct bound_code *code) {
    return code->n_syncs * cpu_value(code->cpu, CPU_STACK_SYNC);
}

// Slots that come in every other iteration only.
static unsigned count_alternating(const struct bound_code *code) {
    unsigned n = 0;
    for (unsigned i = 0; i < code->n; i++)
        n += code->recipes[i].alternates;
    return n;
}

// Slots of one iteration.
static double count_slots(const struct bound_code *code) {
    double slots = 0;
    for (unsigned i = 0; i < code->n; i++)
        slots += code->recipes[i].slots;
    return slots + count_sync_slots(code) + count_alternating(code) / 2.0;
}

static double rate(double n, const struct cpu *cpu, enum cpu_parameter width) {
    return cpu_knows(cpu, width) && cpu_value(cpu, width) > 0 ? n / cpu_value(cpu, width) : 0;
}

// Cycles of one iteration: two slots of one instruction that would come apart begin the next group. So does what has
// more immediates and displacements than it has room for.
static double dispatch_cycles(const struct bound_code *code, double slots) {
    const unsigned width = (unsigned)cpu_value(code->cpu, CPU_DISPATCH_WIDTH);
    if (!width || !cpu_does(code->cpu, CPU_DISPATCHES_WHOLE) || count_alternating(code))
        return rate(slots, code->cpu, CPU_DISPATCH_WIDTH);
    const unsigned most = (unsigned)cpu_value(code->cpu, CPU_DISPATCH_FIELDS), n_places = width * (most + 1);
    uint64_t at = 0, *began = ARENA_ARRAY(code->arena, uint64_t, n_places),
             *turn_of = ARENA_ARRAY(code->arena, uint64_t, n_places);
    unsigned fields = 0;               // of the group, up to the most
    for (uint64_t turn = 1;; turn++) { // until one begins in the same place of a group as one before
        const unsigned place = (unsigned)(at % width) * (most + 1) + (at % width ? fields : 0);
        if (turn_of[place])
            return ((double)(at - began[place]) / (double)(turn - turn_of[place]) + count_sync_slots(code)) / width;
        turn_of[place] = turn;
        began[place] = at;
        for (unsigned i = 0; i < code->n; i++) {
            const unsigned n = code->recipes[i].slots, more = code->recipes[i].dispatch_fields;
            const unsigned used = (unsigned)(at % width);
            if (used && ((n == 2 && used + n > width) || (fields && more && fields + more > most)))
                at += width - used;
            fields = (at % width ? fields : 0) + more;
            fields = fields < most ? fields : most;
            at += n;
        }
    }
}

// Those of vector instructions.
static double count_vector_slots(const struct bound_code *code) {
    double slots = 0;
    for (unsigned i = 0; i < code->n; i++)
        slots += code->recipes[i].is_vector ? code->recipes[i].slots : 0;
    return slots;
}

bool bounds_are_of_vectors(const struct cpu *cpu, const struct bounds *bounds) {
    return rate(bounds->vector_slots, cpu, CPU_DISPATCH_WIDTH_VECTOR) > rate(bounds->slots, cpu, CPU_DISPATCH_WIDTH);
}

unsigned bound_count_syncs(const struct bound_code *code) {
    unsigned n = 0;
    bool is_pending = false, moves = false;
    for (unsigned i = 0; i < code->n && !moves; i++)
        moves = code->recipes[i].stack_change;
    for (unsigned turn = 0; turn < 2 && moves && cpu_does(code->cpu, CPU_STACK_SYNC); turn++) {
        n = 0;
        for (unsigned i = 0; i < code->n; i++) {
            const struct cpu_recipe *recipe = &code->recipes[i];
            if (recipe->stack_change) {
                is_pending = true;
                continue;
            }
            n += is_pending && recipe_reads(recipe, code->cpu->stack);
            is_pending &= !recipe_reads(recipe, code->cpu->stack);
        }
    }
    return n;
}

static void rank(struct bounds *bounds) {
    bounds->largest = bounds->next = BOUND_DISPATCH;
    for (unsigned i = 1; i < BOUND_N; i++)
        if (bounds->cycles[i] > bounds->cycles[bounds->largest])
            bounds->largest = (enum bound_kind)i;
    bounds->next = bounds->largest == 0 ? (enum bound_kind)1 : BOUND_DISPATCH;
    for (unsigned i = 0; i < BOUND_N; i++)
        if (i != bounds->largest && bounds->cycles[i] > bounds->cycles[bounds->next])
            bounds->next = (enum bound_kind)i;
    bounds->most = bounds->cycles[bounds->largest];
}

// Where pipes are the limit, or nearly, operations crowd before them, and lose turns. Elsewhere, loads keep apart what
// waits for them.
static void crowd(struct bound_code *code, struct bounds *bounds) {
    const double nearly = 0.9;
    if (!cpu_knows(code->cpu, CPU_DEPENDENT_CYCLES))
        return;
    const double before = bounds->cycles[BOUND_PORTS];
    const struct bound_crowd crowd = {bounds->pipes, before >= nearly * bounds->most};
    uint64_t pipes;
    double cycles = bound_ports(code, &crowd, &pipes);
    if (cycles <= (crowd.is_full ? before : bounds->most))
        return;
    bound_lose_turns(code, &crowd);
    bounds->cycles[BOUND_PORTS] = cycles;
    bounds->pipes = pipes;
    rank(bounds);
}

// A load that meets a store is as much as two accesses. Where these keep memory busy all the time, no two stores go to
// the cache together.
static void part_stores(struct bound_code *code, struct bounds *bounds) {
    if (bounds->full < bounds->most || bounds->full <= bounds->cycles[BOUND_STORES] ||
        bounds->alone <= bounds->cycles[BOUND_STORES])
        return;
    bounds->cycles[BOUND_STORES] = bounds->alone;
    for (unsigned turn = 0; turn < code->n_access_turns && code->accesses; turn++)
        for (unsigned i = 0; i < code->n; i++)
            code->accesses[turn][i].n_commits = code->accesses[turn][i].n_store_turns;
    rank(bounds);
}

void bounds_of_code(struct bound_code *code, struct bounds *bounds) {
    const struct cpu *cpu = code->cpu;
    *bounds = (struct bounds){.most = 0};
    code->n_syncs = bound_count_syncs(code);
    double slots = count_slots(code);
    bounds->slots = slots;
    bounds->vector_slots = count_vector_slots(code);
    bounds->cycles[BOUND_DISPATCH] =
        fmax(dispatch_cycles(code, slots), rate(bounds->vector_slots, cpu, CPU_DISPATCH_WIDTH_VECTOR));
    bounds->cycles[BOUND_RETIRE] = rate(slots, cpu, CPU_RETIRE_WIDTH);
    if (code->request->is_decoded) {
        bounds->cycles[BOUND_PREDECODE] = bound_predecode(code, NULL);
        bounds->cycles[BOUND_DECODE] = bound_decode(code, NULL);
    } else {
        bounds->cycles[BOUND_CACHE] = bound_cache(code);
    }
    bounds->cycles[BOUND_PORTS] = bound_ports(code, NULL, &bounds->pipes);
    bound_walk(code, bounds);
    rank(bounds);
    bound_buffer(code, bounds);
    rank(bounds);
    part_stores(code, bounds);
    crowd(code, bounds);
}

bool bound_code_open(struct bound_code *code, struct arena *arena, const struct bounds_request *request,
                     struct fail *fail) {
    *code = (struct bound_code){.cpu = request->cpu, .request = request, .n = request->block->n_insns, .arena = arena};
    if (!code->n)
        return fail_set(fail, FAIL_INPUT, "there is no instruction");
    code->recipes = cpu_recipes(arena, request->cpu, request->block);
    return cpu_executes(arena, request->cpu, code->recipes, code->n, fail) &&
           cpu_states_all(request->cpu, code->recipes, code->n, fail);
}

bool bounds_find(const struct bounds_request *request, struct bounds *bounds, struct fail *fail) {
    struct arena scratch = {0};
    struct bound_code code;
    *bounds = (struct bounds){.most = 0};
    bool is_open = bound_code_open(&code, &scratch, request, fail);
    if (is_open)
        bounds_of_code(&code, bounds);
    arena_free(&scratch);
    return is_open;
}
