#include "blocks/x87_stack.h"

#include "analyzer/code/x87_effect.h"

#include <string.h>

int x87_stack_left(const struct lab_block *block) {
    const struct block *insns = &block->insns;
    if (strcmp(block->source.isa->name, "x86_64") != 0)
        return 0;
    int left = 0;
    int64_t offset = 0;
    unsigned at = 0;
    for (unsigned n_steps = 0; at < insns->n_insns && n_steps < insns->n_insns; n_steps++) {
        const struct insn *insn = &insns->insns[at++];
        const struct x87_effect effect = x87_effect_of(block->bytes + offset, insn->n_bytes);
        left += effect.step;
        if (effect.sets_all || insn->is_call)
            return 0;
        if (insn->is_return)
            return left;
        if (!insn->is_branch || insn->is_conditional) {
            offset += insn->n_bytes;
            continue;
        }
        offset += insn->displacement;
        if (!insn->is_direct || offset < 0 || offset >= (int64_t)block->n_bytes ||
            !block_begins_at(insns, (size_t)offset))
            return 0;
        at = block_insn_at(insns, (size_t)offset);
    }
    return left;
}
