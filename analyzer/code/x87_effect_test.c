// What instructions read and write of the stack of x87.
#include "analyzer/code/x87_effect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const struct {
    uint8_t bytes[4];
    unsigned n_bytes;
    const char *what;
    struct x87_effect effect;
} cases[] = {
    {{0xd8, 0xc1}, 2, "fadd st, st(1)", {.reads = 3, .writes = 1}},
    {{0xdc, 0xc1}, 2, "fadd st(1), st", {.reads = 3, .writes = 2}},
    {{0xde, 0xc1}, 2, "faddp st(1), st: what was st(1) is st(0) then", {.step = -1, .reads = 3, .writes = 1}},
    {{0xde, 0xc2}, 2, "faddp st(2), st", {.step = -1, .reads = 5, .writes = 2}},
    {{0xd8, 0x07}, 2, "fadd dword ptr [rdi]", {.reads = 1, .writes = 1}},
    {{0xd9, 0xe8}, 2, "fld1", {.step = 1, .writes = 1}},
    {{0xd9, 0xc2}, 2, "fld st(2)", {.step = 1, .reads = 4, .writes = 1}},
    {{0x41, 0xdd, 0x00}, 3, "fld qword ptr [r8]", {.step = 1, .writes = 1}},
    {{0xdd, 0x5f, 0x10}, 3, "fstp qword ptr [rdi + 16]", {.step = -1, .reads = 1}},
    {{0xdd, 0xda}, 2, "fstp st(2)", {.step = -1, .reads = 1, .writes = 2}},
    {{0xdd, 0xd2}, 2, "fst st(2)", {.reads = 1, .writes = 4}},
    {{0xd9, 0xc9}, 2, "fxch st(1)", {.exchanges = true, .reads = 3, .writes = 3}},
    {{0xdf, 0xe9}, 2, "fucomip st, st(1)", {.step = -1, .reads = 3}},
    {{0xde, 0xd9}, 2, "fcompp", {.step = -2, .reads = 3}},
    {{0xd9, 0xf2}, 2, "fptan", {.step = 1, .reads = 1, .writes = 3}},
    {{0xd9, 0xf3}, 2, "fpatan", {.step = -1, .reads = 3, .writes = 1}},
    {{0xda, 0xc1}, 2, "fcmovb st, st(1)", {.reads = 3, .writes = 1}},
    {{0xdb, 0xe3}, 2, "fninit", {.sets_all = true}},
    {{0xd9, 0x2f}, 2, "fldcw [rdi]", {0}},
    {{0x0f, 0xd8, 0xc1}, 3, "psubusb mm0, mm1: d8 is no escape there", {0}},
};

static void effects(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct x87_effect effect = x87_effect_of(cases[i].bytes, cases[i].n_bytes);
        print_message("%s\n", cases[i].what);
        assert_int_equal(effect.step, cases[i].effect.step);
        assert_int_equal(effect.reads, cases[i].effect.reads);
        assert_int_equal(effect.writes, cases[i].effect.writes);
        assert_int_equal(effect.sets_all, cases[i].effect.sets_all);
        assert_int_equal(effect.exchanges, cases[i].effect.exchanges);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(effects)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
