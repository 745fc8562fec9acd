// What accesses cost besides latency: loads and stores a cycle, lines, banks, pages that are new, and what stands
// beside them.
#include "analyzer/predict/bound_walk.h"

#include <math.h>

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

double walk_new_page(const struct walk *walk) {
    return walk->code->request->pages_are_new ? cpu_value(walk->cpu, CPU_NEW_PAGE) : 0;
}

static void move(struct walk *walk, struct moving *moving, const struct place *now) {
    moving->pages = pages_since(walk, moving, now);
    moving->so_far[walk->turn] = moving->pages + (walk->turn ? moving->so_far[walk->turn - 1] : 0);
    moving->at = *now;
}

double walk_wait_for_page(struct walk *walk, const struct cpu_recipe *recipe, const struct place *from,
                          const struct place *to) {
    if (!walk->moving)
        return 0;
    struct moving_insn *moving = &walk->moving[recipe - walk->code->recipes];
    move(walk, &moving->from, from);
    move(walk, &moving->to, to);
    return walk_new_page(walk) * moving->from.pages;
}

// What two stores share that go to the cache together: the line that they are in, or a part of it. Where all pages are
// one, theirs is the same.
static uint64_t part_of(const struct walk *walk, const struct place *place) {
    const uint64_t at = walk->code->request->pages_are_one ? place->address.offset % PAGE : place->address.offset;
    return at & ~(uint64_t)(walk->part_bytes - 1);
}

// Bytes behind which memory begins anew.
static uint64_t memory_of(const struct walk *walk) {
    return walk->code->request->pages_are_one ? PAGE : UINT64_MAX;
}

// Turns of a cycle that has so many, of what needs one; where it has a cycle of its own, what is left of the one before
// it is lost. `taken`: of the newest cycle.
static double take_turns(double *taken, double in_cycle, bool is_alone) {
    const double lost = is_alone && *taken > 0 ? in_cycle - *taken : 0;
    *taken = is_alone || *taken + 1 >= in_cycle ? 0 : *taken + 1;
    return is_alone ? lost + in_cycle : 1;
}

// How often a load takes one of the turns of a cycle: once for each line; where copies load from one place after the
// other, once more where it is in two.
static double turns_of_load(const struct walk *walk, const struct place *place, double lines) {
    const bool loses = cpu_does(walk->cpu, CPU_LOADS_ALONE) && place_moves(walk->code->request, place);
    return loses ? lines + lines - 1 : lines;
}

// Of a load that takes so many turns of a cycle: how much longer than one access does it keeps others off, ticks.
static int64_t part_of_access(const struct cpu *cpu, const struct cpu_recipe *recipe, double turns) {
    const double loads = cpu_value(cpu, recipe->is_vector && cpu_knows(cpu, CPU_LOADS_VECTOR) ? CPU_LOADS_VECTOR
                                                                                              : CPU_LOADS),
                 accesses = cpu_value(cpu, CPU_ACCESSES);
    return loads > 0 && accesses > 0 ? walk_whole_ticks(fmax(turns / loads - floor(turns) / accesses, 0)) : 0;
}

void walk_count_load(struct walk *walk, const struct cpu_recipe *recipe, const struct place *place) {
    const struct cpu *cpu = walk->cpu;
    const double lines = place_parts(walk->code->request, place, LINE);
    double n = turns_of_load(walk, place, lines);
    if (recipe->n_loads > 1)
        n += recipe->n_loads - 1;
    walk->n_loads += n;
    walk->n_accesses += n;
    walk->access.n_loads = (unsigned)n;
    if (recipe->is_vector && recipe->n_loads == 1) { // no gather
        if (cpu_does(cpu, CPU_LOADS_ALONE) && (lines == 1 || lines == 2))
            n = take_turns(&walk->vector_turns, cpu_value(cpu, CPU_LOADS_VECTOR), lines == 2);
        walk->n_vector_loads += n;
        walk->access.n_vector_loads = (unsigned)n;
    }
    if (n != floor(n)) // on average; the core knows whole ones
        walk->access.crowded = part_of_access(cpu, recipe, n);
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

// How often a store takes one of the turns of a cycle: where stores go to the cache by parts of lines, one that is in
// two parts has a cycle of its own. `n_parts`: on average where it moves; then half of the time a turn before it is
// lost.
static double turns_of_store(struct walk *walk, double n_parts, bool moves) {
    const double cycle = cpu_value(walk->cpu, CPU_STORES);
    if (!cpu_knows(walk->cpu, CPU_STORES_BY_BYTES))
        return n_parts;
    return moves ? 1 + (n_parts - 1) * (cycle - 0.5) : take_turns(&walk->store_turns, cycle, n_parts > 1);
}

void walk_count_store(struct walk *walk, const struct place *place) {
    const struct bounds_request *request = walk->code->request;
    const double parts = place_parts(request, place, walk->part_bytes);
    const double turns = turns_of_store(walk, parts, place_moves(request, place));
    const struct place *before = &walk->last_store;
    struct place last = *place; // the last part of it
    last.address.offset += parts >= 2 ? place->bytes - 1 : 0;
    walk->n_accesses++;
    walk->access.n_store_turns = (unsigned)turns;
    walk->n_store_turns += turns;
    walk->n_store_parts += parts;
    bool joins = walk->has_pair && place->bytes && before->bytes && before->address.base == place->address.base &&
                 part_of(walk, before) == part_of(walk, place);
    const double commits = joins ? parts - 1 : parts;
    walk->access.n_commits = (unsigned)commits;
    walk->n_commits += commits;
    const bool is_by_bytes = cpu_knows(walk->cpu, CPU_STORES_BY_BYTES);
    const bool has_room = !joins || is_by_bytes; // for a further one
    walk->has_pair = has_room && (parts < 2 || is_by_bytes);
    walk->last_store = last;
}

static double popcount(uint64_t pipes) {
    return later(__builtin_popcountll(pipes), 1);
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
                access->hold = walk_whole_ticks(more_loads * popcount(walk->cpu->load_pipes) / n_loads);
            if (pages_of(walk, &walk->moving[i].to) > 0)
                access->store_hold = walk_whole_ticks(more_stores * popcount(walk->cpu->store_data_pipes) / n_stores);
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
    double more_loads = fmin(load_pages * walk_new_page(walk), n_loads / popcount(cpu->load_pipes)),
           more_stores = fmin(store_pages * walk_new_page(walk), n_stores / popcount(cpu->store_data_pipes));
    if (load_pages > 0)
        *loads = walk->n_loads / popcount(cpu->load_pipes) + turns * more_loads;
    if (store_pages > 0)
        *stores = (walk->n_accesses - walk->n_loads) / popcount(cpu->store_data_pipes) + turns * more_stores;
    hold_for_pages(walk, more_loads, n_loads, more_stores, n_stores);
}

// How many of something a turn has. What a last store of one turn and a first one of the next have together, they may
// have in every second turn. `by`: until the end of the first turns.
static double each_turn(double in_all, const double by[2], double turns) {
    const unsigned n = (unsigned)turns, left_out = n < SAME_TURNS ? 0 : n % 2 ? 1 : 2;
    return (in_all - (left_out ? by[left_out - 1] : 0)) / (n - left_out);
}

// What a slot of dispatch brings to the schedulers.
struct brought {
    unsigned accesses;
    bool is_operation; // of general registers, beside accesses
};

static struct brought *list_brought(const struct walk *walk, unsigned *n) {
    const struct bound_code *code = walk->code;
    struct brought *brought = NULL;
    for (unsigned i = 0; i < code->n; i++) {
        const struct cpu_recipe *recipe = &code->recipes[i];
        const unsigned accesses = recipe->n_loads + recipe->n_stores;
        for (unsigned slot = 0; slot < (unsigned)recipe->slots; slot++)
            *ARENA_ADD(code->arena, brought, *n) =
                (struct brought){slot ? 0 : accesses, !accesses && cpu_is_operation(recipe)};
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
    unsigned n = 0, at = 0;
    double lost = 0;
    const struct brought *brought = each > 0 ? list_brought(walk, &n) : NULL;
    for (unsigned group = 0; group < n; group++) { // as many as n / width turns have
        unsigned accesses = 0, operations = 0;
        for (unsigned i = 0; i < width; i++, at = at + 1 == n ? 0 : at + 1) {
            accesses += brought[at].accesses;
            operations += brought[at].is_operation;
        }
        if (accesses == served + 1)
            lost += each * fmin(operations, FULL) / FULL;
    }
    return width ? lost / width : 0;
}

// For the core, the first access of a turn keeps the others off so much longer.
static void crowd(const struct walk *walk, double lost) {
    const struct bound_code *code = walk->code;
    unsigned first = 0;
    while (first < code->n && !code->recipes[first].n_loads && !code->recipes[first].n_stores)
        first++;
    for (unsigned turn = 0; turn < code->n_access_turns && code->accesses && lost > 0; turn++) {
        struct core_access *access = &code->accesses[turn][first];
        access->crowded += walk_whole_ticks(lost / (access->n_loads ? access->n_loads : 1));
    }
}

void walk_set_memory(const struct walk *walk, double turns, struct bounds *bounds) {
    const struct cpu *cpu = walk->cpu;
    double loads = 0, stores = 0;
    if (walk->moving)
        add_new_pages(walk, turns, &loads, &stores);
    if (cpu_knows(cpu, CPU_LOADS))
        loads = fmax(loads, walk->n_loads / cpu_value(cpu, CPU_LOADS));
    if (cpu_knows(cpu, CPU_LOADS_VECTOR))
        loads = fmax(loads, each_turn(walk->n_vector_loads, walk->n_vector_loads_by, turns) * turns /
                                cpu_value(cpu, CPU_LOADS_VECTOR));
    for (unsigned i = 0; i < MOST_BANKS && cpu_knows(cpu, CPU_LOAD_BANK_READS); i++)
        loads = fmax(loads, walk->bank_reads[i] / cpu_value(cpu, CPU_LOAD_BANK_READS));
    if (cpu_does(cpu, CPU_PAIRED_LOADS_BY_BANK) && walk->n_turn_loads)
        loads = fmax(loads, turns * bound_paired_loads(walk->turn_loads, walk->n_turn_loads, memory_of(walk)));
    const double lost = fmax(lost_to_operations(walk), cpu_value(cpu, CPU_CHAINED_ACCESSES) * walk->n_chained / turns);
    const double served = cpu_knows(cpu, CPU_ACCESSES) ? walk->n_accesses / cpu_value(cpu, CPU_ACCESSES) : 0,
                 accesses = served + turns * lost;
    crowd(walk, lost);
    bounds->counts_stores = accesses > loads;
    bounds->crowded = bounds->counts_stores ? lost : 0;
    loads = fmax(loads, accesses);
    if (cpu_knows(cpu, CPU_STORES))
        stores = fmax(stores, each_turn(walk->n_store_turns, walk->n_store_turns_by, turns) * turns /
                                  cpu_value(cpu, CPU_STORES));
    if (cpu_does(cpu, CPU_STORES_BY_LINE))
        stores = fmax(stores, each_turn(walk->n_commits, walk->n_commits_by, turns) * turns);
    bounds->cycles[BOUND_LOADS] = loads / turns;
    bounds->cycles[BOUND_STORES] = stores / turns;
    const unsigned n_hits = walk->n_hits / (unsigned)fmax(turns - 1, 1); // those of each turn
    if (cpu_does(cpu, CPU_LOADED_STORES_ALONE) && n_hits) {
        bounds->full = (walk->n_accesses / turns + n_hits) / cpu_value(cpu, CPU_ACCESSES);
        bounds->alone = walk->n_store_parts / turns;
    }
}
