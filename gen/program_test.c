#include "gen/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names_are_read_as_they_are_written(void **state) {
    (void)state;
    for (int i = PROGRAM_LATENCY; i <= PROGRAM_BLOCK; i++) {
        enum program_mode mode = PROGRAM_BLOCK;
        assert_true(program_mode_parse(program_mode_name((enum program_mode)i), &mode));
        assert_int_equal(mode, i);
    }
    for (int i = PROGRAM_UNROLLED; i <= PROGRAM_LOOPED; i++) {
        enum program_form form = PROGRAM_LOOPED;
        assert_true(program_form_parse(program_form_name((enum program_form)i), &form));
        assert_int_equal(form, i);
    }
    for (int i = PLACEMENT_SAME_ADDRESS; i < PROGRAM_N_PLACEMENTS; i++) {
        enum program_placement placement = PLACEMENT_NONE;
        assert_true(program_placement_parse(program_placement_name((enum program_placement)i), &placement));
        assert_int_equal(placement, i);
    }
}

static void unknown_names_change_nothing(void **state) {
    (void)state;
    enum program_mode mode = PROGRAM_BLOCK;
    enum program_form form = PROGRAM_LOOPED;
    assert_false(program_mode_parse("throughputs", &mode));
    assert_false(program_form_parse("", &form));
    enum program_placement placement = PLACEMENT_OWN_LINES;
    assert_false(program_placement_parse("", &placement));
    assert_false(program_placement_parse("own lines", &placement));
    assert_int_equal(placement, PLACEMENT_OWN_LINES);
    assert_int_equal(mode, PROGRAM_BLOCK);
    assert_int_equal(form, PROGRAM_LOOPED);
}

static void the_branch_is_simulated_where_it_is_measured(void **state) {
    (void)state;
    static const uint8_t code[8];
    struct program program = {.code = code, .body_range = {1, 2}, .loop_range = {1, 5}};
    program.form = PROGRAM_LOOPED;
    assert_int_equal(program_simulated_range(&program).length, 5);
    program.form = PROGRAM_UNROLLED;
    assert_int_equal(program_simulated_range(&program).length, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_read_as_they_are_written),
        cmocka_unit_test(unknown_names_change_nothing),
        cmocka_unit_test(the_branch_is_simulated_where_it_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
