#include "blocks/returns.h"

#include "blocks/exits.h"

#include <string.h>

// Calls inside of each other that are told apart: with more, a return is taken as one of those.
enum { MOST_DEPTH = 7 };

struct walk {
    const struct lab_block *block;
    uint16_t stack_pointer;  // number of the register
    int64_t *offsets;        // of the instructions
    unsigned char *are_seen; // by instruction: a bit for each number of calls inside which it was reached
    struct step {
        unsigned insn, depth;
    } * left;
    size_t n_left;
    bool returns, runs_on; // runs_on: behind its last instruction
};

static void reach(struct walk *walk, unsigned insn, unsigned depth) {
    depth = depth < MOST_DEPTH ? depth : MOST_DEPTH;
    walk->runs_on |= insn == walk->block->insns.n_insns && depth == 0;
    unsigned char bit = (unsigned char)(1U << depth);
    if (insn >= walk->block->insns.n_insns || (walk->are_seen[insn] & bit))
        return;
    walk->are_seen[insn] |= bit;
    walk->left[walk->n_left++] = (struct step){insn, depth};
}

static void reach_offset(struct walk *walk, int64_t offset, unsigned depth) {
    if (offset >= 0 && offset <= (int64_t)walk->block->n_bytes)
        reach(walk, block_insn_at(&walk->block->insns, (size_t)offset), depth);
}

// A jump whose target a register or memory holds may go where the block's tables lead.
static void reach_tables(struct walk *walk, unsigned depth) {
    const struct link *link = walk->block->source.link;
    for (size_t i = 0; link && i < link->n_entries; i++)
        reach_offset(walk, (int64_t)link->entries[i].target, depth);
}

// Whether an instruction may take a return address away: what moves the stack pointer, but for pushes.
static bool may_drop(const struct walk *walk, const struct insn *insn) {
    if (insn->is_call || insn->is_return || strncmp(insn->text, "push", strlen("push")) == 0)
        return false;
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (walk->stack_pointer && insn->writes[i].reg == walk->stack_pointer)
            return true;
    return false;
}

static void take(struct walk *walk, struct step step) {
    const struct insn *insn = &walk->block->insns.insns[step.insn];
    int64_t offset = walk->offsets[step.insn], target = offset + insn->displacement;
    bool is_inside = insn->is_direct && !exits_is_linked(walk->block, offset, insn->n_bytes);
    step.depth = may_drop(walk, insn) ? 0 : step.depth;
    if (insn->is_return) {
        walk->returns |= step.depth == 0;
        return;
    }
    if (is_inside)
        reach_offset(walk, target, step.depth + insn->is_call);
    else if (insn->is_branch && !insn->is_call)
        reach_tables(walk, step.depth);
    if (insn->is_call || !insn->is_branch || insn->is_conditional)
        reach(walk, step.insn + 1, step.depth);
}

bool returns_to_caller(struct arena *arena, const struct lab_block *block, uint16_t stack_pointer) {
    enum { WAYS = MOST_DEPTH + 1 };
    unsigned n = block->insns.n_insns;
    struct walk walk = {.block = block,
                        .stack_pointer = stack_pointer,
                        .offsets = ARENA_ARRAY(arena, int64_t, n),
                        .are_seen = ARENA_ARRAY(arena, unsigned char, n),
                        .left = ARENA_ARRAY(arena, struct step, (size_t)n * WAYS)};
    int64_t offset = 0;
    for (unsigned i = 0; i < n; offset += block->insns.insns[i++].n_bytes)
        walk.offsets[i] = offset;
    reach(&walk, 0, 0);
    while (walk.n_left > 0)
        take(&walk, walk.left[--walk.n_left]);
    const struct insn *last = &block->insns.insns[n - 1];
    walk.runs_on |= !last->is_return && (!last->is_branch || last->is_conditional);
    bool goes_on = !block->is_function && walk.runs_on;
    for (unsigned i = 0; i < n; i++)
        walk.returns |= block->insns.insns[i].is_return && (!goes_on || !walk.are_seen[i]);
    return walk.returns;
}
