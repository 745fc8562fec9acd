#include "hot/nest.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

struct nest_search {
    struct nest *nest;
    const struct flow *flow;
    struct arena *arena;
    // Blocks belong to a piece of the graph, by a number that grows: who has the same one is in the same piece.
    size_t *pieces;
    bool *are_heads; // ways to it from inside its piece do not count
    size_t n_pieces;
    // Of Tarjan's search:
    uint32_t *order, *low; // order: 0: not visited
    bool *are_stacked;
    uint32_t *stack, *path; // path: blocks between the begin and where the search is
    size_t *nexts;          // of each block: the next of its ways to look at
    uint32_t n_stack, n_ordered;
};

// A loop whose inner loops are still to be found.
struct nest_piece {
    uint32_t *blocks;
    size_t n_blocks, loop;
};

struct nest_work {
    struct nest_piece *items;
    size_t n;
};

static bool is_way(const struct nest_search *search, uint32_t from, uint32_t to) {
    return search->pieces[from] == search->pieces[to] && !search->are_heads[to];
}

static int compare_numbers(const void *a, const void *b) {
    const uint32_t *one = a, *other = b;
    return *one < *other ? -1 : *one > *other;
}

// ---- the head

static bool is_root(const struct flow *flow, uint32_t block) {
    for (size_t i = 0; i < flow->n_roots; i++)
        if (flow->blocks[block].begin == flow->roots[i])
            return true;
    return false;
}

// Counts the ways to each block of a loop: from inside, and from elsewhere.
static void count_ways(const struct nest_search *search, const struct nest_loop *loop, unsigned *inner,
                       unsigned *outer) {
    const struct flow *flow = search->flow;
    bool *is_inside = ARENA_ARRAY(search->arena, bool, flow->n_blocks);
    for (size_t i = 0; i < loop->n_blocks; i++)
        is_inside[loop->blocks[i]] = true;
    for (uint32_t from = 0; from < flow->n_blocks; from++)
        for (size_t i = 0; i < flow->blocks[from].n_next; i++)
            if (is_inside[flow->blocks[from].next[i]])
                (is_inside[from] ? inner : outer)[flow->blocks[from].next[i]]++;
}

// Finds where control enters, and marks these blocks. Roots that samples gave count only where nothing else enters.
static void find_head(struct nest_search *search, struct nest_loop *loop) {
    const struct flow *flow = search->flow;
    unsigned *inner = ARENA_ARRAY(search->arena, unsigned, flow->n_blocks),
             *outer = ARENA_ARRAY(search->arena, unsigned, flow->n_blocks);
    size_t n_entries = 0;
    count_ways(search, loop, inner, outer);
    for (size_t i = 0; i < loop->n_blocks; i++) {
        uint32_t block = loop->blocks[i];
        bool is_begin = flow_has_begin(flow) && flow->blocks[block].begin == flow->function.begin;
        outer[block] += is_begin;
        n_entries += outer[block] > 0;
    }
    for (int pass = 0; pass < 2 && n_entries == 0; pass++) // nothing leads there: roots, else all
        for (size_t i = 0; i < loop->n_blocks; i++) {
            bool is_entry = pass == 0 ? is_root(flow, loop->blocks[i]) && inner[loop->blocks[i]] > 1 : i == 0;
            outer[loop->blocks[i]] += is_entry && n_entries == 0;
            n_entries += is_entry && n_entries == 0;
        }
    loop->head = FLOW_NONE;
    for (size_t i = 0; i < loop->n_blocks; i++) {
        uint32_t block = loop->blocks[i];
        if (!outer[block])
            continue;
        search->are_heads[block] = true;
        if (loop->head == FLOW_NONE || inner[block] > inner[loop->head])
            loop->head = block;
    }
    loop->is_irreducible = n_entries > 1;
}

// ---- strongly connected parts

static void add_loop(struct nest_search *search, struct nest_work *work, size_t parent, const uint32_t *blocks,
                     size_t n_blocks) {
    struct nest *nest = search->nest;
    uint32_t *copy = ARENA_ARRAY(search->arena, uint32_t, n_blocks);
    memcpy(copy, blocks, n_blocks * sizeof *copy);
    qsort(copy, n_blocks, sizeof *copy, compare_numbers);
    struct nest_loop loop = {.blocks = copy, .n_blocks = n_blocks, .parent = parent};
    loop.depth = parent == SIZE_MAX ? 0 : nest->loops[parent].depth + 1;
    find_head(search, &loop);
    search->n_pieces++;
    for (size_t i = 0; i < n_blocks; i++) {
        nest->inner[copy[i]] = nest->n_loops;
        search->pieces[copy[i]] = search->n_pieces;
    }
    if (loop.depth < MOST_DEPTH)
        *ARENA_ADD(search->arena, work->items, work->n) = (struct nest_piece){copy, n_blocks, nest->n_loops};
    *ARENA_ADD(search->arena, nest->loops, nest->n_loops) = loop;
}

static bool leads_to_itself(const struct nest_search *search, uint32_t block) {
    for (size_t i = 0; i < search->flow->blocks[block].n_next; i++)
        if (search->flow->blocks[block].next[i] == block && is_way(search, block, block))
            return true;
    return false;
}

static void enter(struct nest_search *search, uint32_t block) {
    search->order[block] = search->low[block] = ++search->n_ordered;
    search->stack[search->n_stack++] = block;
    search->are_stacked[block] = true;
    search->nexts[block] = 0;
}

// R. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1(2), 1972; without recursion.
// Parts are set aside: heads are marked only when the piece is done.
static void search_from(struct nest_search *search, uint32_t first, struct nest_work *found, size_t parent) {
    size_t n_path = 0;
    search->path[n_path++] = first;
    enter(search, first);
    while (n_path > 0) {
        uint32_t block = search->path[n_path - 1];
        const struct flow_block *at = &search->flow->blocks[block];
        if (search->nexts[block] < at->n_next) {
            uint32_t next = at->next[search->nexts[block]++];
            if (!is_way(search, block, next))
                continue;
            if (!search->order[next]) {
                search->path[n_path++] = next;
                enter(search, next);
            } else if (search->are_stacked[next] && search->order[next] < search->low[block]) {
                search->low[block] = search->order[next];
            }
            continue;
        }
        n_path--;
        if (n_path > 0 && search->low[block] < search->low[search->path[n_path - 1]])
            search->low[search->path[n_path - 1]] = search->low[block];
        if (search->low[block] != search->order[block])
            continue;
        uint32_t end = search->n_stack, begin = end;
        do
            search->are_stacked[search->stack[--begin]] = false;
        while (search->stack[begin] != block);
        search->n_stack = begin;
        if (end - begin == 1 && !leads_to_itself(search, block))
            continue;
        uint32_t *blocks = ARENA_ARRAY(search->arena, uint32_t, end - begin);
        memcpy(blocks, search->stack + begin, (end - begin) * sizeof *blocks);
        *ARENA_ADD(search->arena, found->items, found->n) = (struct nest_piece){blocks, end - begin, parent};
    }
}

static void search_piece(struct nest_search *search, struct nest_work *work, const struct nest_piece *piece) {
    struct nest_work found = {0};
    search->n_ordered = 0;
    for (size_t i = 0; i < piece->n_blocks; i++)
        search->order[piece->blocks[i]] = 0;
    for (size_t i = 0; i < piece->n_blocks; i++)
        if (!search->order[piece->blocks[i]])
            search_from(search, piece->blocks[i], &found, piece->loop);
    for (size_t i = 0; i < found.n; i++)
        add_loop(search, work, piece->loop, found.items[i].blocks, found.items[i].n_blocks);
}

void nest_find(struct nest *nest, const struct flow *flow) {
    struct arena scratch = {0}; // what lasts is in the flow's
    const size_t n = flow->n_blocks;
    struct nest_search search = {
        .nest = nest,
        .flow = flow,
        .arena = flow->arena,
        .pieces = ARENA_ARRAY(&scratch, size_t, n),
        .are_heads = ARENA_ARRAY(&scratch, bool, n),
        .order = ARENA_ARRAY(&scratch, uint32_t, n),
        .low = ARENA_ARRAY(&scratch, uint32_t, n),
        .are_stacked = ARENA_ARRAY(&scratch, bool, n),
        .stack = ARENA_ARRAY(&scratch, uint32_t, n),
        .path = ARENA_ARRAY(&scratch, uint32_t, n),
        .nexts = ARENA_ARRAY(&scratch, size_t, n),
    };
    struct nest_work work = {0};
    *nest = (struct nest){.inner = ARENA_ARRAY(flow->arena, size_t, n)};
    uint32_t *all = ARENA_ARRAY(flow->arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        nest->inner[i] = SIZE_MAX;
        all[i] = i;
    }
    search_piece(&search, &work, &(struct nest_piece){all, n, SIZE_MAX});
    for (size_t i = 0; i < work.n; i++) {
        const struct nest_piece piece = work.items[i];
        search_piece(&search, &work, &piece);
    }
    arena_free(&scratch);
}
