// Machine code as `cyclops run --hex` takes it: decoded, made a program of, and blamed for a fault. Four bytes in front
// choose the ISA, what program, and what fault.
#undef NDEBUG // what it asserts is what it is for
#include "blocks/decoder.h"
#include "blocks/fault_text.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct isa *isa_of(unsigned which) {
    static const char *const names[] = {"x86_64", "aarch64", "riscv64", "armv7", "mips"};
    return isa_find(names[which % (sizeof names / sizeof *names)]);
}

// Each stays open.
static const struct decoder *decoder_of(const struct isa *isa) {
    static struct {
        const struct isa *isa;
        struct decoder decoder;
    } known[8];
    static struct arena arena;
    struct fail fail = {0};
    size_t i = 0;
    while (known[i].isa && known[i].isa != isa)
        i++;
    known[i].isa = isa;
    if (!known[i].decoder.cpu && !decoder_open(&known[i].decoder, &arena, isa, NULL, &fail))
        abort();
    return &known[i].decoder;
}

// The instructions are the bytes, all of them, one behind the other.
static void check_decoded(const struct block *block, const struct block_facts *facts, const uint8_t *bytes,
                          size_t n_bytes) {
    size_t at = 0;
    assert(facts->n_instructions == block->n_insns);
    for (unsigned i = 0; i < block->n_insns; at += block->insns[i++].n_bytes) {
        const struct insn *insn = &block->insns[i];
        assert(insn->n_bytes > 0 && insn->n_bytes == facts->lengths[i] && insn->n_bytes <= n_bytes - at);
        assert(memcmp(insn->bytes, bytes + at, insn->n_bytes) == 0);
        assert(block_insn_at(block, at) == i && block_insn_at(block, at + insn->n_bytes - 1) == i);
        assert(*insn->text && !strchr(insn->text, '\t'));
    }
    assert(at == n_bytes && block_insn_at(block, at) == block->n_insns);
}

static bool uses(const struct block_facts *facts, const char *name) {
    for (size_t i = 0; i < facts->n_registers; i++)
        if (strcasecmp(facts->registers[i], name) == 0)
            return true;
    return false;
}

static void check_program(const struct program *program, const struct block_facts *facts) {
    assert(program->unroll >= 1 && program->body_lines >= 1);
    assert(program->runs_once || !program->loop_counter || !uses(facts, program->loop_counter));
    assert(program->form == PROGRAM_UNROLLED || program->unroll == 1);
}

static void blame(struct arena *arena, const struct decoder *decoder, const struct lab_block *block,
                  struct program *program, const uint8_t choice[2]) {
    struct record_fault fault;
    program->body_range = (struct program_range){16, block->n_bytes};
    struct bench_seen seen = {.fault = {.is_known = true,
                                        .has_address = choice[0] & 1,
                                        .is_write = choice[0] & 2,
                                        .offset = choice[1],
                                        .address = choice[0]}};
    memset(seen.fault.registers, choice[1], sizeof seen.fault.registers);
    enum bench_outcome outcome = (enum bench_outcome)(1 + choice[0] % (BENCH_N_OUTCOMES - 1));
    if (!fault_explain(arena, decoder, block, program, outcome, &seen, &fault))
        return;
    assert(fault.explanation && fault.instruction <= block->insns.n_insns);
    assert(!strchr(fault.explanation, '\t') && !strchr(fault.explanation, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    enum { FRONT = 4, MOST_BYTES = 256 };
    if (n_bytes <= FRONT || n_bytes > FRONT + MOST_BYTES)
        return 0;
    struct arena arena = {0};
    struct fail fail = {0};
    struct program program;
    const struct isa *isa = isa_of(data[0]);
    const struct decoder *decoder = decoder_of(isa);
    struct lab_block block = {
        .source = {.isa = isa, .name = "input", .bytes = data + FRONT, .n_bytes = n_bytes - FRONT},
        .n_bytes = n_bytes - FRONT};
    block.is_decoded = decoder_decode(decoder, &arena, block.source.bytes, block.source.n_bytes, &block.insns, &fail);
    if (block.is_decoded) {
        decoder_facts(decoder, &arena, &block.insns, &block.facts);
        check_decoded(&block.insns, &block.facts, block.source.bytes, block.source.n_bytes);
        const struct block_request request = {.form = data[1] & 1 ? PROGRAM_LOOPED : PROGRAM_UNROLLED,
                                              .runs_once = data[1] & 2,
                                              .resets_stack = data[1] & 4,
                                              .facts = &block.facts,
                                              .start = {.first = 0x2324000, .distance = data[1] & 8 ? 0 : 0x11400}};
        if (gen_block(&arena, &block.source, &request, &program, &fail)) {
            check_program(&program, &block.facts);
            blame(&arena, decoder, &block, &program, data + 2);
        }
    } else {
        assert(fail.status != FAIL_NONE);
    }
    arena_free(&arena);
    return 0;
}
