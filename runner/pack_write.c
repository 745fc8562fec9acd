#include "base/bytes.h"
#include "runner/pack_keys.h"

#include <assert.h>
#include <inttypes.h>

static void add_line(struct text *out, const char *key, const char *value) {
    if (!value || !*value)
        return;
    text_addf(out, "%s ", key);
    for (; *value; value++) // keeps it on one line: a block's name may be its text
        text_append(out, *value == '\n' ? ";" : value, 1);
    text_add(out, "\n");
}

static void add_uses(struct text *out, const struct bench_code *code) {
    text_add(out, "uses");
    for (unsigned i = 0; i < BENCH_N_USES; i++)
        if (code->uses & 1U << i)
            text_addf(out, " %s", pack_use_names[i]);
    text_addf(out, "%s\n", code->is_wide ? " " PACK_WIDE : "");
}

static void add_chase(struct text *out, const struct bench_chase *chase) {
    if (!chase->n)
        return;
    text_addf(out, "chase %s %zu", pack_layout_names[chase->layout], chase->bytes);
    for (unsigned i = 0; i < chase->n; i++)
        text_addf(out, " %u", chase->steps[i]);
    text_add(out, "\n");
}

static bool has(const struct pack_program *program, enum pack_owner owner) {
    const struct bench_code *code = &program->code;
    const bool is_foreign = bench_code_is_foreign(code);
    switch (owner) {
    case OF_ALL:
        return true;
    case OF_CHAINS:
        return code->is_chain;
    case OF_LOOPS:
        return program->loop_instructions;
    case OF_SETS:
        return code->process_set;
    case OF_FOREIGN:
        return is_foreign;
    case OF_TURNS:
        return is_foreign && code->foreign.turns.bits;
    case OF_PLACED:
        return code->address;
    }
    assert(false);
    return false;
}

static uint64_t number_of(const struct pack_entry *entry, const struct pack_number_key *key) {
    const void *at = (const char *)entry + key->place;
    return key->kind == NUMBER_UNSIGNED ? *(const unsigned *)at
           : key->kind == NUMBER_SIZE   ? *(const size_t *)at
           : key->kind == NUMBER_64     ? *(const uint64_t *)at
                                        : *(const bool *)at;
}

static void write_segment(const struct segment *segment, struct text *out) {
    add_line(out, "segment",
             arena_printf(out->arena, "%" PRIu64 " %zu %s%s %s", segment->address, segment->size,
                          segment->is_writable ? "w" : "r", segment->is_executable ? "x" : "-",
                          bytes_to_hex(out->arena, segment->bytes, segment->n_bytes)));
}

static void add_patches(struct text *out, const struct bench_foreign *foreign) {
    for (unsigned i = 0; i < foreign->n_patches; i++) {
        const struct bench_patch *patch = &foreign->patches[i];
        text_addf(out, "patch %" PRIu64 " %" PRIu64 " %s\n", patch->address, patch->n_bytes,
                  bytes_to_hex(out->arena, patch->value, patch->n_value));
    }
    for (unsigned i = 0; i < foreign->n_touches; i++)
        text_addf(out, "touch %" PRIu64 " %" PRId64 " %u\n", foreign->touches[i].address, foreign->touches[i].stride,
                  foreign->touches[i].size);
}

static void add_terms(struct text *out, const struct bench_rule *rule) {
    for (unsigned i = 0; i < rule->n_terms; i++) {
        const struct bench_term *term = &rule->terms[i];
        text_addf(out, " %zu %.5g %.5g", term->program, term->low, term->high);
    }
    text_add(out, "\n");
}

static void write_program(const struct pack_program *program, struct repeats_before before, struct text *out) {
    const struct bench_code *code = &program->code;
    const struct pack_entry entry = {*program, (uint64_t)(code->body - code->bytes)};
    text_add(out, "program\n");
    for (unsigned i = 0; i < PACK_N_TEXTS; i++)
        add_line(out, pack_text_keys[i].key, *(const char *const *)((const char *)&entry + pack_text_keys[i].place));
    for (unsigned i = 0; i < PACK_N_NUMBERS; i++)
        if (has(program, pack_number_keys[i].owner))
            text_addf(out, "%s %" PRIu64 "\n", pack_number_keys[i].key, number_of(&entry, &pack_number_keys[i]));
    add_uses(out, code);
    add_chase(out, &code->chase);
    if (bench_code_is_foreign(code))
        add_patches(out, &code->foreign);
    for (unsigned i = 0; i < code->n_segments; i++)
        write_segment(&code->segments[i], out);
    for (size_t i = 0; i < program->n_cases; i++) {
        text_addf(out, "when %zu", program->cases[i].rule);
        add_terms(out, &program->cases[i].own);
    }
    text_add(out, "code ");
    repeats_write(out, before, code->bytes, code->n_bytes);
    text_add(out, "\n");
}

void pack_write(const struct pack *pack, struct text *out) {
    text_add(out, PACK_FIRST_LINE "\n");
    add_line(out, "isa", pack->isa);
    for (size_t i = 0; i < pack->n_rules; i++) {
        text_add(out, "rule");
        add_terms(out, &pack->rules[i]);
    }
    for (size_t i = 0; i < pack->n_programs; i++)
        write_program(&pack->programs[i], pack_code_before(pack, i), out);
}
