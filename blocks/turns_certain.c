#include "blocks/turns_certain.h"

struct marking {
    const struct block *block;
    const struct link *link;
    bool *is_certain;
};

size_t turns_offset(const struct block *block, unsigned index) {
    size_t offset = 0;
    for (unsigned i = 0; i < index; i++)
        offset += block->insns[i].n_bytes;
    return offset;
}

static unsigned index_at(const struct block *block, int64_t offset) {
    bool is_one = offset >= 0 && block_begins_at(block, (size_t)offset);
    return is_one ? block_insn_at(block, (size_t)offset) : block->n_insns;
}

bool turns_leaves(const struct block *block, unsigned index) {
    int64_t target = (int64_t)turns_offset(block, index) + block->insns[index].displacement;
    return target < 0 || target >= (int64_t)turns_offset(block, block->n_insns);
}

static void mark_uncertain(struct marking *marking, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++)
        marking->is_certain[i] = false;
}

static void mark_jump(struct marking *marking, unsigned index, unsigned target) {
    const struct block *block = marking->block;
    if (target > index)
        mark_uncertain(marking, index + 1, target);
    else if (target > 0)
        mark_uncertain(marking, target, index + 1);
    else // the next turn begins, or an unknown place
        mark_uncertain(marking, index + 1, block->n_insns);
}

// A jump by a table leads to one of its entries, whichever table is meant. The block's end is a way out.
static void mark_jump_by_table(struct marking *marking, unsigned index) {
    const struct block *block = marking->block;
    const struct link *link = marking->link;
    bool is_return = block->insns[index].is_return;
    if (is_return || !link || !link->n_entries)
        mark_jump(marking, index, 0);
    for (size_t i = 0; !is_return && link && i < link->n_entries; i++) {
        unsigned target = index_at(block, (int64_t)link->entries[i].target);
        if (target < block->n_insns)
            mark_jump(marking, index, target);
    }
}

static void mark_branch(struct marking *marking, unsigned index) {
    const struct block *block = marking->block;
    const struct insn *insn = &block->insns[index];
    if (!insn->is_direct)
        mark_jump_by_table(marking, index);
    else if (!turns_leaves(block, index))
        mark_jump(marking, index, index_at(block, (int64_t)turns_offset(block, index) + insn->displacement));
}

const bool *turns_certain(struct arena *arena, const struct block *block, const struct link *link) {
    struct marking marking = {block, link, ARENA_ARRAY(arena, bool, block->n_insns)};
    for (unsigned i = 0; i < block->n_insns; i++)
        marking.is_certain[i] = true;
    for (unsigned i = 0; i + 1 < block->n_insns; i++)
        if (block->insns[i].is_branch || block->insns[i].is_return)
            mark_branch(&marking, i);
    return marking.is_certain;
}
