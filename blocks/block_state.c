#include "blocks/block_state.h"

#include "blocks/lab_block.h"
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

// One past the last address of programs, on x86-64 and others with as many bits or fewer.
static const uint64_t end_of_addresses = UINT64_C(1) << 47;

static bool make_patch(const struct isa *isa, const struct block_start *start, const struct state_memory *item,
                       struct bench_patch *patch, struct fail *fail) {
    uint64_t base = item->base ? block_start_value(isa, start, item->base_number) : 0, address = base + item->offset;
    bool is_wrong =
        address < BLOCK_LOWEST_ADDRESS || address >= end_of_addresses || item->n_bytes > end_of_addresses - address;
    if (is_wrong)
        return fail_set(fail, FAIL_INPUT,
                        "no memory can be at 0x%" PRIx64 "%s%s: an address is from 0x%x to 0x%" PRIx64, address,
                        item->base ? ", by the value of " : "", item->base ? item->base : "", BLOCK_LOWEST_ADDRESS,
                        end_of_addresses - 1);
    *patch = (struct bench_patch){.address = address, .n_bytes = item->n_bytes, .n_value = item->value.n};
    memcpy(patch->value, item->value.bytes, item->value.n);
    bool is_big_endian = strcmp(isa->name, "mips") == 0;
    for (unsigned i = 0; is_big_endian && i < item->value.n; i++)
        patch->value[i] = item->value.bytes[item->value.n - 1 - i];
    return true;
}

const struct bench_patch *block_state_patches(struct arena *arena, const struct isa *isa,
                                              const struct block_start *start, struct fail *fail) {
    size_t n = start->state ? start->state->n_memory : 0;
    struct bench_patch *patches = ARENA_ARRAY(arena, struct bench_patch, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!make_patch(isa, start, &start->state->memory[i], &patches[i], fail))
            return NULL;
    return patches;
}

bool block_state_assemble(struct arena *arena, const struct block_source *source, const uint8_t **bytes, size_t *n,
                          struct fail *fail) {
    struct program program, *programs = &program;
    const struct block_request request = {.form = PROGRAM_LOOPED, .runs_once = true};
    if (!gen_block(arena, source, &request, &program, fail) || !gen_assemble(arena, &programs, 1, fail))
        return false;
    *bytes = program.code + program.body_range.offset;
    *n = program.body_range.length;
    return true;
}

bool block_state_init(struct arena *arena, const struct isa *isa, const char *syntax, const char *text,
                      struct start_state *state, struct fail *fail) {
    const struct block_source source = {.isa = isa, .name = "--init", .text = text, .syntax = syntax};
    state->init = text;
    return block_state_assemble(arena, &source, &state->init_bytes, &state->n_init_bytes, fail);
}
