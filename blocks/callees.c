#include "blocks/callees.h"

#include "blocks/block_state.h"
#include "blocks/turns.h"
#include "blocks/x86_registers.h"
#include "gen/registers.h"

#include <elf.h>
#include <string.h>

static const char *const *extended(struct arena *arena, const char *const *names, size_t *n, const char *name) {
    const char **more = ARENA_ARRAY(arena, const char *, *n + 1);
    memcpy(more, names, *n * sizeof *names);
    more[(*n)++] = name;
    return more;
}

static void add(struct arena *arena, struct block_facts *facts, const char *name) {
    facts->inputs = extended(arena, facts->inputs, &facts->n_inputs, name);
    facts->changed = extended(arena, facts->changed, &facts->n_changed, name);
    facts->registers = extended(arena, facts->registers, &facts->n_registers, name);
}

void callees_add_changes(struct arena *arena, struct lab_block *block, enum block_alias alias,
                         const struct block_start *start) {
    const struct isa *isa = block->source.isa;
    const struct start_state *state = &block->options.state;
    struct register_name found;
    if (!block->was_tried[alias] || block->trials[alias].outcome != BENCH_OK)
        return;
    for (const char *const *name = isa->arguments; *name; name++)
        if (register_find(isa, (struct slice){*name, strlen(*name)}, &found) && found.class->file == 'g' &&
            block->trials[alias].frame[1 + found.index] != block_start_value(isa, start, found.index))
            add(arena, &block->facts, *name);
    for (size_t i = 0; i < state->n_registers; i++)
        if (state->registers[i].class)
            add(arena, &block->facts, state->registers[i].class->registers[state->registers[i].index]);
}

// ---- what the code of a function shows

// Returns the memory that came along with an address in it; null: none did.
static const struct segment *segment_at(const struct link *link, uint64_t address) {
    for (size_t i = 0; i < link->n_segments; i++)
        if (address - link->segments[i].address < link->segments[i].n_bytes)
            return &link->segments[i];
    return NULL;
}

// Decodes the instruction at an address of the memory that came along; null: no code is there.
static const struct insn *decode_at(struct arena *arena, const struct decoder *decoder, const struct link *link,
                                    uint64_t address) {
    struct block found;
    struct fail why;
    const struct segment *segment = segment_at(link, address);
    if (!segment || !segment->is_executable)
        return NULL;
    size_t offset = (size_t)(address - segment->address);
    const uint8_t *bytes = segment->bytes + offset;
    size_t n = decoder->backend->first_length(decoder->cpu, bytes, segment->n_bytes - offset);
    return n && decoder_decode(decoder, arena, bytes, n, &found, &why) ? &found.insns[0] : NULL;
}

const struct insn *callees_insn(struct arena *arena, const struct decoder *decoder, const struct lab_block *block,
                                uint64_t address) {
    return block->source.link ? decode_at(arena, decoder, block->source.link, address) : NULL;
}

// Whether nothing can be at an address: a run that goes there ends. So it is with a weak function that nothing defines,
// and with what another file holds.
static bool is_nowhere(uint64_t address) {
    return address < BLOCK_LOWEST_ADDRESS || address >> 63;
}

// Whether x86-64's instruction jumps to where the word says that it names by its distance, and nothing can be there.
static bool jumps_nowhere(const struct decoder *decoder, const struct link *link, const struct insn *insn,
                          uint64_t address) {
    uint64_t word, place;
    if (!x86_names_by_distance(decoder->machine, insn, address, &place))
        return false;
    const struct segment *segment = segment_at(link, place);
    if (!segment || segment->n_bytes - (place - segment->address) < sizeof word)
        return false;
    memcpy(&word, segment->bytes + (place - segment->address), sizeof word);
    return is_nowhere(word);
}

static uint32_t changes_of(struct arena *arena, const struct decoder *decoder, const struct lab_block *block,
                           uint64_t address) {
    enum { MOST = 1000 };
    uint32_t changes = 0;
    int64_t offset = 0, furthest = 0;
    if (is_nowhere(address))
        return 0;
    for (unsigned i = 0; i < MOST; i++) {
        const struct insn *insn = callees_insn(arena, decoder, block, address + (uint64_t)offset);
        bool is_jump = insn && insn->is_branch && !insn->is_return;
        if (is_jump && !furthest && jumps_nowhere(decoder, block->source.link, insn, address + (uint64_t)offset))
            return changes;
        if (!insn || insn->is_call || (is_jump && (!insn->is_direct || offset + insn->displacement < 0)))
            return UINT32_MAX;
        for (unsigned w = 0; w < insn->n_writes; w++) {
            int number = turns_register(block->source.isa, decoder->machine, insn->writes[w].reg);
            changes |= number >= 0 ? UINT32_C(1) << number : 0;
        }
        if (is_jump && offset + insn->displacement > furthest)
            furthest = offset + insn->displacement;
        offset += insn->n_bytes;
        if (insn->is_return && offset > furthest)
            return changes;
    }
    return UINT32_MAX;
}

// The address of the function that a fixup of the block leads to.
static uint64_t target_of(const struct link *link, const struct link_fixup *fixup) {
    enum { X86_FIELD = 4 }; // x86 counts from the field's end, which ends the instruction
    return fixup->target + (link->machine == EM_X86_64 ? X86_FIELD : 0);
}

const uint32_t *callees_find_changes(struct arena *arena, const struct decoder *decoder,
                                     const struct lab_block *block) {
    const struct block *insns = &block->insns;
    const struct link *link = block->source.link;
    uint32_t *changes = ARENA_ARRAY(arena, uint32_t, insns->n_insns);
    size_t offset = 0;
    for (unsigned i = 0; i < insns->n_insns; offset += insns->insns[i++].n_bytes) {
        const struct insn *insn = &insns->insns[i];
        changes[i] = UINT32_MAX;
        for (size_t f = 0; link && insn->is_call && insn->is_direct && f < link->n_fixups; f++)
            if (link->fixups[f].offset - offset < insn->n_bytes)
                changes[i] = changes_of(arena, decoder, block, target_of(link, &link->fixups[f]));
    }
    return changes;
}
