// RISC-V's vector type: from the text of a kernel's set-up to machine code.
#include "check/vector_type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void text_becomes_the_machine_code(void **state) {
    (void)state;
    struct arena arena = {0};
    // As GNU as has them.
    assert_string_equal(vector_type_code(&arena, "vsetvli x31, x0, e32, m1, ta, ma"), "d77f000d");
    assert_string_equal(vector_type_code(&arena, "sd x0, (x11); vsetvli x31, x0, e32, mf2, ta, ma"), "d77f700d");
    assert_string_equal(vector_type_code(&arena, "vsetvli x5, x0, e64, m8, tu, mu"), "d772b001");
    assert_string_equal(vector_type_code(&arena, "vsetvli x31, x0, e8, m1, ta, ma\nvsetvli x31, x0, e64, m1, ta, ma"),
                        "d77f800d");
    assert_null(vector_type_code(&arena, "li x5, 1"));
    assert_null(vector_type_code(&arena, "vsetvli x31, x5, e32, m1, ta, ma")); // a length, which nothing here knows
    assert_null(vector_type_code(&arena, "vsetvli x31, x0, e31, m1, ta, ma"));
    assert_null(vector_type_code(&arena, "vsetvli x31, x0, e8, m1, ta, ma; vsetvli x31, x5, e64, m1, ta, ma"));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_becomes_the_machine_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
