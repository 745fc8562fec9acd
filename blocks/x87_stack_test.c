// What code leaves on the x87 stack.
#include "blocks/x87_stack.h"

#include "base/bytes.h"
#include "blocks/testing_decoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static int left(const char *hex) {
    static const struct isa x86_64 = {.name = "x86_64"};
    uint8_t bytes[64] = {0};
    size_t n = strlen(hex) / 2;
    assert_true(bytes_from_hex(hex, n, bytes));
    const struct lab_block block = {.source.isa = &x86_64, .insns = testing_decode(hex), .bytes = bytes, .n_bytes = n};
    return x87_stack_left(&block);
}

static void each_instruction_has_its_step(void **state) {
    (void)state;
    static const struct {
        const char *hex;
        int left;
    } rows[] = {
        {"d9c0", 1},         // fld st(0)
        {"41dd00", 1},       // fld qword ptr [r8]
        {"64db2b", 1},       // fld tbyte ptr fs:[rbx]
        {"d9e8", 1},         // fld1
        {"dd5f10", -1},      // fstp qword ptr [rdi + 16]
        {"dd5710", 0},       // fst qword ptr [rdi + 16]
        {"ddd9", -1},        // fstp st(1)
        {"df28", 1},         // fild qword ptr [rax]
        {"dd08", -1},        // fisttp qword ptr [rax]
        {"dec1", -1},        // faddp st(1), st
        {"ded9", -2},        // fcompp
        {"d9c9", 0},         // fxch
        {"d9f2", 1},         // fptan
        {"d9c0d9c0dbe3", 0}, // fld st(0) twice; fninit: nothing is known
        {"dfe9", -1},        // fucomip
        {"dbf1", 0},         // fcomi
        {"4801d8", 0},       // add rax, rbx
        {"0fd8c1", 0},       // psubusb mm0, mm1: d8 is no escape there
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(left(rows[i].hex), rows[i].left);
}

static void a_way_to_a_return_counts(void **state) {
    (void)state;
    assert_int_equal(left("d9e8c3"), 1);             // fld1; ret
    assert_int_equal(left("d9e87502d9e8c3"), 2);     // fld1; jne +2; fld1; ret
    assert_int_equal(left("eb02d9e8d9eec3"), 1);     // jmp +2; fld1; fldz; ret
    assert_int_equal(left("d9e8eb10"), 0);           // fld1; jmp out of it
    assert_int_equal(left("d9e8e80000000058c3"), 0); // fld1; call next: what it leaves is unknown
    assert_int_equal(left("d9e8c3d9e8c3"), 1);       // fld1; ret; another function
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_has_its_step),
        cmocka_unit_test(a_way_to_a_return_counts),
    };
    return cmocka_run_group_tests(tests, testing_decoder_open, testing_decoder_close);
}
