#include "check/repair_search.c"

#include "check/testing_values.h"

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

// A read that comes before the result is there hides both: only a longer change shows which they are.
static void early_reads_are_found(void **state) {
    const struct repair_numbers numbers = {.n_writes = 2, .latencies = {3, 5}, .n_reads = 2, .advances = {6, 0}};
    (void)state;
    assert_true((int)probe_of_write(&numbers, 0).latencies[0] - numbers.advances[0] >= 4);
    assert_true((int)numbers.latencies[0] - probe_of_read(&numbers, 0).advances[0] >= 4);
    assert_int_equal(probe_of_write(&numbers, 0).latencies[1], 5);
    // A read that does not come early is changed by as much as ever.
    assert_int_equal(probe_of_read(&numbers, 1).advances[1], -4);
}

// LLVM counts units from the pipes: where a use has several, times change and pipes stay.
static void pipes_stay_where_a_use_has_several_units(void **state) {
    struct resource resources[] = {
        {.name = "none"}, {.name = "P", .mask = 2, .units = 1}, {.name = "Q", .mask = 4, .units = 1}};
    struct resource group = {.name = "PQ", .mask = 14, .units = 2, .is_group = true};
    struct resource all[] = {resources[0], resources[1], resources[2], group};
    const struct machine machine = {.resources = all, .n_resources = 4};
    const struct insn_write write = {.latency = 13};
    struct insn_use uses[] = {{.mask = 2, .release = 2, .units = 1}, {.mask = 14, .release = 1, .units = 2}};
    const struct insn insn = {.uops = 1, .n_writes = 1, .writes = &write, .n_uses = 2, .uses = uses};
    struct repair_numbers numbers = {0}, reserved = {0};
    (void)state;
    assert_true(repair_numbers_read(&machine, &insn, &numbers));
    assert_true(numbers.has_fixed_pipes && !numbers.has_fixed_uses);
    struct repair_numbers longer = numbers, other = numbers;
    longer.uses[0].release = 16;
    other.uses[0].resource = 2;
    assert_false(has_other_pipes(&numbers, &longer));
    assert_true(has_other_pipes(&numbers, &other));
    uses[1].reserved = true;
    assert_true(repair_numbers_read(&machine, &insn, &reserved));
    assert_true(reserved.has_fixed_uses);
    uses[1] = (struct insn_use){.mask = 14, .release = 1, .units = 1};
    assert_true(repair_numbers_read(&machine, &insn, &reserved));
}

// A load form's latency is not what its merged destination waits for: a bound from its address shows that.
static void bounds_are_not_undercut(void **state) {
    struct check_value values[] = {testing_value("A", "C", CHECK_LATENCY, 8, 0.01),
                                   testing_value("A", "C", CHECK_LATENCY, 1, 0.01)};
    const double allowed[] = {2, 2};
    const size_t numbers[] = {0, 1};
    struct predicted predicted[] = {{.is_known = true, .cycles = 10}, {.is_known = true, .cycles = 2}};
    int write[] = {1, 1};
    const struct dependences found = {.write = write};
    struct repair_search search = {.all = values,
                                   .allowed_below = allowed,
                                   .values = numbers,
                                   .n_values = 2,
                                   .predicted = predicted,
                                   .best = {.n_writes = 1, .latencies = {8}}};
    (void)state;
    values[0].source = "2.base";
    values[0].value.relation = TABLE_AT_MOST;
    values[1].source = "1";
    assert_int_equal(latency_of_bounds(&search, &found, 0), 6);
    // Within what a way back may take less, the bound is no reason to change anything.
    predicted[0].cycles = 7;
    assert_true(gap_to_close(&search, 0, &predicted[0]) == 0);
    assert_int_equal(latency_of_bounds(&search, &found, 0), 8);
    // A latency of 1 fits the other value, and is far below this one.
    search.best.latencies[0] = 1;
    predicted[0].cycles = 3;
    assert_true(gap_to_close(&search, 0, &predicted[0]) > 0);
    assert_int_equal(latency_of_bounds(&search, &found, 0), 6);
    search.allowed_below = NULL;
    assert_true(gap_to_close(&search, 0, &predicted[0]) == 0);
}

// Increments that renaming adds up take a sixth of a cycle. Twelve of them side by side would with a latency of two,
// too.
static void a_throughput_lengthens_no_latency(void **state) {
    struct resource none = {.name = "none"};
    const struct machine machine = {.resources = &none, .n_resources = 1};
    const struct model model = {.machine = &machine};
    const struct table_part part = {.factor = 1.0 / 12};
    struct check_value value = testing_value("A", "C", CHECK_THROUGHPUT, 0.167, 0.001);
    struct repair_numbers tried[MOST_TRIED];
    struct repair_search search = {.model = &model, .best = {.n_writes = 1, .latencies = {1}}, .tried = tried};
    struct arena arena = {0};
    (void)state;
    value.value.parts = &part;
    value.value.n_parts = 1;
    suggest(&search, &arena, &value, 0.077, BOTTLENECK_DEPENDENCY);
    assert_int_equal(search.n_tried, 0);
    arena_free(&arena);
}

static void reads_are_no_earlier_than_matters(void **state) {
    const struct repair_numbers numbers = {.n_writes = 2, .latencies = {3, 7}};
    (void)state;
    assert_int_equal(clamp_advance(&numbers, 0, 88), 7);
    assert_int_equal(clamp_advance(&numbers, 0, 5), 5);
    assert_int_equal(clamp_advance(&numbers, 0, -2), -2);
    assert_int_equal(clamp_advance(&numbers, 9, 12), 9); // LLVM has it that early
}

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_dependences_stay_several),
                                       cmocka_unit_test(bounds_only_add_pipes),
                                       cmocka_unit_test(early_reads_are_found),
                                       cmocka_unit_test(pipes_stay_where_a_use_has_several_units),
                                       cmocka_unit_test(bounds_are_not_undercut),
                                       cmocka_unit_test(a_throughput_lengthens_no_latency),
                                       cmocka_unit_test(reads_are_no_earlier_than_matters),
                                       cmocka_unit_test(costs_are_ordered),
                                       cmocka_unit_test(pipes_held_longer_cost_what_others_would_show),
                                       cmocka_unit_test(late_reads_are_more_of_a_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
