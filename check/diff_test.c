// Which values moved between two measurements, and how many of those that did not are reported.
#include "check/diff.h"

#include "check/testing_values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct check_results results_of(const struct check_value *values, size_t n) {
    return (struct check_results){.path = "a", .values = values, .n_values = n};
}

static enum diff_kind kind_of(struct check_value before, struct check_value after) {
    struct arena arena = {0};
    struct check_results a = results_of(&before, 1), b = results_of(&after, 1);
    struct diff diff;
    diff_make(&arena, &a, &b, 0.01, &diff);
    assert_int_equal(diff.n_entries, 1);
    enum diff_kind kind = diff.entries[0].kind;
    arena_free(&arena);
    return kind;
}

static struct check_value bound_of(struct check_value value, double cycles, const char *bytes) {
    value.value.cycles = cycles;
    value.value.low = cycles - 0.01;
    value.value.high = cycles + 0.01;
    value.value.bytes = bytes;
    return value;
}

static void test_kinds(void **state) {
    (void)state;
    struct check_value four = testing_value("A", "C", CHECK_LATENCY, 4, 0.01), five = four, near = four, shaky = four,
                       none = four, bound;
    five.value.cycles = 5, five.value.low = 4.99, five.value.high = 5.01;
    near.value.cycles = 4.03, near.value.low = 4.02, near.value.high = 4.04; // apart, but by less than 1 %
    shaky.value.verdict = MEASURED_UNSTABLE;
    none.value.is_known = false;
    bound = five;
    bound.value.relation = TABLE_AT_MOST;
    assert_int_equal(kind_of(four, four), DIFF_SAME);
    assert_int_equal(kind_of(four, five), DIFF_MOVED);
    assert_int_equal(kind_of(four, near), DIFF_SAME);
    assert_int_equal(kind_of(four, shaky), DIFF_NOW_UNSTABLE);
    assert_int_equal(kind_of(shaky, four), DIFF_BETTER_KNOWN);
    assert_int_equal(kind_of(four, none), DIFF_LOST);
    assert_int_equal(kind_of(none, four), DIFF_NEW);
    assert_int_equal(kind_of(four, bound), DIFF_INCOMPARABLE); // at most 5 may be 4
    assert_int_equal(kind_of(bound_of(bound, 4, "90"), bound_of(bound, 5, "6690")), DIFF_INCOMPARABLE);
    // A table shows the smallest throughput that is stable: now of unrolled code, now of a loop.
    struct check_value unrolled = four, looped = five;
    unrolled.quantity = looped.quantity = CHECK_THROUGHPUT;
    unrolled.value.bytes = "90";
    looped.value.bytes = "9075fd";
    assert_int_equal(kind_of(unrolled, looped), DIFF_MOVED);
    unrolled.value.has_two_speeds = true;
    assert_int_equal(kind_of(unrolled, looped), DIFF_INCOMPARABLE);
    looped.value.bytes = "90";
    assert_int_equal(kind_of(unrolled, looped), DIFF_MOVED);
    assert_int_equal(kind_of(bound_of(bound, 4, "90"), bound_of(bound, 5, "90")), DIFF_MOVED);
    bound.value.cycles = 3, bound.value.low = 2.99, bound.value.high = 3.01;
    assert_int_equal(kind_of(four, bound), DIFF_MOVED); // at most 3 is not 4
}

static void test_values_of_one_side(void **state) {
    struct arena arena = {0};
    (void)state;
    struct check_value before[] = {testing_value("A", "C", CHECK_THROUGHPUT, 1, 0.01),
                                   testing_value("B", "C", CHECK_THROUGHPUT, 1, 0.01)},
                       after[] = {testing_value("B", "C", CHECK_THROUGHPUT, 1, 0.01),
                                  testing_value("D", "C", CHECK_THROUGHPUT, 1, 0.01)};
    struct check_results a = results_of(before, 2), b = results_of(after, 2);
    struct diff diff;
    diff_make(&arena, &a, &b, 0.01, &diff);
    assert_int_equal(diff.n_by_kind[DIFF_LOST], 1);
    assert_int_equal(diff.n_by_kind[DIFF_SAME], 1);
    assert_int_equal(diff.n_by_kind[DIFF_NEW], 1);
    assert_int_equal(diff.n_compared, 1);
    arena_free(&arena);
}

static double normal(void) {
    double u = (rand() + 1.0) / (RAND_MAX + 2.0), v = (rand() + 1.0) / (RAND_MAX + 2.0);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

// Thousands of values that have not moved, measured twice with the very spread that their intervals state.
static void test_few_false_ones(void **state) {
    enum { N_VALUES = 20000, N_MOVED = 200 };
    struct arena arena = {0};
    (void)state;
    struct check_value *values[2];
    double deviation = 0.02, half = deviation * diff_standard_deviations(0.99);
    size_t n_false = 0, n_found = 0;
    srand(7);
    for (int side = 0; side < 2; side++) {
        values[side] = ARENA_ARRAY(&arena, struct check_value, N_VALUES);
        for (int i = 0; i < N_VALUES; i++) {
            double truth = side && i < N_MOVED ? 1.5 : 1;
            values[side][i] = testing_value(arena_printf(&arena, "F%05d", i), "C", CHECK_THROUGHPUT,
                                            truth + deviation * normal(), half);
        }
    }
    struct check_results a = results_of(values[0], N_VALUES), b = results_of(values[1], N_VALUES);
    struct diff diff;
    diff_make(&arena, &a, &b, 0.01, &diff);
    for (size_t i = 0; i < diff.n_entries; i++)
        if (diff.entries[i].kind == DIFF_MOVED) {
            n_false += i >= N_MOVED;
            n_found += i < N_MOVED;
        }
    assert_int_equal(diff.n_compared, N_VALUES);
    assert_int_equal(n_found, N_MOVED);
    assert_true(n_false <= N_VALUES / 1000);
    arena_free(&arena);
}

static void test_deviations(void **state) {
    (void)state;
    assert_true(fabs(diff_standard_deviations(0.99) - 2.5758) < 1e-3);
    assert_true(fabs(diff_standard_deviations(0.95) - 1.9600) < 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_values_of_one_side),
        cmocka_unit_test(test_few_false_ones),
        cmocka_unit_test(test_deviations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
