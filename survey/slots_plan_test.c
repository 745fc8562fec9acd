// Which experiments with fillers follow from a table.
#include "survey/slots_plan.h"

#include "gen/kernel.h"
#include "survey/testing_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_SHAPES = 3 };

static void a_row_gets_what_it_wants(void **state) {
    (void)state;
    struct shape shapes[N_SHAPES] = {testing_shape("XCHG64rr"), testing_shape("ADD64rm"), testing_shape("PUSH64r")};
    const struct table_fillers two[] = {{"xor", 16}, {"nopw", 3}},
                               odd[] = {{"xor", 17}, {"none", 1}, {"xor", SLOTS_MOST_FILLERS + 1}};
    const struct table_row rows[] = {
        {.form = "ADD64rm", .slots = {.fillers = odd, .n_fillers = 3}},
        {.form = "ELSEWHERE", .slots = {.fillers = two, .n_fillers = 2}},
        {.form = "PUSH64r", .slots = {.fillers = two, .n_fillers = 2}},
        {.form = "XCHG64rr", .slots = {.fillers = two, .n_fillers = 2}},
    };
    const struct survey_table table = {.rows = rows, .n_rows = sizeof rows / sizeof *rows}, nothing = {.n_rows = 0};
    struct slots_plan plan;
    struct kernel_set set = {0};
    struct fail fail = {0};
    slots_plan_open(&plan, testing_arena(), testing_isa(), shapes, N_SHAPES);
    assert_null(slots_plan_next(&plan, &nothing));
    const char *kernels = slots_plan_next(&plan, &table);
    assert_non_null(kernels);
    if (!kernel_load_text(testing_arena(), "slots.yaml", kernels, testing_isa(), &set, &fail))
        fail_msg("%u: %s", fail.line, fail.text);
    assert_int_equal(set.n_kernels, 3);
    assert_string_equal(set.kernels[0].name, "ADD64rm.slots.xor.17");
    assert_int_equal(set.kernels[0].n_instructions, 18);
    assert_int_equal(set.kernels[0].n_places, 1);
    assert_string_equal(set.kernels[1].name, "XCHG64rr.slots.xor.16");
    assert_int_equal(set.kernels[2].n_instructions, 4);
    assert_null(slots_plan_next(&plan, &table)); // all of it is planned
    assert_string_equal(plan.all.data, kernels);
}

static void by_name(void **state) {
    (void)state;
    const struct shape shape = testing_shape("VADDPSYrr");
    struct text text = {.arena = testing_arena()};
    static const char *const others[] = {"VADDPSYrr",           "VADDPSYrr.slots",        "VADDPSYrr.slots.",
                                         "VADDPSYrr.slots.xor", "VADDPSYrr.slots.none.3", "VADDPSYrr.slots.xor.9999"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        slots_plan_add_name(testing_isa(), &shape, others[i], &text);
    assert_int_equal(text.length, 0);
    slots_plan_add_name(testing_isa(), &shape, "VADDPSYrr.slots.xor.2", &text);
    assert_string_equal(text.data,
                        "  - {name: VADDPSYrr.slots.xor.2, about: survey, body: \"vaddps {o2:ymm}, {o1:ymm}, "
                        "{o0:ymm}; xorl {f:r32}, {f:r32}; xorl {f}, {f}\", init: {o1: f32 1.0, o2: f32 1.0}, "
                        "writes: [o0]}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_row_gets_what_it_wants), cmocka_unit_test(by_name)};
    return cmocka_run_group_tests(tests, testing_forms_open, testing_forms_close);
}
