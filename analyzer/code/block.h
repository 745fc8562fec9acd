// Straight runs of decoded instructions.
#ifndef ANALYZER_CODE_BLOCK_H
#define ANALYZER_CODE_BLOCK_H

#include "analyzer/code/insn.h"

#include <stdbool.h>
#include <stddef.h>

// A place in a text that branches may name.
struct block_label {
    const char *name;
    unsigned insn; // index of the instruction behind it; n_insns: at the end
};

// A straight run of instructions that the simulator repeats.
struct block {
    const char *name; // of its region; "" where it has none
    const struct insn *insns;
    unsigned n_insns;
    bool is_marked;                   // a region of the text that comments mark, with or without a name
    const struct block_label *labels; // of a text, in its order
    unsigned n_labels;
};

static inline unsigned block_bytes(const struct block *block) {
    unsigned n_bytes = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        n_bytes += block->insns[i].n_bytes;
    return n_bytes;
}

// The number of the instruction that has the byte at `offset`; n_insns: it is behind the last one.
static inline unsigned block_insn_at(const struct block *block, size_t offset) {
    size_t end = 0;
    for (unsigned i = 0; i < block->n_insns; i++) {
        end += block->insns[i].n_bytes;
        if (offset < end)
            return i;
    }
    return block->n_insns;
}

// Whether an instruction begins at that byte, or the block ends there.
static inline bool block_begins_at(const struct block *block, size_t offset) {
    size_t at = 0;
    for (unsigned i = 0; i < block->n_insns && at < offset; i++)
        at += block->insns[i].n_bytes;
    return at == offset;
}

// Whether control may leave the straight line inside of the block: by a branch, a call or a return, of which `n_own`
// are the loop's that the block is.
static inline bool block_has_inner_branch(const struct block *block, unsigned n_own) {
    unsigned n = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        n += insn_changes_way(&block->insns[i]);
    return n > n_own;
}

#endif
