#include "repair/repair_trial.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// What makes a value worse comes last, however many others it mends.
static void costs_are_ordered(void **state) {
    const struct repair_cost best = {.n_differ = 1, .gaps = 0.02, .distance = 1, .commonness = 0.5};
    struct repair_cost other = best;
    (void)state;
    assert_false(is_less(best, other));
    other.commonness = 0.6;
    assert_true(is_less(best, other));
    other.distance = 0;
    assert_false(is_less(best, other));
    other.pipes = 1; // pipes that are not LLVM's, though fewer numbers change
    assert_true(is_less(best, other));
    other.pipes = 0;
    other.gaps = 0.2;
    assert_true(is_less(best, other));
    other.n_differ = 0;
    assert_false(is_less(best, other));
    other.n_worse = 1;
    assert_true(is_less(best, other));
}

// Of pipes that fit as well, those held for fewer cycles by fewer others.
static void pipes_held_longer_cost_what_others_would_show(void **state) {
    enum { RARE = 1, COMMON = 2 };
    struct resource resources[] = {{.name = "none"}, {.name = "rare", .units = 1}, {.name = "common", .units = 3}};
    const struct machine machine = {.resources = resources, .n_resources = 3};
    const struct model model = {.machine = &machine};
    const double commonness[] = {0, 0.25, 0.5};
    struct repair_search search = {
        .model = &model, .commonness = commonness, .base = {.n_uses = 2, .uses = {{RARE, 0, 1, 1}, {COMMON, 0, 1, 1}}}};
    struct repair_numbers rare = search.base, common = search.base;
    (void)state;
    rare.uses[0].release = 9;
    common.uses[1].release = 25;
    assert_true(distance_of(&search, &rare).commonness == 8 * 0.25);
    assert_true(distance_of(&search, &common).commonness == 24 * 0.5);
    assert_true(is_less(distance_of(&search, &rare), distance_of(&search, &common)));
}

static void late_reads_are_more_of_a_change(void **state) {
    const struct machine machine = {0};
    const struct model model = {.machine = &machine};
    struct repair_search search = {.model = &model, .base = {.n_reads = 2, .advances = {-1, 0}}};
    struct repair_numbers early = search.base, late = search.base;
    (void)state;
    assert_int_equal(distance_of(&search, &search.base).distance, 0); // LLVM's own late read is not a change
    early.advances[1] = 2;
    late.advances[1] = -2;
    assert_int_equal(distance_of(&search, &early).distance, 1);
    assert_int_equal(distance_of(&search, &late).distance, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs_are_ordered),
                                       cmocka_unit_test(pipes_held_longer_cost_what_others_would_show),
                                       cmocka_unit_test(late_reads_are_more_of_a_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
