#include "analyzer/predict/bounds.h"

#include "analyzer/cpu/dispatch_group.h"
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

// The group of dispatch that a turn begins in.
struct open_group {
    unsigned slots;
    struct dispatch_group held;
};

static bool is_same_group(const struct open_group *a, const struct open_group *b) {
    return a->slots == b->slots && a->held.fields == b->held.fields && a->held.taken == b->held.taken;
}

// Puts a turn into groups; returns places for slots, those that stay empty among them. Without `by_pipes`, operations
// need none.
static uint64_t fill_groups(const struct bound_code *code, unsigned width, bool by_pipes, struct open_group *group) {
    const unsigned most_fields = (unsigned)cpu_value(code->cpu, CPU_DISPATCH_FIELDS);
    const bool is_whole = cpu_does(code->cpu, CPU_DISPATCHES_WHOLE);
    const struct open_group empty = {0, {.taken = DISPATCH_NOTHING}};
    uint64_t places = 0;
    for (unsigned i = 0; i < code->n; i++) {
        const struct cpu_recipe *recipe = &code->recipes[i];
        const unsigned n = recipe->slots;
        const struct dispatch_need need =
            by_pipes ? recipe->dispatch : (struct dispatch_need){recipe->dispatch.fields, {0}};
        if (group->slots && ((is_whole && n == 2 && group->slots + n > width) ||
                             !dispatch_group_has_room(&group->held, &need, most_fields))) {
            places += width - group->slots;
            *group = empty;
        }
        dispatch_group_add(&group->held, &need, most_fields);
        places += n;
        group->slots += n;
        if (group->slots >= width)
            *group = (struct open_group){group->slots % width, empty.held};
    }
    return places;
}

// Cycles of one iteration: two slots of one instruction that would come apart begin the next group. So does what a
// group has no room for besides.
static double dispatch_cycles(const struct bound_code *code, double slots, bool by_pipes) {
    enum { MOST_TURNS = 64 };
    const unsigned width = (unsigned)cpu_value(code->cpu, CPU_DISPATCH_WIDTH);
    const bool has_groups = cpu_does(code->cpu, CPU_DISPATCHES_WHOLE) || by_pipes;
    if (!width || !has_groups || count_alternating(code))
        return rate(slots, code->cpu, CPU_DISPATCH_WIDTH);
    struct open_group group = {0, {.taken = DISPATCH_NOTHING}}, first[MOST_TURNS];
    uint64_t places = 0, began[MOST_TURNS];
    unsigned turn = 0, same = MOST_TURNS / 2; // the turn that begins as an earlier one; else half of them will do
    for (; turn < MOST_TURNS; turn++) {
        unsigned earlier = 0;
        while (earlier < turn && !is_same_group(&first[earlier], &group))
            earlier++;
        if (earlier < turn) {
            same = earlier;
            break;
        }
        first[turn] = group;
        began[turn] = places;
        places += fill_groups(code, width, by_pipes, &group);
    }
    return ((double)(places - began[same]) / (double)(turn - same) + count_sync_slots(code)) / width;
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
        fmax(dispatch_cycles(code, slots, false), rate(bounds->vector_slots, cpu, CPU_DISPATCH_WIDTH_VECTOR));
    bounds->cycles[BOUND_RETIRE] = rate(slots, cpu, CPU_RETIRE_WIDTH);
    if (code->request->is_decoded) {
        bounds->cycles[BOUND_PREDECODE] = bound_predecode(code, NULL);
        bounds->cycles[BOUND_DECODE] = bound_decode(code, NULL);
    } else {
        bounds->cycles[BOUND_CACHE] = bound_cache(code);
    }
    bounds->cycles[BOUND_PORTS] = bound_ports(code, NULL, &bounds->pipes);
    // Where it is as long by ports alone, these say more.
    if (cpu_does(cpu, CPU_DISPATCHES_APART)) {
        const double apart = dispatch_cycles(code, slots, true);
        bounds->by_pipes = apart > bounds->cycles[BOUND_DISPATCH] && apart > bounds->cycles[BOUND_PORTS];
        if (bounds->by_pipes)
            bounds->cycles[BOUND_DISPATCH] = apart;
    }
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
