// Which instructions must keep their order for the loop to compute the same.
#include "library/internal.h"

#include <assert.h>

// Whether one register holds the other or a part of it.
static bool overlap(const struct machine *machine, uint16_t a, uint16_t b) {
    if (a == b)
        return true;
    const struct machine_register *reg = &machine->registers[a];
    for (uint16_t i = 0; i < reg->n_sub; i++)
        for (uint16_t j = 0; j <= machine->registers[b].n_sub; j++)
            if (reg->sub[i] == (j == 0 ? b : machine->registers[b].sub[j - 1]))
                return true;
    for (uint16_t j = 0; j < machine->registers[b].n_sub; j++)
        if (machine->registers[b].sub[j] == a)
            return true;
    return false;
}

// Whether writing `writer` leaves nothing of what `reg` held.
static bool covers(const struct machine *machine, const struct insn_write *writer, uint16_t reg) {
    if (writer->reg == reg)
        return true;
    const struct machine_register *written = &machine->registers[writer->reg];
    for (uint16_t i = 0; i < written->n_sub; i++)
        if (written->sub[i] == reg)
            return true;
    for (uint16_t i = 0; writer->clears_supers && i < written->n_super; i++)
        if (written->super[i] == reg)
            return true;
    return false;
}

static bool reads(const struct machine *machine, const struct insn *insn, uint16_t reg) {
    for (unsigned i = 0; i < insn->n_reads; i++)
        if (!insn->cost->reads[i].independent && overlap(machine, insn->reads[i].reg, reg))
            return true;
    return false;
}

static bool overwrites(const struct machine *machine, const struct insn *insn, uint16_t reg) {
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (insn->writes[i].reg != 0 && covers(machine, &insn->writes[i], reg))
            return true;
    return false;
}

// Nobody reads what instruction `index` writes there before it is overwritten. The end of the block reads everything:
// what comes behind the loop is not known.
static bool is_dead(const struct cyclops_block *block, size_t index, uint16_t reg) {
    for (size_t i = index + 1; i < block->block.n_insns; i++) {
        if (reads(block->machine->model.machine, &block->insns[i], reg))
            return false;
        if (overwrites(block->machine->model.machine, &block->insns[i], reg))
            return true;
    }
    return false;
}

// A write that clears what lies around its register writes all of that.
static bool writes_overlap(const struct machine *machine, const struct insn_write *a, const struct insn_write *b) {
    return overlap(machine, a->reg, b->reg) || covers(machine, a, b->reg) || covers(machine, b, a->reg);
}

static bool needs_result(const struct machine *machine, const struct insn *writer, const struct insn *reader) {
    for (unsigned w = 0; w < writer->n_writes; w++) {
        uint16_t reg = writer->writes[w].reg;
        if (reg == 0)
            continue;
        if (reads(machine, reader, reg))
            return true;
        const struct machine_register *written = &machine->registers[reg];
        for (uint16_t s = 0; writer->writes[w].clears_supers && s < written->n_super; s++)
            if (reads(machine, reader, written->super[s]))
                return true;
    }
    return false;
}

static bool both_live(const struct cyclops_block *block, size_t first, size_t second) {
    const struct insn *a = &block->insns[first], *b = &block->insns[second];
    for (unsigned i = 0; i < a->n_writes; i++)
        for (unsigned j = 0; j < b->n_writes; j++) {
            const struct insn_write *x = &a->writes[i], *y = &b->writes[j];
            if (x->reg == 0 || y->reg == 0 || !writes_overlap(block->machine->model.machine, x, y))
                continue;
            if (!is_dead(block, first, x->reg) || !is_dead(block, second, y->reg))
                return true;
        }
    return false;
}

static bool is_fence(const struct insn *insn) {
    return insn->side_effects || insn->is_branch || insn->is_call || insn->is_return || insn->load_barrier ||
           insn->store_barrier;
}

bool cyclops_block_keeps_order(const struct cyclops_block *block, size_t first, size_t second) {
    assert(first < second && second < block->block.n_insns);
    const struct insn *a = &block->insns[first], *b = &block->insns[second];
    if (is_fence(a) || is_fence(b))
        return true;
    bool both_in_memory = (a->may_load || a->may_store) && (b->may_load || b->may_store);
    if (both_in_memory && (a->may_store || b->may_store))
        return true;
    return needs_result(block->machine->model.machine, a, b) || needs_result(block->machine->model.machine, b, a) ||
           both_live(block, first, second);
}
