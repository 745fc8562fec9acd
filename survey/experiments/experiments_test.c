// The kernels of forms: which there are, and the text of those whose text is known.
#include "survey/experiments/experiments.h"

#include "base/text.h"
#include "gen/kernel.h"
#include "survey/forms/chain_partners.h"
#include "survey/forms/testing_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// The form's kernels as a file has them.
static const char *kernels_of(const char *opcode) {
    struct shape shape = testing_shape(opcode);
    struct experiment_list list = {.arena = testing_arena()};
    struct text text = {.arena = testing_arena()};
    if (shape.left_out)
        fail_msg("%s is left out: %s", opcode, shape.left_out);
    experiments_add(testing_isa(), &shape, true, &list);
    experiment_list_put(&list, &text);
    return text.data;
}

// The line of kernel OPCODE and `suffix`, without its end; null: the form has no such kernel.
static const char *line_of(const char *opcode, const char *suffix) {
    struct slice rest = {kernels_of(opcode), 0}, line;
    const char *start = arena_printf(testing_arena(), "  - {name: %s%s, ", opcode, suffix);
    rest.length = strlen(rest.data);
    while (slice_next(&rest, '\n', &line))
        if (line.length > strlen(start) && text_starts(line.data, start))
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
    has("ADC64rr", ".broken.2", "adcq {o2:r64}, {o0:r64}; xorl {zf:r32}, {zf:r32}\"");
    has("ADC64mr", ".broken.1", "; xorl {zf:r32}, {zf:r32}\""); // copies of a store would share an address
    has_none("ADC64mr", ".broken.2");
    has("ADC64rr", ".flags-o0.flags", "cmpq $0, {o0:r64}; movl $1, {o0:r32}\"");
    has("ADC64rr", ".flags-o0.flags", "chain: [flags]}");
    has("ADC64rr", ".flags-flags.alone", "body: \"adcq {o2:r64}, {o0:r64}; movl $1, {o0:r32}\"");
    has("ADC64rr", ".o0-o0.alone", "testl {zf:r32}, {zf:r32}\", init: {o0: 1, o2: 1}, chain: [o0]}");
    // cmp writes nothing but flags, and nothing reads them.
    has("CMP64rr", "", "writes: []}");
    has("CMP64rr", ".o1-flags.flags-movslq", "chain: [o1]}");
    has_none("CMP64rr", ".chain");
}

// Into flags, through all of them and through carry alone.
static void carry_in(void **state) {
    (void)state;
    has("ADC64rr", ".flags-o0.flags", "cmpq $0, {o0:r64}");
    has("ADC64rr", ".flags-o0.movslq-bt", "; movslq {o0:r32}, {t:r64}; btq $0, {t:r64}");
    has("ADC64rr", ".flags-o0.movslq-bt.longer", "; movslq {t:r32}, {t:r64}; btq $0, {t:r64}");
    has("SETCCr", ".flags-o0.movslq-bt.longer", "btq $0, {t:r64}");
    has_none("ADC64rr", ".flags-o0.flags.longer");
    has_none("ADC8rr-high0", ".flags-o0_whole.movslq-bt");
}

static void fixed_registers(void **state) {
    (void)state;
    has("MUL64r", "", "body: \"mulq {o0:r64}\", implicit: [rax, rdx], init: {o0: 1, rax: 1}, writes: [rax, rdx]}");
    has("MUL64r", ".broken", "body: \"mulq {o0:r64}; movl $1, %eax\"");
    has("MUL64r", ".broken.2", "body: \"mulq {o0:r64}; mulq {o0:r64}; movl {zg:r32}, %eax\"");
    has("MUL64r", ".broken.4", "mulq {o0:r64}; mulq {o0:r64}; mulq {o0:r64}; mulq {o0:r64}; movl {zg:r32}, %eax\"");
    has("MUL64r", ".broken.4", "init: {o0: 1, rax: 1, zg: 1}");
    has("DIV64r", ".broken.2", "; movl {zg:r32}, %eax; xorl %edx, %edx\"");
    has("MUL64r", ".rax-rdx.movslq", "body: \"mulq {o0:r64}; movslq %edx, %rax\"");
    has("MUL64r", ".o0-rdx.alone", "chain: [rdx->o0]}");
    // The upper half of a dividend is zero, in all widths: otherwise the quotient overflows.
    has("DIV64r", "", "init: {o0: 1, rax: 1, rdx: 0}");
    has("DIV32r", "", "init: {o0: 1, eax: 1, edx: 0}");
    has("DIV32r", ".broken", "movl $1, %eax; movl $0, %edx\"");
    has("DIV32r", ".slow", "writes: [eax, edx]}");
    // Latencies of the same numbers, which the way back restores.
    has("DIV32r", ".slow",
        "init: {o0: 2147483629, upper: 268435399, lower: 1234567891, edx: 268435399, eax: 1234567891}");
    has("DIV32r", ".slow.eax-eax.xor", "; andq {zero:r64}, %rax; orq {lower:r64}, %rax; movq {upper:r64}, %rdx\"");
    has("DIV32r", ".slow.eax-eax.xor", "eax: 1234567891, upper: 268435399, lower: 1234567891, zero: 0}, chain: [eax]}");
    has("IDIV64r", ".slow.o0-rdx.xor", "; andq {zero:r64}, %rdx; xorq %rdx, {o0:r64}; movq {lower:r64}, %rax; movq");
    has("IDIV64r", ".slow.o0-rdx.xor", "chain: [o0]}");
    has("DIV8r", ".slow", "body: \"divb {o0:r8}; movl {lower:r32}, %eax\"");
    has("DIV8r", ".slow", "init: {o0: 113, lower: 12345, ax: 12345}, writes: [ax]}");
    has("DIV8r", ".slow.ax-ax.xor", "; andq {zero:r64}, %rax; orq {lower:r64}, %rax\", implicit");
    has("IDIV8r", ".slow.o0-ax.xor", "; andq {zero:r64}, %rax; xorq %rax, {o0:r64}; movl {lower:r32}, %eax\"");
    has_none("MUL8r", ".slow");
}

static void vectors(void **state) {
    (void)state;
    has("VADDPSYrr", ".chain", "init: {o1: f32 1.0, o2: f32 1.0}, chain: [o0->o1, o0->o2]}");
    has("VADDPDYrr", ".chain", "init: {o1: f64 1.0, o2: f64 1.0}");
    has("VFMADD231PSYr", ".chain", "chain: [o0]}");
    has("VADDPSZ256rrk", ".o2-o0.mask", "vmovaps {zv:ymm32}, {o0:ymm32}"); // from a mask: ended
    has("CVTSI642SDrr_Int", ".o2-o0.movq",
        "body: \"cvtsi2sd {o2:r64}, {o0:xmm}; movq {o0:xmm}, {o2:r64}; movaps {zv:xmm}, {o0:xmm}\"");
    has("VDIVPSrr", ".slow", "init: {o1: f32 1.7");
    has("VDIVPSrr", ".slow.o2-o0.vandps-vandps",
        "; vandps {zero:xmm}, {o0:xmm}, {o0:xmm}; vorps {again:xmm}, {o0:xmm}, {o0:xmm}\", init: {again: f32 "
        "1.4142135623730951, o1: "
        "f32 "
        "1.7320508075688772, o2: f32 1.4142135623730951}, chain: [o0->o2]}");
    has("DIVPDrr", ".slow.o0-o0.vandps-vandps", "; andps {zero:xmm}, {o0:xmm}; orps {again:xmm}, {o0:xmm}\"");
    has("DIVPDrr", ".slow.o0-o0.vandps-vandps", "again: f64 1.7320508075688772, o0: f64 1.7");
    has_none("DIVPDrr", ".slow.o2-o0.vandps-vandps");      // its copies wait for o0 as well
    has_none("VSQRTSDr_Int", ".slow.o1-o0.vandps-vandps"); // which only has the upper lanes
    has("VSQRTSDr_Int", ".slow.o2-o0.vandps-vandps", "again: f64 1.4142135623730951");
    has_none("VRSQRTPSr", ".slow.o1-o0.vandps-vandps");
    has_none("VADDPSYrr", ".slow");
    has("VDIVPHZrr", "", "init: {o1: i16 15360, o2: i16 15360}"); // as singles, they would be other numbers
    has("VDIVPHZrr", ".slow", "init: {o1: i16 16110, o2: i16 15784}");
    has("VSQRTPHZr", ".slow.o1-o0.vandps-vandps", "again: i16 16110, o1: i16 16110}");
    has("VCVTPS2PHrr", "", "f32 1.0");
    has_none("VFMADD231PSYr", ".same"); // three sources
}

// From a source that is only read to a result that is also read: two copies, each of which reads the other's result.
static void copies_that_cross(void **state) {
    (void)state;
    has("VFMADD231PSYr", ".o2-o0.crossing",
        "body: \"vfmadd231ps {o3:ymm}, {o2:ymm}, {o0:ymm}; vfmadd231ps {o3:ymm}, {o0:ymm}, {o2:ymm}\"");
    has("VFMADD231PSYr", ".o2-o0.crossing", "init: {o0: f32 1.0, o2: f32 1.0, o3: f32 1.0}, chain: [o2]}");
    has("VFMADD231PSYr", ".o3-o0.crossing", "; vfmadd231ps {o0:ymm}, {o2:ymm}, {o3:ymm}\"");
    has("ADDPSrr", ".o2-o0.crossing", "body: \"addps {o2:xmm}, {o0:xmm}; addps {o0:xmm}, {o2:xmm}\"");
    has("VADDPSZ256rrk", ".o3-o0.crossing", "{{o2:k}}; vaddps");
    has_none("VFMADD231PSYr", ".o3-o0.vandps.together");
    has_none("VFMADD231PSYr", ".o3-o0.vandps");
    has_none("VADDPSYrr", ".o1-o0.crossing");     // its result carries nothing
    has_none("BLENDVPSrr0", ".xmm0-o0.crossing"); // always the same register
    has("BLENDVPSrr0", ".xmm0-o0.pshufd.together", "pshufd");
    has_none("VADDPSYrm", ".o2_base-o0.crossing");
    // Of two widths, each copy reads a part of the other's result, or all of it.
    has("VCVTPS2PDZ256rrk", ".o3-o0.crossing", "vcvtps2pd {o3:xmm32}, {o0:ymm32} {{o2:k}}; vcvtps2pd {o0:xmm32}, ");
    has_none("ADD64rr", ".o2-o0.crossing"); // of general registers, what else goes from copy to copy is ended
}

// What closes its chain by itself has a partner as well: other instructions may wait longer for its result.
static void others_wait_for_the_result(void **state) {
    (void)state;
    has("VADDPSYrr", ".o1-o0.vandps.others",
        "body: \"vaddps {o2:ymm}, {o1:ymm}, {o0:ymm}; vandps {o0:xmm}, {o0:xmm}, {o1:xmm}\"");
    has("VADDPSYrr", ".o1-o0.vpand.others", "init: {o1: f32 1.0, o2: f32 1.0}, chain: [o1]}");
    has_none("VADDPSYrr", ".o2-o0.vpand.others"); // of one result, one source tells all
    // Where the form reads its result, the partner is in that way.
    has("ADDPSrr", ".o0-o0.movshdup.others", "addps {o2:xmm}, {o0:xmm}; movshdup {o0:xmm}, {o0:xmm}\"");
    has("VFMADD231PSYr", ".o0-o0.vandps.others", "; vandps {o0:xmm}, {o0:xmm}, {o0:xmm}\"");
    has_none("ADD64rr", ".o0-o0.movslq.others");
    has_none("VMOV64toPQIrr", ".o1-o0.vmovq.others");
    has_none("VADDPSYrm", ".o1-o0.vandps.others");
    struct shape shape = testing_shape("VADDPSYrr");
    struct experiment_list list = {.arena = testing_arena()};
    experiments_add(testing_isa(), &shape, false, &list); // another form of its class tells it
    for (size_t i = 0; i < list.n; i++)
        assert_int_not_equal(list.items[i].key.variant, EXPERIMENT_TO_OTHERS);
}

static void memory(void **state) {
    (void)state;
    // Places of its own for each stream; a chain stays at one.
    has("ADD64rm", "", "body: \"addq {load:8}({o2_base:r64}), {o0:r64}\", setup: \"movq $0, (%rsi)\"");
    has("ADD64rm", "", "init: {o0: 1, o2_base: memory}, writes: [o0]}");
    has("ADD64rm", ".o2_base-o0.xor",
        "body: \"addq 64({o2_base:r64}), {o0:r64}; xorq {o0:r64}, {o2_base:r64}; xorq {o0:r64}, {o2_base:r64}; movl "
        "$1, {o0:r32}\"");
    has("ADD64mr", ".memory", "addq {o1:r64}, {at:8}({o0_base:r64})");
    has("DIV64m", "", "body: \"divq 64({o0_base:r64})\", setup: \"movq $0, (%rsi); movq $1, 64(%rsi)\"");
    has("DIV64m", "", "init: {o0_base: memory, rax: 1, rdx: 0}");
    has_none("ADD64mr", ".o1-flags.flags-movslq"); // it stores: what it adds comes later than the address
    has_none("MOV64rm", ".memory");
    has_none("MOV64mr", ".memory");
}

// The mask of a gather is set again behind each copy; plain copies would do nothing.
static void gathers(void **state) {
    (void)state;
    // Lanes on lines of their own: the indices are in a fixed register, which the set-up fills.
    has("VGATHERDPSYrm", ".lines", "({o3_base:r64},%ymm7)");
    has("VGATHERDPSYrm", ".lines", "movl $0, 1024(%rsi); movl $64, 1028(%rsi); ");
    has("VGATHERDPSYrm", ".lines", "movl $448, 1052(%rsi); vmovups 1024(%rsi), %ymm7\"");
    has("VPGATHERQQZrm", ".lines", "movq $448, 1080(%rsi); vmovups 1024(%rsi), %zmm7\"");
    has("VPGATHERQQZrm", ".lines", "kmovw {lanes:kany}");
    has("VPSCATTERDDZmr", ".lines", "movl $960, 1084(%rsi)");
    has("VPGATHERDQYrm", ".lines", "movl $192, 1036(%rsi); vmovups 1024(%rsi), %xmm7\"");
    has_none("VADDPSYrm", ".lines");
    has_none("VGATHERDPSYrm", "");
    has("VGATHERDPSYrm", ".broken",
        "body: \"vgatherdps {o1:ymm}, {load:64}({o3_base:r64},{o3_index:ymm}), {o0:ymm}; vpcmpeqd {zv:ymm}, {zv:ymm}, "
        "{o1:ymm}\"");
    has("VGATHERDPSYrm", ".broken.1", "; vmovaps {zl:ymm}, {o1:ymm}\"");
    has("VGATHERDPSYrm", ".broken.1", "o3_index: 0, zl: i32 -1}");
    has("VGATHERDPSYrm", ".broken", "init: {o0: f32 1.0, o1: i32 -1, o3_base: memory, o3_index: 0}");
    has("VGATHERDPSYrm", ".o3_index-o0.vpand", "chain: [o3_index]}");
    has("VGATHERDPSZrm", ".broken", "kmovw {lanes:kany}, {o1:kany}\"");
    has("VGATHERDPSZrm", ".broken", "o1: 65535, lanes: 65535");
    has_none("VGATHERDPSYrm", ".chain");
    has_none("VGATHERDPSYrm", ".o1-o0.vpand");
    has("VPSCATTERDDZmr", ".broken", "kmovw {lanes:kany}, {o0:kany}\"");
}

// What moves a stack or an address has what puts it back.
static void wrapped_forms(void **state) {
    (void)state;
    has_none("PUSH64r", "");
    has("PUSH64r", ".around.8", "body: \"pushq {o0:r64}; pushq {o0:r64}; ");
    has("PUSH64r", ".around.8", "pushq {o0:r64}; leaq 64(%rsp), %rsp\", init: {o0: 1}, writes: []}");
    has("POP64r", ".around.8", "body: \"leaq -64(%rsp), %rsp; popq {o0:r64}; ");
    has("MOVSB", ".around.1", "body: \"movq {s:r64}, %rsi; movq {d:r64}, %rdi; movsb (%rsi), %es:(%rdi)\"");
    has("MOVSB", ".around.1", "init: {s: \"memory + {from:8}\", d: \"memory + {to:8}\"}");
    has("REP_STOSQ_64", ".around.1", "body: \"movl $8, %ecx; movq {d:r64}, %rdi; rep stosq %rax, %es:(%rdi)\"");
    has("LOCK_ADD64mr", "", "body: \"lock addq {o1:r64}, {at:8}({o0_base:r64})\"");
    has("LDMXCSR", "", "body: \"ldmxcsr 64({o0_base:r64})\", setup: \"movq $0, (%rsi); stmxcsr 64(%rsi)\"");
    has("MASKMOVDQU64", "", "implicit: [rdi], init: {o0: i32 -1, o1: i32 -1, rdi: memory}");
    has("VZEROALL", "", "body: \"vzeroall\", init: {}, writes: []}");
    // x87: plain copies are a chain, those with a copy of the operand are not.
    has("ADD_FST0r", "", "body: \"fadd %st(1), %st\", setup: \"fninit; fld1; ");
    has("ADD_FST0r", ".around.1", "body: \"fld %st(0); fadd %st(1), %st; fstp %st(0)\"");
    has("ADD_FST0r", ".chain", "implicit: [st0], init: {}, chain: [st0]}");
    has("ADD_FrST0", ".copies.7", "body: \"fadd %st, %st(1); fadd %st, %st(2); ");
    has("ADD_FrST0", ".chain", "body: \"fadd %st, %st(1)\"");
    has_none("ADD_FrST0", "");
    has("DIV_FST0r", ".slow.st0-st0.alone", "fldlg2; ");
    has("DIVR_F32m", ".slow.st0-st0.alone", "init: {o0_base: memory}, chain: [st0]}");
    has_none("MUL_FST0r", ".slow.st0-st0.alone");
    has("SQRT_F", ".slow.around.1", "body: \"fld %st(0); fsqrt; fstp %st(0)\", setup: \"fninit; fldpi\"");
    has("MUL_FPrST0", ".around.6", "body: \"fld %st(0); fmulp %st, %st(2); fld %st(0); fmulp %st, %st(3); ");
    has("LD_F32m", ".around.1", "body: \"flds {at:4}({o0_base:r64}); fstp %st(0)\"");
    has_none("LD_F32m", "");
}

// High bytes stay away from REX prefixes; a result is read as a byte, and as the whole register.
static void high_bytes(void **state) {
    (void)state;
    has("ADD8rr-high0-high2", "", "body: \"addb {o2:r8h}, {o0:r8h}\"");
    has("ADD8rr-high0", "", "body: \"addb {o2:r8n}, {o0:r8h}\"");
    has("ADD8rr-high0", ".o2-o0.movsbl",
        "body: \"addb {o2:r8n}, {o0:r8h}; movsbl {o0:r8h}, {o2:r32n}; movl $1, {o0:r32}\"");
    has("ADD8rr-high0", ".o2-o0_whole.movslq", "{o0:r8h}; movslq {o0:r32}, {o2:r64}; movl $1, {o0:r32}\"");
    has("ADD8rr-high0", ".o0-o0_whole.movslq", "{o0:r8h}; movslq {o0:r32}, {o0:r64}\"");
    has("ADD8rr-high2", ".o2-o0.movslq", "{o0:r8n}; movslq {o0:r32}, {o2:r64}; movl $1, {o0:r32}\"");
    has_none("ADD8rr-high2", ".o2-o0_whole.movslq");
    has("MOVZX32rr8-high1", "", "body: \"movzbl {o1:r8h}, {o0:r32n}\"");
    has("MOVZX32rr8-high1", ".o1-o0.movslq", "movslq {o0:r32}, {o1:r64}");
    has("MOV8rm-high0", "", "({o1_base:r64n}), {o0:r8h}\"");
    has("LAHF", ".flags-ah.movsbl-flags", "lahf; movsbl %ah, {t:r32n}; cmpq $0, {t:r64}");
}

// What writes a part of a register keeps the rest, which LLVM does not state as a read.
static void parts_are_merged(void **state) {
    (void)state;
    has("MOV8rr", ".chain", "init: {o0: 1, o1: 1}, chain: [o0]}");
    has("MOV8rr", ".o1-o0.movslq", "; movslq {o0:r32}, {o1:r64}; movl $1, {o0:r32}\"");
    has("SETCCr-high0", ".chain", "chain: [o0]}");
    has("MOV16rr", ".chain", "chain: [o0]}");
    has("MOV32rr", ".chain", "chain: [o0->o1]}");
}

// From push to pop through memory, and with more steps behind the load.
static void a_push_is_popped(void **state) {
    (void)state;
    has("PUSH64r", ".o0-memory.popq", "body: \"pushq {o0:r64}; popq {o0:r64}\", init: {o0: 1}, chain: [o0]}");
    has("PUSH64r", ".o0-memory.popq.longer.movslq", "popq {o0:r64}; movslq {o0:r32}, {o0:r64}; movslq");
    has("PUSH16r", ".o0-memory.popw", "body: \"pushw {o0:r16}; popw {o0:r16}\"");
    has_none("PUSH64i8", ".o0-memory.popq");
}

static void addresses(void **state) {
    (void)state;
    has("LEA64r-base-index", "", "body: \"leaq ({o1_base:r64},{o1_index:r64}), {o0:r64}\"");
    has("LEA64r-base-index", "", "init: {o1_base: 1, o1_index: 1}");
    has("LEA64r-base-index", ".chain", "chain: [o0->o1_base, o0->o1_index]}");
    // Of these bases, the address has a displacement.
    has("LEA64r-base-index", "", "implicit: [rbp, r13]");
    has("LEA64r-base", "", "implicit: [rbp, r13]");
    // A load has either a displacement or an index.
    has("MOV32rm", "", "body: \"movl {load:4}({o1_base:r64}), {o0:r32}\"");
    has("MOV32rm", ".o1_index-o0.xor", "body: \"movl ({o1_base:r64}, {o1_index:r64}), {o0:r32}; xorq");
    has("MOV32rm", ".o1_index-o0.xor", "init: {o1_base: memory, o1_index: 64}");
    has("MOV32rm", ".o1_index-o0.xor", "implicit: [rbp, r13]");
    has_none("LEA64r-base-index", ".same");
    has("VDIVPDZ128rr", "", "init: {o1: f64 1.0, o2: f64 1.0}"); // "{evex} vdivpd"
    has("VDIVPDZ128rr", ".slow", "f64 1.7");
}

static const char *const forms_of_all_kinds[] = {"ADD64rr",
                                                 "ADC64rr",
                                                 "CMP64rr",
                                                 "MUL64r",
                                                 "DIV32r",
                                                 "DIV16r",
                                                 "SHL64rCL",
                                                 "CMOV64rr",
                                                 "XCHG64rr",
                                                 "MULX64rr",
                                                 "ADD64rm",
                                                 "ADD64mr",
                                                 "MOV64rm",
                                                 "VADDPSYrr",
                                                 "VFMADD231PSYr",
                                                 "ADDPSrr",
                                                 "VDIVPDrr",
                                                 "CVTSI642SDrr_Int",
                                                 "VADDPSZrrkz",
                                                 "VPCMPEQDZrr",
                                                 "KMOVWkr",
                                                 "VUCOMISSrr",
                                                 "BLENDVPSrr0",
                                                 "NOOP",
                                                 "VMOVAPSYrm",
                                                 "LEA64r-rip",
                                                 "LEA64_32r-base-scaled",
                                                 "MMX_PADDBrr",
                                                 "MMX_CVTPI2PDrr",
                                                 "MMX_PMOVMSKBrr",
                                                 "MMX_PSHUFBrm",
                                                 "PUSH64r",
                                                 "POP64r",
                                                 "POPF64",
                                                 "ENTER",
                                                 "LEAVE64",
                                                 "MOVSB",
                                                 "STOSQ",
                                                 "LODSB",
                                                 "XLAT",
                                                 "LDMXCSR",
                                                 "XRSTOR",
                                                 "ADD_FST0r",
                                                 "ADD_FrST0",
                                                 "MUL_FPrST0",
                                                 "DIV_F64m",
                                                 "FPTAN",
                                                 "FYL2XP1",
                                                 "FRSTORm",
                                                 "VGATHERDPSYrm",
                                                 "VGATHERDPSZrm",
                                                 "VPSCATTERDDZmr",
                                                 "VP2INTERSECTDZrr",
                                                 "MOV64sr",
                                                 "VADDPDZ128rr",
                                                 "MASKMOVDQU64",
                                                 "MMX_MASKMOVQ64",
                                                 "MOVDIR64B64",
                                                 "CLZERO64r",
                                                 "REP_MOVSB_64",
                                                 "REP_STOSQ_64",
                                                 "LOCK_ADD64mr",
                                                 "LXADD64",
                                                 "LCMPXCHG16B"};

static void add_all(struct experiment_list *list) {
    experiments_add_scaffold(testing_isa(), list);
    for (size_t i = 0; i < sizeof forms_of_all_kinds / sizeof *forms_of_all_kinds; i++) {
        struct shape shape = testing_shape(forms_of_all_kinds[i]);
        experiments_add(testing_isa(), &shape, true, list);
        experiments_add_padded(testing_isa(), &shape, NULL, list);
        if (!shape.is_gather) // which has no plain throughput
            experiments_add_fillers(&shape, EXPERIMENT_SLOTS, slots_find_filler(testing_isa(), "xor"), 16, list);
    }
}

// The scaffold, and forms of all kinds: the generator takes them.
static void they_are_kernels(void **state) {
    (void)state;
    struct experiment_list list = {.arena = testing_arena()};
    struct kernel_set set = {0};
    struct fail fail = {0};
    const struct chain_partner_experiment *partners;
    add_all(&list);
    if (!experiment_list_make(&list, 0, testing_arena(), "test", testing_isa(), &set, &fail))
        fail_msg("%s", fail.text);
    assert_int_equal(set.n_kernels, list.n);
    size_t n = chain_partners_experiments(testing_isa(), &partners);
    for (size_t i = 0; i < n; i++) {
        const char *name = arena_printf(testing_arena(), "CHAIN.%s", partners[i].name);
        const struct kernel *kernel = kernel_find(testing_arena(), &set, name, &fail);
        if (!kernel) {
            fail_msg("%s", fail.text);
            return;
        }
        assert_int_equal(kernel->n_instructions, partners[i].n_steps);
        assert_int_equal(kernel->n_arcs, 1);
    }
}

// A file's kernels are those in memory, and its names are of the same experiments.
static void files_show_what_is_in_memory(void **state) {
    (void)state;
    struct experiment_list list = {.arena = testing_arena()};
    struct text text = {.arena = testing_arena()};
    struct kernel_set made = {0}, read = {0};
    struct fail fail = {0};
    add_all(&list);
    experiment_list_put_head(testing_isa(), &text);
    experiment_list_put(&list, &text);
    assert_true(experiment_list_make(&list, 0, testing_arena(), "test", testing_isa(), &made, &fail));
    if (!kernel_load_text(testing_arena(), "test.yaml", text.data, testing_isa(), &read,
                          &fail)) // each has another name
        fail_msg("%u: %s", fail.line, fail.text);
    assert_int_equal(read.n_kernels, made.n_kernels);
    for (size_t i = 0; i < list.n; i++) {
        const struct kernel *one = &made.kernels[i], *other = &read.kernels[i];
        struct experiment_key key;
        assert_string_equal(one->name, other->name);
        assert_string_equal(one->setup, other->setup);
        assert_string_equal(one->syntax, other->syntax);
        assert_int_equal(one->n_instructions, other->n_instructions);
        assert_int_equal(one->n_pieces, other->n_pieces);
        assert_int_equal(one->n_arcs, other->n_arcs);
        assert_int_equal(one->n_places, other->n_places);
        assert_int_equal(one->n_roles, other->n_roles);
        for (unsigned k = 0; k < one->n_roles; k++) {
            assert_string_equal(one->roles[k].name, other->roles[k].name);
            assert_int_equal(one->roles[k].init, other->roles[k].init);
            assert_true(one->roles[k].value == other->roles[k].value);
            assert_int_equal(one->roles[k].written, other->roles[k].written);
        }
        experiment_key_parse(testing_arena(), one->name, NULL, &key);
        assert_int_equal(key.kind, list.items[i].key.kind);
        assert_int_equal(key.variant, list.items[i].key.variant);
        assert_int_equal(key.closing, list.items[i].key.closing);
        assert_int_equal(key.n_steps, list.items[i].key.n_steps);
        assert_int_equal(key.copies, list.items[i].key.copies);
        assert_int_equal(key.placement, list.items[i].key.placement);
        assert_int_equal(key.has_slow_values, list.items[i].key.has_slow_values);
        assert_string_equal(experiment_key_name(testing_arena(), &key), one->name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add),
        cmocka_unit_test(flags_in_and_out),
        cmocka_unit_test(carry_in),
        cmocka_unit_test(fixed_registers),
        cmocka_unit_test(vectors),
        cmocka_unit_test(copies_that_cross),
        cmocka_unit_test(others_wait_for_the_result),
        cmocka_unit_test(memory),
        cmocka_unit_test(they_are_kernels),
        cmocka_unit_test(files_show_what_is_in_memory),
        cmocka_unit_test(gathers),
        cmocka_unit_test(wrapped_forms),
        cmocka_unit_test(high_bytes),
        cmocka_unit_test(parts_are_merged),
        cmocka_unit_test(a_push_is_popped),
        cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, testing_forms_open, testing_forms_close);
}
