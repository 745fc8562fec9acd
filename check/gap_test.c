// Which predictions an interval excludes, and what is named as the cause.
#include "check/gap.h"

#include "check/testing_values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct predicted prediction(double cycles) {
    return (struct predicted){
        .is_known = true, .cycles = cycles, .simulated = cycles, .kind = BOTTLENECK_UNKNOWN, .resource = ""};
}

static void test_interval_decides(void **state) {
    (void)state;
    struct check_value value = testing_value("A", "C", CHECK_THROUGHPUT, 0.25, 0.002);
    struct predicted inside = prediction(0.2515), third = prediction(1.0 / 3), near = prediction(0.2535);
    assert_true(gap_find(&value, &inside) == 0);
    assert_true(gap_find(&value, &third) > 0.3); // an absolute epsilon of 0.1 cycles would pass it
    assert_true(gap_find(&value, &near) == 0);   // within 1 % of the interval
    value.value.low = 0.1;
    value.value.high = 0.4;
    assert_true(gap_find(&value, &third) == 0);
}

// What is left of long chains is as sure as the chains are.
static void test_long_chains_are_less_sure(void **state) {
    (void)state;
    struct check_value value = testing_value("A", "C", CHECK_LATENCY, 1, 0.01);
    struct predicted predicted = prediction(1.15);
    assert_true(gap_find(&value, &predicted) > 0);
    predicted.simulated = 20;
    assert_true(gap_find(&value, &predicted) == 0);
}

static void test_bound_excludes_what_is_above(void **state) {
    (void)state;
    struct check_value value = testing_value("A", "C", CHECK_LATENCY, 4, 0.01);
    struct predicted below = prediction(2), above = prediction(5);
    value.value.relation = TABLE_AT_MOST;
    assert_true(gap_find(&value, &below) == 0);
    assert_true(gap_find(&value, &above) > 0);
}

// A sum of latencies that lacks less than half a cycle shows no wrong one: pipes are between them.
static void test_no_latency_is_a_part_of_a_cycle(void **state) {
    (void)state;
    struct check_value value = testing_value("A", "C", CHECK_LATENCY, 12.7, 0.05);
    struct predicted near = prediction(13), above = prediction(13.5);
    value.value.relation = TABLE_AT_MOST;
    assert_true(gap_find(&value, &near) > 0); // a bound for another reason
    value.value.sum = 13.7;
    assert_true(gap_find(&value, &near) == 0 && gap_find(&value, &above) > 0);
    value.value.relation = TABLE_EQUAL;
    assert_true(gap_find(&value, &near) > 0);
}

// The programs of a bound are known, even though the form's part in them is not.
static void test_programs_of_bounds_are_known(void **state) {
    (void)state;
    struct check_value value = testing_value("A", "C", CHECK_LATENCY, 8, 0.01);
    struct predicted below = prediction(3), near = prediction(7.95), above = prediction(10), far = prediction(14);
    assert_true(gap_below(&value, &below) == 0); // it is no bound: that is a gap
    value.value.relation = TABLE_AT_MOST;
    assert_true(fabs(gap_below(&value, &below) - 5) < 0.1);
    assert_true(gap_below(&value, &near) == 0 && gap_below(&value, &above) == 0);
    // As far as the model was off, and at least 2 cycles.
    assert_true(fabs(gap_allowed_below(&value, &far) - 6) < 0.1);
    assert_true(gap_allowed_below(&value, &near) == 2);
    value = testing_value("A", "C", CHECK_LATENCY, 100, 0.01);
    assert_true(gap_allowed_below(&value, &near) > 90);
}

static void test_only_stable_values_are_sure(void **state) {
    (void)state;
    struct check_value value = testing_value("A", "C", CHECK_LATENCY, 4, 0.01);
    assert_true(gap_is_sure(&value));
    value.value.verdict = MEASURED_UNSTABLE;
    assert_false(gap_is_sure(&value));
    value.value.verdict = MEASURED_EXACT;
    value.value.high = INFINITY;
    assert_false(gap_is_sure(&value));
}

static void test_ratios_have_names(void **state) {
    struct arena arena = {0};
    (void)state;
    assert_string_equal(gap_ratio_name(&arena, 2.01), "x2");
    assert_string_equal(gap_ratio_name(&arena, 0.4995), "x1/2");
    assert_string_equal(gap_ratio_name(&arena, 1.5), "x3/2");
    assert_null(gap_ratio_name(&arena, 1.13));
    assert_null(gap_ratio_name(&arena, 100));
    arena_free(&arena);
}

static void test_long_class_names_are_short_in_identifiers(void **state) {
    struct arena arena = {0};
    (void)state;
    const char *a = gap_class_name(&arena, "VADDPSYrr_VSUBPSYrr_VADDPSZ256rr_VSUBPSZ256rr_VADDPSZ256rrk"),
               *b = gap_class_name(&arena, "VADDPSYrr_VSUBPSYrr_VADDPSZ256rr_VSUBPSZ256rr_VSUBPSZ256rrk");
    assert_int_equal(strncmp(a, "VADDPSYrr+", strlen("VADDPSYrr+")), 0);
    assert_string_not_equal(a, b);
    assert_string_equal(gap_class_name(&arena, "WriteFAdd"), "WriteFAdd");
    arena_free(&arena);
}

static void test_causes(void **state) {
    struct arena arena = {0};
    (void)state;
    struct check_value store = testing_value("MOV64mr", "WriteStore", CHECK_THROUGHPUT, 1, 0.002);
    struct predicted held = prediction(2);
    held.kind = BOTTLENECK_RESOURCE;
    held.resource = "Zn4Store";
    held.holds_cycles = 2;
    struct check_difference difference = gap_describe(&arena, &store, &held);
    assert_string_equal(difference.own, "throughput/WriteStore");
    assert_string_equal(difference.shared, "resource/Zn4Store/2-cycles/x1/2");
    assert_string_equal(difference.about, "Zn4Store held for 2 cycles");
    assert_true(fabs(difference.gap - 1) < 1e-9);
    held.kind = BOTTLENECK_BUFFER;
    held.resource = "load and store queues";
    assert_string_equal(gap_describe(&arena, &store, &held).shared, "load-and-store-queues/x1/2");
    held.kind = BOTTLENECK_RETIRE;
    assert_string_equal(gap_describe(&arena, &store, &held).shared, "retire-width/x1/2");

    struct check_value load = testing_value("MOV64rm", "WriteLoad", CHECK_LATENCY, 4, 0.002);
    struct predicted five = prediction(5);
    load.source = "1.base";
    difference = gap_describe(&arena, &load, &five);
    assert_string_equal(difference.own, "latency/WriteLoad");
    assert_string_equal(difference.shared, "address-latency/+1");

    struct check_value idiom = testing_value("XOR64rr", "WriteALU", CHECK_LATENCY, 0.2, 0.002);
    struct predicted one = prediction(1);
    idiom.source = "same";
    assert_string_equal(gap_describe(&arena, &idiom, &one).own, "same-register/WriteALU");

    struct check_value slots = testing_value("IMUL64rr", "WriteIMul64Reg", CHECK_SLOTS, 1, 0.002);
    assert_string_equal(gap_describe(&arena, &slots, &held).own, "slots/WriteIMul64Reg");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval_decides),
        cmocka_unit_test(test_long_chains_are_less_sure),
        cmocka_unit_test(test_bound_excludes_what_is_above),
        cmocka_unit_test(test_no_latency_is_a_part_of_a_cycle),
        cmocka_unit_test(test_programs_of_bounds_are_known),
        cmocka_unit_test(test_only_stable_values_are_sure),
        cmocka_unit_test(test_ratios_have_names),
        cmocka_unit_test(test_long_class_names_are_short_in_identifiers),
        cmocka_unit_test(test_causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
