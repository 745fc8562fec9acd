// The kernels of forms: which there are, and the text of those whose text is known.
#include "survey/experiments.h"

#include "gen/kernel.h"
#include "survey/partners.h"
#include "survey/testing_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *kernels_of(const char *opcode) {
    struct shape shape = testing_shape(opcode);
    struct text text = {.arena = testing_arena()};
    if (shape.left_out)
        fail_msg("%s is left out: %s", opcode, shape.left_out);
    experiments_add(testing_isa(), &shape, true, &text);
    return text.data;
}

// The line of kernel OPCODE and `suffix`, without its end; null: there is none.
static const char *line_of(const char *opcode, const char *suffix) {
    struct slice rest = {kernels_of(opcode), 0}, line;
    const char *start = arena_printf(testing_arena(), "  - {name: %s%s, ", opcode, suffix);
    rest.length = strlen(rest.data);
    while (slice_next(&rest, '\n', &line))
        if (line.length > strlen(start) && strncmp(line.data, start, strlen(start)) == 0)
            return arena_copy(testing_arena(), line.data, line.length);
    return NULL;
}

static void has(const char *opcode, const char *suffix, const char *part) {
    const char *line = line_of(opcode, suffix);
    if (!line)
        fail_msg("%s has no kernel '%s'", opcode, suffix);
    else if (!strstr(line, part))
        fail_msg("%s\nhas no %s", line, part);
}

static void has_none(const char *opcode, const char *suffix) {
    if (line_of(opcode, suffix))
        fail_msg("%s has a kernel '%s'", opcode, suffix);
}

static void add(void **state) {
    (void)state;
    has("ADD64rr", "", "body: \"addq {o2:r64}, {o0:r64}\", init: {o0: 1, o2: 1}, writes: [o0]}");
    has("ADD64rr", ".chain", "body: \"addq {o2:r64}, {o0:r64}\", init: {o0: 1, o2: 1}, chain: [o0]}");
    // What it adds to is set anew: the chain is through the other source alone.
    has("ADD64rr", ".o2-o0.movslq",
        "body: \"addq {o2:r64}, {o0:r64}; movslq {o0:r32}, {o2:r64}; movl $1, {o0:r32}\", init: {o0: 1, o2: 1}, "
        "chain: [o2]}");
    has("ADD64rr", ".o2-flags.carry-movslq", "cmovbq {c:r64}, {t:r64}; movslq {t:r32}, {o2:r64}; movl $1, {o0:r32}\"");
    has("ADD64rr", ".o2-flags.carry-movslq", "init: {o0: 1, o2: 1, c: 1, t: 1}, chain: [o2]}");
    has("ADD64rr", ".o2-flags.carry-movslq.longer", "movslq {t:r32}, {t:r64}; movslq {t:r32}, {o2:r64}");
    has("ADD64rr", ".same", "body: \"addq {o0:r64}, {o0:r64}\", init: {o0: 1}, chain: [o0]}");
    has_none("ADD64rr", ".broken"); // no stream waits for another
    has_none("ADD64rr", ".memory");
}

static void flags_in_and_out(void **state) {
    (void)state;
    has("ADC64rr", "", "writes: [o0]}");
    has("ADC64rr", ".broken", "body: \"adcq {o2:r64}, {o0:r64}; testl {zf:r32}, {zf:r32}\"");
    has("ADC64rr", ".flags-o0.flags", "testq {o0:r64}, {o0:r64}; movl $1, {o0:r32}\"");
    has("ADC64rr", ".flags-o0.flags", "chain: [flags]}");
    has("ADC64rr", ".flags-flags.alone", "body: \"adcq {o2:r64}, {o0:r64}; movl $1, {o0:r32}\"");
    has("ADC64rr", ".o0-o0.alone", "testl {zf:r32}, {zf:r32}\", init: {o0: 1, o2: 1}, chain: [o0]}");
    // cmp writes nothing but flags, and nothing reads them.
    has("CMP64rr", "", "writes: []}");
    has("CMP64rr", ".o1-flags.flags-movslq", "chain: [o1]}");
    has_none("CMP64rr", ".chain");
}

static void fixed_registers(void **state) {
    (void)state;
    has("MUL64r", "", "body: \"mulq {o0:r64}\", implicit: [rax, rdx], init: {o0: 1, rax: 1}, writes: [rax, rdx]}");
    has("MUL64r", ".broken", "body: \"mulq {o0:r64}; movl $1, %eax\"");
    has("MUL64r", ".rax-rdx.movslq", "body: \"mulq {o0:r64}; movslq %edx, %rax\"");
    has("MUL64r", ".o0-rdx.alone", "chain: [rdx->o0]}");
    // The upper half of a dividend is zero, in all widths: otherwise the quotient overflows.
    has("DIV64r", "", "init: {o0: 1, rax: 1, rdx: 0}");
    has("DIV32r", "", "init: {o0: 1, eax: 1, edx: 0}");
    has("DIV32r", ".broken", "movl $1, %eax; movl $0, %edx\"");
    has("DIV32r", ".slow", "writes: [eax, edx]}");
}

static void vectors(void **state) {
    (void)state;
    has("VADDPSYrr", ".chain", "init: {o1: f32 1.0, o2: f32 1.0}, chain: [o0->o1, o0->o2]}");
    has("VADDPDYrr", ".chain", "init: {o1: f64 1.0, o2: f64 1.0}");
    has("VFMADD231PSYr", ".chain", "chain: [o0]}");
    has("VFMADD231PSYr", ".o2-o0.vpand",
        "body: \"vfmadd231ps {o3:ymm}, {o2:ymm}, {o0:ymm}; vpand {o0:xmm}, {o0:xmm}, {o2:xmm}; vmovaps {zv:ymm}, "
        "{o0:ymm}\"");
    has("VFMADD231PSYr", ".o3-o0.vandps", "vandps {o0:xmm}, {o0:xmm}, {o3:xmm}");
    has("CVTSI642SDrr_Int", ".o2-o0.movq",
        "body: \"cvtsi2sd {o2:r64}, {o0:xmm}; movq {o0:xmm}, {o2:r64}; movaps {zv:xmm}, {o0:xmm}\"");
    has("VDIVPSrr", ".slow", "init: {o1: f32 1.7");
    has_none("VADDPSYrr", ".slow");
    has_none("VFMADD231PSYr", ".same"); // three sources
}

static void memory(void **state) {
    (void)state;
    // Places of its own for each stream; a chain stays at one.
    has("ADD64rm", "", "body: \"addq {at:64}({o2_base:r64}), {o0:r64}\", setup: \"movq $0, (%rsi)\"");
    has("ADD64rm", "", "init: {o0: 1, o2_base: memory}, writes: [o0]}");
    has("ADD64rm", ".o2_base-o0.xor",
        "body: \"addq 64({o2_base:r64}), {o0:r64}; xorq {o0:r64}, {o2_base:r64}; xorq {o0:r64}, {o2_base:r64}; movl "
        "$1, {o0:r32}\"");
    has("ADD64mr", ".memory", "addq {o1:r64}, {at:64}({o0_base:r64})");
    has_none("ADD64mr", ".o1-flags.flags-movslq"); // it stores: what it adds comes later than the address
    has_none("MOV64rm", ".memory");
    has_none("MOV64mr", ".memory");
}

// What each kernel file begins with, and forms of all kinds: the generator takes them.
static void they_are_kernels(void **state) {
    (void)state;
    static const char *const forms[] = {"ADD64rr", "ADC64rr",    "CMP64rr",          "MUL64r",      "DIV32r",
                                        "DIV16r",  "SHL64rCL",   "CMOV64rr",         "XCHG64rr",    "MULX64rr",
                                        "ADD64rm", "ADD64mr",    "MOV64rm",          "VADDPSYrr",   "VFMADD231PSYr",
                                        "ADDPSrr", "VDIVPDrr",   "CVTSI642SDrr_Int", "VADDPSZrrkz", "VPCMPEQDZrr",
                                        "KMOVWkr", "VUCOMISSrr", "BLENDVPSrr0",      "NOOP",        "VMOVAPSYrm"};
    struct text text = {.arena = testing_arena()};
    struct kernel_set set = {0};
    struct fail fail = {0};
    const struct partner_experiment *partners;
    experiments_begin(testing_isa(), &text);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        text_add(&text, kernels_of(forms[i]));
    if (!kernel_load_text(testing_arena(), "test.yaml", text.data, testing_isa(), &set, &fail))
        fail_msg("%u: %s", fail.line, fail.text);
    size_t n = partners_experiments(testing_isa(), &partners);
    for (size_t i = 0; i < n; i++) {
        const char *name = arena_printf(testing_arena(), "CHAIN.%s", partners[i].name);
        const struct kernel *kernel = kernel_find(testing_arena(), &set, name, &fail);
        if (!kernel)
            fail_msg("%s", fail.text);
        assert_int_equal(kernel->n_instructions, partners[i].n_steps);
        assert_int_equal(kernel->n_arcs, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add),     cmocka_unit_test(flags_in_and_out), cmocka_unit_test(fixed_registers),
        cmocka_unit_test(vectors), cmocka_unit_test(memory),           cmocka_unit_test(they_are_kernels),
    };
    return cmocka_run_group_tests(tests, testing_forms_open, testing_forms_close);
}
