#include "lab/assembled.h"

#include "base/bytes.h"

#include <search.h>
#include <string.h>

// What the assembler makes of a program.
struct known {
    uint64_t hash;
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

static int compare(const void *a, const void *b) {
    const struct known *left = a, *right = b;
    return (left->hash > right->hash) - (left->hash < right->hash);
}

bool assembled_find(const struct assembled *assembled, struct program *program) {
    if (program->has_own_stack)
        return false;
    const struct known like = {.hash = hash_of(program)};
    struct known *const *found = tfind(&like, &assembled->root, compare);
    if (!found)
        return false;
    program->code = (*found)->code;
    program->code_bytes = (*found)->code_bytes;
    program->body_range = (*found)->body_range;
    program->loop_range = (*found)->loop_range;
    program->exit_offset = (*found)->exit_offset;
    program->instructions = (*found)->instructions;
    return true;
}

void assembled_add(struct assembled *assembled, const struct program *program) {
    if (program->has_own_stack)
        return;
    struct known *known = ARENA_NEW(assembled->arena, struct known);
    uint8_t *code = arena_alloc(assembled->arena, program->code_bytes);
    memcpy(code, program->code, program->code_bytes);
    *known = (struct known){.hash = hash_of(program),
                            .code = code,
                            .code_bytes = program->code_bytes,
                            .exit_offset = program->exit_offset,
                            .body_range = program->body_range,
                            .loop_range = program->loop_range,
                            .instructions = program->instructions};
    tsearch(known, &assembled->root, compare);
}

static void keep(void *known) { // the arena frees it
    (void)known;
}

void assembled_close(struct assembled *assembled) {
    tdestroy(assembled->root, keep);
    assembled->root = NULL;
}
