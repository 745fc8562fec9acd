// The loops of one function, and what of it is in none.
#include "hot/loops_parts.h"
#include "hot/nest.h"

#include <math.h>
#include <string.h>

void loops_skip(struct loops_finder *finder, unsigned module, double samples, const char *why) {
    for (size_t i = 0; i < finder->n_skipped; i++)
        if (finder->skipped[i].module == module && strcmp(finder->skipped[i].why, why) == 0) {
            finder->skipped[i].samples += samples;
            return;
        }
    if (samples > 0)
        *ARENA_ADD(finder->arena, finder->skipped, finder->n_skipped) = (struct hot_skipped){module, samples, why};
}

struct spot_loops {
    struct loops_finder *finder;
    const struct hot_spot *spot;
    struct flow flow;
    struct nest nest;
    double *own, *all; // of each loop
    // Of each block: the first block of what is connected with it, which stands for it. In a gap, that is a function.
    uint32_t *firsts;
    double *rests;   // samples in no loop, of each block that stands for others
    double *weights; // samples of each block
    double unknown;  // samples where no instruction begins
};

static void add_range(struct arena *arena, struct hot_loop *loop, struct hot_range **ranges, uint64_t begin,
                      uint64_t end) {
    if (loop->n_ranges > 0 && (*ranges)[loop->n_ranges - 1].end == begin)
        (*ranges)[loop->n_ranges - 1].end = end;
    else if (end > begin)
        *ARENA_ADD(arena, *ranges, loop->n_ranges) = (struct hot_range){begin, end};
}

static bool is_within(const struct hot_loop *loop, uint64_t address) {
    for (size_t i = 0; i < loop->n_ranges; i++)
        if (address >= loop->ranges[i].begin && address < loop->ranges[i].end)
            return true;
    return false;
}

static const struct flow_jump *find_jump(const struct flow *flow, uint64_t from) {
    for (size_t i = 0; i < flow->n_jumps; i++)
        if (flow->jumps[i].from == from)
            return &flow->jumps[i];
    return NULL;
}

struct edge_list {
    struct hot_edge *items;
    size_t n;
};

static void add_edge(struct arena *arena, struct edge_list *list, uint64_t from, uint64_t to) {
    *ARENA_ADD(arena, list->items, list->n) = (struct hot_edge){from, to};
}

// Adds the ways from one block of a loop: back to the head, or out of it.
static void add_ways(const struct spot_loops *work, const struct hot_loop *loop, const bool *are_inside, uint32_t block,
                     struct edge_list *back, struct edge_list *exits) {
    struct arena *arena = work->finder->arena;
    const struct flow *flow = &work->flow;
    const struct flow_block *at = &flow->blocks[block];
    const struct insn *last = flow_insn_at(flow, at->last);
    const struct flow_jump *jump = last->is_branch ? find_jump(flow, at->last) : NULL;
    for (size_t i = 0; i < at->n_next; i++) {
        uint64_t to = flow->blocks[at->next[i]].begin;
        if (to == loop->head && loop->is_loop)
            add_edge(arena, back, at->last, to);
        else if (!are_inside[at->next[i]])
            add_edge(arena, exits, at->last, to);
    }
    for (size_t i = 0; jump && i < jump->n_targets; i++)
        if (flow_block_at(flow, jump->targets[i]) == FLOW_NONE)
            add_edge(arena, exits, at->last, jump->targets[i]);
    if (last->is_return || (jump && jump->is_indirect && (jump->is_unknown || jump->leaves)))
        add_edge(arena, exits, at->last, 0);
}

// Whether a way leads from there to a jump whose targets are not known, without another loop in between.
static bool leads_to_unknown(const struct spot_loops *work, const bool *are_inside, size_t parent) {
    const struct flow *flow = &work->flow;
    bool is_unknown = false, *are_reached = ARENA_ARRAY(flow->arena, bool, flow->n_blocks);
    uint32_t *stack = ARENA_ARRAY(flow->arena, uint32_t, flow->n_blocks);
    size_t n_stack = 0;
    for (uint32_t i = 0; i < flow->n_blocks; i++)
        if ((are_reached[i] = are_inside[i]))
            stack[n_stack++] = i;
    while (n_stack > 0 && !is_unknown) {
        const struct flow_block *block = &flow->blocks[stack[--n_stack]];
        const struct insn *last = flow_insn_at(flow, block->last);
        const struct flow_jump *jump = last->is_branch ? find_jump(flow, block->last) : NULL;
        is_unknown = jump && jump->is_unknown;
        for (size_t i = 0; i < block->n_next; i++) {
            const uint32_t next = block->next[i];
            const size_t loop = work->nest.inner[next];
            if (!are_reached[next] && (loop == SIZE_MAX || loop == parent || are_inside[next]))
                stack[n_stack++] = next;
            are_reached[next] = true;
        }
    }
    return is_unknown;
}

static void add_edges(const struct spot_loops *work, struct hot_loop *loop, const bool *are_inside, size_t parent) {
    const struct flow *flow = &work->flow;
    struct edge_list back = {0}, exits = {0}, calls = {0};
    for (uint32_t block = 0; block < flow->n_blocks; block++)
        if (are_inside[block])
            add_ways(work, loop, are_inside, block, &back, &exits);
    for (size_t i = 0; i < flow->n_calls; i++)
        if (is_within(loop, flow->calls[i].from))
            add_edge(work->finder->arena, &calls, flow->calls[i].from, flow->calls[i].to);
    loop->has_unknown_jumps = leads_to_unknown(work, are_inside, parent);
    loop->back = back.items;
    loop->n_back = back.n;
    loop->exits = exits.items;
    loop->n_exits = exits.n;
    loop->calls = calls.items;
    loop->n_calls = calls.n;
}

// The first sample at or behind an address of a module.
static size_t first_sample(const struct hot_profile *profile, unsigned module, uint64_t address) {
    size_t first = 0, end = profile->n_samples;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct hot_place *place = &profile->samples[middle].place;
        if (place->module < module || (place->module == module && place->address < address))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static double weight_at(const struct hot_profile *profile, unsigned module, uint64_t address) {
    size_t i = first_sample(profile, module, address);
    bool is_there = i < profile->n_samples && profile->samples[i].place.module == module &&
                    profile->samples[i].place.address == address;
    return is_there ? profile->samples[i].weight : 0;
}

static void add_source(struct loops_finder *finder, struct hot_loop *loop) {
    struct hot_lines *lines = finder->lines[loop->module];
    if (!lines)
        lines = finder->lines[loop->module] = hot_lines_open(finder->arena, &finder->profile->modules[loop->module]);
    if (!lines || !hot_lines_find(lines, loop->head, &loop->file, &loop->line))
        loop->file = NULL;
}

// ---- what of a gap is one function

static uint32_t first_of(uint32_t *firsts, uint32_t block) {
    while (firsts[block] != block)
        block = firsts[block] = firsts[firsts[block]];
    return block;
}

// Blocks that ways connect are one function. All are where the function is known.
static void find_functions(struct spot_loops *work) {
    const struct flow *flow = &work->flow;
    work->firsts = ARENA_ARRAY(flow->arena, uint32_t, flow->n_blocks);
    work->rests = ARENA_ARRAY(flow->arena, double, flow->n_blocks);
    work->weights = ARENA_ARRAY(flow->arena, double, flow->n_blocks);
    for (uint32_t i = 0; i < flow->n_blocks; i++)
        work->firsts[i] = flow->function.is_gap ? i : 0;
    for (uint32_t i = 0; flow->function.is_gap && i < flow->n_blocks; i++)
        for (size_t n = 0; n < flow->blocks[i].n_next; n++) {
            uint32_t one = first_of(work->firsts, i), other = first_of(work->firsts, flow->blocks[i].next[n]);
            work->firsts[one > other ? one : other] = one > other ? other : one;
        }
    for (uint32_t i = 0; i < flow->n_blocks; i++)
        work->firsts[i] = first_of(work->firsts, i);
}

// The function that a block stands for.
static void name_function(const struct spot_loops *work, uint32_t first, struct hot_loop *loop) {
    const struct flow *flow = &work->flow;
    const uint64_t begin = flow->blocks[first].begin;
    bool is_begin = !flow->function.is_gap || begin == flow->function.begin;
    loop->function_address = is_begin ? flow->function.begin : begin;
    const char *import = hot_image_import(flow->image, loop->function_address);
    if (is_begin && flow->function.name)
        loop->function = arena_strdup(work->finder->arena, flow->function.name);
    else if (import)
        loop->function = arena_printf(work->finder->arena, "%s@plt", import);
}

// Adds a loop, or, with `number` SIZE_MAX, the rest of the function that `first` stands for.
static void add_loop(const struct spot_loops *work, size_t number, uint32_t first, bool *are_inside) {
    struct loops_finder *finder = work->finder;
    const struct flow *flow = &work->flow;
    const struct nest_loop *nested = number == SIZE_MAX ? NULL : &work->nest.loops[number];
    struct hot_range *ranges = NULL;
    double most = -1;
    struct hot_loop loop = {
        .module = work->spot->module,
        .is_loop = nested != NULL,
        .parent = SIZE_MAX,
        .caller = SIZE_MAX,
        .depth = nested ? nested->depth : 0,
        .is_irreducible = nested && nested->is_irreducible,
        .own = nested ? work->own[number] : work->rests[first],
        .all = nested ? work->all[number] : work->rests[first],
        .turns = NAN,
    };
    name_function(work, first, &loop);
    loop.head = nested ? flow->blocks[nested->head].begin : loop.function_address;
    for (uint32_t i = 0; i < flow->n_blocks; i++)
        are_inside[i] = !nested && work->nest.inner[i] == SIZE_MAX && work->firsts[i] == first;
    for (size_t i = 0; nested && i < nested->n_blocks; i++)
        are_inside[nested->blocks[i]] = true;
    for (uint32_t i = 0; i < flow->n_blocks; i++)
        if (are_inside[i]) {
            add_range(finder->arena, &loop, &ranges, flow->blocks[i].begin, flow->blocks[i].end);
            const double weight = !nested || work->nest.inner[i] == number ? work->weights[i] : 0;
            if (weight > most)
                loop.hottest = flow->blocks[i].begin;
            most = fmax(most, weight);
        }
    loop.ranges = ranges;
    add_edges(work, &loop, are_inside, nested ? nested->parent : SIZE_MAX);
    if (finder->profile->unit == HOT_INSTRUCTIONS && nested)
        loop.turns = weight_at(finder->profile, loop.module, loop.head);
    add_source(finder, &loop);
    callers_add(&finder->callers, finder->images[loop.module], &loop, finder->n_loops);
    *ARENA_ADD(finder->arena, finder->loops, finder->n_loops) = loop;
}

static void count_sample(struct spot_loops *work, size_t sample) {
    const struct hot_sample *at = &work->finder->profile->samples[sample];
    uint32_t block = flow_block_at(&work->flow, at->place.address);
    size_t loop = block == FLOW_NONE ? SIZE_MAX : work->nest.inner[block];
    work->finder->are_counted[sample] = true;
    if (block != FLOW_NONE)
        work->weights[block] += at->weight;
    if (block == FLOW_NONE)
        work->unknown += at->weight;
    else if (loop == SIZE_MAX)
        work->rests[work->firsts[block]] += at->weight;
    else
        work->own[loop] += at->weight;
}

// Gives the samples of the function to its loops. Those of parts that were moved away are among them.
static void count_samples(struct spot_loops *work, size_t number) {
    struct loops_finder *finder = work->finder;
    const struct hot_profile *profile = finder->profile;
    const struct flow *flow = &work->flow;
    for (size_t p = 0; p < flow->n_parts; p++)
        for (size_t i = first_sample(profile, work->spot->module, flow->parts[p].begin); i < profile->n_samples; i++) {
            const struct hot_place *place = &profile->samples[i].place;
            if (place->module != work->spot->module || place->address >= flow->parts[p].end)
                break;
            bool is_own = finder->owners[i] == number || (p > 0 && flow_block_at(flow, place->address) != FLOW_NONE);
            if (is_own && !finder->are_counted[i])
                count_sample(work, i);
        }
    for (size_t i = work->nest.n_loops; i-- > 0;) {
        work->all[i] += work->own[i];
        if (work->nest.loops[i].parent != SIZE_MAX)
            work->all[work->nest.loops[i].parent] += work->all[i];
    }
}

// The addresses of the function's samples that no other has counted, and their weight.
static size_t list_places(const struct loops_finder *finder, size_t number, struct arena *arena, uint64_t **places,
                          double *weight) {
    const struct hot_spot *spot = &finder->spots[number];
    size_t n = 0;
    for (size_t i = spot->first; i < spot->end; i++)
        if (finder->owners[i] == number && !finder->are_counted[i]) {
            *ARENA_ADD(arena, *places, n) = finder->profile->samples[i].place.address;
            *weight += finder->profile->samples[i].weight;
        }
    return n;
}

// Adds the function's loops, and what of it is outside of them.
static void add_loops(struct spot_loops *work, struct arena *arena) {
    struct loops_finder *finder = work->finder;
    bool *are_inside = ARENA_ARRAY(arena, bool, work->flow.n_blocks);
    size_t *numbers = ARENA_ARRAY(arena, size_t, work->nest.n_loops);
    for (size_t i = 0; i < work->nest.n_loops; i++) {
        const size_t parent = work->nest.loops[i].parent;
        if (!(work->all[i] > 0))
            continue;
        numbers[i] = finder->n_loops;
        add_loop(work, i, work->firsts[work->nest.loops[i].head], are_inside);
        if (parent != SIZE_MAX)
            finder->loops[numbers[i]].parent = numbers[parent];
    }
    for (uint32_t i = 0; i < work->flow.n_blocks; i++)
        if (work->rests[i] > 0)
            add_loop(work, SIZE_MAX, i, are_inside);
}

void loops_add_function(struct loops_finder *finder, size_t number) {
    const struct hot_spot *spot = &finder->spots[number];
    struct arena scratch = {0};
    struct spot_loops work = {
        .finder = finder,
        .spot = spot,
        .flow = {.arena = &scratch,
                 .decoder = finder->decoder,
                 .image = finder->images[spot->module],
                 .function = spot->function},
    };
    uint64_t *places = NULL;
    double left = 0;
    const size_t n_places = list_places(finder, number, &scratch, &places, &left);
    if (n_places == 0) {
        arena_free(&scratch);
        return; // of a part that another function has
    }
    if (!flow_read(&work.flow, places, n_places)) {
        loops_skip(finder, spot->module, left, "no instruction can be decoded there");
        arena_free(&scratch);
        return;
    }
    nest_find(&work.nest, &work.flow);
    work.own = ARENA_ARRAY(&scratch, double, work.nest.n_loops);
    work.all = ARENA_ARRAY(&scratch, double, work.nest.n_loops);
    find_functions(&work);
    count_samples(&work, number);
    add_loops(&work, &scratch);
    loops_skip(finder, spot->module, work.unknown, "no instruction begins at these addresses");
    arena_free(&scratch);
}
