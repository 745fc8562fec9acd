#include "survey/forms/probe.h"

#include "gen/gen.h"
#include "lab/experiment.h"

#include <fnmatch.h>
#include <string.h>

// What an example finds: as a block of lab/plan_blocks.c. Each register has a kilobyte to itself, in four frames.
enum {
    FIRST_REGISTER = 0x2324000,
    REGISTER_DISTANCE = 0x11400,
    FILL = FIRST_REGISTER + 16 * REGISTER_DISTANCE + 0x200,
    FRAMES = 4,
    MOST_PAGES = 64,
    LOWEST_ADDRESS = 0x10000,
    HOLE_BYTES = 24, // longer than any instruction, and than four that set a vector's length in front of it
};

// Forms whose bytes are an instruction on all CPUs of the ISA, of which only some know the form's own meaning. The
// opcodes are patterns of LLVM's names. The first line that matches counts. Sources: Intel SDM volume 2, the pages of
// the instructions; 0f 18 to 0f 1f are hints there, appendix A, "Opcode Extensions". AMD APM volume 3, appendix D. Arm
// ARM, C3.2.1 "Hint instructions".
static const struct hint {
    const char *opcodes, *feature;
} hints[] = {
    {"CLDEMOTE", "cldemote"}, // 0f 1c; CPUID 7.0 ECX 25
    {"ENDBR*", "ibt"},        // 0f 1e; CPUID 7.0 EDX 20
    {"RDSSP[DQ]", "shstk"},   // 0f 1e; CPUID 7.0 ECX 7. Where a process has no shadow stack, it does nothing either
    {"PREFETCHIT[01]", "prefetchi"}, // 0f 18; CPUID 7.1 EDX 14
    {"PREFETCHRST2", "movrs"},       // 0f 18; CPUID 7.1 EAX 31
    {"PREFETCHWT1", "prefetchwt1"},  // 0f 0d; CPUID 7.0 ECX 0
    {"PREFETCHW", "prfchw"},         // 0f 0d; CPUID 80000001 ECX 8
    {"PREFETCH", "prfchw"},          // the same
    {"TZCNT*", "bmi"},               // bsf with a prefix; CPUID 7.0 EBX 3
    {"LZCNT*", "lzcnt"},             // bsr with a prefix; CPUID 80000001 ECX 5
    {"PACI*", "pauth"},              // ID_AA64ISAR1_EL1.APA, API
    {"AUTI*", "pauth"},
    {"XPACLRI", "pauth"},
};

// Registers that the harness does not clear (bench/sandbox/cpu_state.h), so that the wrapper does, where the CPU has
// them. RISC-V's vectors then have a type and a length as well.
static const struct cleared {
    const char *isa, *class_name, *feature;
} cleared[] = {
    {"armv7", "q", "neon"},
    {"riscv64", "d", "d"},
    {"riscv64", "v", "v"},
};

static const char *const *registers_to_clear(struct arena *arena, const struct host *host, const struct isa *isa,
                                             size_t *n) {
    const char **names = NULL;
    *n = 0;
    for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++) {
        if (strcmp(cleared[i].isa, isa->name) != 0 || host_feature(host, cleared[i].feature) != FEATURE_PRESENT)
            continue;
        const struct register_class *class = isa_class(isa, cleared[i].class_name);
        for (unsigned j = 0; class->registers[j]; j++)
            *ARENA_ADD(arena, names, *n) = class->registers[j];
    }
    return names;
}

// Makes the program around the hole, which is filled with instructions that do nothing.
static bool make_wrapper(struct arena *arena, const struct host *host, const struct isa *isa, struct program *program,
                         struct fail *fail) {
    uint8_t hole[HOLE_BYTES];
    unsigned char lengths[HOLE_BYTES];
    unsigned n_nops = HOLE_BYTES / isa->nop.n_bytes;
    for (unsigned i = 0; i < n_nops; i++) {
        memcpy(hole + (size_t)i * isa->nop.n_bytes, isa->nop.bytes, isa->nop.n_bytes);
        lengths[i] = (unsigned char)isa->nop.n_bytes;
    }
    struct block_facts facts = {.n_instructions = n_nops, .lengths = lengths};
    facts.registers = registers_to_clear(arena, host, isa, &facts.n_registers);
    const struct block_source source = {.isa = isa, .name = "probe", .bytes = hole, .n_bytes = sizeof hole};
    const struct block_request request = {
        .form = PROGRAM_LOOPED,
        .facts = &facts,
        .start = {.first = FIRST_REGISTER, .distance = REGISTER_DISTANCE},
        .runs_once = true,
    };
    return gen_block(arena, &source, &request, program, fail) && gen_assemble(arena, &program, 1, fail);
}

static struct bench_code code_of(const struct isa *isa, const struct program *program) {
    enum { HALF_BITS = 32 };
    struct bench_code code = program_code(program, false);
    uint64_t fill = FILL;
    code.foreign = (struct bench_foreign){
        .exit_offset = program->exit_offset,
        .most_pages = MOST_PAGES,
        .frames = FRAMES,
        .fill = isa->classes->bits == HALF_BITS ? fill << HALF_BITS | fill : fill,
        .lowest_address = LOWEST_ADDRESS,
        .stores = true,
    };
    return code;
}

static bool can_run(const struct form *form) {
    return form->status == FORM_USABLE && form->n_bytes > 0 && form->n_setup_bytes + form->n_bytes <= HOLE_BYTES;
}

const char *probe_hint(const char *opcode) {
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (fnmatch(hints[i].opcodes, opcode, 0) == 0)
            return hints[i].feature;
    return NULL;
}

static const char *missing_hint(const struct host *host, const char *opcode) {
    const char *feature = probe_hint(opcode);
    return feature && host_feature(host, feature) == FEATURE_MISSING ? feature : NULL;
}

static bool run(struct arena *arena, const struct host *host, const struct form *forms, size_t n,
                struct probed_form *results, struct probe_counts *counts, struct fail *fail) {
    const struct isa *isa = isa_native();
    struct program wrapper;
    struct probe_piece *pieces = ARENA_ARRAY(arena, struct probe_piece, n);
    enum bench_outcome *outcomes = ARENA_ARRAY(arena, enum bench_outcome, n);
    size_t n_pieces = 0, taken = 0;
    if (!isa)
        return fail_set(fail, FAIL_UNAVAILABLE, "Cyclops cannot run code of this machine's ISA");
    if (!make_wrapper(arena, host, isa, &wrapper, fail))
        return false;
    for (size_t i = 0; i < n; i++)
        if (can_run(&forms[i]))
            pieces[n_pieces++] = (struct probe_piece){forms[i].bytes - forms[i].n_setup_bytes,
                                                      forms[i].n_setup_bytes + forms[i].n_bytes};
    struct bench_code code = code_of(isa, &wrapper);
    const struct probe_request request = {
        .wrapper = &code,
        .hole_offset = wrapper.body_range.offset,
        .hole_bytes = wrapper.body_range.length,
        .pieces = pieces,
        .n_pieces = n_pieces,
    };
    if (!probe_run(&request, outcomes, counts, fail))
        return false;
    for (size_t i = 0; i < n; i++) {
        results[i] = (struct probed_form){.was_run = can_run(&forms[i])};
        if (!results[i].was_run)
            continue;
        results[i].outcome = outcomes[taken++];
        results[i].hint = results[i].outcome == BENCH_OK ? missing_hint(host, forms[i].opcode) : NULL;
    }
    return true;
}

bool probe_forms(const struct host *host, const struct form *forms, size_t n, struct probed_form *results,
                 struct probe_counts *counts, struct fail *fail) {
    struct arena arena = {0};
    bool is_done = run(&arena, host, forms, n, results, counts, fail);
    arena_free(&arena);
    return is_done;
}

const char *probe_hint_text(struct arena *arena, const char *feature) {
    return arena_printf(arena, "hint: this CPU lacks %s", feature);
}

const char *probed_form_text(struct arena *arena, const struct probed_form *probed) {
    if (!probed->was_run)
        return "";
    return probed->hint ? probe_hint_text(arena, probed->hint) : bench_outcome_name(probed->outcome);
}
