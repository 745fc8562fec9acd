#include "library/internal.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct descriptions *descriptions_new(void) {
    struct arena arena = {0};
    struct descriptions *descriptions = ARENA_NEW(&arena, struct descriptions);
    descriptions->arena = arena;
    return descriptions;
}

static void descriptions_free(struct descriptions *descriptions) {
    struct arena arena = descriptions->arena;
    arena_free(&arena);
}

static struct cyclops_block *block_new(struct cyclops_machine *machine, struct descriptions *descriptions, size_t n) {
    struct cyclops_block *block = n <= UINT_MAX ? calloc(1, sizeof *block + n * sizeof *block->insns) : NULL;
    if (block == NULL)
        return NULL;
    block->machine = machine;
    block->descriptions = descriptions;
    block->block = (struct block){.name = "", .insns = block->insns, .n_insns = (unsigned)n};
    descriptions->users++;
    return block;
}

// Takes over what was described; null: nothing was, as `fail` says.
static struct cyclops_block *finish(struct cyclops_machine *machine, struct descriptions *descriptions,
                                    const struct block *described, struct fail *fail, struct cyclops_error *error) {
    struct cyclops_block *block = NULL;
    if (described != NULL)
        block = block_new(machine, descriptions, described->n_insns);
    if (block != NULL) {
        memcpy(block->insns, described->insns, described->n_insns * sizeof *described->insns);
        return block;
    }
    fail_set(fail, FAIL_WORK, "out of memory"); // unless another failure came first
    library_tell(fail, error);
    descriptions_free(descriptions);
    return NULL;
}

struct cyclops_block *cyclops_block_from_bytes(struct cyclops_machine *machine, const void *bytes, size_t n_bytes,
                                               struct cyclops_error *error) {
    struct fail fail = {0};
    struct block described = {0};
    struct descriptions *descriptions = descriptions_new();
    bool done = model_describe_bytes(&machine->model, &descriptions->arena, bytes, n_bytes, &described, &fail);
    return finish(machine, descriptions, done ? &described : NULL, &fail, error);
}

struct cyclops_block *cyclops_block_from_text(struct cyclops_machine *machine, const char *text,
                                              struct cyclops_error *error) {
    struct fail fail = {0};
    struct backend_source source = {0};
    struct descriptions *descriptions = descriptions_new();
    bool done = model_describe_text(&machine->model, &descriptions->arena, library_text, text, &source, &fail);
    return finish(machine, descriptions, done ? &source.blocks[0] : NULL, &fail, error);
}

struct cyclops_block *cyclops_block_pick(const struct cyclops_block *block, const unsigned *order, size_t n) {
    assert(n > 0);
    struct cyclops_block *picked = block_new(block->machine, block->descriptions, n);
    for (size_t i = 0; i < n && picked != NULL; i++) {
        assert(order[i] < block->block.n_insns);
        picked->insns[i] = block->insns[order[i]];
    }
    return picked;
}

void cyclops_block_free(struct cyclops_block *block) {
    if (block == NULL)
        return;
    if (--block->descriptions->users == 0)
        descriptions_free(block->descriptions);
    free(block);
}

size_t cyclops_block_length(const struct cyclops_block *block) {
    return block->block.n_insns;
}

struct cyclops_insn cyclops_block_insn(const struct cyclops_block *block, size_t index) {
    const struct insn *insn = &block->insns[index];
    const struct cpu *own = block->machine->model.own;
    const struct library_cost cost =
        own != NULL ? own_cost(own, insn)
                    : (struct library_cost){insn->cost->uops, insn->cost->latency, insn->cost->rthroughput};
    return (struct cyclops_insn){
        .text = insn->text,
        .opcode = insn->opcode,
        .bytes = insn->bytes,
        .n_bytes = insn->n_bytes,
        .uops = cost.uops,
        .latency = cost.latency,
        .rthroughput = cost.rthroughput,
        .loads = insn->may_load,
        .stores = insn->may_store,
        .has_side_effects = insn->side_effects,
        .is_branch = insn->is_branch,
        .is_call = insn->is_call,
        .is_return = insn->is_return,
    };
}
