// Others on the same core or CPU, on a target whose truth we know: what they disturb is dropped, or said.
#include "bench/measure/fake_session.h"

#include <math.h>
#include <string.h>

// Its interval holds the truth.
static bool is_right(const struct bench_measurement *result) {
    return result->low * (1 - result->clock_error) <= 4 && 4 <= result->high * (1 + result->clock_error);
}

// Another thread comes onto our core after calibration, and slows the reference: seen on VMs. The interval is one of 99
// %.
static void a_shared_core_widens_the_error(void **state) {
    (void)state;
    enum { SEEDS = 200 };
    unsigned n_seen = 0, n_right = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fake_session session;
        struct fake_target fake = fake_target_noisy(seed);
        fake.drift = 0;
        fake_measure(&session, fake);
        double error_alone = session.bench.clock_error;
        session.fake.reference_slowed = 0.004;
        const struct bench_measurement *result = &session.result;
        assert_true(bench_measure(&session.bench, &fake_code, &session.result, 1, NULL, &session.fail));
        n_seen += result->clock_error > 2 * error_alone;
        n_right += result->verdict == MEASURED_UNSTABLE || is_right(result);
        assert_true(result->verdict != MEASURED_EXACT || result->numerator == 4);
        assert_true(result->verdict == MEASURED_UNSTABLE || fabs(result->cycles / 4 - 1) < 0.008);
        arena_free(&session.arena);
    }
    assert_true(n_seen >= SEEDS * 9 / 10); // the scatter of few samples is itself uncertain
    assert_true(n_right >= SEEDS * 98 / 100);
}

// What that thread does to code bound by issue: most of a round's times may be right, and still the round is wrong.
static void rounds_corunner_a_neighbour_are_dropped(void **state) {
    (void)state;
    enum { SEEDS = 60 };
    unsigned n_exact = 0, n_issue = 0, n_multiply = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fake_session session;
        fake_measure(&session, fake_target_noisy(seed));
        session.fake.neighbour_share = 0.2;
        session.fake.neighbour_slows = 1.9;
        assert_true(bench_measure(&session.bench, &fake_code, &session.result, 1, NULL, &session.fail));
        assert_true(session.result.dropped[DROP_ISSUE] > 0);
        n_issue += session.result.dropped[DROP_ISSUE];
        n_multiply += session.result.dropped[DROP_MULTIPLY];
        assert_true(session.result.verdict != MEASURED_EXACT || session.result.numerator == 4);
        n_exact += session.result.verdict == MEASURED_EXACT;
        arena_free(&session.arena);
    }
    assert_true(n_issue > 2 * n_multiply);
    assert_true(n_exact >= SEEDS * 9 / 10); // where chance has half of the rounds dropped, the value is unstable
}

// The thread's state slows comparisons of memory into masks, and no neighbour is there. An earlier session saw them
// faster. So a value that may be slowed is a range, and what something else bounds is not.
static void a_slow_state_of_the_core_makes_a_range(void **state) {
    (void)state;
    struct bench_chains chains = fake_chains;
    chains.checks[CHECK_USES + USE_MASK] =
        (struct bench_code){.bytes = (const uint8_t *)"k", .n_bytes = 1, .bodies = 100};
    static const struct {
        unsigned uses;
        double slowed, truth; // cycles of the code without the state
        bool is_chain, is_range;
    } rows[] = {
        {1 << USE_MASK, 0.055, 9.27, false, true},       {1 << USE_MASK, 0, 9.27, false, false},
        {1 << USE_VECTOR, 0.055, 9.27, false, false},    {1 << USE_MASK, 0.055, 9.27, true, false},
        {1 << USE_MASK, 0.055, 8 / 1.055, false, false}, // exactly 8
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake_session session = {.fake = fake_target_quiet()};
        struct bench_options options = {.cpu = -1, .budget_ms = 20, .confirm_seconds = -1};
        struct bench_code code = fake_code;
        code.uses = rows[i].uses;
        code.is_chain = rows[i].is_chain;
        options.remembered[CLOCK_RATIO][CHECK_USES + USE_MASK] = 9;
        session.fake.code_cycles = rows[i].truth;
        session.fake.state_slowed = rows[i].slowed;
        assert_true(bench_open(&session.bench, &session.arena, &session.fake.target, &options, &chains, &session.fail));
        assert_true(bench_measure(&session.bench, &code, &session.result, 1, NULL, &session.fail));
        const struct bench_measurement *result = &session.result;
        double slowed = rows[i].truth * (1 + rows[i].slowed);
        assert_true(result->verdict != MEASURED_UNSTABLE);
        assert_int_equal(measured_has_two_speeds(result), rows[i].is_range);
        assert_true(!rows[i].is_range || measured_low(result) <= rows[i].truth);
        assert_true(rows[i].is_range || measured_low(result) > slowed * 0.99);
        assert_true(measured_low(result) <= slowed && slowed <= measured_high(result));
        assert_int_equal(result->warning != NULL, rows[i].is_range);
        arena_free(&session.arena);
    }
}

// A survey's first look allows a value 2 ms. The clock, on which all values depend, has its own time.
static void a_short_budget_does_not_spoil_the_clock(void **state) {
    (void)state;
    enum { SEEDS = 60 };
    static const struct bench_options hurried = {.cpu = -1, .budget_ms = 2, .confirm_seconds = -1};
    unsigned n_steady = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fake_session session;
        struct fake_target fake = fake_target_noisy(seed);
        fake.neighbour_share = 0.3;
        fake.neighbour_slows = 1.9;
        fake_measure_with(&session, fake, &hurried, &fake_code);
        n_steady += session.bench.stable;
        arena_free(&session.arena);
    }
    assert_true(n_steady >= SEEDS * 9 / 10); // 42 with 2 ms
}

// The co-runner's interval is the whole of what is known of it, for the report and for who reads the record.
static void the_rate_corunner_has_its_error(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.corunner_cycles = 3;
    fake.target.corunner_error = 0.01;
    fake_measure(&session, fake);
    struct bench_measurement *m = &session.result;
    assert_true(bench_measure_corun(&session.bench, &fake_code, &fake_code, m, &session.fail));
    assert_near(m->corunner, 3, 0.001);
    assert_near(m->corunner - m->corunner_low, 0.03, 0.001);
    assert_near(m->corunner_high - m->corunner, 0.03, 0.001);
    assert_near(m->cycles, 4, 0.01);
    arena_free(&session.arena);
}

// A neighbour that stays: no value is wrong without a word. Less than a percent may be lost in this noise.
static void a_steady_neighbour_is_seen(void **state) {
    (void)state;
    static const double slows[] = {1.009, 1.015, 1.03, 1.1, 1.9};
    for (size_t i = 0; i < sizeof slows / sizeof *slows; i++) {
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct fake_session session;
            fake_measure(&session, fake_target_noisy(seed));
            session.fake.neighbour_share = 1;
            session.fake.neighbour_slows = slows[i];
            assert_true(bench_measure(&session.bench, &fake_code, &session.result, 1, NULL, &session.fail));
            const struct bench_measurement *result = &session.result;
            if (slows[i] > 1.02) {
                assert_int_equal(result->verdict, MEASURED_UNSTABLE);
                assert_non_null(strstr(result->why, "issue"));
            } else if (slows[i] > 1.012) {
                assert_int_equal(result->verdict, MEASURED_UNSTABLE);
                assert_true(strstr(result->why, "another thread is busy on the core") ||
                            strstr(result->why, "rounds dropped"));
            } else {
                assert_true(result->verdict == MEASURED_UNSTABLE || result->low * (1 - result->clock_error) <= 4.001);
            }
            arena_free(&session.arena);
        }
    }
}

// He was there all through the calibration, so that rounds beside him seem right; when he goes now and then, the others
// show what the CPU takes alone.
static void a_neighbour_who_leaves_is_seen(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct fake_session session;
        struct fake_target fake = fake_target_noisy(seed);
        fake.neighbour_share = 1;
        fake.neighbour_slows = 1.3;
        fake_measure(&session, fake);
        session.fake.neighbour_share = 0.5;
        assert_true(bench_measure(&session.bench, &fake_code, &session.result, 1, NULL, &session.fail));
        assert_true(session.result.verdict == MEASURED_UNSTABLE || is_right(&session.result));
        arena_free(&session.arena);
    }
}

// He is there already when the session opens, off and on: what the CPU takes alone is known all the same.
static void a_neighbour_during_calibration(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct fake_session session;
        struct fake_target fake = fake_target_noisy(seed);
        fake.neighbour_share = 0.6;
        fake.neighbour_slows = 1.5;
        fake_measure(&session, fake);
        const struct bench_measurement *result = &session.result;
        assert_true(result->verdict == MEASURED_UNSTABLE || is_right(result));
        assert_true(fabs(session.bench.checks[CHECK_ISSUE].level.cycles / 0.25 - 1) < 0.01);
        arena_free(&session.arena);
    }
}

static void a_multiply_that_changes_is_seen(void **state) {
    (void)state;
    struct fake_session session;
    fake_measure(&session, fake_target_noisy(3));
    session.fake.multiply_slowed = 1.05;
    assert_true(bench_measure(&session.bench, &fake_code, &session.result, 1, NULL, &session.fail));
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "multiply"));
    assert_true(session.result.dropped[DROP_MULTIPLY] > session.result.samples);
    arena_free(&session.arena);
}

static void stolen_time_is_a_reason(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.steal_share = 0.2;
    fake_measure(&session, fake);
    assert_true(session.result.dropped[DROP_STEAL] > 0);
    assert_int_equal(session.result.dropped[DROP_SWITCH], 0);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    arena_free(&session.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_state_of_the_core_makes_a_range),
        cmocka_unit_test(a_shared_core_widens_the_error),
        cmocka_unit_test(rounds_corunner_a_neighbour_are_dropped),
        cmocka_unit_test(a_short_budget_does_not_spoil_the_clock),
        cmocka_unit_test(the_rate_corunner_has_its_error),
        cmocka_unit_test(a_steady_neighbour_is_seen),
        cmocka_unit_test(a_neighbour_during_calibration),
        cmocka_unit_test(a_neighbour_who_leaves_is_seen),
        cmocka_unit_test(a_multiply_that_changes_is_seen),
        cmocka_unit_test(stolen_time_is_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
