#include "study/explain_loop.h"

#include "analyzer/predict/stack_pointer.h"
#include "blocks/decoder.h"
#include "blocks/lab_block.h"
#include "gen/gen.h"

#include <string.h>

static bool make_program(struct arena *arena, const struct decoder *decoder, const struct isa *isa,
                         const uint8_t *bytes, size_t n_bytes, bool resets_stack, struct program *program,
                         struct fail *fail) {
    struct block decoded;
    struct block_facts facts;
    if (!decoder_decode(decoder, arena, bytes, n_bytes, &decoded, fail))
        return false;
    decoder_facts(decoder, arena, &decoded, &facts);
    const struct lab_block block = {.source = {.isa = isa, .name = "block", .bytes = bytes, .n_bytes = n_bytes}};
    const struct block_request request = {.form = PROGRAM_LOOPED,
                                          .facts = &facts,
                                          .start = block_start_of(&block, ALIAS_DISJOINT),
                                          .resets_stack = resets_stack};
    return gen_block(arena, &block.source, &request, program, fail) && gen_assemble(arena, &program, 1, fail);
}

// The block's own instructions keep their text.
static bool describe_loop(struct arena *arena, const struct model *model, const struct program *program,
                          struct block *block, struct fail *fail) {
    struct program_range range = program_simulated_range(program);
    struct block whole;
    if (!model_describe_part(model, arena, program->code, range.offset, range.length, &whole, fail))
        return false;
    struct insn *insns = ARENA_ARRAY(arena, struct insn, whole.n_insns);
    unsigned first = 0; // of the block's own, among all
    for (size_t offset = range.offset; offset < program->body_range.offset && first < whole.n_insns; first++)
        offset += whole.insns[first].n_bytes;
    for (unsigned i = 0; i < whole.n_insns; i++)
        insns[i] = i >= first && i - first < block->n_insns ? block->insns[i - first] : whole.insns[i];
    *block = (struct block){.name = block->name, .insns = insns, .n_insns = whole.n_insns};
    return true;
}

bool explain_add_loop(struct arena *arena, const struct model *model, struct block *block, unsigned *start,
                      struct fail *fail) {
    const struct isa *isa = isa_find(model->own->isa);
    struct decoder decoder = {0};
    struct program program;
    size_t n_bytes = block_bytes(block), at = 0;
    uint8_t *bytes = arena_alloc(arena, n_bytes + 1);
    for (unsigned i = 0; i < block->n_insns; at += block->insns[i++].n_bytes)
        memcpy(bytes + at, block->insns[i].bytes, block->insns[i].n_bytes);
    const char *llvm = arena_printf(arena, "%u", model->backend->major);
    bool is_done = decoder_open(&decoder, arena, isa, llvm, fail) &&
                   make_program(arena, &decoder, isa, bytes, n_bytes, !stack_pointer_returns(arena, model->own, block),
                                &program, fail) &&
                   describe_loop(arena, model, &program, block, fail);
    if (is_done)
        *start = program.line_offset;
    decoder_close(&decoder);
    return is_done;
}
