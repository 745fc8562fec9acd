#include "blocks/path.h"

#include <math.h>
#include <string.h>

static bool does_nothing(const struct insn *insn) {
    static const char *const names[] = {"nop", "data16", "cs nop", "xchg ax, ax", "int3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(insn->text + strspn(insn->text, " \t"), names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

// Whether code that begins at the target of a branch backwards comes to that branch again, offsets in bytes. A jump
// from code behind a return to the function's end closes no loop.
static bool closes_loop(const struct block *block, size_t target, unsigned branch) {
    size_t offset = 0, furthest = 0;
    for (unsigned i = 0; i < branch; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        size_t next = offset + insn->n_bytes;
        if (offset < target)
            continue;
        if (insn->is_branch && insn->is_direct && insn->displacement > 0 &&
            offset + (size_t)insn->displacement > furthest)
            furthest = offset + (size_t)insn->displacement;
        if ((insn->is_return || (insn->is_branch && !insn->is_conditional)) && furthest < next)
            return false;
    }
    return true;
}

// Finds out how much of the block ran. `own`: its bytes among those that were followed.
static void find_idle(struct arena *arena, const struct block *block, const struct follow_order *run,
                      struct program_range own, struct path *path) {
    bool *has_run = ARENA_ARRAY(arena, bool, block->n_insns);
    size_t offset = 0;
    for (size_t i = 0; i < run->n; i++)
        if (run->steps[i].insn < block->n_insns) // else of a function that it calls
            has_run[run->steps[i].insn] = true;
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        int64_t target = (int64_t)offset + insn->displacement - (int64_t)own.offset;
        if (offset < own.offset || offset >= own.offset + own.length || does_nothing(insn))
            continue;
        path->n_insns++;
        path->n_ran += has_run[i];
        if (has_run[i] || !insn->is_branch || !insn->is_direct || insn->displacement > 0 || target < 0 ||
            !closes_loop(block, (size_t)target + own.offset, i))
            continue;
        path->has_idle_loop = true;
        path->idle_loop = (size_t)target;
    }
}

// How often the run comes into the instructions from `head` to `last`. What they call belongs to them.
static size_t count_entries(const struct block *block, const struct follow_order *run, unsigned head, unsigned last) {
    size_t n = 0;
    bool was_inside = false;
    for (size_t i = 0; i < run->n; i++) {
        unsigned insn = run->steps[i].insn;
        if (insn >= block->n_insns)
            continue;
        bool is_inside = insn >= head && insn <= last;
        n += is_inside && !was_inside;
        was_inside = is_inside;
    }
    return n;
}

// Finds the loops inside that turn most often before they are left, by whichever way, and in a pass; not the one around
// the block.
static void find_longest(struct arena *arena, const struct block *block, const struct follow_order *run,
                         struct program_range own, struct path *path) {
    unsigned *n_back = ARENA_ARRAY(arena, unsigned, block->n_insns),
             *heads = ARENA_ARRAY(arena, unsigned, block->n_insns);
    size_t offset = 0, n_passes = 0;
    for (size_t i = 0; i < run->n; i++)
        n_passes += run->steps[i].insn == run->steps[0].insn;
    for (size_t i = 0; i + 1 < run->n; i++) {
        unsigned insn = run->steps[i].insn, next = run->steps[i + 1].insn;
        if (insn < block->n_insns && next <= insn) { // else of a function that it calls, or on
            n_back[insn]++;
            heads[insn] = next;
        }
    }
    for (unsigned i = 0; i < block->n_insns; offset += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        bool is_inside = offset >= own.offset && offset + insn->n_bytes <= own.offset + own.length;
        if (!is_inside || !insn->is_branch || !insn->is_direct || !n_back[i])
            continue;
        size_t n_left = count_entries(block, run, heads[i], i);
        double all = (double)(n_back[i] + n_left) / (double)n_passes;
        path->longest_loop = fmax(path->longest_loop, (double)n_back[i] / (double)n_left + 1);
        if (n_left >= 2 * n_passes && all > path->n_turns) {
            path->n_left = (double)n_left / (double)n_passes;
            path->n_turns = all;
        }
    }
}

// Whether an instruction of the block, or of what it calls, is followed by another one at another time. The loop around
// the block always goes back.
static bool find_variety(struct arena *arena, const struct follow_order *run, size_t n_insns) {
    unsigned *next = ARENA_ARRAY(arena, unsigned, n_insns); // its number from 1; 0: not known yet
    for (size_t i = 0; i + 1 < run->n; i++) {
        unsigned insn = run->steps[i].insn, then = run->steps[i + 1].insn + 1;
        if (next[insn] && next[insn] != then)
            return true;
        next[insn] = then;
    }
    return false;
}

bool path_find(struct arena *arena, const struct decoder *decoder, const struct program *program,
               const struct followed *followed, struct path *path) {
    const struct program_range range = program_followed_range(program);
    const struct follow_outside outside = follow_list_outside(arena, followed, range.length);
    struct program_range own = program_block_range(program);
    struct block block;
    struct follow_order run;
    struct fail why = {0};
    *path = (struct path){.n_insns = 0};
    if (!followed->n || !decoder_decode_code(decoder, arena, program->code + range.offset, range.length, &block, &why))
        return false;
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block.n_insns + outside.n + 1); // nothing is known of those
    memcpy(insns, block.insns, block.n_insns * sizeof *insns);
    block.insns = insns;
    if (!follow_order(arena, &block, 0, &outside, followed->offsets, followed->n, &run))
        return false;
    own.offset -= range.offset;
    path->varies = find_variety(arena, &run, block.n_insns + outside.n);
    find_idle(arena, &block, &run, own, path);
    own.length -= program->has_own_branch; // the loop around the block is not one inside
    find_longest(arena, &block, &run, own, path);
    return true;
}
