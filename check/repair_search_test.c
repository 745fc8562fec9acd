#include "check/repair_search.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// A latency that a third write changes, too, does not get that write's number.
static void several_dependences_stay_several(void **state) {
    (void)state;
    int found = with_dependence(NONE, 4);
    assert_int_equal(found, 5);
    for (unsigned number = 5; number < 9; number++) {
        found = with_dependence(found, number);
        assert_int_equal(found, SEVERAL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_dependences_stay_several)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
