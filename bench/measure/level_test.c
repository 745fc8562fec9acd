// The clean level of a check: the fastest plateau, and nothing that only looks like one.
#include "bench/measure/level.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROUNDS = 8 };
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static uint64_t seed = 1;

static double uniform(void) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(seed >> 11) / 9007199254740992.0;
}

// A process whose rounds all take `cycles`, give or take `scatter` of them.
static bool take(struct level *level, double cycles, double scatter) {
    double readings[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++)
        readings[i] = cycles * (1 + scatter * (uniform() - 0.5));
    return level_take(level, readings, ROUNDS, 0);
}

static void three_processes_that_agree_are_a_level(void **state) {
    (void)state;
    struct level level = {0};
    assert_false(take(&level, 2, 0.004));
    assert_false(take(&level, 2, 0.004));
    assert_true(level.cycles == 0);
    assert_true(take(&level, 2, 0.004));
    assert_near(level.cycles, 2, 0.005);
    assert_true(level_is_reached(&level));
    assert_near(level_tolerance(&level), 0.02, 1e-9);
}

// Who is there in some processes, and slows them all alike.
static void the_fastest_plateau_wins(void **state) {
    (void)state;
    struct level level = {0};
    for (unsigned i = 0; i < 10; i++)
        take(&level, 3, 0.004);
    assert_near(level.cycles, 3, 0.005);
    assert_false(take(&level, 2, 0.004));
    assert_false(take(&level, 2, 0.004));
    assert_near(level.cycles, 3, 0.005);
    assert_true(take(&level, 2, 0.004));
    assert_near(level.cycles, 2, 0.005);
    for (unsigned i = 0; i < 100; i++)
        assert_false(take(&level, 3, 0.004));
    assert_near(level.cycles, 2, 0.005);
}

// A process that is faster than all others, by a reference that was slowed, is no plateau; nor are two that differ.
static void a_glitch_is_no_level(void **state) {
    (void)state;
    struct level level = {0};
    for (unsigned i = 0; i < 3; i++)
        take(&level, 2, 0.004);
    assert_false(take(&level, 1.1, 0.004));
    assert_false(take(&level, 1.1, 0.004));
    for (unsigned i = 0; i < 40; i++)
        assert_false(take(&level, 1.2 + 0.02 * i, 0.004));
    assert_near(level.cycles, 2, 0.01);
}

// Among hundreds, some are fast by accident, and even alike; those that are so more often are the level.
static void a_rare_accident_is_no_level(void **state) {
    (void)state;
    struct level level = {0};
    for (unsigned i = 0; i < 2000; i++)
        assert_false(take(&level, i % 12 == 11 ? 1.96 : 2, 0.004) && i > 2);
    assert_near(level.cycles, 2, 0.005);
    for (unsigned i = 0; i < 100; i++)
        take(&level, i % 6 == 5 ? 1.96 : 2, 0.004);
    assert_near(level.cycles, 1.96, 0.005);
}

// Neither are rounds that lie anywhere.
static void scatter_is_no_level(void **state) {
    (void)state;
    unsigned n = 0;
    for (unsigned i = 0; i < 100; i++) {
        struct level level = {0};
        for (unsigned p = 0; p < 3; p++)
            take(&level, 2, 0.3);
        n += level.cycles > 0;
    }
    assert_true(n == 0);
}

// He comes and goes within the process: the rounds without him count.
static void part_of_a_process_will_do(void **state) {
    (void)state;
    struct level level = {0};
    for (unsigned p = 0; p < 3; p++) {
        double readings[ROUNDS] = {2, 3.1, 2.01, 2.7, 3.3, 2.005, 3.3, 2.01};
        level_take(&level, readings, ROUNDS, 0);
    }
    assert_near(level.cycles, 2, 0.01);
    double mostly_his[ROUNDS] = {1, 1, 3, 3.2, 3.4, 3.6, 3.8, 1}; // three rounds may be an accident
    assert_false(level_take(&level, mostly_his, ROUNDS, 0));
    assert_int_equal(level.n_faster, 0);
}

// All processes at the level make it, not the fastest of them.
static void the_level_is_a_mean(void **state) {
    (void)state;
    struct level level = {0};
    for (unsigned p = 0; p < 200; p++)
        take(&level, 2 * (1 + 0.008 * (uniform() - 0.5)), 0.002);
    assert_near(level.cycles, 2, 0.002);
}

static void a_remembered_level_is_to_be_reached(void **state) {
    (void)state;
    struct level level = {0};
    level_remember(&level, 2);
    for (unsigned p = 0; p < 10; p++)
        assert_false(take(&level, 2.2, 0.002));
    assert_false(level_is_reached(&level));
    assert_near(level.cycles, 2, 1e-9);
    for (unsigned p = 0; p < 3; p++)
        assert_false(take(&level, 2.01, 0.002));
    assert_true(level_is_reached(&level));
    assert_near(level.cycles, 2, 1e-9);
    for (unsigned p = 0; p < LEVEL_MANY; p++)
        take(&level, 1.9, 0.002);
    assert_near(level.cycles, 1.9, 0.005);
    assert_near(level.remembered, 2, 1e-9);
}

// Earlier sessions would all have had a neighbour: that takes more than three lucky processes.
static void a_remembered_level_does_not_drift_down(void **state) {
    (void)state;
    struct level level = {0};
    level_remember(&level, 2);
    for (unsigned i = 0; i < 15; i++)
        assert_false(take(&level, 1.96, 0.004));
    assert_near(level.cycles, 2, 1e-9);
    assert_true(take(&level, 1.96, 0.004));
    assert_near(level.cycles, 1.96, 0.005);
    struct level mixed = {0};
    level_remember(&mixed, 2);
    for (unsigned i = 0; i < 500; i++)
        assert_false(take(&mixed, i % 3 ? 2 : 1.96, 0.004)); // a third of the time
}

// Multiplies take whole cycles. What looks faster is a reference that was slowed, and no better level.
static void whole_levels_stay_whole(void **state) {
    (void)state;
    struct level level = {.is_whole = true};
    for (unsigned p = 0; p < 20; p++)
        assert_false(take(&level, 2.87, 0.004));
    assert_true(level.cycles == 0);
    for (unsigned p = 0; p < 3; p++)
        take(&level, 3.004, 0.004);
    assert_true(level.cycles == 3);
    for (unsigned p = 0; p < 20; p++)
        assert_false(take(&level, 2.87, 0.004));
    assert_true(level.cycles == 3);
    assert_int_equal(level.n_processes, 3);
}

// A coarse timer scatters readings, which widens what counts as close.
static void noise_widens_what_is_close(void **state) {
    (void)state;
    struct level level = {0};
    for (unsigned p = 0; p < 3; p++) {
        double readings[ROUNDS] = {2, 2.03, 2.06, 2.09, 2, 2.05, 2.03, 2.07};
        level_take(&level, readings, ROUNDS, 0.02);
    }
    assert_near(level.cycles, 2.04, 0.02);
    assert_true(level_tolerance(&level) > 0.04);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_processes_that_agree_are_a_level),
        cmocka_unit_test(the_fastest_plateau_wins),
        cmocka_unit_test(a_glitch_is_no_level),
        cmocka_unit_test(a_rare_accident_is_no_level),
        cmocka_unit_test(scatter_is_no_level),
        cmocka_unit_test(part_of_a_process_will_do),
        cmocka_unit_test(the_level_is_a_mean),
        cmocka_unit_test(a_remembered_level_is_to_be_reached),
        cmocka_unit_test(a_remembered_level_does_not_drift_down),
        cmocka_unit_test(whole_levels_stay_whole),
        cmocka_unit_test(noise_widens_what_is_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
