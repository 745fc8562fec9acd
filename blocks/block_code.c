#include "blocks/block_code.h"

#include "blocks/exits.h"
#include "blocks/returns.h"
#include "blocks/turns.h"
#include "blocks/x87_stack.h"

static bool writes_register(const struct insn *insn, uint16_t reg) {
    for (unsigned i = 0; i < insn->n_writes; i++)
        if (insn->writes[i].reg == reg)
            return true;
    return false;
}

// Leaves out the return at a function's end, on an ISA whose programs call no functions.
static void leave_out_return(struct arena *arena, struct lab_block *block) {
    const struct insn *last = &block->insns.insns[block->insns.n_insns - 1];
    if (!last->is_return || block->insns.n_insns < 2)
        return;
    block->insns.n_insns--;
    block->n_bytes -= last->n_bytes;
    block->source.n_bytes = block->n_bytes;
    block->label = arena_printf(arena, "%s, without ret", block->label);
}

static void decode(struct arena *arena, const struct decoder *decoder, uint16_t stack_pointer, struct lab_block *block,
                   struct fail *fail) {
    block->is_decoded = decoder_decode_code(decoder, arena, block->bytes, block->n_bytes, &block->insns, fail);
    if (!block->is_decoded)
        return;
    if (block->is_of_object && !block->source.isa->call)
        leave_out_return(arena, block);
    decoder_facts(decoder, arena, &block->insns, &block->facts);
    block->returns = returns_to_caller(arena, block, stack_pointer);
    for (unsigned i = 0; i < block->insns.n_insns; i++) {
        const struct insn *insn = &block->insns.insns[i];
        block->loads = block->loads || insn->may_load;
        block->stores = block->stores || insn->may_store || insn->is_call;
        block->moves_stack_pointer = block->moves_stack_pointer || writes_register(insn, stack_pointer);
    }
}

// Whether an instruction is the end of a function by a jump into another one, which returns to the same caller. An
// indirect one that no table leads back into the block is taken as such.
static bool is_tail_call(const struct lab_block *block, const struct insn *insn, int64_t offset) {
    bool has_table = block->source.link && block->source.link->n_entries;
    return block->is_function && insn->is_branch && !insn->is_call && !insn->is_return &&
           (insn->is_direct ? exits_is_linked(block, offset, insn->n_bytes) : !has_table);
}

// Finds out whether the block returns, by itself or by another function, and whether it calls others. A block that
// returns is a routine where this ISA's programs can call it.
static void look_at_calls(struct lab_block *block) {
    int64_t offset = 0;
    bool returns = block->returns;
    for (unsigned i = 0; i < block->insns.n_insns; offset += block->insns.insns[i++].n_bytes) {
        const struct insn *insn = &block->insns.insns[i];
        bool ends_elsewhere = is_tail_call(block, insn, offset);
        returns |= ends_elsewhere;
        block->calls_others |=
            ends_elsewhere || (insn->is_call && (!insn->is_direct || exits_is_linked(block, offset, insn->n_bytes)));
    }
    block->is_routine = returns && block->source.isa->call;
}

// Takes a block as machine code from now on: its branches have to be changed.
static void take_bytes(struct lab_block *block) {
    if (!block->source.text)
        return;
    block->source.text = NULL;
    block->source.bytes = block->bytes;
    block->source.n_bytes = block->n_bytes;
}

// A function that returns long double leaves it on the x87 stack, from where its caller takes it.
static void take_result(struct lab_block *block) {
    static const uint8_t pops[] = {0xdd, 0xd8, 0xdd, 0xd8}; // fstp st(0), for a complex number twice
    enum { POP_BYTES = 2, MOST_RESULTS = sizeof pops / POP_BYTES };
    block->x87_left = x87_stack_left(block);
    if (!block->is_routine || block->x87_left < 1 || block->x87_left > MOST_RESULTS)
        return;
    block->facts.behind_call = pops;
    block->facts.n_behind_call = POP_BYTES * (size_t)block->x87_left;
    block->x87_left = 0;
}

// Finds out where a block's branches go, and whether it is a loop.
static bool look_at_branches(struct arena *arena, struct lab_block *block, struct fail *fail) {
    const struct insn *last = &block->insns.insns[block->insns.n_insns - 1];
    struct block_source whole = block->source;
    look_at_calls(block);
    take_result(block);
    block->leaves |= block->source.way_out != NULL;
    if (!exits_lead_to_end(arena, block, false, &whole, &block->facts, fail))
        return false;
    const struct block_start start = block_start_of(block, ALIAS_DISJOINT);
    if (block->is_routine && !block_can_be_called(block->source.isa, &start, &block->facts, fail))
        return false;
    bool falls_off = !last->is_return && (!last->is_branch || last->is_conditional);
    if (block->is_routine && (falls_off || block->leaves) && !block->facts.exits) // its end is a way out
        block->facts.exits = ARENA_ARRAY(arena, const char *, block->insns.n_insns);
    block->is_loop = !block->is_routine && turns_is_loop(&block->insns);
    if (!block->leaves && !block->is_loop && !block->is_routine)
        return true;
    take_bytes(block);
    block->body_source = block->source;
    if (whole.bytes)
        block->source.bytes = whole.bytes;
    if (!block->is_loop)
        return true;
    block->body_source.n_bytes -= last->n_bytes;
    block->body_facts = block->facts;
    block->body_facts.n_instructions--;
    return exits_lead_to_end(arena, block, true, &block->body_source, &block->body_facts, fail);
}

bool block_code_read(struct arena *arena, const struct decoder *decoder, uint16_t stack_pointer,
                     struct lab_block *block, struct fail *fail) {
    decode(arena, decoder, stack_pointer, block, fail);
    return block->is_decoded ? look_at_branches(arena, block, fail) : block->source.text != NULL;
}
