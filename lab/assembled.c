#include "lab/assembled.h"

#include "base/bytes.h"

#include <string.h>

// What the assembler makes of a program.
struct assembled_code {
    const uint8_t *code;
    size_t code_bytes, exit_offset;
    struct program_range body_range, loop_range;
    unsigned instructions;
};

static uint64_t hash_text(uint64_t hash, const char *text) {
    uint64_t pair[2] = {hash, text ? bytes_hash(text, strlen(text)) : 0};
    return bytes_hash(pair, sizeof pair);
}

// Of all on which the emitted text of a kernel's program depends, but the symbol.
static uint64_t hash_of(const struct program *program) {
    const uint64_t numbers[] = {program->unroll, program->form, program->runs_once, program->preserves_flags};
    const char *const texts[] = {program->isa, program->syntax, program->setup, program->body, program->loop_counter};
    uint64_t hash = bytes_hash(numbers, sizeof numbers);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = hash_text(hash, texts[i]);
    return hash;
}

bool assembled_find(const struct assembled *assembled, struct program *program) {
    size_t place = 0,
           number = program->has_own_stack ? INDEX_END : index_next(&assembled->index, hash_of(program), &place);
    if (number == INDEX_END)
        return false;
    const struct assembled_code *found = &assembled->items[number];
    program->code = found->code;
    program->code_bytes = found->code_bytes;
    program->body_range = found->body_range;
    program->loop_range = found->loop_range;
    program->exit_offset = found->exit_offset;
    program->instructions = found->instructions;
    return true;
}

void assembled_add(struct assembled *assembled, const struct program *program) {
    if (program->has_own_stack)
        return;
    uint8_t *code = arena_alloc(assembled->arena, program->code_bytes);
    memcpy(code, program->code, program->code_bytes);
    assembled->index.arena = assembled->arena;
    index_add(&assembled->index, hash_of(program), assembled->n_items);
    *ARENA_ADD(assembled->arena, assembled->items, assembled->n_items) =
        (struct assembled_code){.code = code,
                                .code_bytes = program->code_bytes,
                                .exit_offset = program->exit_offset,
                                .body_range = program->body_range,
                                .loop_range = program->loop_range,
                                .instructions = program->instructions};
}
