#include "bench/measure/replication.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct bench_measurement four(void) {
    return (struct bench_measurement){.cycles = 4,
                                      .low = 3.995,
                                      .high = 4.005,
                                      .clock_error = 0.001,
                                      .verdict = MEASURED_EXACT,
                                      .numerator = 4,
                                      .denominator = 1};
}

static struct bench_measurement measured(double cycles) {
    return (struct bench_measurement){.cycles = cycles,
                                      .low = cycles - 0.004,
                                      .high = cycles + 0.004,
                                      .clock_error = 0.001,
                                      .verdict = MEASURED_WITHIN};
}

static void add(struct arena *arena, struct bench_measurement *value, struct bench_measurement replicate) {
    replication_add(arena, value, "in other registers", &replicate);
}

static void the_same_changes_nothing(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement value = four();
    add(&arena, &value, measured(4.001));
    assert_int_equal(value.verdict, MEASURED_EXACT);
    assert_true(value.low == 3.995 && value.high == 4.005);
    assert_int_equal(value.n_replicates, 1);
    assert_string_equal(value.replicates[0].change, "in other registers");
    arena_free(&arena);
}

// Half a percent off: no quarrel, but the interval holds both, and the fraction is not sure any more.
static void near_ones_widen_the_interval(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement value = four();
    add(&arena, &value, measured(4.02));
    assert_int_equal(value.verdict, MEASURED_WITHIN);
    assert_true(value.low == 3.995 && value.high == 4.02);
    add(&arena, &value, measured(3.98));
    assert_true(value.low == 3.98 && value.high == 4.02);
    arena_free(&arena);
}

static void another_time_is_a_dependence(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement value = four();
    add(&arena, &value, measured(5));
    add(&arena, &value, measured(4));
    assert_int_equal(value.verdict, MEASURED_UNSTABLE);
    assert_string_equal(value.why, "depends on the layout: 4 cycles, and 5 in other registers");
    assert_int_equal(value.n_replicates, 2);
    arena_free(&arena);
}

static void what_is_not_known_proves_nothing(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement value = four(), unstable = measured(5), crashed = {.outcome = BENCH_SIGILL};
    unstable.verdict = MEASURED_UNSTABLE;
    add(&arena, &value, unstable);
    add(&arena, &value, crashed);
    assert_int_equal(value.verdict, MEASURED_EXACT);
    assert_int_equal(value.n_replicates, 2);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_changes_nothing),
        cmocka_unit_test(near_ones_widen_the_interval),
        cmocka_unit_test(another_time_is_a_dependence),
        cmocka_unit_test(what_is_not_known_proves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
