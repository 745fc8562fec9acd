// Shapes of forms whose operands are known.
#include "survey/forms/shape.h"

#include "base/text.h"
#include "survey/forms/testing_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// "0:r64=rw 2.base:r64=ra flags!=w": label, class, "!" where it is fixed, and r: read, w: written, a: address.
static const char *ports_of(const struct shape *shape) {
    struct text text = {.arena = testing_arena()};
    text_add(&text, "");
    for (unsigned i = 0; i < shape->n_ports; i++) {
        const struct shape_port *port = &shape->ports[i];
        text_addf(&text, "%s%s:%s%s=%s%s%s", i ? " " : "", port->label, port->class->name, port->is_fixed ? "!" : "",
                  port->is_read ? "r" : "", port->is_written ? "w" : "", port->is_address ? "a" : "");
    }
    return text.data;
}

static const struct {
    const char *opcode, *body, *ports;
} texts_and_ports_of[] = {
    {"ADD64rr", "addq {o2:r64}, {o0:r64}", "0:r64=rw 2:r64=r flags:flags!=w"},
    {"ADD16rr", "addw {o2:r16}, {o0:r16}", "0:r16=rw 2:r16=r flags:flags!=w"},
    {"ADD64ri8", "addq $1, {o0:r64}", "0:r64=rw flags:flags!=w"},
    {"ADD64rm", "addq 64({o2_base:r64}), {o0:r64}", "0:r64=rw 2.base:r64=ra flags:flags!=w"},
    {"ADD64mr", "addq {o1:r64}, 64({o0_base:r64})", "0.base:r64=ra 1:r64=r flags:flags!=w"},
    {"MOV64rm", "movq 64({o1_base:r64}), {o0:r64}", "0:r64=w 1.base:r64=ra"},
    {"ADC64rr", "adcq {o2:r64}, {o0:r64}", "0:r64=rw 2:r64=r flags:flags!=rw"},
    {"CMP64rr", "cmpq {o1:r64}, {o0:r64}", "0:r64=r 1:r64=r flags:flags!=w"},
    {"CMOV64rr", "cmoveq {o2:r64}, {o0:r64}", "0:r64=rw 2:r64=r flags:flags!=r"},
    {"XCHG64rr", "xchgq {o1:r64}, {o0:r64}", "0:r64=rw 1:r64=rw"},
    // Fixed registers: in the text, or nowhere.
    {"SHL64rCL", "shlq %cl, {o0:r64}", "0:r64=rw cl:r8!=r flags:flags!=w"},
    {"MUL64r", "mulq {o0:r64}", "0:r64=r rax:r64!=rw rdx:r64!=w flags:flags!=w"},
    {"DIV32r", "divl {o0:r32}", "0:r32=r eax:r32!=rw edx:r32!=rw flags:flags!=w"},
    {"MULX64rr", "mulxq {o2:r64}, {o1:r64}, {o0:r64}", "0:r64=w 1:r64=w 2:r64=r rdx:r64!=r"},
    {"RDTSC", "rdtsc", "rax:r64!=w rdx:r64!=w"},
    {"NOOP", "nop", ""},
    // Other register files.
    {"VADDPSYrr", "vaddps {o2:ymm}, {o1:ymm}, {o0:ymm}", "0:ymm=w 1:ymm=r 2:ymm=r"},
    {"VFMADD231PSYr", "vfmadd231ps {o3:ymm}, {o2:ymm}, {o0:ymm}", "0:ymm=rw 2:ymm=r 3:ymm=r"},
    {"ADDPSrr", "addps {o2:xmm}, {o0:xmm}", "0:xmm=rw 2:xmm=r"},
    {"BLENDVPSrr0", "blendvps %xmm0, {o2:xmm}, {o0:xmm}", "0:xmm=rw 2:xmm=r xmm0:xmm!=r"},
    {"VADDPSZrrkz", "vaddps {o3:zmm}, {o2:zmm}, {o0:zmm} {{o1:k}} {z}", "0:zmm=w 1:k=r 2:zmm=r 3:zmm=r"},
    {"KMOVWkk", "kmovw {o1:kany}, {o0:kany}", "0:kany=w 1:kany=r"},
    {"KMOVWkr", "kmovw {o1:r32}, {o0:kany}", "0:kany=w 1:r32=r"},
    {"VADDPSZ128rr", "{evex} vaddps {o2:xmm32}, {o1:xmm32}, {o0:xmm32}", "0:xmm32=w 1:xmm32=r 2:xmm32=r"},
    {"MMX_PADDBrr", "paddb {o2:mm}, {o0:mm}", "0:mm=rw 2:mm=r"},
    {"VP2INTERSECTDZrr", "vp2intersectd {o2:zmm}, {o1:zmm}, {o0:kpair}", "0:kpair=w 1:zmm=r 2:zmm=r"},
    // What lea computes is no memory.
    {"LEA64r", "leaq 64({o1_base:r64}), {o0:r64}", "0:r64=w 1.base:r64=r"},
    {"LEA64_32r-base-scaled", "leal ({o1_base:r64},{o1_index:r64},4), {o0:r32}", "0:r32=w 1.base:r64=r 1.index:r64=r"},
    {"LEA64r-rip", "leaq 64(%rip), {o0:r64}", "0:r64=w"},
    // Gathers and scatters.
    {"VGATHERDPSYrm", "vgatherdps {o1:ymm}, 64({o3_base:r64},{o3_index:ymm}), {o0:ymm}",
     "0:ymm=rw 1:ymm=rw 3.base:r64=ra 3.index:ymm=r"},
    {"VPSCATTERDDZmr", "vpscatterdd {o3:zmm}, 64({o1_base:r64},{o1_index:zmm}) {{o0:k}}",
     "0:k=rw 1.base:r64=ra 1.index:zmm=r 3:zmm=r"},
    // With surroundings: the ports of its operands alone.
    {"PUSH64r", "pushq {o0:r64}", "0:r64=r"},
    {"LEAVE64", "leave", ""},
    {"ENTER", "enter $16, $0", ""},
    {"ADD_FST0r", "fadd %st(1), %st", ""},
    {"ADD_F32m", "fadds 64({o0_base:r64})", "0.base:r64=ra"},
    {"MOVSB", "movsb (%rsi), %es:(%rdi)", ""},
    {"MOV64rs", "movq %es, {o0:r64}", "0:r64=w"},
    {"VADDPSZrrb", "vaddps {rn-sae}, {o2:zmm}, {o1:zmm}, {o0:zmm}", "0:zmm=w 1:zmm=r 2:zmm=r"},
};

static void texts_and_ports(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof texts_and_ports_of / sizeof *texts_and_ports_of; i++) {
        struct shape shape = testing_shape(texts_and_ports_of[i].opcode);
        if (shape.left_out)
            fail_msg("%s is left out: %s", texts_and_ports_of[i].opcode, shape.left_out);
        assert_string_equal(shape.body, texts_and_ports_of[i].body);
        assert_string_equal(ports_of(&shape), texts_and_ports_of[i].ports);
        assert_int_equal(shape.has_memory, strstr(texts_and_ports_of[i].ports, ".base:r64=ra") != NULL);
    }
}

static void roles_are_words(void **state) {
    (void)state;
    struct shape shape = testing_shape("ADD64rm");
    assert_string_equal(shape.ports[testing_port(&shape, "2.base")].role, "o2_base");
    assert_string_equal(shape.ports[testing_port(&shape, "0")].role, "o0");
    assert_string_equal(shape.ports[testing_port(&shape, "flags")].role, "flags");
    assert_int_equal(shape.ports[testing_port(&shape, "flags")].file, 'c');
    shape = testing_shape("MUL64r");
    assert_string_equal(shape.ports[testing_port(&shape, "rax")].role, "rax");
    assert_int_equal(shape.ports[testing_port(&shape, "rdx")].index, 2);
}

// Old encodings of vector instructions merge; partners of the new ones would cost a switch.
static void legacy_ones(void **state) {
    (void)state;
    assert_true(testing_shape("ADDPSrr").is_legacy);
    assert_true(testing_shape("CVTSI642SDrr_Int").is_legacy);
    assert_false(testing_shape("VADDPSrr").is_legacy);
    assert_false(testing_shape("VADDPSZrr").is_legacy);
    assert_false(testing_shape("VPDPBUSDYrr").is_legacy); // "{vex} vpdpbusd"
    assert_false(testing_shape("ADD64rr").is_legacy);
    assert_false(testing_shape("KMOVWkk").is_legacy);
}

static void what_cannot_be_measured(void **state) {
    (void)state;
    static const struct {
        const char *opcode, *why;
    } known[] = {
        {"PUSH2", "it uses the stack pointer"},
        {"INSB", "its address is fixed or moves"},
        {"XRSTORS", "it changes a state of the thread, for all code behind it"},
        {"POPFS64", "it changes a segment of the thread, for all code behind it"},
        {"VMMCALL", "it calls the hypervisor, and may change any register"},
        {"WRFSBASE64", "it changes a state of the thread, for all code behind it"},
        {"TDPBSSD", "no role can be a register TILE"},
        {"MOV64ao64", "its address is a number in its bytes, and no memory is there"},
        {"JMP_1", "control flow"},
        {"CVTSI642SDrr", "decodes to another opcode"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct shape shape = testing_shape(known[i].opcode);
        if (!shape.left_out)
            fail_msg("%s is not left out", known[i].opcode);
        assert_string_equal(shape.left_out, known[i].why);
    }
    assert_null(testing_shape("STMXCSR").left_out); // only reads it
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_and_ports),
        cmocka_unit_test(roles_are_words),
        cmocka_unit_test(legacy_ones),
        cmocka_unit_test(what_cannot_be_measured),
    };
    return cmocka_run_group_tests(tests, testing_forms_open, testing_forms_close);
}
