// Bounds that need addresses: a walk over some turns, in which everything happens as soon as its sources are there.
#include "analyzer/predict/bound_walk.h"

#include <math.h>
#include <string.h>

// `mask`: of the bits of addresses that count.
static bool overlap(const struct place *a, const struct place *b, uint64_t mask) {
    if (!a->bytes || !b->bytes || a->address.base != b->address.base)
        return false;
    return ((a->address.offset - b->address.offset) & mask) < b->bytes ||
           ((b->address.offset - a->address.offset) & mask) < a->bytes;
}

bool walk_contains(const struct place *store, const struct place *load) {
    uint64_t from = load->address.offset - store->address.offset;
    return from < store->bytes && from + load->bytes <= store->bytes;
}

// A bit each: what shares none with a store does not overlap it. Those of two bases need not differ.
static uint64_t touched_lines(const struct walk *walk, const struct place *place) {
    enum { BITS = 64 };
    const uint64_t first = (place->address.offset & walk->compared_bits) / LINE + place->address.base,
                   last =
                       ((place->address.offset + place->bytes - 1) & walk->compared_bits) / LINE + place->address.base;
    if (place->bytes > LINE)
        return UINT64_MAX;
    return place->bytes ? UINT64_C(1) << first % BITS | UINT64_C(1) << last % BITS : 0;
}

const struct stored *walk_store_of(const struct walk *walk, const struct place *place) {
    if (!(walk->stored_lines & touched_lines(walk, place)))
        return NULL;
    const unsigned n = walk->n_stores < walk->most_compared ? walk->n_stores : walk->most_compared;
    for (unsigned i = 0; i < n; i++) {
        const struct stored *store = &walk->stores[(walk->n_stores - 1 - i) % KEPT_STORES];
        if (overlap(&store->place, place, walk->compared_bits))
            return store;
    }
    return NULL;
}

// How many stores a load is compared with, and by which bits of addresses.
static void find_compared(struct walk *walk) {
    const struct cpu *cpu = walk->cpu;
    walk->compared_bits = walk->code->request->pages_are_one ? PAGE - 1 : UINT64_MAX;
    walk->most_compared = cpu_knows(cpu, CPU_FORWARD_LATENCY) ? KEPT_STORES : 0;
    if (cpu_knows(cpu, CPU_STORE_WINDOW) && cpu_value(cpu, CPU_STORE_WINDOW) < walk->most_compared)
        walk->most_compared = (unsigned)cpu_value(cpu, CPU_STORE_WINDOW);
}

// Whether a store, or a load, is that of an instruction that changes what is in memory.
static bool updates(const struct cpu_recipe *recipe) {
    return recipe->n_loads && recipe->n_stores && !recipe->stack_change && !recipe->string.bytes;
}

// From a store's data to what the instruction loads of it.
static double forward_latency(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    if (recipe->is_vector && cpu_knows(cpu, CPU_FORWARD_LATENCY_VECTOR))
        return cpu_value(cpu, CPU_FORWARD_LATENCY_VECTOR);
    return cpu_value(cpu, updates(recipe) && cpu_knows(cpu, CPU_FORWARD_LATENCY_UPDATE) ? CPU_FORWARD_LATENCY_UPDATE
                                                                                        : CPU_FORWARD_LATENCY);
}

// The same where rename finds the store. An update waits longer for one that others have loaded from.
static double renamed_latency(const struct cpu *cpu, const struct cpu_recipe *recipe, const struct stored *store) {
    const double each = updates(recipe) && store->is_update ? cpu_value(cpu, CPU_RENAMED_UPDATE_LOADED) : 0;
    return cpu_value(cpu, CPU_RENAMED_LATENCY) + each * store->n_loads;
}

// From what is older than a store to what the instruction loads, where the store cannot be forwarded.
static double blocked_cycles(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    const bool is_apart = recipe->is_vector && cpu_knows(cpu, CPU_BLOCKED_LOAD_VECTOR);
    return cpu_value(cpu, is_apart ? CPU_BLOCKED_LOAD_VECTOR : CPU_BLOCKED_LOAD);
}

static struct meeting meeting_of(struct walk *walk, const struct cpu_recipe *recipe, const struct place *place) {
    const struct cpu *cpu = walk->cpu;
    const double merge = recipe->merges_load ? cpu_value(cpu, CPU_FORWARD_MERGE) : 0;
    const struct stored *store = walk_store_of(walk, place);
    if (!store)
        return (struct meeting){.meets = CORE_MEETS_NOTHING};
    if (!walk_contains(&store->place, place))
        return (struct meeting){store, CORE_IS_BLOCKED, blocked_cycles(cpu, recipe)};
    if (store->place.address.offset == place->address.offset && walk_is_renamed(walk, recipe, place, store))
        return (struct meeting){store, CORE_IS_RENAMED, renamed_latency(cpu, recipe, store) + merge};
    enum { LOWER_HALF = 4 }; // bytes
    const bool is_upper = !recipe->is_vector && place->address.offset - store->place.address.offset >= LOWER_HALF;
    const double more = merge + (is_upper ? cpu_value(cpu, CPU_FORWARD_UPPER) : 0);
    return (struct meeting){store, CORE_IS_FORWARDED, forward_latency(cpu, recipe) + more};
}

static unsigned stores_back(const struct walk *walk, const struct stored *store) {
    return (walk->n_stores - 1 - (unsigned)(store - walk->stores)) % KEPT_STORES + 1;
}

static void record_meeting(struct walk *walk, const struct meeting *meeting, double latency) {
    walk->access.meets = meeting->meets;
    if (!walk->code->accesses)
        return;
    walk->access.latency = walk_whole_ticks(latency);
    walk->access.more = ticks_of(meeting->more);
    walk->access.stores_back = meeting->store ? stores_back(walk, meeting->store) : 0;
}

// When a load that has its address at `start` has its value.
static double load_ready(struct walk *walk, const struct cpu_recipe *recipe, const struct place *place, double start,
                         double latency) {
    const struct meeting meeting = meeting_of(walk, recipe, place);
    const struct stored *store = meeting.store;
    record_meeting(walk, &meeting, latency);
    if (!store)
        return start + latency;
    walk->n_hits += walk->turn && !recipe->n_stores;
    walk->stores[store - walk->stores].n_loads += !recipe->n_stores;
    if (meeting.meets == CORE_IS_BLOCKED)
        return later(start + latency, store->all_done + meeting.more);
    if (meeting.meets == CORE_IS_RENAMED)
        return store->data_ready + meeting.more;
    return later(start + latency, later(store->data_ready, store->address_ready) + meeting.more);
}

// A plain load may take less where its address was loaded as well.
static double latency_of_load(const struct walk *walk, const struct cpu_recipe *recipe) {
    const struct cpu *cpu = walk->cpu;
    const struct insn_address *address = recipe->insn->address;
    const bool is_fast = recipe->is_plain_load && cpu_knows(cpu, CPU_LOAD_LATENCY_FAST) && address && address->base &&
                         !address->index && address->displacement >= 0 &&
                         (double)address->displacement < cpu_value(cpu, CPU_LOAD_FAST_DISPLACEMENT) &&
                         walk->units[cpu->units[address->base]].is_loaded;
    return is_fast ? cpu_value(cpu, CPU_LOAD_LATENCY_FAST) : recipe->load_latency;
}

// Whether an add or sub of a positive number moves the stack pointer back to where push or pop came from, and that
// costs.
static bool takes_back(const struct walk *walk, const struct cpu_recipe *recipe) {
    const bool adds = recipe->opcode->operation == CPU_DOES_ADD;
    return cpu_knows(walk->cpu, CPU_STACK_ADJUSTMENT_BACK) && (adds ? walk->moved < 0 : walk->moved > 0);
}

// What an adjustment waits longer for the register: whether push and pop are behind it.
static double adjustment_sync(const struct walk *walk, const struct cpu_recipe *recipe) {
    if (takes_back(walk, recipe))
        return cpu_value(walk->cpu, CPU_STACK_ADJUSTMENT_BACK);
    return walk->has_popped ? cpu_value(walk->cpu, CPU_STACK_ADJUSTMENT_SYNC) : 0;
}

// And for the adjustment before it.
static double adjustment_gap(const struct walk *walk, const struct cpu_recipe *recipe) {
    enum { MOST_WAITED_FOR = 4 };
    if (!walk->is_moved || takes_back(walk, recipe))
        return 0;
    return cpu_value(walk->cpu, CPU_STACK_ADJUSTMENT_ACCESS) * fmin(walk->n_since, MOST_WAITED_FOR);
}

// Another use of the stack pointer than a push or pop waits until it has its value.
static void sync_stack(struct walk *walk, const struct cpu_recipe *recipe) {
    const struct cpu *cpu = walk->cpu;
    double cycles = 0, gap = 0;
    if (!walk->follows_stack)
        return;
    if (walk->is_pending && !recipe->stack_change && cpu->stack && recipe_reads(recipe, cpu->stack)) {
        cycles += cpu_value(cpu, CPU_STACK_SYNC);
        walk->access.sync_slots = (unsigned)cpu_value(cpu, CPU_STACK_SYNC);
        walk->is_pending = false;
    }
    if (recipe->alternates) // a nop
        walk->access.sync_slots = walk->turn % 2;
    if (recipe_reads(recipe, cpu->adjuster)) {
        gap = adjustment_gap(walk, recipe);
        cycles += adjustment_sync(walk, recipe) + gap;
        walk->has_popped = walk->is_moved = false;
        walk->n_since = 0;
        walk->moved = 0;
    }
    walk->units[cpu->stack].ready += cycles;
    walk->units[cpu->adjuster].ready += gap;
    walk->access.sync = cycles > 0 ? ticks_of(cycles) : 0;
    walk->access.gap = gap > 0 ? ticks_of(gap) : 0;
    if (!recipe->stack_change && cpu_recipe_writes(recipe, cpu->stack)) {
        walk->is_moved = false;
        walk->n_since = 0;
    }
    walk->is_pending |= recipe->stack_change != 0;
    walk->has_popped |= recipe->stack_change > 0;
    walk->is_moved |= recipe->stack_change != 0;
    walk->n_since += recipe->n_loads + recipe->n_stores;
    walk->moved += recipe->stack_change;
}

// Returns its slot; null: it stores nothing.
static const struct stored *keep_store(struct walk *walk, const struct cpu_recipe *recipe, const struct place *to,
                                       const struct written *written, double address_ready, double begin) {
    if (!recipe->n_stores)
        return NULL;
    struct stored *slot = &walk->stores[walk->n_stores++ % KEPT_STORES];
    double data = begin + recipe->store_delay;
    walk_count_store(walk, to);
    walk->stored_lines |= touched_lines(walk, to);
    walk->stored = later(walk->stored, data);
    *slot = (struct stored){.place = *to,
                            .written = *written,
                            .address_ready = address_ready,
                            .data_ready = data,
                            .all_done = walk->all_done,
                            .is_vector = recipe->is_vector,
                            .is_pushed = recipe->stack_change < 0,
                            .is_update = updates(recipe)};
    return slot;
}

// When a part has all its sources. A register that it shares with the address of a load it takes as it is.
static double part_ready(const struct walk *walk, const struct cpu_recipe *recipe, unsigned part, double loaded) {
    double begin = recipe->part_loads[part] ? loaded : 0;
    for (unsigned i = 0; i < recipe->n_reads; i++)
        if (recipe->reads[i].parts >> part & 1)
            begin = later(begin, walk_ready_of(walk, recipe, &recipe->reads[i]) - recipe->reads[i].early);
    return recipe->serial > 0 ? later(begin, walk->serial) : begin;
}

// How many loads, one behind the other, results come from; and which loads wait for two.
static void follow_loads(struct walk *walk, const struct cpu_recipe *recipe) {
    unsigned address = 0, depth = 0;
    for (unsigned i = 0; i < recipe->n_reads; i++) {
        unsigned *most = recipe->reads[i].is_address ? &address : &depth;
        if (walk->units[recipe->reads[i].unit].depth > *most)
            *most = walk->units[recipe->reads[i].unit].depth;
    }
    walk->n_chained += recipe->n_loads && address >= 2;
    if (recipe->n_loads && address + 1 > depth)
        depth = address + 1;
    for (unsigned i = 0; i < recipe->n_writes; i++)
        walk->units[recipe->writes[i].unit].depth = recipe->rename == CPU_ZEROES ? 0 : depth;
}

static void write_results(struct walk *walk, const struct cpu_recipe *recipe, const double *begins) {
    const int64_t adjusted = walk_adjustment_of(walk, recipe);
    walk->stack += adjusted;
    for (unsigned i = 0; i < recipe->n_writes; i++) {
        const struct cpu_write *write = &recipe->writes[i];
        struct unit_value *value = &walk->units[write->unit];
        value->ready = recipe->rename == CPU_ZEROES ? 0 : begins[write->part] + write->latency;
        value->is_loaded = recipe->is_plain_load;
        value->version += write->unit != walk->cpu->stack || !adjusted;
        value->write_class = cpu_recipe_class(walk->cpu, recipe, write);
        if (recipe->rename != CPU_MOVES)
            value->own = recipe->own;
        else if (recipe->n_reads)
            value->own = walk->units[recipe->reads[0].unit].own;
    }
}

// It has begun, and leaves the windows in its turn.
static void leave_windows(struct walk *walk, const struct core_insn *insn, double address_ready, double begin) {
    const bool is_access = !insn->n_of_part[CORE_COMPUTES] && (insn->loads || insn->stores);
    const int64_t more = insn->stores && insn->store_delay > insn->latency ? insn->store_delay : insn->latency;
    walk_windows_leave(walk->windows, is_access ? address_ready : begin,
                       later(begin + (double)more / TICKS, address_ready));
}

// When its registers are there: those of its address, and the others.
static inline void read_registers(const struct walk *walk, const struct cpu_recipe *recipe, double *address_ready,
                                  double *begin) {
    for (unsigned i = 0; i < recipe->n_reads; i++) {
        const struct cpu_read *read = &recipe->reads[i];
        const double ready = walk_ready_of(walk, recipe, read);
        if (read->is_address)
            *address_ready = later(*address_ready, ready);
        else
            *begin = later(*begin, ready - read->early);
    }
}

// The walk's step of one instruction.
static void step(struct walk *walk, const struct cpu_recipe *recipe) {
    struct place from = {.bytes = 0}, to = {.bytes = 0};
    double address_ready = 0, begin = 0, done = 0, loaded = 0, alone = 0, begins[CPU_MOST_PARTS];
    struct written written = {.base = 0};
    const struct core_insn *insn = NULL;
    const double room = walk->windows ? walk_windows_enter(walk->windows, &insn) : 0;
    if (recipe->n_stores && walk->renames) // before the registers of it change
        written = walk_written_of(walk, recipe, true);
    if (walk->code->accesses) // else nobody reads the rest of it
        walk->access = (struct core_access){.meets = CORE_MEETS_NOTHING};
    walk->access.meets = CORE_MEETS_NOTHING;
    if (walk->addresses)
        address_walk_step(walk->addresses, recipe, &from, &to);
    const double more = walk_wait_for_page(walk, recipe, &from, &to);
    sync_stack(walk, recipe);
    read_registers(walk, recipe, &address_ready, &begin);
    if (insn && insn->n_of_part[CORE_COMPUTES])
        begin = later(begin, room);
    if (recipe->n_loads) {
        const double latency = latency_of_load(walk, recipe) + more, start = later(address_ready, room);
        alone = start + latency;
        loaded = load_ready(walk, recipe, &from, start, latency);
        begin = later(begin, loaded);
        walk_count_load(walk, recipe, &from);
    }
    for (unsigned part = 1; part < recipe->n_parts; part++)
        begins[part] = part_ready(walk, recipe, part, loaded);
    if (walk->code->trace)
        walk_note(walk, recipe, &from, address_ready, begin, loaded, alone);
    for (unsigned part = 1; walk->code->trace && part < recipe->n_parts; part++)
        walk_note_part(walk, recipe, part, begins[part]);
    if (recipe->serial > 0) {
        begin = later(begin, walk->serial);
        walk->serial = begin + recipe->serial;
    }
    done = begin + recipe->latency;
    begins[0] = begin;
    if (walk->follows_loads)
        follow_loads(walk, recipe);
    write_results(walk, recipe, begins);
    walk->stack += recipe->stack_change;
    walk->all_done = later(walk->all_done, later(done, address_ready));
    const struct stored *stored = keep_store(walk, recipe, &to, &written, address_ready, begin);
    if (walk->code->trace)
        walk_note_results(walk, recipe, later(done, address_ready), stored);
    if (insn)
        leave_windows(walk, insn, address_ready, begin);
}

static void find_written(struct walk *walk) {
    const struct bound_code *code = walk->code;
    bool *is_written = ARENA_ARRAY(code->arena, bool, walk->cpu->n_units);
    walk->written = ARENA_ARRAY(code->arena, uint16_t, walk->cpu->n_units);
    for (unsigned i = 0; i < code->n; i++)
        for (unsigned w = 0; w < code->recipes[i].n_writes; w++) {
            uint16_t unit = code->recipes[i].writes[w].unit;
            if (!is_written[unit])
                walk->written[walk->n_written++] = unit;
            is_written[unit] = true;
        }
    if (!is_written[walk->cpu->stack]) // its synchronisation counts as a write
        walk->written[walk->n_written++] = (uint16_t)walk->cpu->stack;
}

static double time_of(const struct walk *walk, unsigned which) {
    return which < walk->n_written        ? walk->units[walk->written[which]].ready
           : which == walk->n_written     ? walk->serial
           : which == walk->n_written + 1 ? walk->stored
                                          : walk->all_done;
}

// What grows from turn to turn, by how much: of every unit, and of what is done. Whether it has done so before.
static bool compare(const struct walk *walk, double *before, double *growth, double *most) {
    bool is_same = true;
    *most = 0;
    for (unsigned i = 0; i < walk->n_written + N_FURTHER; i++) {
        double now = time_of(walk, i), grown = now - before[i];
        is_same &= fabs(grown - growth[i]) < 1e-9;
        *most = later(*most, grown);
        growth[i] = grown;
        before[i] = now;
    }
    return is_same;
}

static double latest(const struct walk *walk) {
    double latest = 0;
    for (unsigned i = 0; i < walk->n_written + N_FURTHER; i++)
        latest = later(latest, time_of(walk, i));
    return latest;
}

void walk_turn(struct walk *walk, struct core_access *accesses) {
    const struct bound_code *code = walk->code;
    walk->n_turn_loads = 0;
    for (unsigned i = 0; i < code->n; i++) {
        step(walk, &code->recipes[i]);
        if (accesses)
            accesses[i] = walk->access;
    }
}

// Whether accesses have met the same in as many turns as a walk wants alike; true where nothing records them.
static bool are_settled(const struct bound_code *code, unsigned n_turns) {
    bool is_same = !code->accesses || n_turns > SAME_TURNS;
    for (unsigned i = 1; code->accesses && i <= SAME_TURNS && is_same; i++)
        is_same = memcmp(code->accesses[n_turns - i], code->accesses[n_turns - 1 - i],
                         code->n * sizeof **code->accesses) == 0;
    return is_same;
}

static bool follows_stack(const struct bound_code *code) {
    for (unsigned i = 0; i < code->n; i++)
        if (code->recipes[i].stack_change || code->recipes[i].alternates ||
            recipe_reads(&code->recipes[i], code->cpu->adjuster))
            return true;
    return false;
}

static bool accesses_any(const struct bound_code *code) {
    for (unsigned i = 0; i < code->n; i++)
        if (code->recipes[i].n_loads || code->recipes[i].n_stores)
            return true;
    return false;
}

struct walk *walk_open(const struct bound_code *code) {
    const struct cpu *cpu = code->cpu;
    struct walk *walk = ARENA_NEW(code->arena, struct walk);
    walk->code = code;
    walk->cpu = cpu;
    walk->renames = cpu_knows(cpu, CPU_RENAMED_LATENCY);
    find_compared(walk);
    walk->part_bytes = cpu_knows(cpu, CPU_STORES_BY_BYTES) ? (unsigned)cpu_value(cpu, CPU_STORES_BY_BYTES) : LINE;
    walk->stores = arena_alloc_uncleared(code->arena, KEPT_STORES * sizeof *walk->stores);
    walk->addresses = accesses_any(code) ? address_walk_open(code->arena, code->request) : NULL;
    walk->turn_loads = arena_alloc_uncleared(code->arena, MOST_LOADS * sizeof *walk->turn_loads);
    walk->moving = walk_new_page(walk) > 0 ? ARENA_ARRAY(code->arena, struct moving_insn, code->n) : NULL;
    walk->pages = walk->moving ? arena_alloc_uncleared(code->arena, KEPT_PAGES * sizeof *walk->pages) : NULL;
    walk->follows_stack = follows_stack(code);
    walk->units = ARENA_ARRAY(code->arena, struct unit_value, cpu->n_units);
    walk->follows_loads = cpu_knows(cpu, CPU_CHAINED_ACCESSES);
    walk->sets = ARENA_ARRAY(code->arena, uint8_t, code->n);
    walk->n_sets = (unsigned)fmin(fmax(cpu_value(cpu, CPU_RENAMED_LEARNED_SETS), 1), MOST_LEARNED_SETS);
    walk->n_copies = code->request->is_loop ? 1 : code->request->copies;
    find_written(walk);
    return walk;
}

void bound_walk(struct bound_code *code, struct bounds *bounds) {
    struct walk *walk = walk_open(code);
    double half = 0, most = 0;
    unsigned turn = 0, same = 0;
    double *before = ARENA_ARRAY(code->arena, double, walk->n_written + N_FURTHER);
    double *growth = ARENA_ARRAY(code->arena, double, walk->n_written + N_FURTHER);
    const unsigned least = code->request->run ? MOST_TURNS : 0; // what was not followed may change at any time
    while (turn < MOST_TURNS && (turn < least || same < SAME_TURNS || !are_settled(code, turn))) {
        if (code->accesses)
            code->accesses[turn] = arena_alloc_uncleared(code->arena, code->n * sizeof **code->accesses);
        walk_turn(walk, code->accesses ? code->accesses[turn] : NULL);
        walk->turn = ++turn;
        if (turn <= 2) {
            walk->n_commits_by[turn - 1] = walk->n_commits;
            walk->n_store_turns_by[turn - 1] = walk->n_store_turns;
            walk->n_vector_loads_by[turn - 1] = walk->n_vector_loads;
        }
        if (turn == HALF)
            half = latest(walk);
        same = compare(walk, before, growth, &most) ? same + 1 : 0;
    }
    if (code->trace)
        walk_note_end(walk, growth, most);
    if (same < SAME_TURNS)
        most = (latest(walk) - half) / HALF;
    bounds->cycles[BOUND_LATENCY] = most;
    bounds->longest = latest(walk) - most * turn;
    bounds->n_unfollowed = walk->addresses ? address_walk_unfollowed(walk->addresses) : 0;
    code->n_access_turns = turn;
    walk_set_memory(walk, turn, bounds);
}
