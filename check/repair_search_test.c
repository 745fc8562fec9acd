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

// A bound never leads away from LLVM's pipes: an exact value may.
static void bounds_only_add_pipes(void **state) {
    const struct resource own = {.mask = 0x10f}, wider = {.mask = 0x21f}, fewer = {.mask = 0x403},
                          partly = {.mask = 0x818}, apart = {.mask = 0x1060};
    (void)state;
    assert_int_equal(resource_pipes(own.mask), 0xf);
    assert_true(can_be_chosen(&wider, &own, true) && can_be_chosen(&wider, &own, false));
    assert_true(!can_be_chosen(&fewer, &own, true) && can_be_chosen(&fewer, &own, false));
    assert_true(!can_be_chosen(&partly, &own, true) && can_be_chosen(&partly, &own, false));
    assert_true(!can_be_chosen(&apart, &own, true) && !can_be_chosen(&apart, &own, false));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_dependences_stay_several),
                                       cmocka_unit_test(bounds_only_add_pipes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
