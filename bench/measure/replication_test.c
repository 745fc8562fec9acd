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
    replication_add(arena, value, &(struct replication_change){.text = "in other registers"}, &replicate);
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

// A branch more takes some cycles of its own. It may also change what the CPU predicts, in both directions.
static void a_change_may_cost_something(void **state) {
    (void)state;
    static const struct {
        double cycles;
        enum bench_verdict verdict;
    } cases[] = {{5.5, MEASURED_EXACT}, {4.01, MEASURED_EXACT}, {3, MEASURED_UNSTABLE}, {6.1, MEASURED_UNSTABLE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct bench_measurement value = four(), replicate = measured(cases[i].cycles);
        replication_add(&arena, &value, &(struct replication_change){"with one more branch", 2, 0}, &replicate);
        assert_int_equal(value.verdict, cases[i].verdict);
        assert_true(value.low == 3.995 && value.high == 4.005);
        arena_free(&arena);
    }
}

static void what_differs_little_widens_with_a_warning(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement value = four();
    const struct replication_change change = {"16 bytes further on", 0, 0.1};
    struct bench_measurement near = measured(4.2), far = measured(4.5);
    replication_add(&arena, &value, &change, &near);
    assert_int_equal(value.verdict, MEASURED_WITHIN);
    assert_true(value.low == 3.995 && value.high == 4.2);
    assert_string_equal(value.warning, "depends on the layout: 4 cycles, and 4.2 16 bytes further on");
    replication_add(&arena, &value, &change, &far);
    assert_int_equal(value.verdict, MEASURED_UNSTABLE);
    struct bench_measurement disturbed = measured(5), lucky = measured(3);
    disturbed.verdict = lucky.verdict = MEASURED_UNSTABLE;
    disturbed.low = 4.1;
    value = four();
    replication_add(&arena, &value, &change, &disturbed);
    assert_int_equal(value.verdict, MEASURED_EXACT);
    replication_add(&arena, &value, &change, &lucky);
    assert_int_equal(value.verdict, MEASURED_UNSTABLE);
    value = four();
    disturbed.low = 4.5;
    replication_add(&arena, &value, &change, &disturbed);
    assert_int_equal(value.verdict, MEASURED_UNSTABLE);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_changes_nothing),     cmocka_unit_test(near_ones_widen_the_interval),
        cmocka_unit_test(another_time_is_a_dependence), cmocka_unit_test(what_is_not_known_proves_nothing),
        cmocka_unit_test(a_change_may_cost_something),  cmocka_unit_test(what_differs_little_widens_with_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
