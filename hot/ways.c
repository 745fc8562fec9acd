#include "hot/ways.h"

#include "blocks/x86_registers.h"
#include "hot/page_set.h"

#include <math.h>
#include <string.h>

enum { LINE = 64, LAST_STORES = 64 };

// ---- lines

struct lines {
    struct arena *arena;
    struct index index;
    struct line {
        uint64_t address;
        bool is_written;
    } * items;
    size_t n;
};

static void add_line(struct lines *lines, uint64_t address, bool is_written) {
    uint64_t hash = address / LINE * UINT64_C(0x9E3779B97F4A7C15);
    size_t place = 0, i;
    while ((i = index_next(&lines->index, hash, &place)) != INDEX_END)
        if (lines->items[i].address == address) {
            lines->items[i].is_written |= is_written;
            return;
        }
    index_add(&lines->index, hash, lines->n);
    *ARENA_ADD(lines->arena, lines->items, lines->n) = (struct line){address, is_written};
}

static bool is_there(const struct hot_state *state, uint64_t address) {
    return trace_find_page(state, address) != NULL;
}

static bool is_writable(const struct hot_state *state, uint64_t address) {
    const struct segment *page = trace_find_page(state, address);
    return page && page->is_writable;
}

// ---- accesses

struct accesses {
    const struct trace *trace;
    struct ways *ways;
    struct lines lines;
    struct store {
        uint64_t address;
        unsigned bytes;
    } stores[LAST_STORES];
    size_t n_stores;
    struct page_set code; // pages of code
};

static bool is_forwarded(const struct accesses *accesses, const struct touch *load) {
    size_t n = accesses->n_stores < LAST_STORES ? accesses->n_stores : LAST_STORES;
    for (size_t i = 0; i < n; i++) {
        const struct store *store = &accesses->stores[i];
        if (store->address < load->address + load->bytes && load->address < store->address + store->bytes)
            return true;
    }
    return false;
}

static void take_touch(struct accesses *accesses, const struct touch *touch) {
    const struct hot_state *state = accesses->trace->state;
    uint64_t first = touch->address / LINE, last = (touch->address + touch->bytes - 1) / LINE;
    const struct page_copy *code = page_set_find(&accesses->code, touch->address);
    accesses->ways->keeps_code |= code != NULL;
    for (uint64_t line = first; line <= last; line++)
        if (touch->is_certain || is_there(state, line * LINE))
            add_line(&accesses->lines, line * LINE, touch->is_store);
    if (!touch->is_certain)
        return;
    accesses->ways->split += last != first;
    accesses->ways->crossing += touch->address / PAGE_SET_BYTES != (touch->address + touch->bytes - 1) / PAGE_SET_BYTES;
    if (!touch->is_store)
        accesses->ways->forwarded += is_forwarded(accesses, touch);
    else
        accesses->stores[accesses->n_stores++ % LAST_STORES] = (struct store){touch->address, touch->bytes};
}

static bool names(const struct insn *insn, const char *what) {
    return strstr(insn->text, what) != NULL;
}

static void find_accesses(struct arena *arena, struct accesses *accesses, const struct stop *stop) {
    const struct trace *trace = accesses->trace;
    struct ways *ways = accesses->ways;
    struct arena scratch = {0};
    for (size_t i = 0; i < trace->n_insns; i++)
        if (!page_set_find(&accesses->code, trace->insns[i].insn->address))
            page_set_add(&accesses->code, trace->insns[i].insn->address);
    for (size_t i = 0; i < stop->n_steps; i++) {
        struct touches touches;
        arena_reset(&scratch);
        touches_find(&scratch, trace->machine, trace_at(trace, i)->insn, &trace->state->before[i], true, &touches);
        for (unsigned t = 0; t < touches.n; t++)
            if (touches.items[t].bytes)
                take_touch(accesses, &touches.items[t]);
        ways->are_all &= touches.are_all;
    }
    ways->keeps_code |= !ways->are_all;
    arena_free(&scratch);
    ways->n_lines = accesses->lines.n;
    for (size_t i = 0; i < trace->state->n_pages; i++)
        for (uint64_t line = 0; line < PAGE_SET_BYTES / LINE; line++)
            if (trace->state->changed[i] >> line & 1)
                add_line(&accesses->lines, trace->state->pages[i].address + line * LINE, true);
    uint64_t *written = ARENA_ARRAY(arena, uint64_t, accesses->lines.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < accesses->lines.n; i++)
        if (accesses->lines.items[i].is_written && is_writable(trace->state, accesses->lines.items[i].address))
            written[n++] = accesses->lines.items[i].address;
    ways->written = (struct stub_lines){written, n};
}

// ---- branches

// A predictor with two levels and no limit of room: for each branch and each history of so many branches, a counter of
// two bits. It learns from the first half of the steps, and what it misses in the second half counts. Of several
// lengths of the history, that with the fewest misses is taken.
enum { COUNTERS = 1 << 18, STRONG = 3, N_HISTORIES = 5 };

static size_t place_of(uint64_t address, uint64_t history) {
    uint64_t hash = (address * UINT64_C(0x9E3779B97F4A7C15)) ^ (history * UINT64_C(0xC2B2AE3D27D4EB4F));
    hash ^= hash >> 29;
    return (size_t)((hash * UINT64_C(0xBF58476D1CE4E5B9)) >> 40) % COUNTERS;
}

static bool is_conditional(const struct book_insn *insn) {
    return insn->insn->is_branch && insn->insn->is_conditional;
}

static bool is_taken(const struct trace *trace, size_t step) {
    const struct book_insn *insn = trace_at(trace, step)->insn;
    return trace_behind(trace, step) != insn->address + insn->n_bytes;
}

// Counts what a predictor misses of each instruction. Returns the sum.
static size_t count_misses(const struct trace *trace, size_t n_steps, unsigned n_history, uint8_t *counters,
                           size_t *misses) {
    uint64_t history = 0, mask = n_history ? UINT64_MAX >> (64 - n_history) : 0;
    size_t sum = 0;
    memset(counters, STRONG / 2 + 1, COUNTERS);
    memset(misses, 0, trace->n_insns * sizeof *misses);
    for (size_t i = 0; i < n_steps; i++) {
        const struct book_insn *insn = trace_at(trace, i)->insn;
        if (!is_conditional(insn))
            continue;
        bool taken = is_taken(trace, i);
        uint8_t *counter = &counters[place_of(insn->address, history)];
        bool is_miss = i >= n_steps / 2 && taken != (*counter > STRONG / 2);
        misses[trace->steps[i]] += is_miss;
        sum += is_miss;
        *counter = (uint8_t)(taken ? *counter + (*counter < STRONG) : *counter - (*counter > 0));
        history = (history << 1 | taken) & mask;
    }
    return sum;
}

static void find_branches(struct arena *arena, const struct trace *trace, const struct stop *stop, struct ways *ways) {
    static const unsigned histories[N_HISTORIES] = {0, 4, 8, 16, 32};
    struct arena scratch = {0};
    uint8_t *counters = ARENA_ARRAY(&scratch, uint8_t, COUNTERS);
    size_t *misses = ARENA_ARRAY(&scratch, size_t, trace->n_insns + 1),
           *fewest = ARENA_ARRAY(&scratch, size_t, trace->n_insns + 1), least = SIZE_MAX;
    struct hot_branch *all = ARENA_ARRAY(arena, struct hot_branch, trace->n_insns + 1);
    size_t half = stop->n_steps / 2;
    double turns = fmax(1, (double)stop->turns), late_turns = fmax(1, turns - (double)trace->heads[half]);
    for (unsigned h = 0; h < N_HISTORIES; h++) {
        size_t sum = count_misses(trace, stop->n_steps, histories[h], counters, misses);
        if (sum < least)
            memcpy(fewest, misses, trace->n_insns * sizeof *misses);
        least = sum < least ? sum : least;
    }
    for (size_t i = 0; i < stop->n_steps; i++) {
        struct hot_branch *branch = &all[trace->steps[i]];
        if (!is_conditional(trace_at(trace, i)->insn))
            continue;
        bool taken = is_taken(trace, i);
        branch->address = trace_at(trace, i)->insn->address;
        branch->taken += taken / turns;
        branch->not_taken += !taken / turns;
        branch->mispredicted = (double)fewest[trace->steps[i]] / late_turns;
    }
    ways->branches = all;
    for (size_t i = 0; i < trace->n_insns; i++)
        if (all[i].address)
            all[ways->n_branches++] = all[i];
    arena_free(&scratch);
}

void ways_find(struct arena *arena, const struct trace *trace, const struct stop *stop, struct ways *ways) {
    struct accesses accesses = {.trace = trace, .ways = ways, .lines = {.arena = arena, .index = {.arena = arena}}};
    *ways = (struct ways){.are_all = true};
    page_set_open(&accesses.code, arena);
    for (size_t i = 0; i < trace->n_insns; i++) {
        ways->uses_fs |= names(trace->insns[i].insn->insn, "fs:");
        ways->is_wide |= names(trace->insns[i].insn->insn, "ymm") || names(trace->insns[i].insn->insn, "zmm");
    }
    find_accesses(arena, &accesses, stop);
    double turns = fmax(1, (double)stop->turns);
    ways->split /= turns;
    ways->crossing /= turns;
    ways->forwarded /= turns;
    find_branches(arena, trace, stop, ways);
}
