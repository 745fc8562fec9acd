#include "upstream/td_together.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void overlapping_sets_become_one(void **state) {
    (void)state;
    struct td_export export = {.uses = {{.pipes = 3, .cycles = 1}, {.pipes = 6, .cycles = 1}}, .n_uses = 2};
    assert_true(td_join_uses(&export));
    assert_int_equal(export.n_uses, 1);
    assert_int_equal(export.uses[0].pipes, 7);
    assert_int_equal(export.uses[0].cycles, 2);
}

static void more_parts_than_pipes_never_start_together(void **state) {
    (void)state;
    struct td_export export = {
        .uses = {{.pipes = 1, .cycles = 1}, {.pipes = 2, .cycles = 1}, {.pipes = 3, .cycles = 1}}, .n_uses = 3};
    assert_true(td_join_uses(&export));
    assert_true(export.n_uses < 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(overlapping_sets_become_one),
                                       cmocka_unit_test(more_parts_than_pipes_never_start_together)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
