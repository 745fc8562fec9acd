#include "blocks/code_uses.h"

#include "base/text.h"
#include "blocks/decoder.h"

#include <ctype.h>
#include <string.h>

// Names of LLVM's registers that are not general ones, by ISA: one of these words and a number. Floating-point
// registers of Armv7 and AArch64 are parts of vectors. `wide`: registers of more than 128 bits; some CPUs switch the
// upper part on at its first use. `masks`: those that comparisons of vectors write.
static const struct names {
    const char *isa;
    const char *vectors[12], *wide[4], *masks[2];
} names[] = {
    {"x86_64", {"XMM", "YMM", "ZMM", "MM", "ST", "FP", "K", "TMM"}, {"YMM", "ZMM", "TMM"}, {"K"}},
    {"aarch64", {"B", "H", "S", "D", "Q", "Z", "P"}, {"Z"}, {0}},
    {"armv7", {"S", "D", "Q"}, {0}, {0}},
    {"mips", {"F", "D", "W"}, {0}, {0}},
    {"mipsel", {"F", "D", "W"}, {0}, {0}},
    {"riscv64", {"F", "V"}, {"V"}, {0}},
};

// Registers of floating-point modes and flags, which do not show a computation.
static const char *const modes[] = {"MXCSR", "FPCW", "FPSW", "FPCR", "FPSR", "FPSCR", "FRM", "FFLAGS", "VG"};

static const struct names *names_of(const struct isa *isa) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].isa, isa->name) == 0)
            return &names[i];
    return NULL;
}

void code_uses_open(struct code_uses *uses, struct arena *arena, const struct isa *isa, const char *llvm) {
    struct fail refused = {0}; // then all code uses everything
    *uses = (struct code_uses){.isa = isa, .backend = backend_load(arena, llvm, &refused)};
    const struct names *of_isa = names_of(isa);
    if (!uses->backend || !of_isa)
        return;
    struct decoder_cpu widest = decoder_widest(isa);
    struct backend_options options = {.triple = isa->triple,
                                      .cpu = widest.cpu,
                                      .features = widest.features,
                                      .without_model = true,
                                      .no_text = true,
                                      .no_names = true};
    uses->cpu = uses->backend->open(arena, &options, &refused);
}

void code_uses_close(struct code_uses *uses) {
    if (uses->cpu)
        uses->backend->close(uses->cpu);
    uses->cpu = NULL;
}

static bool is_among(const char *const *words, const char *name) {
    for (; *words; words++) {
        size_t n = strlen(*words);
        if (strncmp(name, *words, n) == 0 && isdigit((unsigned char)name[n]))
            return true;
    }
    return false;
}

// Notes a register's uses. `counted`: uses that it may show.
static void note_register(const struct code_uses *uses, uint16_t reg, unsigned counted, struct bench_code *code) {
    const struct machine *machine = uses->backend->machine(uses->cpu);
    const struct names *of_isa = names_of(uses->isa);
    if (reg == 0 || reg >= machine->n_registers)
        return;
    const char *name = machine->registers[reg].name;
    if (text_find(name, modes, sizeof modes / sizeof *modes) < sizeof modes / sizeof *modes)
        return;
    code->uses |= 1U << (is_among(of_isa->vectors, name) ? USE_VECTOR : USE_INTEGER) & counted;
    code->is_wide |= is_among(of_isa->wide, name);
}

// Whether the instruction reads MXCSR: it computes in floating point, and so in vector units, even where it reads no
// vector register, as cvttsd2si eax, [rdi].
static bool reads_mxcsr(const struct code_uses *uses, const struct insn *insn) {
    const struct machine *machine = uses->backend->machine(uses->cpu);
    for (unsigned i = 0; i < insn->n_reads; i++) {
        uint16_t reg = insn->reads[i].reg;
        if (reg < machine->n_registers && strcmp(machine->registers[reg].name, "MXCSR") == 0)
            return true;
    }
    return false;
}

static bool writes_mask(const struct code_uses *uses, const struct insn *insn) {
    const struct machine *machine = uses->backend->machine(uses->cpu);
    const char *const *masks = names_of(uses->isa)->masks;
    for (unsigned i = 0; i < insn->n_writes; i++) {
        uint16_t reg = insn->writes[i].reg;
        if (reg < machine->n_registers && is_among(masks, machine->registers[reg].name))
            return true;
    }
    return false;
}

static void note_insn(const struct code_uses *uses, const struct insn *insn, struct bench_code *code) {
    enum { VECTOR = 1U << USE_VECTOR, COMPUTED = VECTOR | 1U << USE_INTEGER };
    code->uses |= (unsigned)insn->may_load << USE_LOAD | (unsigned)insn->may_store << USE_STORE;
    code->uses |= (unsigned)(insn->may_load && writes_mask(uses, insn)) << USE_MASK;
    for (unsigned i = 0; i < insn->n_writes; i++)
        note_register(uses, insn->writes[i].reg, COMPUTED, code);
    // Reads of addresses and of stored values are not arithmetic. Vectors that an instruction reads in addition to its
    // load are operands of a computation.
    unsigned read = insn->may_store ? 0 : insn->may_load ? VECTOR : COMPUTED;
    for (unsigned i = 0; i < insn->n_reads; i++)
        note_register(uses, insn->reads[i].reg, read, code);
    if (reads_mxcsr(uses, insn))
        code->uses |= read & VECTOR;
}

void code_uses_find(const struct code_uses *uses, struct bench_code *code) {
    struct arena scratch = {0};
    struct block block;
    struct fail refused = {0};
    code->uses = BENCH_ALL_USES;
    code->is_wide = true;
    if (uses->cpu && uses->backend->describe_part(uses->cpu, &scratch, code->bytes, (size_t)(code->body - code->bytes),
                                                  code->n_body_bytes, &block, &refused)) {
        code->uses = 0;
        code->is_wide = false;
        for (unsigned i = 0; i < block.n_insns; i++)
            note_insn(uses, &block.insns[i], code);
    }
    arena_free(&scratch);
}
