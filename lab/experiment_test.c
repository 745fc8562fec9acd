// Values of runs that are short, as the code cannot run for more iterations at a time.
#include "lab/experiment.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// 4 bodies an iteration, 2 cycles each: 8 cycles an iteration.
static struct bench_measurement doubt(struct arena *arena, uint64_t most_iterations, enum bench_memory memory) {
    struct experiment experiment = {.program.unroll = 4,
                                    .measurement = {.outcome = BENCH_OK,
                                                    .verdict = MEASURED_EXACT,
                                                    .cycles = 2,
                                                    .low = 1.99,
                                                    .high = 2.01,
                                                    .numerator = 2,
                                                    .denominator = 1,
                                                    .seen = {.most_iterations = most_iterations, .memory = memory}}};
    experiment_doubt_short_run(arena, &experiment);
    return experiment.measurement;
}

static void a_long_run_keeps_its_value(void **state) {
    (void)state;
    static const uint64_t limits[] = {0, 1000, 300}; // 0: no limit
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct arena arena = {0};
        struct bench_measurement m = doubt(&arena, limits[i], MEMORY_OWN);
        double more =
            limits[i] ? 2 * 8 / (6.0 * (double)limits[i]) : 0; // the interval holds the ends, if there are any
        assert_int_equal(m.verdict, MEASURED_EXACT);
        assert_int_equal(m.numerator, 2);
        assert_true(fabs(m.low - (1.99 - more)) < 1e-9 && fabs(m.high - (2.01 + more)) < 1e-9);
        assert_null(m.warning);
        arena_free(&arena);
    }
}

// 100 iterations: 8 cycles of the 600 between a short and a long run.
static void a_short_run_has_a_wider_interval(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement m = doubt(&arena, 100, MEMORY_OWN);
    assert_int_equal(m.verdict, MEASURED_WITHIN);
    assert_int_equal(m.denominator, 0);
    assert_true(fabs(m.low - (1.99 - 2 * 8 / 600.0)) < 1e-9 && fabs(m.high - (2.01 + 2 * 8 / 600.0)) < 1e-9);
    assert_string_equal(m.warning, "only 100 iterations fit into the first-level cache (800 cycles): their start and "
                                   "end may make 1.3 %");
    arena_free(&arena);
}

static void a_very_short_run_is_unstable(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement m = doubt(&arena, 20, MEMORY_SHARED);
    assert_int_equal(m.verdict, MEASURED_UNSTABLE);
    assert_string_equal(m.why, "only 20 iterations fit (160 cycles), so their start and end distort the value; raise "
                               "--pages");
    m = doubt(&arena, 20, MEMORY_OWN);
    assert_null(strstr(m.why, "--pages"));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_run_keeps_its_value),
        cmocka_unit_test(a_short_run_has_a_wider_interval),
        cmocka_unit_test(a_very_short_run_is_unstable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
