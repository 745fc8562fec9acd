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

// The newest store that the load overlaps, of those that it is compared with; null: it overlaps no store.
const struct stored *walk_store_of(const struct walk *walk, const struct place *place) {
    const struct cpu *cpu = walk->cpu;
    const uint64_t mask = walk->code->request->pages_are_one ? PAGE - 1 : UINT64_MAX;
    unsigned kept = walk->n_stores < KEPT_STORES ? walk->n_stores : KEPT_STORES;
    if (!cpu_knows(cpu, CPU_FORWARD_LATENCY))
        return NULL;
    if (cpu_knows(cpu, CPU_STORE_WINDOW) && cpu_value(cpu, CPU_STORE_WINDOW) < kept)
        kept = (unsigned)cpu_value(cpu, CPU_STORE_WINDOW);
    for (unsigned i = 0; i < kept; i++) {
        const struct stored *store = &walk->stores[(walk->n_stores - 1 - i) % KEPT_STORES];
        if (overlap(&store->place, place, mask))
            return store;
    }
    return NULL;
}

// From a store's data to what the instruction loads of it.
static double forward_latency(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    bool updates = recipe->n_stores && !recipe->stack_change && !recipe->string.bytes;
    if (recipe->is_vector && cpu_knows(cpu, CPU_FORWARD_LATENCY_VECTOR))
        return cpu_value(cpu, CPU_FORWARD_LATENCY_VECTOR);
    return cpu_value(cpu, updates && cpu_knows(cpu, CPU_FORWARD_LATENCY_UPDATE) ? CPU_FORWARD_LATENCY_UPDATE
                                                                                : CPU_FORWARD_LATENCY);
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
        return (struct meeting){store, CORE_IS_RENAMED, cpu_value(cpu, CPU_RENAMED_LATENCY) + merge};
    return (struct meeting){store, CORE_IS_FORWARDED, forward_latency(cpu, recipe) + merge};
}

static unsigned stores_back(const struct walk *walk, const struct stored *store) {
    return (walk->n_stores - 1 - (unsigned)(store - walk->stores)) % KEPT_STORES + 1;
}

// Parts of a cycle that come together to whole ones soon: a core finds its period then.
static int64_t whole_ticks(double cycles) {
    enum { PARTS = 60 };
    return ticks_of(round(cycles * PARTS) / PARTS);
}

static void record_meeting(struct walk *walk, const struct meeting *meeting, double latency) {
    walk->access.meets = meeting->meets;
    if (!walk->code->accesses)
        return;
    walk->access.latency = whole_ticks(latency);
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
    walk->is_read[store->insn] |= !recipe->n_stores;
    if (meeting.meets == CORE_IS_BLOCKED)
        return later(start + latency, store->all_done + meeting.more);
    if (meeting.meets == CORE_IS_RENAMED)
        return store->data_ready + meeting.more;
    return later(start + latency, later(store->data_ready, store->address_ready) + meeting.more);
}

static double latency_of_load(const struct walk *walk, const struct cpu_recipe *recipe) {
    const struct cpu *cpu = walk->cpu;
    const struct insn_address *address = recipe->insn->address;
    bool is_near = address && address->base && !address->index && address->displacement >= 0 &&
                   (double)address->displacement < cpu_value(cpu, CPU_LOAD_FAST_DISPLACEMENT);
    bool is_fast = cpu_knows(cpu, CPU_LOAD_LATENCY_FAST) && recipe->is_plain_load && is_near &&
                   walk->is_loaded[cpu->units[address->base]];
    return is_fast ? cpu_value(cpu, CPU_LOAD_LATENCY_FAST) : recipe->load_latency;
}

// Whether the page of an address was among the newest ones in an earlier turn. It is among them now.
static bool knows_page(struct walk *walk, const struct value *address) {
    const struct value page = {address->base, address->offset / PAGE};
    const unsigned n = walk->n_pages < KEPT_PAGES ? walk->n_pages : KEPT_PAGES;
    for (unsigned i = 0; i < n; i++)
        if (walk->pages[i].page.base == page.base && walk->pages[i].page.offset == page.offset)
            return walk->pages[i].turn < walk->turn;
    walk->pages[walk->n_pages++ % KEPT_PAGES] = (struct met_page){page, walk->turn};
    return false;
}

// Pages that an access has moved on to since the turn before. Small steps share a page: each is a part of a new one,
// unless it leads back.
static double pages_since(struct walk *walk, struct moving *moving, const struct place *now) {
    const struct place *before = &moving->at;
    const uint64_t at = now->address.offset;
    const int64_t moved = (int64_t)(at - before->address.offset);
    const bool is_known = now->bytes && before->bytes && now->address.base == before->address.base;
    if (!is_known || moved <= -PAGE || moved >= PAGE) {
        moving->lowest = moving->highest = at;
        return !knows_page(walk, &now->address) && is_known;
    }
    const uint64_t beyond = at < moving->lowest ? moving->lowest - at : at > moving->highest ? at - moving->highest : 0;
    moving->lowest = at < moving->lowest ? at : moving->lowest;
    moving->highest = at > moving->highest ? at : moving->highest;
    return (double)beyond / PAGE;
}

// Cycles of an access to a page that is new.
static double new_page(const struct walk *walk) {
    return walk->code->request->pages_are_new ? cpu_value(walk->cpu, CPU_NEW_PAGE) : 0;
}

static void move(struct walk *walk, struct moving *moving, const struct place *now) {
    moving->pages = pages_since(walk, moving, now);
    moving->so_far[walk->turn] = moving->pages + (walk->turn ? moving->so_far[walk->turn - 1] : 0);
    moving->at = *now;
}

// Follows both accesses of an instruction. Returns what its load takes longer, cycles.
static double wait_for_page(struct walk *walk, const struct cpu_recipe *recipe, const struct place *from,
                            const struct place *to) {
    if (!walk->moving)
        return 0;
    struct moving_insn *moving = &walk->moving[recipe - walk->code->recipes];
    move(walk, &moving->from, from);
    move(walk, &moving->to, to);
    return new_page(walk) * moving->from.pages;
}

static double lines_of(const struct walk *walk, const struct place *place) {
    return place_lines(walk->code->request, place);
}

// What two stores share that go to the cache together: the line that they are in, or a part of it. Where all pages are
// one, theirs is the same.
static uint64_t part_of(const struct walk *walk, const struct place *place) {
    const unsigned bytes = (unsigned)cpu_value(walk->cpu, CPU_STORES_BY_BYTES);
    return (walk->code->request->pages_are_one ? place->address.offset % PAGE : place->address.offset) /
           (bytes ? bytes : LINE);
}

// Bytes behind which memory begins anew.
static uint64_t memory_of(const struct walk *walk) {
    return walk->code->request->pages_are_one ? PAGE : UINT64_MAX;
}

static void count_load(struct walk *walk, const struct cpu_recipe *recipe, const struct place *place) {
    const struct cpu *cpu = walk->cpu;
    double n = lines_of(walk, place);
    if (recipe->n_loads > 1)
        n += recipe->n_loads - 1;
    walk->n_loads += n;
    walk->n_accesses += n;
    walk->access.n_loads = (unsigned)n;
    bool is_vector = recipe->is_vector && recipe->n_loads == 1; // no gather
    walk->n_vector_loads += is_vector ? n : 0;
    walk->access.n_vector_loads = is_vector ? walk->access.n_loads : 0;
    unsigned banks = (unsigned)cpu_value(cpu, CPU_LOAD_BANKS);
    if (banks && banks <= MOST_BANKS && place->bytes) {
        uint64_t first = place->address.offset / BANK, last = (place->address.offset + place->bytes - 1) / BANK;
        for (uint64_t bank = first; bank <= last && bank < first + banks; bank++) {
            walk->bank_reads[bank % banks]++;
            walk->access.banks |= UINT64_C(1) << (bank % banks);
        }
    }
    if (cpu_does(cpu, CPU_PAIRED_LOADS_BY_BANK)) {
        walk->access.base = place->bytes ? place->address.base : UINT32_MAX;
        walk->access.offset = place->bytes ? place->address.offset % memory_of(walk) : 0;
    }
    if (walk->n_turn_loads < MOST_LOADS)
        walk->turn_loads[walk->n_turn_loads++] = *place;
}

// `is_read`: rename finds it for a load.
static void count_store(struct walk *walk, const struct place *place, bool is_read) {
    walk->n_accesses++;
    const double lines = lines_of(walk, place);
    walk->access.n_store_lines = (unsigned)lines;
    walk->n_store_lines += lines;
    const struct place *before = &walk->last_store;
    const bool is_alone = is_read && cpu_does(walk->cpu, CPU_LOADED_STORES_ALONE);
    bool joins = !is_alone && walk->has_pair && place->bytes && before->bytes &&
                 before->address.base == place->address.base && part_of(walk, before) == part_of(walk, place);
    walk->access.n_commits = joins ? 0 : (unsigned)lines;
    walk->n_commits += joins ? 0 : lines;
    const bool has_room = !joins || cpu_knows(walk->cpu, CPU_STORES_BY_BYTES); // for a further one
    walk->has_pair = has_room && !is_alone && lines < 2;
    walk->last_store = *place;
}

// When a source is there for that instruction.
double walk_ready_of(const struct walk *walk, const struct cpu_recipe *recipe, const struct cpu_read *read) {
    bool is_own = recipe->own && walk->own[read->unit] == recipe->own;
    return walk->ready[read->unit] - (is_own ? recipe->latency - recipe->own_latency : 0);
}

// Whether an add or sub of a positive number moves the stack pointer back to where push or pop came from.
static bool goes_back(const struct walk *walk, const struct cpu_recipe *recipe) {
    const bool adds = recipe->opcode->operation == CPU_DOES_ADD;
    return adds ? walk->moved < 0 : walk->moved > 0;
}

// Another use of the stack pointer than a push or pop waits until it has its value.
static void sync_stack(struct walk *walk, const struct cpu_recipe *recipe) {
    const struct cpu *cpu = walk->cpu;
    double cycles = 0;
    if (walk->is_pending && !recipe->stack_change && cpu->stack && recipe_reads(recipe, cpu->stack)) {
        cycles += cpu_value(cpu, CPU_STACK_SYNC);
        walk->access.sync_slots = (unsigned)cpu_value(cpu, CPU_STACK_SYNC);
        walk->is_pending = false;
    }
    if (recipe_reads(recipe, cpu->adjuster)) {
        if (goes_back(walk, recipe) && cpu_knows(cpu, CPU_STACK_ADJUSTMENT_BACK))
            cycles += cpu_value(cpu, CPU_STACK_ADJUSTMENT_BACK);
        else if (walk->has_popped)
            cycles += cpu_value(cpu, CPU_STACK_ADJUSTMENT_SYNC);
        walk->has_popped = false;
        walk->moved = 0;
    }
    walk->ready[cpu->stack] += cycles;
    walk->access.sync = cycles > 0 ? ticks_of(cycles) : 0;
    walk->is_pending |= recipe->stack_change != 0;
    walk->has_popped |= recipe->stack_change > 0;
    walk->moved += recipe->stack_change;
}

// Returns its slot; null: it stores nothing.
static const struct stored *keep_store(struct walk *walk, const struct cpu_recipe *recipe, const struct place *to,
                                       const struct written *written, double address_ready, double begin) {
    if (!recipe->n_stores)
        return NULL;
    struct stored *slot = &walk->stores[walk->n_stores++ % KEPT_STORES];
    double data = begin + recipe->store_delay;
    const unsigned insn = (unsigned)(recipe - walk->code->recipes);
    count_store(walk, to, walk->is_read[insn]);
    walk->stored = later(walk->stored, data);
    *slot = (struct stored){.place = *to,
                            .written = *written,
                            .address_ready = address_ready,
                            .data_ready = data,
                            .all_done = walk->all_done,
                            .insn = insn,
                            .is_vector = recipe->is_vector,
                            .is_pushed = recipe->stack_change < 0};
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

static void write_results(struct walk *walk, const struct cpu_recipe *recipe, const double *begins) {
    for (unsigned i = 0; i < recipe->n_writes; i++) {
        const struct cpu_write *write = &recipe->writes[i];
        walk->ready[write->unit] = recipe->rename == CPU_ZEROES ? 0 : begins[write->part] + write->latency;
        walk->is_loaded[write->unit] = recipe->is_plain_load;
        walk->versions[write->unit]++;
        if (recipe->rename != CPU_MOVES)
            walk->own[write->unit] = recipe->own;
        else if (recipe->n_reads)
            walk->own[write->unit] = walk->own[recipe->reads[0].unit];
    }
}

// The walk's step of one instruction.
static void step(struct walk *walk, const struct cpu_recipe *recipe) {
    struct place from, to;
    double address_ready = 0, begin = 0, done = 0, loaded = 0, alone = 0, begins[CPU_MOST_PARTS];
    struct written written = {.base = 0};
    if (recipe->n_stores) // before the registers of it change
        written = walk_written_of(walk, recipe, true);
    walk->access = (struct core_access){.meets = CORE_MEETS_NOTHING};
    address_walk_step(walk->addresses, recipe, &from, &to);
    const double more = wait_for_page(walk, recipe, &from, &to);
    sync_stack(walk, recipe);
    for (unsigned i = 0; i < recipe->n_reads; i++) {
        const struct cpu_read *read = &recipe->reads[i];
        double ready = walk_ready_of(walk, recipe, read);
        if (read->is_address)
            address_ready = later(address_ready, ready);
        else
            begin = later(begin, ready - read->early);
    }
    if (recipe->n_loads) {
        double latency = latency_of_load(walk, recipe) + more;
        alone = address_ready + latency;
        loaded = load_ready(walk, recipe, &from, address_ready, latency);
        begin = later(begin, loaded);
        count_load(walk, recipe, &from);
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
    write_results(walk, recipe, begins);
    walk->stack += recipe->stack_change;
    walk->all_done = later(walk->all_done, later(done, address_ready));
    const struct stored *stored = keep_store(walk, recipe, &to, &written, address_ready, begin);
    if (walk->code->trace)
        walk_note_results(walk, recipe, later(done, address_ready), stored);
}

static double popcount(uint64_t pipes) {
    return later(__builtin_popcountll(pipes), 1);
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
    const double further[N_FURTHER] = {walk->serial, walk->stored, walk->all_done};
    return which < walk->n_written ? walk->ready[walk->written[which]] : further[which - walk->n_written];
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

// Pages that an access moves on to in a turn, in the second half of all: before that, it may come from its start.
static double pages_of(const struct walk *walk, const struct moving *moving) {
    const unsigned last = walk->turn - 1, half = walk->turn / 2;
    return last > half ? (moving->so_far[last] - moving->so_far[half]) / (last - half) : moving->pages;
}

// In the newest turn: what each access that waits for a new page holds a pipe for longer.
static void hold_for_pages(const struct walk *walk, double more_loads, double n_loads, double more_stores,
                           double n_stores) {
    const struct bound_code *code = walk->code;
    for (unsigned i = 0; i < code->n && code->accesses; i++)
        for (unsigned turn = 0; turn < code->n_access_turns; turn++) {
            struct core_access *access = &code->accesses[turn][i];
            if (pages_of(walk, &walk->moving[i].from) > 0)
                access->hold = whole_ticks(more_loads * popcount(walk->cpu->load_pipes) / n_loads);
            if (pages_of(walk, &walk->moving[i].to) > 0)
                access->store_hold = whole_ticks(more_stores * popcount(walk->cpu->store_data_pipes) / n_stores);
        }
}

// Accesses that wait for a new page are executed once more, all that come meanwhile: at most each once.
static void add_new_pages(const struct walk *walk, double turns, double *loads, double *stores) {
    const struct cpu *cpu = walk->cpu;
    double load_pages = 0, store_pages = 0, n_loads = 0, n_stores = 0;
    for (unsigned i = 0; i < walk->code->n; i++) {
        const double of_load = pages_of(walk, &walk->moving[i].from), of_store = pages_of(walk, &walk->moving[i].to);
        load_pages = fmax(load_pages, of_load);
        store_pages = fmax(store_pages, of_store);
        n_loads += of_load > 0;
        n_stores += of_store > 0;
    }
    double more_loads = fmin(load_pages * new_page(walk), n_loads / popcount(cpu->load_pipes)),
           more_stores = fmin(store_pages * new_page(walk), n_stores / popcount(cpu->store_data_pipes));
    if (load_pages > 0)
        *loads = walk->n_loads / popcount(cpu->load_pipes) + turns * more_loads;
    if (store_pages > 0)
        *stores = (walk->n_accesses - walk->n_loads) / popcount(cpu->store_data_pipes) + turns * more_stores;
    hold_for_pages(walk, more_loads, n_loads, more_stores, n_stores);
}

// How often a turn's stores go to the cache. A last store of one turn and a first one of the next go there together in
// every second turn, and the first turns do not know yet which stores rename finds.
static double commits_of(const struct walk *walk, double turns) {
    const unsigned n = (unsigned)turns, left_out = n < SAME_TURNS ? 0 : n % 2 ? 1 : 2;
    return (walk->n_commits - (left_out ? walk->n_commits_by[left_out - 1] : 0)) / (n - left_out);
}

// What a slot of dispatch brings to the schedulers.
struct brought {
    unsigned accesses;
    bool is_operation; // of general registers
};

static struct brought *list_brought(const struct walk *walk, unsigned *n) {
    const struct bound_code *code = walk->code;
    struct brought *brought = NULL;
    for (unsigned i = 0; i < code->n; i++) {
        const struct cpu_recipe *recipe = &code->recipes[i];
        bool is_operation =
            recipe->rename == CPU_EXECUTES && !recipe->is_vector && !recipe->is_plain_load && recipe->n_uses > 0;
        for (unsigned slot = 0; slot < (unsigned)recipe->slots; slot++)
            *ARENA_ADD(code->arena, brought, *n) =
                (struct brought){slot ? 0 : recipe->n_loads + recipe->n_stores, is_operation};
    }
    return brought;
}

// Cycles of a turn that accesses lose to operations: where a group of dispatch brings one access more than are served
// in a cycle, and operations beside these.
static double lost_to_operations(const struct walk *walk) {
    enum { FULL = 2 }; // operations that cost all of it
    const struct cpu *cpu = walk->cpu;
    const double each = cpu_value(cpu, CPU_CROWDED_ACCESSES);
    const unsigned width = (unsigned)cpu_value(cpu, CPU_DISPATCH_WIDTH),
                   served = (unsigned)cpu_value(cpu, CPU_ACCESSES);
    unsigned n = 0;
    double lost = 0;
    const struct brought *brought = each > 0 ? list_brought(walk, &n) : NULL;
    for (unsigned group = 0; group < n; group++) { // as many as n / width turns have
        unsigned accesses = 0, operations = 0;
        for (unsigned i = 0; i < width; i++) {
            accesses += brought[(group * width + i) % n].accesses;
            operations += brought[(group * width + i) % n].is_operation;
        }
        if (accesses == served + 1)
            lost += each * fmin(operations, FULL) / FULL;
    }
    return width ? lost / width : 0;
}

// For the core, each access keeps the others off so much longer.
static void crowd(const struct walk *walk, double turns, double lost) {
    const struct bound_code *code = walk->code;
    for (unsigned turn = 0; turn < code->n_access_turns && code->accesses && lost > 0; turn++)
        for (unsigned i = 0; i < code->n; i++)
            code->accesses[turn][i].crowded = whole_ticks(lost * turns / walk->n_accesses);
}

static void set_memory(const struct walk *walk, double turns, struct bounds *bounds) {
    const struct cpu *cpu = walk->cpu;
    double loads = 0, stores = 0;
    if (walk->moving)
        add_new_pages(walk, turns, &loads, &stores);
    if (cpu_knows(cpu, CPU_LOADS))
        loads = fmax(loads, walk->n_loads / cpu_value(cpu, CPU_LOADS));
    if (cpu_knows(cpu, CPU_LOADS_VECTOR))
        loads = fmax(loads, walk->n_vector_loads / cpu_value(cpu, CPU_LOADS_VECTOR));
    for (unsigned i = 0; i < MOST_BANKS && cpu_knows(cpu, CPU_LOAD_BANK_READS); i++)
        loads = fmax(loads, walk->bank_reads[i] / cpu_value(cpu, CPU_LOAD_BANK_READS));
    if (cpu_does(cpu, CPU_PAIRED_LOADS_BY_BANK) && walk->n_turn_loads)
        loads = fmax(loads, turns * bound_paired_loads(walk->turn_loads, walk->n_turn_loads, memory_of(walk)));
    const double lost = lost_to_operations(walk);
    const double served = cpu_knows(cpu, CPU_ACCESSES) ? walk->n_accesses / cpu_value(cpu, CPU_ACCESSES) : 0,
                 accesses = served + turns * lost;
    crowd(walk, turns, lost);
    bounds->counts_stores = accesses > loads;
    loads = fmax(loads, accesses);
    if (cpu_knows(cpu, CPU_STORES))
        stores = fmax(stores, walk->n_store_lines / cpu_value(cpu, CPU_STORES));
    if (cpu_does(cpu, CPU_STORES_BY_LINE))
        stores = fmax(stores, commits_of(walk, turns) * turns);
    bounds->cycles[BOUND_LOADS] = loads / turns;
    bounds->cycles[BOUND_STORES] = stores / turns;
}

// One turn.
static void walk_turn(struct walk *walk, struct core_access *accesses) {
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

void bound_walk(struct bound_code *code, struct bounds *bounds) {
    const struct cpu *cpu = code->cpu;
    struct walk *walk = ARENA_NEW(code->arena, struct walk);
    double half = 0, most = 0;
    unsigned turn = 0, same = 0;
    walk->code = code;
    walk->cpu = cpu;
    walk->stores = arena_alloc_uncleared(code->arena, KEPT_STORES * sizeof *walk->stores);
    walk->addresses = address_walk_open(code->arena, code->request);
    walk->moving = new_page(walk) > 0 ? ARENA_ARRAY(code->arena, struct moving_insn, code->n) : NULL;
    walk->ready = ARENA_ARRAY(code->arena, double, cpu->n_units);
    walk->is_loaded = ARENA_ARRAY(code->arena, bool, cpu->n_units);
    walk->own = ARENA_ARRAY(code->arena, unsigned, cpu->n_units);
    walk->versions = ARENA_ARRAY(code->arena, unsigned, cpu->n_units);
    walk->sets = ARENA_ARRAY(code->arena, uint8_t, code->n);
    walk->is_read = ARENA_ARRAY(code->arena, bool, code->n);
    walk->n_sets = (unsigned)fmin(fmax(cpu_value(cpu, CPU_RENAMED_LEARNED_SETS), 1), MOST_LEARNED_SETS);
    walk->n_copies = code->request->is_loop ? 1 : code->request->copies;
    find_written(walk);
    double *before = ARENA_ARRAY(code->arena, double, walk->n_written + N_FURTHER);
    double *growth = ARENA_ARRAY(code->arena, double, walk->n_written + N_FURTHER);
    const unsigned least = code->request->run ? MOST_TURNS : 0; // what was not followed may change at any time
    while (turn < MOST_TURNS && (turn < least || same < SAME_TURNS || !are_settled(code, turn))) {
        if (code->accesses)
            code->accesses[turn] = ARENA_ARRAY(code->arena, struct core_access, code->n);
        walk_turn(walk, code->accesses ? code->accesses[turn] : NULL);
        walk->turn = ++turn;
        if (turn <= 2)
            walk->n_commits_by[turn - 1] = walk->n_commits;
        if (turn == HALF)
            half = latest(walk);
        same = compare(walk, before, growth, &most) ? same + 1 : 0;
    }
    if (code->trace)
        walk_note_end(walk, growth, most);
    if (same < SAME_TURNS)
        most = (latest(walk) - half) / HALF;
    bounds->cycles[BOUND_LATENCY] = most;
    bounds->n_unfollowed = address_walk_unfollowed(walk->addresses);
    code->n_access_turns = turn;
    set_memory(walk, turn, bounds);
}
