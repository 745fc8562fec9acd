#include "blocks/exits.h"

#include <string.h>

struct exits {
    struct arena *arena;
    const struct lab_block *block;
    bool is_turn_end;
    int64_t end;   // of what remains of the block, bytes
    bool *are_out; // by instruction
    bool is_any;
};

bool exits_is_linked(const struct lab_block *block, int64_t offset, unsigned n_bytes) {
    const struct link *link = block->source.link;
    for (size_t i = 0; link && i < link->n_fixups; i++)
        if ((int64_t)link->fixups[i].offset >= offset && (int64_t)link->fixups[i].offset < offset + n_bytes)
            return true;
    return false;
}

static bool check_target(const struct lab_block *block, unsigned i, int64_t target, struct fail *fail) {
    const struct insn *insn = &block->insns.insns[i];
    int64_t end = (int64_t)block->n_bytes;
    bool is_outside = target < 0 || target > end;
    if (is_outside && insn->is_call)
        return fail_set(fail, FAIL_INPUT,
                        "instruction %u `%s` calls what is outside the block, at %+lld bytes from its start", i + 1,
                        insn->text, (long long)target);
    if (!is_outside && target < end && !block_begins_at(&block->insns, (size_t)target))
        return fail_set(fail, FAIL_INPUT,
                        "instruction %u `%s` goes into the middle of an instruction, at %+lld bytes from the block's "
                        "start",
                        i + 1, insn->text, (long long)target);
    return true;
}

static bool find(struct exits *exits, struct fail *fail) {
    const struct lab_block *block = exits->block;
    int64_t offset = 0, end = (int64_t)block->n_bytes;
    for (unsigned i = 0; i < block->insns.n_insns; offset += block->insns.insns[i++].n_bytes) {
        const struct insn *insn = &block->insns.insns[i];
        int64_t target = offset + insn->displacement;
        if (!insn->is_direct || exits_is_linked(block, offset, insn->n_bytes))
            continue;
        if (!check_target(block, i, target, fail))
            return false;
        bool is_end = target == end && (exits->is_turn_end || block->is_routine);
        exits->are_out[i] = target < 0 || target > end || is_end || (exits->is_turn_end && target == 0);
        exits->is_any |= exits->are_out[i];
    }
    return true;
}

// ---- the same bytes, aimed elsewhere

// x86: the distance is the instruction's last four bytes, or its last one. False: the end is too far away.
static bool aim(const struct insn *insn, int64_t distance, uint8_t *bytes) {
    enum { WORD = 4 };
    int32_t from_end = (int32_t)(insn->displacement - insn->n_bytes), written = 0, field = (int32_t)distance;
    uint8_t *last = bytes + insn->n_bytes;
    if (insn->n_bytes > WORD)
        memcpy(&written, last - WORD, WORD);
    if (insn->n_bytes > WORD && written == from_end) {
        memcpy(last - WORD, &field, WORD);
        return true;
    }
    if ((int8_t)last[-1] != from_end || distance < INT8_MIN || distance > INT8_MAX)
        return false;
    last[-1] = (uint8_t)distance;
    return true;
}

// Returns the block's bytes with the ways out aimed at the end; null: one does not reach it.
static const uint8_t *aim_all(const struct exits *exits) {
    const struct block *insns = &exits->block->insns;
    size_t n_bytes = exits->block->n_bytes, offset = 0;
    uint8_t *bytes = ARENA_ARRAY(exits->arena, uint8_t, n_bytes + 1);
    memcpy(bytes, exits->block->source.bytes ? exits->block->source.bytes : exits->block->bytes, n_bytes);
    for (unsigned i = 0; i < insns->n_insns; offset += insns->insns[i++].n_bytes) {
        const struct insn *insn = &insns->insns[i];
        if (exits->are_out[i] && (int64_t)offset < exits->end &&
            !aim(insn, exits->end - (int64_t)(offset + insn->n_bytes), bytes + offset))
            return NULL;
    }
    return bytes;
}

// ---- text for the assembler

// Returns a branch's text with its target, the last operand, replaced by a label.
static const char *with_label(const struct exits *exits, const struct insn *insn, const char *label) {
    const char *comma = strrchr(insn->text, ','), *blank = strchr(insn->text, ' ');
    const char *target = comma ? comma + 1 : blank ? blank : insn->text + strlen(insn->text);
    bool may_shrink = strcmp(exits->block->source.isa->name, "riscv64") == 0 && insn->n_bytes == 4;
    return arena_printf(exits->arena, "%s%.*s %s%s", may_shrink ? ".option push; .option norvc; " : "",
                        (int)(target - insn->text), insn->text, label, may_shrink ? "; .option pop" : "");
}

// Writes the ways out; where `are_all`, the other branches, too, whose targets get labels.
static void write_branches(const struct exits *exits, bool are_all, struct block_facts *facts) {
    const struct block *insns = &exits->block->insns;
    const char **texts = ARENA_ARRAY(exits->arena, const char *, insns->n_insns);
    bool *are_targets = are_all ? ARENA_ARRAY(exits->arena, bool, insns->n_insns + 1) : NULL;
    int64_t offset = 0;
    for (unsigned i = 0; i < insns->n_insns; offset += insns->insns[i++].n_bytes) {
        const struct insn *insn = &insns->insns[i];
        if (exits->are_out[i])
            texts[i] = with_label(exits, insn, BLOCK_END_LABEL "f");
        if (!are_all || exits->are_out[i] || !insn->is_direct || exits_is_linked(exits->block, offset, insn->n_bytes))
            continue;
        int64_t target = offset + insn->displacement;
        unsigned at = block_insn_at(insns, (size_t)target); // behind the last one: the end
        are_targets[at] = true;
        texts[i] = with_label(exits, insn,
                              arena_printf(exits->arena, "%u%c", BLOCK_FIRST_LABEL + at, target <= offset ? 'b' : 'f'));
    }
    facts->exits = texts;
    facts->are_targets = are_targets;
}

bool exits_lead_to_end(struct arena *arena, struct lab_block *block, bool is_turn_end, struct block_source *source,
                       struct block_facts *facts, struct fail *fail) {
    unsigned last_bytes = block->insns.insns[block->insns.n_insns - 1].n_bytes;
    struct exits exits = {.arena = arena,
                          .block = block,
                          .is_turn_end = is_turn_end,
                          .end = (int64_t)(block->n_bytes - (is_turn_end ? last_bytes : 0)),
                          .are_out = ARENA_ARRAY(arena, bool, block->insns.n_insns)};
    facts->exits = NULL;
    facts->are_targets = NULL;
    if (!find(&exits, fail))
        return false;
    block->leaves |= exits.is_any && !is_turn_end;
    if (!exits.is_any)
        return true;
    bool can_aim = strcmp(block->source.isa->name, "x86_64") == 0;
    bool has_lengths = can_aim || strcmp(block->source.isa->name, "riscv64") == 0; // more than one of a branch
    const uint8_t *bytes = can_aim ? aim_all(&exits) : NULL;
    if (bytes)
        source->bytes = bytes;
    else
        write_branches(&exits, has_lengths, facts);
    return true;
}
