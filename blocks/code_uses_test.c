// What code keeps busy, from its bytes.
#include "blocks/code_uses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"

enum {
    INTEGER = 1 << USE_INTEGER,
    VECTOR = 1 << USE_VECTOR,
    LOAD = 1 << USE_LOAD,
    STORE = 1 << USE_STORE,
    MASK = 1 << USE_MASK
};

struct use_case {
    const char *hex;
    unsigned uses;
    bool is_wide;
};

static void check(const char *isa, const struct use_case *cases, size_t n) {
    struct arena arena = {0};
    struct code_uses uses;
    code_uses_open(&uses, &arena, isa_find(isa), NULL);
    if (!uses.cpu)
        skip(); // no LLVM, or one without this target
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[32];
        size_t n_bytes = strlen(cases[i].hex) / 2;
        assert_true(bytes_from_hex(cases[i].hex, n_bytes, bytes));
        struct bench_code code = {.body = bytes, .n_body_bytes = n_bytes};
        code_uses_find(&uses, &code);
        if (code.uses != cases[i].uses || code.is_wide != cases[i].is_wide)
            fail_msg("%s %s: uses %#x, wide %d", isa, cases[i].hex, code.uses, code.is_wide);
    }
    code_uses_close(&uses);
    arena_free(&arena);
}

static void of_x86(void **state) {
    (void)state;
    static const struct use_case cases[] = {
        {"90", 0, false},                               // nop
        {"4801d8", INTEGER, false},                     // add rax, rbx
        {"480fafc3", INTEGER, false},                   // imul rax, rbx
        {"488b07", INTEGER | LOAD, false},              // mov rax, [rdi]
        {"488907", STORE, false},                       // mov [rdi], rax
        {"480107", INTEGER | LOAD | STORE, false},      // add [rdi], rax
        {"50", INTEGER | STORE, false},                 // push rax
        {"0f58c1", VECTOR, false},                      // addps xmm0, xmm1
        {"0f5807", VECTOR | LOAD, false},               // addps xmm0, [rdi]
        {"0f2907", STORE, false},                       // movaps [rdi], xmm0
        {"660f2e07", INTEGER | VECTOR | LOAD, false},   // ucomisd xmm0, [rdi]: it writes flags
        {"660f381707", INTEGER | VECTOR | LOAD, false}, // ptest xmm0, [rdi]
        {"f20f2c07", INTEGER | VECTOR | LOAD, false},   // cvttsd2si eax, [rdi]
        {"0fae1f", STORE, false},                       // stmxcsr [rdi]
        {"483b07", INTEGER | LOAD, false},              // cmp rax, [rdi]
        {"62f27d28270f", VECTOR | LOAD | MASK, true},   // vptestmd k1, ymm0, [rdi]
        {"62f27d2827c9", VECTOR, true},                 // vptestmd k1, ymm0, ymm1
        {"c5f9900f", VECTOR | LOAD | MASK, false},      // kmovb k1, [rdi]
        {"c5f458c2", VECTOR, true},                     // vaddps ymm0, ymm1, ymm2
        {"c5f058c2", VECTOR, false},                    // vaddps xmm0, xmm1, xmm2
        {"62f2754cb8c2", VECTOR, true},                 // vfmadd231ps zmm0 {k4}, zmm1, zmm2
        {"c5fc1107", STORE, true},                      // vmovups [rdi], ymm0
        {"d8c1", VECTOR, false},                        // fadd st, st(1)
        {"4801d80f58c1488b07", INTEGER | VECTOR | LOAD, false},
        {"06", BENCH_ALL_USES, true}, // not an instruction of 64-bit mode
    };
    check("x86_64", cases, sizeof cases / sizeof *cases);
}

static void of_aarch64(void **state) {
    (void)state;
    static const struct use_case cases[] = {
        {"2000028b", INTEGER, false},        // add x0, x1, x2
        {"200040f9", INTEGER | LOAD, false}, // ldr x0, [x1]
        {"200000f9", STORE, false},          // str x0, [x1]
        {"20d4224e", VECTOR, false},         // fadd v0.4s, v1.4s, v2.4s
        {"2028221e", VECTOR, false},         // fadd s0, s1, s2
        {"20008265", VECTOR, true},          // fadd z0.s, z1.s, z2.s
    };
    check("aarch64", cases, sizeof cases / sizeof *cases);
}

static void of_others(void **state) {
    (void)state;
    static const struct use_case arm[] = {{"020081e0", INTEGER, false}, {"440d02f2", VECTOR, false}};
    static const struct use_case riscv[] = {{"3385c500", INTEGER, false}, {"53f5c502", VECTOR, false}};
    check("armv7", arm, sizeof arm / sizeof *arm);         // add r0, r1, r2; vadd.f32 q0, q1, q2
    check("riscv64", riscv, sizeof riscv / sizeof *riscv); // add a0, a1, a2; fadd.d fa0, fa1, fa2
}

static void without_llvm_it_is_everything(void **state) {
    (void)state;
    static const uint8_t add[] = {0x48, 0x01, 0xd8};
    struct code_uses uses = {.isa = isa_find("x86_64")};
    struct bench_code code = {.body = add, .n_body_bytes = sizeof add};
    code_uses_find(&uses, &code);
    assert_int_equal(code.uses, BENCH_ALL_USES);
    assert_true(code.is_wide);
    code_uses_close(&uses);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_x86),
        cmocka_unit_test(of_aarch64),
        cmocka_unit_test(of_others),
        cmocka_unit_test(without_llvm_it_is_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
