#include "bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void the_clocks_error_widens_the_interval(void **state) {
    (void)state;
    const struct bench_measurement m = {.cycles = 4, .low = 3.5, .high = 4.25, .clock_error = 0.125};
    assert_float_equal(measured_low(&m), 3.5 * 0.875, 0);
    assert_float_equal(measured_high(&m), 4.25 * 1.125, 0);
    assert_float_equal(measured_half_width(&m), 0.5 + 0.5, 0); // the lower half is the wider one
}

static void values_differ_beyond_their_intervals(void **state) {
    (void)state;
    static const struct {
        struct bench_measurement a, b;
        bool differ;
    } rows[] = {
        {{.cycles = 4, .low = 3.9, .high = 4.1}, {.cycles = 4.2, .low = 4.15, .high = 4.3}, true},
        {{.cycles = 4, .low = 3.9, .high = 4.1}, {.cycles = 4.2, .low = 4.05, .high = 4.3}, false},
        {{.cycles = 4, .low = 3.9, .high = 4.1, .clock_error = 0.02}, {.cycles = 4.2, .low = 4.15, .high = 4.3}, false},
        {{.cycles = 4, .low = 4, .high = 4}, {.cycles = 4.03, .low = 4.03, .high = 4.03}, false}, // less than 1 %
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(measured_differ(&rows[i].a, &rows[i].b), rows[i].differ);
        assert_int_equal(measured_differ(&rows[i].b, &rows[i].a), rows[i].differ);
    }
}

// A look at another time confirms a value, or shows that the code has another speed then. A neighbour only slows, so
// the fastest look is what to compare with; but a value that is unstable anyway says nothing.
static void looks_confirm_a_value_or_do_not(void **state) {
    (void)state;
    const struct bench_measurement fastest = {.cycles = 4, .low = 3.99, .high = 4.01};
    const struct bench_looks looks = {.fastest = &fastest}, no_looks = {0};
    static const struct {
        double cycles;
        enum bench_verdict verdict, becomes;
        enum bench_look look;
    } rows[] = {{4.02, MEASURED_WITHIN, MEASURED_WITHIN, LOOK_NONE},
                {5, MEASURED_EXACT, MEASURED_UNSTABLE, LOOK_MOVED},
                {3, MEASURED_EXACT, MEASURED_UNSTABLE, LOOK_MOVED},
                {5, MEASURED_UNSTABLE, MEASURED_UNSTABLE, LOOK_NONE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = {0};
        struct bench_measurement m = {
            .cycles = rows[i].cycles, .low = rows[i].cycles, .high = rows[i].cycles, .verdict = rows[i].verdict};
        measured_confirm(&arena, &no_looks, &m);
        assert_int_equal(m.verdict, rows[i].verdict);
        measured_confirm(&arena, &looks, &m);
        assert_int_equal(m.verdict, rows[i].becomes);
        assert_int_equal(m.look, rows[i].look);
        if (m.look == LOOK_MOVED)
            assert_non_null(strstr(m.why, "4 cycles at one time and"));
        arena_free(&arena);
    }
}

static struct bench_measurement with_modes(double low, double high) {
    return (struct bench_measurement){.cycles = low,
                                      .low = low * 0.999,
                                      .high = high * 1.001,
                                      .verdict = MEASURED_UNSTABLE,
                                      .look = LOOK_MODES,
                                      .why = "two modes",
                                      .modes = {{low, 0.5}, {high, 0.5}}};
}

// Confirms a look with two modes by two earlier ones.
static struct bench_measurement confirm_modes(struct arena *arena, struct bench_measurement now,
                                              struct bench_measurement a, struct bench_measurement b) {
    const struct bench_measurement *const modes[] = {&a, &b};
    const struct bench_looks looks = {.modes = modes, .n_modes = 2};
    measured_confirm(arena, &looks, &now);
    return now;
}

// Two modes that come back at three times are speeds of the code. The interval holds both of them, as each look saw
// them.
static void modes_that_come_back_are_two_speeds(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement m =
        confirm_modes(&arena, with_modes(1.13, 1.22), with_modes(1.125, 1.219), with_modes(1.127, 1.23));
    assert_int_equal(m.verdict, MEASURED_WITHIN);
    assert_int_equal(m.look, LOOK_NONE);
    assert_null(m.why);
    assert_non_null(strstr(m.warning, "at 3 times: 1.125 and 1.23 "));
    assert_true(m.low < 1.125 && m.low > 1.11 && m.high > 1.23 && m.high < 1.25);
    assert_true(measured_has_two_speeds(&m));
    arena_free(&arena);
}

// Where two looks found the same two modes, a look that shows one of them alone had luck. After one such look, it may
// be that a neighbour made the slower mode, but not the faster one.
static void one_mode_alone_is_no_speed(void **state) {
    (void)state;
    static const struct {
        double now, second_high;
        enum bench_verdict becomes;
    } rows[] = {{1, 1.2, MEASURED_WITHIN},  {1.2, 1.2, MEASURED_WITHIN},   {1.1, 1.2, MEASURED_UNSTABLE},
                {0.9, 1.2, MEASURED_EXACT}, {1.2, 1.5, MEASURED_UNSTABLE}, {1, 1.5, MEASURED_EXACT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = {0};
        struct bench_measurement now = {
            .cycles = rows[i].now, .low = rows[i].now, .high = rows[i].now, .verdict = MEASURED_EXACT};
        now = confirm_modes(&arena, now, with_modes(1, 1.2), with_modes(1, rows[i].second_high));
        if (now.verdict != rows[i].becomes)
            fail_msg("row %zu: %s", i, bench_verdict_name(now.verdict));
        assert_int_equal(measured_has_two_speeds(&now), rows[i].becomes == MEASURED_WITHIN);
        assert_true(now.verdict != MEASURED_WITHIN || (now.low < 1 && now.high > 1.2));
        arena_free(&arena);
    }
}

// Which look came last makes no difference.
static void the_order_of_looks_does_not_count(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct bench_measurement one = with_modes(1, 1.2), odd = with_modes(1, 1.5);
    for (int i = 0; i < 3; i++) {
        const struct bench_measurement *const modes[] = {i == 0 ? &odd : &one, i == 1 ? &odd : &one,
                                                         i == 2 ? &odd : &one};
        const struct bench_looks looks = {.modes = modes, .n_modes = 3};
        struct bench_measurement now = {.cycles = 1.2, .low = 1.2, .high = 1.2, .verdict = MEASURED_EXACT};
        measured_confirm(&arena, &looks, &now);
        assert_true(measured_has_two_speeds(&now));
        assert_true(now.low < 1 && now.high > 1.2 && now.high < 1.3);
    }
    arena_free(&arena);
}

// A neighbour slows now by this and now by that.
static void other_modes_are_not_speeds(void **state) {
    (void)state;
    struct arena arena = {0};
    struct bench_measurement other_slow =
        confirm_modes(&arena, with_modes(1, 1.2), with_modes(1, 1.2), with_modes(1, 1.3));
    struct bench_measurement other_fast =
        confirm_modes(&arena, with_modes(1, 1.2), with_modes(1, 1.2), with_modes(1.1, 1.2));
    assert_int_equal(other_slow.verdict, MEASURED_UNSTABLE);
    assert_int_equal(other_fast.verdict, MEASURED_UNSTABLE);
    struct bench_measurement disturbed = with_modes(1, 1.2);
    disturbed.look = LOOK_NONE; // for another reason too
    disturbed = confirm_modes(&arena, disturbed, with_modes(1, 1.2), with_modes(1, 1.2));
    assert_int_equal(disturbed.verdict, MEASURED_UNSTABLE);
    assert_false(measured_has_two_speeds(&disturbed));
    arena_free(&arena);
}

static struct bench_measurement with_spread(double low, double high) {
    struct bench_measurement m = with_modes(low, high);
    m.look = LOOK_SPREAD;
    m.cycles = (low + high) / 2;
    return m;
}

// Where each process has another value, three times the same range is the code's, from the fastest process on. Two
// modes may be of it. A stable value is not: it shows that the spread was not the code's.
static void a_spread_that_comes_back_is_a_range(void **state) {
    (void)state;
    const struct {
        struct bench_measurement now, first, second;
        bool is_range;
    } rows[] = {
        {with_spread(13, 14.5), with_spread(12.9, 14.6), with_spread(13.2, 15), true},
        {with_modes(13, 14.5), with_spread(12.9, 14.6), with_spread(13.2, 15), true},
        {with_spread(13, 14.5), with_modes(12.9, 14.6), with_spread(13.2, 15), true},
        {with_spread(13, 14.5), with_spread(12.9, 14.6), with_spread(14.4, 16), false}, // elsewhere
        {with_spread(13, 14.5), with_spread(12.9, 14.6), with_spread(13.2, 18), false}, // too wide to say anything
        {with_modes(13, 14.5), with_modes(12.5, 14.6), with_modes(13.4, 15), false},    // other modes each time
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = {0};
        struct bench_measurement m = confirm_modes(&arena, rows[i].now, rows[i].first, rows[i].second);
        if ((m.verdict == MEASURED_WITHIN) != rows[i].is_range)
            fail_msg("row %zu: %s", i, bench_verdict_name(m.verdict));
        assert_int_equal(measured_has_two_speeds(&m), rows[i].is_range);
        if (rows[i].is_range) {
            assert_int_equal(m.look, LOOK_NONE);
            assert_null(m.why);
            assert_non_null(strstr(m.warning, "another value in each process, at 3 times: 12.9 to 15 cycles"));
            assert_true(m.low < 12.9 && m.low > 12.7 && m.high > 15 && m.high < 15.2);
        }
        arena_free(&arena);
    }
    struct arena arena = {0};
    const struct bench_measurement inside = {.cycles = 13.5, .low = 13.4, .high = 13.6, .verdict = MEASURED_WITHIN},
                                   above = {.cycles = 15, .low = 14.9, .high = 15.1, .verdict = MEASURED_WITHIN};
    struct bench_measurement m = confirm_modes(&arena, inside, with_spread(13, 14.5), with_spread(12.9, 14.6));
    assert_true(m.verdict == MEASURED_WITHIN && m.low > 13.3 && m.high < 13.7);
    m = confirm_modes(&arena, above, with_spread(13, 14.5), with_spread(12.9, 14.6));
    assert_true(m.verdict == MEASURED_WITHIN && m.low > 14.8);
    struct bench_measurement lucky = with_spread(13, 14.5);
    lucky.process_low = 12; // one process that nobody disturbed
    m = confirm_modes(&arena, with_spread(13, 14.5), with_spread(12.9, 14.6), lucky);
    assert_true(m.verdict == MEASURED_WITHIN && m.low < 12 && m.high > 14.6);
    arena_free(&arena);
}

// A neighbour only slows. So a first look that was faster than all later ones belongs to the range.
static void a_faster_first_look_widens_a_range(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct bench_measurement first = {.cycles = 12, .low = 11.9, .high = 12.1, .look = LOOK_FIRST},
                                   spread = with_spread(13, 14.5);
    const struct bench_measurement *const modes[] = {&spread, &spread};
    const struct bench_looks looks = {.fastest = &first, .modes = modes, .n_modes = 2};
    struct bench_measurement m = spread;
    measured_confirm(&arena, &looks, &m);
    assert_true(m.verdict == MEASURED_WITHIN && m.low < 12 && m.high > 14.5);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clocks_error_widens_the_interval), cmocka_unit_test(values_differ_beyond_their_intervals),
        cmocka_unit_test(looks_confirm_a_value_or_do_not),      cmocka_unit_test(modes_that_come_back_are_two_speeds),
        cmocka_unit_test(one_mode_alone_is_no_speed),           cmocka_unit_test(the_order_of_looks_does_not_count),
        cmocka_unit_test(other_modes_are_not_speeds),           cmocka_unit_test(a_spread_that_comes_back_is_a_range),
        cmocka_unit_test(a_faster_first_look_widens_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
