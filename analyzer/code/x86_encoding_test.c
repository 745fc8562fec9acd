#include "analyzer/code/x86_encoding.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct {
    uint8_t bytes[16];
    unsigned n_bytes;
    unsigned opcode_at, opcode, displacement, immediate;
    bool changes_length;
    int64_t value;
} cases[] = {
    {{0x48, 0x01, 0xd8}, 3, 1, 0x01, 0, 0, false, 0},                                     // add rax, rbx
    {{0x48, 0x83, 0xc0, 0xff}, 4, 1, 0x83, 0, 1, false, -1},                              // add rax, -1
    {{0x66, 0x81, 0xc3, 0x34, 0x12}, 5, 1, 0x81, 0, 2, true, 0x1234},                     // add bx, 0x1234
    {{0x66, 0x05, 0x34, 0x12}, 4, 1, 0x05, 0, 2, true, 0x1234},                           // add ax, 0x1234
    {{0x66, 0xf7, 0xc1, 0x34, 0x12}, 5, 1, 0xf7, 0, 2, true, 0x1234},                     // test cx, 0x1234
    {{0x66, 0xf7, 0xd9}, 3, 1, 0xf7, 0, 0, false, 0},                                     // neg cx
    {{0x66, 0x48, 0x05, 1, 0, 0, 0}, 7, 2, 0x05, 0, 4, false, 1},                         // add rax, 1: REX.W wins
    {{0x8b, 0x44, 0x24, 0x08}, 4, 0, 0x8b, 1, 0, false, 0},                               // mov eax, [rsp+8]
    {{0x48, 0x8b, 0x05, 0x10, 0, 0, 0}, 7, 1, 0x8b, 4, 0, false, 0},                      // mov rax, [rip+16]
    {{0x8b, 0x04, 0x25, 0x10, 0, 0, 0}, 7, 0, 0x8b, 4, 0, false, 0},                      // mov eax, [16]
    {{0x0f, 0xb6, 0x47, 0x05}, 4, 1, 0xb6, 1, 0, false, 0},                               // movzx eax, byte [rdi+5]
    {{0x66, 0x0f, 0x3a, 0x22, 0xc0, 0x01}, 6, 3, 0x22, 0, 1, false, 1},                   // pinsrd xmm0, eax, 1
    {{0xc5, 0xf8, 0x28, 0x47, 0x10}, 5, 2, 0x28, 1, 0, false, 0},                         // vmovaps xmm0, [rdi+16]
    {{0xc4, 0xe2, 0x7d, 0x18, 0x44, 0x24, 0x30}, 7, 3, 0x18, 1, 0, false, 0},             // vbroadcastss ymm0, [rsp+48]
    {{0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}, 10, 1, 0xb8, 0, 8, false, 0x0807060504030201}, // movabs rax, …
    {{0x90}, 1, 0, 0x90, 0, 0, false, 0},                                                 // nop
};

static void encodings(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct x86_encoding encoding = x86_encoding_of(cases[i].bytes, cases[i].n_bytes);
        print_message("case %zu\n", i);
        assert_int_equal(encoding.opcode_at, cases[i].opcode_at);
        assert_int_equal(encoding.opcode, cases[i].opcode);
        assert_int_equal(encoding.displacement_bytes, cases[i].displacement);
        assert_int_equal(encoding.immediate_bytes, cases[i].immediate);
        assert_int_equal(encoding.changes_length, cases[i].changes_length);
        assert_int_equal(x86_immediate(&encoding, cases[i].bytes, cases[i].n_bytes), cases[i].value);
    }
}

static bool is_atomic(const uint8_t *bytes, unsigned n_bytes) {
    return x86_encoding_of(bytes, n_bytes).is_atomic;
}

static void atomic_accesses(void **state) {
    (void)state;
    assert_true(is_atomic((const uint8_t[]){0xf0, 0x48, 0x0f, 0xc1, 0x07}, 5)); // lock xadd [rdi], rax
    assert_true(is_atomic((const uint8_t[]){0x48, 0x87, 0x07}, 3));             // xchg [rdi], rax
    assert_false(is_atomic((const uint8_t[]){0x48, 0x87, 0xc7}, 3));            // xchg rdi, rax
    assert_false(is_atomic((const uint8_t[]){0x48, 0x01, 0x07}, 3));            // add [rdi], rax
    assert_false(is_atomic((const uint8_t[]){0xc5, 0xf8, 0x28, 0x07}, 4));      // vmovaps xmm0, [rdi]
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(encodings), cmocka_unit_test(atomic_accesses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
