// Data between instructions are not read as instructions, and code is not taken for data.
#include "blocks/hidden_data.h"

#include "base/bytes.h"
#include "blocks/testing_decoder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// Asserts that of these bytes only those are hidden that `wanted` has as 90.
static void hides(const char *hex, const char *wanted) {
    enum { MOST = 64 };
    uint8_t bytes[MOST], expected[MOST];
    size_t n = strlen(hex) / 2;
    const struct code_reader reader = {testing_decoder.backend, testing_decoder.cpu, testing_decoder.machine};
    assert_int_equal(strlen(wanted), strlen(hex));
    assert_true(n <= MOST && bytes_from_hex(hex, n, bytes) && bytes_from_hex(wanted, n, expected));
    const uint8_t *seen = hidden_data_bytes(&testing_arena, &reader, bytes, n);
    assert_memory_equal(seen, expected, n);
    assert_int_equal(seen == bytes, strcmp(hex, wanted) == 0); // code without data is not copied
}

static void data_are_hidden(void **state) {
    (void)state;
    hides("eb03060707" // jmp over two bytes that are no instructions, and into the middle of the third
          "90",
          "eb03909090"
          "90");
    hides("eb02ffff4801d8", // what cannot be read
          "eb0290904801d8");
    hides("eb0148c3", // a prefix alone: the code behind it is read again
          "eb0190c3");
    hides("488b0502000000eb08" // mov rax, [rip + 2]; jmp over what it loads, jumps out of the block
          "eb7feb7feb7feb7fc3",
          "488b0502000000eb08"
          "9090909090909090c3");
    hides("c3eb7f", // a jump out of the block that nothing reaches
          "c39090");
}

static void code_is_not_hidden(void **state) {
    (void)state;
    static const char *const codes[] = {
        "4801d8c3",     // add rax, rbx; ret
        "75024801d8c3", // jne +2, into the middle of add, which is reached: not data
        "ffe0eb7f",     // jmp rax: anything may be reached
        "488d0506000000e802000000ebfe48890424c3488d05f0ffffff", // a retpoline
        "eb01904801d8",                                         // jmp over a nop
        "eb01ff75fd", // jmp +1; jne into what it has jumped over: instructions over each other
        "0648",       // no instruction at the start
        "4801d806",   // none behind one that is reached
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        hides(codes[i], codes[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_hidden),
        cmocka_unit_test(code_is_not_hidden),
    };
    return cmocka_run_group_tests(tests, testing_decoder_open, testing_decoder_close);
}
