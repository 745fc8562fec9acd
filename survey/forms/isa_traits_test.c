// Shapes, ways back and experiments on other ISAs than x86-64.
#include "survey/forms/isa_traits.h"

#include "base/text.h"
#include "gen/kernel.h"
#include "survey/experiments/experiments.h"
#include "survey/forms/testing_forms.h"

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
    struct experiment_list list = {.arena = testing_arena()};
    struct slice rest, line;
    const char *start = arena_printf(testing_arena(), "  - {name: %s%s, ", opcode, suffix);
    experiments_add(testing_isa(), &shape, true, &list);
    experiment_list_put(&list, &text);
    rest = (struct slice){text.data, text.length};
    while (slice_next(&rest, '\n', &line)) {
        const char *copy = arena_copy(testing_arena(), line.data, line.length);
        if (!text_starts(copy, start))
            continue;
        if (!strstr(copy, part))
            fail_msg("%s\nhas no %s", copy, part);
        return;
    }
    fail_msg("%s has no kernel '%s'", opcode, suffix);
}

static void expect_no_kernel(const char *opcode, const char *suffix) {
    struct shape shape = testing_shape(opcode);
    struct experiment_list list = {.arena = testing_arena()};
    const char *name = arena_printf(testing_arena(), "%s%s", opcode, suffix);
    experiments_add(testing_isa(), &shape, true, &list);
    for (size_t i = 0; i < list.n; i++)
        if (strcmp(list.items[i].kernel.name, name) == 0)
            fail_msg("there is a kernel '%s'", name);
}

// All forms that can be measured, and the scaffold: the generator takes them.
static void expect_kernels_load(const char *const *opcodes) {
    struct experiment_list list = {.arena = testing_arena()};
    struct kernel_set set = {0};
    struct fail fail = {0};
    experiments_add_scaffold(testing_isa(), &list);
    for (; *opcodes; opcodes++) {
        struct shape shape = testing_shape(*opcodes);
        experiments_add(testing_isa(), &shape, true, &list);
    }
    if (!experiment_list_make(&list, 0, testing_arena(), "test", testing_isa(), &set, &fail))
        fail_msg("%s", fail.text);
}

static bool is_measured(const struct chain_partner_experiment *experiments, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(experiments[i].name, name) == 0)
            return true;
    return false;
}

static void steps_are_measured(void **state) {
    (void)state;
    const struct chain_partner_experiment *experiments;
    size_t n = chain_partners_experiments(testing_isa(), &experiments);
    for (const struct way_step *step = isa_traits_find(testing_isa())->steps; step->name; step++)
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
    expect_kernel("FMLAv4f32", ".o2-o0.crossing", "fmla {o2:v}.4s, {o0:v}.4s, {o3:v}.4s\"");
    expect_kernel("ADD_ZPmZ_S", ".o3-o0.crossing", "; add {o3:z}.s, {o1:pg}/m, {o3:z}.s, {o0:z}.s\"");
    expect_kernel("FMLAv8i16_indexed", ".o3-o0.crossing", "; fmla {o3:v}.8h, {o2:v}.8h, {o0:vlow}.h[1]\"");
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
    expect_kernel("SDIVXr", ".slow.o2-o0.andorr", "; and {o0:x}, {o0:x}, {zero:x}; orr {o0:x}, {o0:x}, {again:x}\"");
    expect_kernel("SDIVXr", ".slow.o2-o0.andorr", "again: 12347, zero: 0, o1: 9007199254740881, o2: 12347}");
    expect_kernel("UDIVWr", ".slow.o1-o0.andorr", "again: 2147483629, zero: 0, o1: 2147483629, o2: 12347}");
    expect_kernel("FDIVDrr", ".slow", "f64 1.4142135623730951");
    expect_kernel("FDIVHrr", ".slow.o1-o0.andorrv", "again: i16 16110, o1: i16 16110, o2: i16 15784}, chain: [o0->o1]");
    expect_kernel("FSQRTv4f32", ".slow.o1-o0.andorrv", "orr {o0:v}.16b, {o0:v}.16b, {again:v}.16b\"");
    // The result of SVE's is a source, so copies wait for it, and the numbers stay only in this chain.
    expect_kernel("FDIV_ZPmZ_S", ".slow.o0-o0.andorrv", "o0: f32 1.7320508075688772, o1: 65535, o3: f32 1.41");
    expect_kernel("SDIV_ZPmZ_D", ".slow.o0-o0.andorrv", "again: i64 9007199254740881");
    expect_no_kernel("FDIV_ZPmZ_S", ".slow");
    expect_no_kernel("FDIV_ZPmZ_S", ".slow.o3-o0.andorrv");
    expect_no_kernel("FRSQRTEv4f32", ".slow");
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
    expect_body("CBO_ZERO", ".option arch, +zicboz; cbo.zero ({o0_base:x}); .option norvc");
    expect_body("FCVT_D_S", "fcvt.d.s {o0:d}, {o1:s}");
    expect_body("LD", "ld {o0:x}, 16({o1_base:x})");
    expect_body("VMACC_VV", "vmacc.vv {o0:v}, {o2:v}, {o3:v}");
    // Lists and groups of registers.
    expect_body("VLSEG3E32_V", "vlseg3e32.v {o0:vg3}, ({o1_base:x})");
    expect_body("VLUXSEG2EI32_V", "vluxseg2ei32.v {o0:vg2}, ({o1_base:x}), {o2_index:v}");
    expect_body("VMV4R_V", "vmv4r.v {o0:vg4}, {o1:vg4}");
    // Their work is to set a mode.
    expect_body("VSETVLI", "vsetvli {o0:x}, {o1:x}, e8, m2, tu, mu");
    // LLVM prints compressed instructions as what they mean.
    expect_body("C_ADD", ".option rvc; add {o0:x}, {o0:x}, {o2:x}; .option norvc");
    expect_body("C_AND", ".option rvc; and {o0:xc}, {o0:xc}, {o2:xc}; .option norvc");
}

static void riscv64_reasons(void **state) {
    (void)state;
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
    // Indices of zero: all lanes are at one address. Those of 64 bits have elements of 64, so that they fill a
    // register.
    expect_kernel("VLUXEI32_V", "", "o1_base: \"memory + {at:64}\", o2_index: 0}, writes: [o0]}");
    expect_kernel("VLUXEI32_V", ".o2_index-o0.vand", "; vand.vv {o2_index:v}, {o0:v}, {o0:v}\"");
    expect_kernel("VLUXEI64_V", "", "vsetvli x31, x0, e64, m1, ta, ma");
    expect_no_kernel("VLUXEI32_V", ".chain");
    expect_kernel("VRGATHER_VV", "", "o2: 0");
    // A mask in v0, which is no role, and often may not be the result. LLVM 19 decodes only some such forms.
    expect_body("VMSBF_M", "vmsbf.m {o0:v}, {o1:v}, v0.t");
    expect_kernel("VMSBF_M", "", "implicit: [v0], init: {o1: f32 1.0, v0: f32 1.0}, writes: [o0]}");
    expect_kernel("VMSBF_M", ".v0-o0.vand", "; vand.vv v0, {o0:v}, {o0:v}\"");
    expect_kernel("VCPOP_M", ".v0-o0.vmv", "; vmv.v.x v0, {o0:x}\"");
    expect_kernel("DIV", ".slow", "o1: 9007199254740881");
    expect_kernel("REMW", ".slow", "o1: 2147483629, o2: 12347}"); // it takes the lower halves
    expect_kernel("REMW", ".slow.o1-o0.andor", "; and {o0:x}, {o0:x}, {zero:x}; or {o0:x}, {o0:x}, {again:x}\"");
    expect_kernel("FDIV_D", ".slow", "f64 1.4142135623730951");
    expect_kernel("FSQRT_S", ".slow.o1-o0.fsgnj", "; fsgnj.d {o0:s}, {again:s}, {o0:s}\"");
    expect_kernel("VDIV_VV", ".slow", "o1: i32 2147483629, o2: i32 12347}");
    expect_kernel("VDIVU_VX", ".slow", "o1: i32 2147483629, o2: 12347}");
    expect_kernel("VFSQRT_V", ".slow.o1-o0.vandvor", "again: f32 1.7320508075688772");
    expect_kernel("VFRDIV_VF", ".slow.o1-o0.vandvor", "again: f32 1.7320508075688772");
    expect_no_kernel("VFRDIV_VF", ".slow.o2-o0.vandvor"); // from another kind of register
    static const char *const forms[] = {"ADD",     "C_ADD",    "C_AND",   "LD",        "C_LD",   "FLD",     "FADD_D",
                                        "FADD_H",  "FCVT_D_W", "FEQ_D",   "REMUW",     "SD",     "FSQRT_S", "AMOADD_D",
                                        "FMADD_D", "FMV_X_D",  "VADD_VV", "VFMACC_VF", "VLE8_V", "VSE64_V", NULL};
    expect_kernels_load(forms);
}

static void armv7_experiments(void **state) {
    (void)state;
    // Flags have no name in kernels: where they are the source, the way comes first.
    expect_kernel("CMPrr", ".o0-flags.flags-sxth",
                  "body: \"cmp {o0:r}, {o1:r}; mov {t:r}, #1; moveq {t:r}, {c:r}; sxth");
    expect_kernel("CMPrr", ".o0-flags.carry-sxth.longer", "movcs {t:r}, {c:r}; sxth {t:r}, {t:r}; sxth");
    expect_kernel("ADCrr", ".flags-o0.flags", "body: \"cmp {o0:r}, #0; adc {o0:r}, {o1:r}, {o2:r}\", init");
    expect_kernel("ADCrr", ".flags-o0.flags", "chain: [o0]}");
    expect_kernel("ADCrr", ".flags-flags.flags-flags", "moveq {t:r}, {c:r}; cmp {t:r}, #0; adc {o0:r}");
    expect_kernel("ADCrr", ".flags-flags.flags-flags", "chain: [t]}");
    expect_kernel("ADCrr", ".broken",
                  "adc {o0:r}, {o1:r}, {o2:r}; cmp {zf:r}, #0\", init: {o1: 1, o2: 1}, writes: [o0]}");
    expect_no_kernel("ADCrr", "");            // all streams would wait for the flags
    expect_kernel("CMPrr", "", "writes: []"); // which this one only writes
    // Doubles and quadruples.
    expect_kernel("VMLALsv2i64", ".o2-o0.vmovn.together", "; vmovn.i32 {o2:d}, {o0:q}\"");
    expect_kernel("VDUP32q", ".o1-o0.vdupq", "; vmovn.i32 {half:d}, {o0:q}; vmov.32 {o1:r}, {half:d}[0]\"");
    // Lanes are of the first registers only.
    expect_body("VMLAslfd", "vmla.f32 {o0:d}, {o2:d}, {o3:dlow}[1]");
    expect_body("VMLAslv4i16", "vmla.i16 {o0:d}, {o2:d}, {o3:dlane}[1]");
    // The floating-point unit has no operations on bits.
    expect_kernel("VSQRTD", ".slow.o1-o0.vmulvaddd",
                  "; vmul.f64 {o0:d}, {o0:d}, {zero:d}; vadd.f64 {o0:d}, {o0:d}, {aga");
    expect_kernel("SDIV", ".slow.o2-o0.andorr", "again: 12347, zero: 0, o1: 2147483629, o2: 12347}");
    static const char *const forms[] = {"ADCrr",       "CMPrsr", "VMLALsv2i64", "VDUP32q", "VMLAslfd",
                                        "VMLAslv4i16", "VSQRTS", "VDIVD",       "UDIV",    "VADDfq",
                                        "VMOVRRD",     "LDRi12", "VADDHNv2i32", NULL};
    expect_kernels_load(forms);
}

static void mips_experiments(void **state) {
    (void)state;
    expect_body("MULT", "mult {o0:r}, {o1:r}");
    expect_body("SDIV", "div $zero, {o0:r}, {o1:r}"); // with another register there, it is a macro
    expect_kernel("MULT", ".o0-lo.mtlo", "body: \"mult {o0:r}, {o1:r}; mflo {o0:r}\"");
    expect_kernel("MULT", ".o1-hi.mthi", "body: \"mult {o0:r}, {o1:r}; mfhi {o1:r}\"");
    expect_kernel("MTLO", ".o0-lo.mtlo", "body: \"mtlo {o0:r}; mflo {o0:r}\"");
    expect_kernel("MFHI", ".hilo-o0.mtlo", "body: \"mthi {o0:r}; mtlo {o0:r}; mfhi {o0:r}\"");
    expect_kernel("MADD", ".lo-lo.mtlo-addiu-addiu-mtlo", "body: \"mflo {t:r}; mthi $zero; addiu");
    expect_kernel("MADD", ".lo-lo.mtlo-addiu-addiu-mtlo", "; mtlo {t:r}; madd {o0:r}, {o1:r}\"");
    expect_kernel("MADD", ".lo-lo.mtlo-addiu-addiu-mtlo", "chain: [t]}");
    expect_kernel("FDIV_D32", ".slow.o1-o0.muldaddd",
                  "mul.d {o0:d}, {o0:d}, {zero:d}; add.d {o0:d}, {o0:d}, {again:d}\"");
    // Odd registers of the example are operands, and roles are even ones.
    expect_body("FADD_S", "add.s {o0:s}, {o1:s}, {o2:s}");
    expect_body("CVT_D32_S", "cvt.d.s {o0:d}, {o1:s}");
    expect_kernel("FSQRT_S", ".slow.o1-o0.mulsadds", "again: f32 1.7320508075688772");
    expect_left_out("TEQ", "it traps where its sources are equal");
    static const char *const forms[] = {"MULT",     "MADD",    "SDIV",   "UDIV",      "MFHI", "MTLO",
                                        "FDIV_D32", "FSQRT_S", "FADD_S", "CVT_D32_S", "ADDu", NULL};
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
    const struct CMUnitTest armv7[] = {cmocka_unit_test(steps_are_measured), cmocka_unit_test(armv7_experiments)};
    const struct CMUnitTest mips[] = {cmocka_unit_test(steps_are_measured), cmocka_unit_test(mips_experiments)};
    return cmocka_run_group_tests(aarch64, testing_forms_open_aarch64, testing_forms_close) +
           cmocka_run_group_tests(riscv64, testing_forms_open_riscv64, testing_forms_close) +
           cmocka_run_group_tests(armv7, testing_forms_open_armv7, testing_forms_close) +
           cmocka_run_group_tests(mips, testing_forms_open_mips, testing_forms_close);
}
