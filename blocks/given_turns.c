#include "blocks/given_turns.h"

#include "blocks/block_state.h"

#include <string.h>

static const struct state_register *find_given(const struct lab_block *block, unsigned reg) {
    const struct start_state *state = &block->options.state;
    for (size_t i = 0; i < state->n_registers; i++)
        if (state->registers[i].class == block->source.isa->classes && state->registers[i].index == reg)
            return &state->registers[i];
    return NULL;
}

bool given_turns_are_in(const struct lab_block *block, const struct block_turns *turns) {
    return turns->is_set && find_given(block, turns->reg);
}

// Returns the turns of a pass; 0: the value is not that of a number of turns.
static uint64_t count_turns(const struct block_turns *turns, uint64_t value) {
    enum { HALF_BITS = 32 };
    int64_t given = turns->bits == HALF_BITS ? (int32_t)value : (int64_t)value, distance;
    if (__builtin_sub_overflow(given, turns->addend, &distance) || distance % turns->factor != 0)
        return 0;
    return distance / turns->factor > 0 ? (uint64_t)(distance / turns->factor) : 0;
}

// Moves the places in the block to which the link refers.
static const struct link *move_link(struct arena *arena, const struct link *link, size_t by) {
    struct link *moved = ARENA_NEW(arena, struct link);
    struct link_fixup *fixups = ARENA_ARRAY(arena, struct link_fixup, link->n_fixups + 1);
    struct link_entry *entries = ARENA_ARRAY(arena, struct link_entry, link->n_entries + 1);
    *moved = *link;
    for (size_t i = 0; i < link->n_fixups; i++) {
        fixups[i] = link->fixups[i];
        fixups[i].offset += by;
    }
    for (size_t i = 0; i < link->n_entries; i++) {
        entries[i] = link->entries[i];
        entries[i].target += by;
    }
    moved->fixups = fixups;
    moved->entries = entries;
    return moved;
}

// The loop itself stays where it was in its line of the cache.
static void put_in_front(struct arena *arena, struct lab_block *block, const uint8_t *bytes, size_t n) {
    uint8_t *all = ARENA_ARRAY(arena, uint8_t, n + block->n_bytes);
    memcpy(all, bytes, n);
    memcpy(all + n, block->source.bytes, block->n_bytes);
    block->bytes = block->source.bytes = all;
    block->n_bytes = block->source.n_bytes = n + block->n_bytes;
    block->source.line_offset =
        (unsigned)(block->source.line_offset + PROGRAM_LINE_BYTES - n % PROGRAM_LINE_BYTES) % PROGRAM_LINE_BYTES;
    if (block->source.link)
        block->source.link = move_link(arena, block->source.link, n);
}

bool given_turns_take(struct arena *arena, struct lab_block *block, enum block_alias alias, const char **why,
                      struct fail *fail) {
    const struct isa *isa = block->source.isa;
    const struct block_turns *turns = &block->turns[alias];
    const char *name = isa->classes->registers[turns->reg], *other = isa->classes->registers[turns->proof];
    const struct state_register *items[] = {find_given(block, turns->reg), find_given(block, turns->proof)};
    struct text text = {.arena = arena};
    const uint8_t *bytes;
    size_t n_bytes;
    if (!items[0] || !items[1])
        return fail_set(fail, FAIL_INPUT,
                        "%s is given, which decides its turns, and %s is not, from which it counts: give both, or none",
                        name, other);
    for (unsigned i = 0; i < (items[0] == items[1] ? 1 : 2); i++) {
        struct isa_value value = {state_value_bits(&items[i]->value), isa->classes->bits};
        isa->emit_constant(&text, isa->classes, items[i]->name, value, isa->syntaxes[0] ? isa->syntaxes[0] : "");
    }
    const struct block_source source = {.isa = isa, .name = "--set", .text = text.data, .syntax = isa->syntaxes[0]};
    if (!block_state_assemble(arena, &source, &bytes, &n_bytes, fail))
        return false;
    put_in_front(arena, block, bytes, n_bytes);
    static const uint64_t many = 10000000;
    uint64_t n = count_turns(turns, state_value_bits(&items[0]->value));
    block->given_turns = block->leaves ? 0 : n;
    *why = n ? arena_printf(arena, "%s is given, which decides its turns: %s%llu in each pass%s", name,
                            block->leaves ? "at most " : "", (unsigned long long)n,
                            n >= many ? "; give it fewer where these take too long" : "")
             : arena_printf(arena,
                            "%s is given, which decides its turns, and %lld begins no number of turns: %lld is for "
                            "one, %lld for two",
                            name, (long long)state_value_bits(&items[0]->value),
                            (long long)turns->addend + turns->factor, (long long)turns->addend + 2 * turns->factor);
    return true;
}
