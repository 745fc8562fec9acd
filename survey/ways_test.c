// Shapes, ways back and experiments on other ISAs than x86-64: AArch64 and RISC-V.
#include "survey/ways.h"

#include "gen/kernel.h"
#include "survey/experiments.h"
#include "survey/testing_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect_body(const char *opcode, const char *body) {
    struct shape shape = testing_shape(opcode);
    if (shape.left_out)
        fail_msg("%s is left out: %s", opcode, shape.left_out);
    else
        assert_string_equal(shape.body, body);
}

static void expect_left_out(const char *opcode, const char *why) {
    struct shape shape = testing_shape(opcode);
    if (!shape.left_out)
        fail_msg("%s is not left out", opcode);
    else
        assert_string_equal(shape.left_out, why);
}

// The part of the line of kernel `name`, a form's and a suffix, that begins with its body.
static void expect_kernel(const char *opcode, const char *suffix, const char *part) {
    struct shape shape = testing_shape(opcode);
    struct text text = {.arena = testing_arena()};
    struct slice rest, line;
    const char *start = arena_printf(testing_arena(), "  - {name: %s%s, ", opcode, suffix);
    experiments_add(testing_isa(), &shape, true, &text);
    rest = (struct slice){text.data, text.length};
    while (slice_next(&rest, '\n', &line)) {
        const char *copy = arena_copy(testing_arena(), line.data, line.length);
        if (strncmp(copy, start, strlen(start)) != 0)
            continue;
        if (!strstr(copy, part))
            fail_msg("%s\nhas no %s", copy, part);
        return;
    }
    fail_msg("%s has no kernel '%s'", opcode, suffix);
}

// All forms that can be measured, and what each file begins with: the generator takes them.
static void expect_kernels_load(const char *const *opcodes) {
    struct text text = {.arena = testing_arena()};
    struct kernel_set set = {0};
    struct fail fail = {0};
    experiments_begin(testing_isa(), &text);
    for (; *opcodes; opcodes++) {
        struct shape shape = testing_shape(*opcodes);
        experiments_add(testing_isa(), &shape, true, &text);
    }
    if (!kernel_load_text(testing_arena(), "test.yaml", text.data, testing_isa(), &set, &fail))
        fail_msg("%u: %s", fail.line, fail.text);
}

static bool is_measured(const struct partner_experiment *experiments, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(experiments[i].name, name) == 0)
            return true;
    return false;
}

static void steps_are_measured(void **state) {
    (void)state;
    const struct partner_experiment *experiments;
    size_t n = partners_experiments(testing_isa(), &experiments);
    for (const struct way_step *step = ways_find(testing_isa())->steps; step->name; step++)
        if (!is_measured(experiments, n, step->name))
            fail_msg("no experiment measures %s", step->name);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3 && experiments[i].parts[k]; k++)
            assert_true(is_measured(experiments, n, experiments[i].parts[k]));
        assert_true(!experiments[i].less || is_measured(experiments, n, experiments[i].less));
    }
}

static void aarch64_bodies(void **state) {
    (void)state;
    expect_body("ADDXrs", "add {o0:x}, {o1:x}, {o2:x}, lsl #1");
    expect_body("ADDWri", "add {o0:w}, {o1:w}, #3");
    expect_body("FADDDrr", "fadd {o0:d}, {o1:d}, {o2:d}");
    // LLVM calls v0 Q0 or D0.
    expect_body("FMLAv4f32", "fmla {o0:v}.4s, {o2:v}.4s, {o3:v}.4s");
    expect_body("ADDv8i8", "add {o0:v}.8b, {o1:v}.8b, {o2:v}.8b");
    // Lanes of 16 bits are in the first registers only, governing predicates likewise.
    expect_body("FMLAv8i16_indexed", "fmla {o0:v}.8h, {o2:v}.8h, {o3:vlow}.h[1]");
    expect_body("ADD_ZPmZ_S", "add {o0:z}.s, {o1:pg}/m, {o0:z}.s, {o3:z}.s");
    // Addresses: aligned, and not moved.
    expect_body("LDRXui", "ldr {o0:x}, [{o1_base:x}, #16]");
    expect_body("LDURXi", "ldur {o0:x}, [{o1_base:x}, #16]");
    expect_body("LDRXpre", "ldr {o1:x}, [{o0_base:x}, #0]!");
    expect_body("LDRXpost", "ldr {o1:x}, [{o0_base:x}], #0");
    expect_body("LDRXroX", "ldr {o0:x}, [{o1_base:x}, {o2_index:x}, sxtx #3]");
    expect_body("LD1i32_POST", "ld1 { {o1:v}.s }[1], [{o0_base:x}], {o5_index:x}");
    assert_true(testing_shape("LDADDX").has_memory);
    assert_false(testing_shape("ADDXrs").has_memory);
}

static void aarch64_reasons(void **state) {
    (void)state;
    expect_left_out("LD2Twov4s", "its operand is a list of registers in a row");
    expect_left_out("CASPX", "its operand is a pair of registers in a row");
    expect_left_out("GLD1W_D", "it gathers or scatters");
    expect_left_out("STXRX", "it stores only behind an exclusive load");
    expect_left_out("PACIASP", "it uses the stack pointer");
    expect_left_out("PACIA1716", "it uses x16, which the program around it needs");
    expect_left_out("SETFFR", "it changes FFR, for all code behind it");
    expect_left_out("SVC", "it calls the system");
    expect_left_out("MSR", "it changes a system register");
    expect_left_out("B", "control flow");
}

static void aarch64_experiments(void **state) {
    (void)state;
    expect_kernel("ADDXrs", ".chain", "chain: [o0->o1, o0->o2]}");
    expect_kernel("SUBSXri", ".o1-flags.carry-sxtw", "csel {t:x}, {c:x}, {d:x}, cs; sxtw {o1:x}, {t:w}\"");
    expect_kernel("SUBSXri", ".o1-flags.flags-sxtw.longer", "sxtw {t:x}, {t:w}; sxtw {o1:x}, {t:w}\"");
    expect_kernel("ADCXr", ".flags-o0.flags", "cmp {o0:x}, #0\"");
    expect_kernel("ADCSXr", ".broken", "cmp {zf:x}, #0\"");
    expect_kernel("FMOVDXr", ".o1-o0.fmov", "fmov {o0:x}, {o1:d}; fmov {o1:d}, {o0:x}\"");
    expect_kernel("FMLAv4f32", ".o2-o0.and.together", "and {o2:v}.16b, {o0:v}.16b, {o0:v}.16b\"");
    // What ends a dependence comes early, with steps more behind it.
    expect_kernel(
        "ADCSXr", ".o1-flags.flags-sxtw-sxtw-sxtw",
        "csel {t:x}, {c:x}, {d:x}, eq; cmp {zf:x}, #0; sxtw {t:x}, {t:w}; sxtw {t:x}, {t:w}; sxtw {o1:x}, {t:w}");
    expect_kernel("LDRXui", ".o1_base-o0.address",
                  "eor {o1_base:x}, {o1_base:x}, {o0:x}; eor {o1_base:x}, {o1_base:x}");
    expect_kernel("LDRXui", "", "setup: \"str xzr, [x1]\", init: {o1_base: \"memory + {at:64}\"}, writes: [o0]}");
    expect_kernel("LDRXroX", "", "o2_index: 0}");
    expect_kernel("LDRDui", ".o1_base-o0.fmov-address", "fmov {t:x}, {o0:d}; eor {o1_base:x}, {o1_base:x}, {t:x}");
    expect_kernel("LDADDX", ".memory", "init: {");
    // A mask is not source and result at once.
    expect_kernel("AND_PPzPP", ".o2-o0.ands", "{g:p}/z");
    expect_kernel("FADDHrr", "", "o1: i16 15360");
    expect_kernel("SDIVXr", ".slow", "o1: 9007199254740881");
    expect_kernel("FDIVDrr", ".slow", "f64 1.4142135623730951");
    static const char *const forms[] = {"ADDXrs",     "ADDWri",        "SUBSXri",     "ADCSXr",
                                        "CCMPXr",     "FADDDrr",       "FMLAv4f32",   "FMLAv8i16_indexed",
                                        "ADD_ZPmZ_S", "CMPEQ_PPzZZ_B", "LD1B",        "LDRXui",
                                        "LDRXpost",   "LDRQui",        "LD1i32_POST", "FCSELDrrr",
                                        "FMOVXDr",    "SDIVWr",        "FSQRTSr",     "LDADDX",
                                        "PTRUE_B",    "CNTP_XPP_B",    "BICv2i32",    NULL};
    expect_kernels_load(forms);
}

static void riscv64_bodies(void **state) {
    (void)state;
    expect_body("ADD", "add {o0:x}, {o1:x}, {o2:x}");
    expect_body("FADD_D", "fadd.d {o0:d}, {o1:d}, {o2:d}, rtz");
    expect_body("FADD_S", "fadd.s {o0:s}, {o1:s}, {o2:s}, rtz");
    expect_body("FADD_H", "fadd.h {o0:h}, {o1:h}, {o2:h}, rtz");
    expect_body("FCVT_D_S", "fcvt.d.s {o0:d}, {o1:s}, rtz");
    expect_body("LD", "ld {o0:x}, 16({o1_base:x})");
    expect_body("VMACC_VV", "vmacc.vv {o0:v}, {o2:v}, {o3:v}");
    // LLVM prints compressed instructions as what they mean.
    expect_body("C_ADD", ".option rvc; add {o0:x}, {o0:x}, {o2:x}; .option norvc");
    expect_body("C_AND", ".option rvc; and {o0:xc}, {o0:xc}, {o2:xc}; .option norvc");
}

static void riscv64_reasons(void **state) {
    (void)state;
    expect_left_out("VLSEG2E32_V", "it transfers a list of registers");
    expect_left_out("VLUXEI32_V", "it gathers or scatters");
    expect_left_out("VSETVLI", "it changes the type of vectors, for all code behind it");
    expect_left_out("SC_D", "it stores only behind an exclusive load");
    expect_left_out("C_LDSP", "it uses the stack pointer");
    expect_left_out("CSRRW", "it changes a state of the thread, for all code behind it");
    expect_left_out("ECALL", "it calls the system");
    expect_left_out("JALR", "control flow");
}

static void riscv64_experiments(void **state) {
    (void)state;
    expect_kernel("ADD", ".chain", "chain: [o0->o1, o0->o2]}");
    expect_kernel("LD", ".o1_base-o0.address", "xor {o1_base:x}, {o1_base:x}, {o0:x}; xor {o1_base:x}, {o1_base:x}");
    expect_kernel("FLD", ".o1_base-o0.fmv-address", "fmv.x.d {t:x}, {o0:d}; xor");
    expect_kernel("FCVT_D_W", ".o1-o0.fmv", "fmv.x.d {o1:x}, {o0:d}\"");
    expect_kernel("C_ADD", ".o2-o0.addiw-addiw", "addiw {o2:x}, {o0:x}, 0; li {o0:x}, 1; addiw {o2:x}, {o2:x}, 0\"");
    expect_kernel("FADD_S", "", "o1: f32 1.0");
    // Registers of vectors stand alone. What widens has vectors of half a register.
    expect_kernel("VADD_VV", "", "setup: \"vsetvli x31, x0, e32, m1, ta, ma\"");
    expect_kernel("VWADD_VV", ".o1-o0.vand", "setup: \"vsetvli x31, x0, e32, mf2, ta, ma\"");
    expect_kernel("VLE64_V", "", "setup: \"sd x0, (x11); vsetvli x31, x0, e64, m1, ta, ma\"");
    expect_kernel("VMV_X_S", ".o1-o0.vmv", "vmv.v.x {o1:v}, {o0:x}\"");
    expect_kernel("DIV", ".slow", "o1: 9007199254740881");
    expect_kernel("FDIV_D", ".slow", "f64 1.4142135623730951");
    static const char *const forms[] = {"ADD",     "C_ADD",    "C_AND",   "LD",        "C_LD",   "FLD",     "FADD_D",
                                        "FADD_H",  "FCVT_D_W", "FEQ_D",   "REMUW",     "SD",     "FSQRT_S", "AMOADD_D",
                                        "FMADD_D", "FMV_X_D",  "VADD_VV", "VFMACC_VF", "VLE8_V", "VSE64_V", NULL};
    expect_kernels_load(forms);
}

int main(void) {
    const struct CMUnitTest aarch64[] = {
        cmocka_unit_test(steps_are_measured),
        cmocka_unit_test(aarch64_bodies),
        cmocka_unit_test(aarch64_reasons),
        cmocka_unit_test(aarch64_experiments),
    };
    const struct CMUnitTest riscv64[] = {
        cmocka_unit_test(steps_are_measured),
        cmocka_unit_test(riscv64_bodies),
        cmocka_unit_test(riscv64_reasons),
        cmocka_unit_test(riscv64_experiments),
    };
    return cmocka_run_group_tests(aarch64, testing_forms_open_aarch64, testing_forms_close) +
           cmocka_run_group_tests(riscv64, testing_forms_open_riscv64, testing_forms_close);
}
