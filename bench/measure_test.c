// The whole of bench but the hardware: choice of iterations, clock, judgement, interval and verdict, on a target
// whose truth we know.
#include "bench/fake_target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// cmocka's own compares floats.
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const struct bench_chains chains = {
    .reference = {.bytes = (const uint8_t *)"r", .n_bytes = 1, .bodies = 100},
    .multiply = {.bytes = (const uint8_t *)"m", .n_bytes = 1, .bodies = 100},
    .issue = {.bytes = (const uint8_t *)"i", .n_bytes = 1, .bodies = 100},
};
static const struct bench_code other = {.bytes = (const uint8_t *)"x", .n_bytes = 1, .bodies = 100};

struct session {
    struct arena arena;
    struct fail fail;
    struct fake_target fake;
    struct bench bench;
    struct bench_measurement result;
};

// Opens and measures once.
static void measure_with(struct session *session, struct fake_target fake, const struct bench_options *options,
                         const struct bench_code *code) {
    *session = (struct session){.fake = fake};
    assert_true(bench_open(&session->bench, &session->arena, &session->fake.target, options, &chains, &session->fail));
    assert_true(bench_measure(&session->bench, code, &session->result, &session->fail));
}

static void measure(struct session *session, struct fake_target fake) {
    measure_with(session, fake, &(struct bench_options){.cpu = -1, .budget_ms = 20}, &other);
}

static struct fake_target noisy(uint64_t seed) {
    struct fake_target fake = fake_target_quiet();
    fake.seed = seed * 7919 + 1;
    fake.noise_ticks = 26; // 10 ns: as seen on a server VM
    fake.drift = 0.0005;
    fake.interrupt_share = 0.03;
    fake.interrupt_ticks = 8000;
    fake.switch_share = 0.02;
    fake.fault_share = 0.01;
    return fake;
}

static void finds_the_truth_when_quiet(void **state) {
    (void)state;
    static const struct {
        double cycles;
        unsigned numerator, denominator; // 0: not a fraction
    } cases[] = {{4, 4, 1},     {1, 1, 1},    {0.5, 1, 2}, {1.0 / 3, 1, 3}, {0.125, 1, 8},
                 {2.75, 11, 4}, {4.41, 0, 0}, {13, 13, 1}, {0.085, 0, 0},   {1.0 / 6, 1, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct session session;
        struct fake_target fake = fake_target_quiet();
        fake.code_cycles = cases[i].cycles;
        measure(&session, fake);
        assert_int_equal(session.result.outcome, BENCH_OK);
        assert_int_equal(session.result.clock, CLOCK_RATIO);
        assert_near(session.result.cycles, cases[i].cycles, cases[i].cycles * 0.001);
        assert_int_equal(session.result.verdict, cases[i].denominator ? MEASURED_EXACT : MEASURED_WITHIN);
        assert_int_equal(session.result.numerator, cases[i].numerator);
        assert_int_equal(session.result.denominator, cases[i].denominator);
        assert_true(session.bench.clock_error < 0.002);
        arena_free(&session.arena);
    }
}

// Under noise, with a drifting frequency: the interval, widened by the clock's error, holds the truth about as often as
// it says, and no verdict is exactly wrong.
static void noise_gives_no_wrong_verdict(void **state) {
    (void)state;
    static const double truths[] = {1, 4, 0.5, 4.41, 7.77, 1.0 / 3};
    enum { SEEDS = 60 };
    unsigned n_all = 0, n_covered = 0, n_trusted = 0;
    for (size_t t = 0; t < sizeof truths / sizeof truths[0]; t++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct session session;
            struct fake_target fake = noisy(seed + 1000 * t);
            fake.code_cycles = truths[t];
            measure(&session, fake);
            const struct bench_measurement *result = &session.result;
            n_all++;
            if (result->verdict != MEASURED_UNSTABLE) {
                n_trusted++;
                n_covered += result->low * (1 - result->clock_error) <= truths[t] &&
                             truths[t] <= result->high * (1 + result->clock_error);
            }
            if (result->verdict == MEASURED_EXACT)
                assert_near((double)result->numerator / result->denominator, truths[t], truths[t] * 1e-9);
            arena_free(&session.arena);
        }
    }
    assert_true(n_trusted > n_all * 95 / 100);
    assert_true(n_covered >= n_trusted * 97 / 100);
}

static void slow_drift_cancels(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.drift = 0.001; // some 3 % over the 1000 executions of a measurement
    measure(&session, fake);
    assert_true(fabs(session.fake.ticks_per_cycle / 0.7 - 1) > 0.005);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_int_equal(session.result.numerator, 4);
    arena_free(&session.arena);
}

static void fast_drift_is_refused(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.drift = 0.05;
    measure(&session, fake);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_true(session.result.dropped[DROP_REFERENCE] > session.result.samples);
    assert_non_null(strstr(session.result.why, "reference"));
    arena_free(&session.arena);
}

static void two_modes_are_reported(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = noisy(5);
    fake.second_mode_cycles = 8.01;
    fake.second_mode_share = 0.35;
    measure(&session, fake);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "two modes: 4"));
    assert_non_null(strstr(session.result.why, "8.0"));
    arena_free(&session.arena);
}

static void disturbed_rounds_are_counted(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.switch_share = 0.3;
    fake.fault_share = 0.1;
    measure(&session, fake);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_true(session.result.dropped[DROP_SWITCH] > 0);
    arena_free(&session.arena);
}

static void faults_are_dropped(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.fault_share = 0.3;
    measure(&session, fake);
    assert_true(session.result.dropped[DROP_FAULT] > 0);
    assert_int_equal(session.result.dropped[DROP_SWITCH], 0);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    arena_free(&session.arena);
}

// More samples would help, but there is no time for them.
static void a_wide_interval_is_no_result(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.code_spread = 0.2;
    struct bench_options options = {.cpu = -1, .budget_ms = 0.001};
    measure_with(&session, fake, &options, &other);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "still ±"));
    arena_free(&session.arena);
}

static void mostly_disturbed_is_unstable(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.switch_share = 1;
    measure(&session, fake);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_int_equal(session.result.samples, 0);
    assert_non_null(strstr(session.result.why, "switch"));
    arena_free(&session.arena);
}

// A reference that is not one cycle, by 2.3 %: the multiply chain tells.
static void wrong_reference_is_found(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.reference_cycles = 1.023;
    measure(&session, fake);
    assert_false(session.bench.stable);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "multiply chain takes 2.9"));
    arena_free(&session.arena);
}

// A core whose add takes two cycles: as it is, the multiplies of 7 cycles look like 3.5; told, all comes out right.
static void a_reference_of_two_cycles_is_told(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.reference_cycles = 2;
    fake.multiply_cycles = 7;
    fake.code_cycles = 5;
    measure(&session, fake);
    assert_false(session.bench.stable);
    arena_free(&session.arena);
    measure_with(&session, fake, &(struct bench_options){.cpu = -1, .budget_ms = 20, .reference_cycles = 2}, &other);
    assert_true(session.bench.stable);
    assert_near(session.bench.cross_check_cycles, 7, 0.01);
    assert_near(session.bench.ticks_per_cycle, 0.7, 0.001);
    assert_near(session.result.cycles, 5, 0.01);
    assert_non_null(strstr(session.bench.clock_note, "taken as 2 cycles each"));
    arena_free(&session.arena);
}

// Another thread comes onto our core after calibration, and slows the reference: seen on VMs.
static void a_shared_core_widens_the_error(void **state) {
    (void)state;
    unsigned n_seen = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct session session;
        struct fake_target fake = noisy(seed);
        fake.drift = 0;
        measure(&session, fake);
        double error_alone = session.bench.clock_error;
        session.fake.reference_slowed = 0.004;
        assert_true(bench_measure(&session.bench, &other, &session.result, &session.fail));
        n_seen += session.result.clock_error > 2 * error_alone;
        assert_true(session.result.verdict != MEASURED_EXACT || session.result.numerator == 4);
        if (session.result.verdict != MEASURED_UNSTABLE)
            assert_true(session.result.low * (1 - session.result.clock_error) <= 4 &&
                        4 <= session.result.high * (1 + session.result.clock_error));
        arena_free(&session.arena);
    }
    assert_true(n_seen >= 18); // of 20: the scatter of few samples is itself uncertain
}

// What that thread does to code bound by issue: most of a round's times may be right, and still the round is wrong.
static void rounds_beside_a_neighbour_are_dropped(void **state) {
    (void)state;
    struct session session;
    measure(&session, noisy(7));
    session.fake.neighbour_share = 0.3;
    session.fake.neighbour_slows = 1.9;
    assert_true(bench_measure(&session.bench, &other, &session.result, &session.fail));
    assert_true(session.result.dropped[DROP_ISSUE] > 0);
    assert_true(session.result.dropped[DROP_ISSUE] > session.result.dropped[DROP_MULTIPLY]);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_int_equal(session.result.numerator, 4);
    arena_free(&session.arena);
}

// A neighbour that stays: no value is wrong without a word. Less than a percent may be lost in this noise.
static void a_steady_neighbour_is_seen(void **state) {
    (void)state;
    static const double slows[] = {1.009, 1.015, 1.03, 1.1, 1.9};
    for (size_t i = 0; i < sizeof slows / sizeof *slows; i++) {
        for (uint64_t seed = 1; seed <= 10; seed++) {
            struct session session;
            measure(&session, noisy(seed));
            session.fake.neighbour_share = 1;
            session.fake.neighbour_slows = slows[i];
            assert_true(bench_measure(&session.bench, &other, &session.result, &session.fail));
            const struct bench_measurement *result = &session.result;
            if (slows[i] > 1.02) {
                assert_int_equal(result->verdict, MEASURED_UNSTABLE);
                assert_non_null(strstr(result->why, "issue"));
            } else if (slows[i] > 1.012) {
                assert_int_equal(result->verdict, MEASURED_UNSTABLE);
                assert_non_null(strstr(result->why, "another thread is busy on the core"));
            } else {
                assert_true(result->verdict == MEASURED_UNSTABLE || result->low * (1 - result->clock_error) <= 4.001);
            }
            arena_free(&session.arena);
        }
    }
}

// He is there already when the session opens, off and on: what the CPU takes alone is known all the same.
static void a_neighbour_during_calibration(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct session session;
        struct fake_target fake = noisy(seed);
        fake.neighbour_share = 0.6;
        fake.neighbour_slows = 1.5;
        measure(&session, fake);
        const struct bench_measurement *result = &session.result;
        bool is_right = result->low * (1 - result->clock_error) <= 4 && 4 <= result->high * (1 + result->clock_error);
        assert_true(is_right || result->verdict == MEASURED_UNSTABLE);
        assert_true(fabs(session.bench.checks[CHECK_ISSUE].cycles / 0.25 - 1) < 0.01);
        arena_free(&session.arena);
    }
}

static void a_multiply_that_changes_is_seen(void **state) {
    (void)state;
    struct session session;
    measure(&session, noisy(3));
    session.fake.multiply_slowed = 1.05;
    assert_true(bench_measure(&session.bench, &other, &session.result, &session.fail));
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "multiply"));
    assert_true(session.result.dropped[DROP_MULTIPLY] > session.result.samples);
    arena_free(&session.arena);
}

static void stolen_time_is_a_reason(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.steal_share = 0.2;
    measure(&session, fake);
    assert_true(session.result.dropped[DROP_STEAL] > 0);
    assert_int_equal(session.result.dropped[DROP_SWITCH], 0);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    arena_free(&session.arena);
}

static void coarse_timer_runs_longer(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.target.timer_step = 1000;
    measure_with(&session, fake, &(struct bench_options){.cpu = -1}, &other);
    const struct target_job *job = &session.fake.last_job;
    assert_true((double)(job->code_long - job->code_short) * 100 * 4 * 0.7 > 900 * 1000);
    assert_true((double)(job->reference_long - job->reference_short) * 100 * 0.7 > 900 * 1000);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_int_equal(session.result.numerator, 4);
    arena_free(&session.arena);
}

// A body that takes 30 ms: the first guess of iterations runs into its time-out, then one and two do.
static void slow_code_runs_once_and_twice(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    struct bench_code slow = other;
    slow.bodies = 1;
    fake.code_cycles = 1e8;
    fake.second_per_body = 0.03;
    measure_with(&session, fake, &(struct bench_options){.cpu = -1, .budget_ms = 5}, &slow);
    assert_int_equal(session.result.outcome, BENCH_OK);
    assert_int_equal(session.fake.last_job.code_short, 1);
    assert_int_equal(session.fake.last_job.code_long, 2);
    assert_near(session.result.cycles, 1e8, 1e5);
    arena_free(&session.arena);
}

static void crashes_are_outcomes(void **state) {
    (void)state;
    for (enum bench_outcome outcome = BENCH_SIGILL; outcome < BENCH_N_OUTCOMES; outcome++) {
        struct session session;
        struct fake_target fake = fake_target_quiet();
        fake.outcome = outcome;
        measure(&session, fake);
        assert_int_equal(session.result.outcome, outcome);
        assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
        assert_string_equal(session.result.why, bench_outcome_name(outcome));
        arena_free(&session.arena);
    }
}

static void perf_clock_counts(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = noisy(9);
    fake.target.has_counters = true;
    fake.code_cycles = 4.25;
    fake.drift = 0.02; // of no concern to a counter of cycles
    measure(&session, fake);
    assert_int_equal(session.result.clock, CLOCK_PERF);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_int_equal(session.result.numerator, 17);
    assert_int_equal(session.result.denominator, 4);
    assert_int_equal(session.result.n_events, 1);
    assert_string_equal(session.result.events[0].name, "instructions");
    assert_near(session.result.events[0].count, 1, 1e-9);
    arena_free(&session.arena);
}

// More events than a group holds: each batch counts one group, and all are told, in the order they were asked for.
static void groups_of_events_take_turns(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.target.has_counters = fake.target.has_user_reads = true;
    fake.target.n_groups = 3;
    fake.target.groups[0] = (struct target_group){2, {"a", "b"}};
    fake.target.groups[1] = (struct target_group){1, {"c"}};
    fake.target.groups[2] = (struct target_group){2, {"d", "e"}};
    static const double counts[] = {1, 0, 0.25, 3, 12};
    memcpy(fake.events, counts, sizeof counts);
    measure(&session, fake);
    assert_int_equal(session.result.clock, CLOCK_RDPMC); // the best there is
    assert_int_equal(session.result.n_events, 6);
    for (unsigned i = 0; i < 5; i++) {
        const char name[] = {(char)('a' + (int)i), '\0'};
        assert_string_equal(session.result.events[1 + i].name, name);
        assert_near(session.result.events[1 + i].count, counts[i], 1e-4);
    }
    assert_non_null(strstr(session.bench.clock_note, "3 groups"));
    arena_free(&session.arena);
}

static const struct bench_code counted = {
    .bytes = (const uint8_t *)"x", .n_bytes = 1, .bodies = 100, .iteration_instructions = 100};

// An interrupt that counts as an instruction was in the middle of the sample: it goes, the others stay.
static void samples_with_foreign_instructions_go(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    struct bench_options options = {.cpu = -1, .budget_ms = 20};
    fake.target.has_counters = true;
    fake.overcount_share = 0.05;
    measure_with(&session, fake, &options, &counted);
    assert_true(session.result.dropped[DROP_RETIRED] > 0);
    assert_true(session.result.samples > 0);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    arena_free(&session.arena);
}

static void foreign_instructions_in_all_samples_give_no_value(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    struct bench_options options = {.cpu = -1, .budget_ms = 20};
    struct bench_code wrong = counted;
    wrong.iteration_instructions = 101;
    fake.target.has_counters = true;
    measure_with(&session, fake, &options, &wrong);
    assert_int_equal(session.result.samples, 0);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "retired"));
    arena_free(&session.arena);
}

// A counter that counts something else than cycles is found at calibration, and the next clock is taken, unless events
// were asked for or the clock was.
static void lying_counters_are_passed_over(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    struct bench_options options = {.cpu = -1, .budget_ms = 20};
    fake.target.has_counters = true;
    fake.counter_factor = 1.3;
    measure_with(&session, fake, &options, &other);
    assert_int_equal(session.result.clock, CLOCK_RATIO);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_non_null(strstr(session.bench.clock_note, "perf was passed over"));
    arena_free(&session.arena);
    options.needs_counters = true;
    measure_with(&session, fake, &options, &other);
    assert_int_equal(session.result.clock, CLOCK_PERF);
    assert_false(session.bench.stable);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    arena_free(&session.arena);
}

static void perf_clock_without_counters_is_refused(void **state) {
    (void)state;
    struct session session = {.fake = fake_target_quiet()};
    session.fake.target.counters_note = "this VM shows none";
    struct bench_options options = {.cpu = -1, .clock = CLOCK_PERF};
    assert_false(bench_open(&session.bench, &session.arena, &session.fake.target, &options, &chains, &session.fail));
    assert_int_equal(session.fail.status, FAIL_UNAVAILABLE);
    assert_non_null(strstr(session.fail.text, "this VM shows none"));
    arena_free(&session.arena);
}

static void standing_timer_is_refused(void **state) {
    (void)state;
    struct session session = {.fake = fake_target_quiet()};
    session.fake.ticks_per_cycle = session.fake.overhead_ticks = 0;
    struct bench_options options = {.cpu = -1};
    assert_false(bench_open(&session.bench, &session.arena, &session.fake.target, &options, &chains, &session.fail));
    assert_int_equal(session.fail.status, FAIL_UNAVAILABLE);
    arena_free(&session.arena);
}

// Of the fake core: its timer ticks 0.7 times a cycle.
static const double fake_hz = 2.6e9 / 0.7;

static void time_clock_finds_the_truth(void **state) {
    (void)state;
    for (int add_cycles = 1; add_cycles <= 2; add_cycles++) { // which is not assumed
        struct session session;
        struct fake_target fake = noisy(3);
        fake.drift = 0;
        fake.reference_cycles = add_cycles;
        measure_with(&session, fake,
                     &(struct bench_options){.cpu = -1, .budget_ms = 20, .clock = CLOCK_TIME, .frequency_hz = fake_hz},
                     &other);
        assert_true(session.bench.stable);
        assert_near(session.bench.reference.body_cycles, add_cycles, 0);
        assert_int_equal(session.result.verdict, MEASURED_EXACT);
        assert_int_equal(session.result.numerator, 4);
        assert_null(session.result.warning);
        assert_int_equal(session.result.clock, CLOCK_TIME);
        arena_free(&session.arena);
    }
}

static void a_wrong_frequency_is_found(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    measure_with(
        &session, fake,
        &(struct bench_options){.cpu = -1, .budget_ms = 20, .clock = CLOCK_TIME, .frequency_hz = fake_hz * 0.95},
        &other);
    assert_false(session.bench.stable);
    assert_non_null(strstr(session.bench.unstable_why, "the frequency is not"));
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    arena_free(&session.arena);
}

// The frequency moves when calibration is over: the chain of adds beside the code has it too.
static void a_frequency_that_moved_is_found(void **state) {
    (void)state;
    struct session session;
    struct bench_options options = {.cpu = -1, .budget_ms = 20, .clock = CLOCK_TIME, .frequency_hz = fake_hz};
    measure_with(&session, fake_target_quiet(), &options, &other);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    session.fake.ticks_per_cycle *= 0.9;
    assert_true(bench_measure(&session.bench, &other, &session.result, &session.fail));
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "frequency"));
    arena_free(&session.arena);
}

static void a_value_near_no_fraction_is_warned_of(void **state) {
    (void)state;
    struct session session;
    struct fake_target fake = fake_target_quiet();
    fake.code_cycles = 4.13;
    measure_with(&session, fake,
                 &(struct bench_options){.cpu = -1, .budget_ms = 20, .clock = CLOCK_TIME, .frequency_hz = fake_hz},
                 &other);
    assert_int_equal(session.result.verdict, MEASURED_WITHIN);
    assert_non_null(session.result.warning);
    arena_free(&session.arena);
    measure(&session, fake); // other clocks believe nobody
    assert_null(session.result.warning);
    arena_free(&session.arena);
}

static void time_clock_needs_a_frequency(void **state) {
    (void)state;
    struct session session = {.fake = fake_target_quiet()};
    struct bench_options options = {.cpu = -1, .clock = CLOCK_TIME};
    assert_false(bench_open(&session.bench, &session.arena, &session.fake.target, &options, &chains, &session.fail));
    assert_int_equal(session.fail.status, FAIL_UNAVAILABLE);
    assert_non_null(strstr(session.fail.text, "--frequency"));
    session.fake.target.core_hz = fake_hz;
    session.fail = (struct fail){0};
    assert_true(bench_open(&session.bench, &session.arena, &session.fake.target, &options, &chains, &session.fail));
    assert_true(session.bench.stable);
    arena_free(&session.arena);
}

static void frequencies_have_units(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double hz; // 0: not one
    } cases[] = {{"1GHz", 1e9}, {"1.66 GHz", 1.66e9}, {"480mhz", 480e6}, {"32768", 32768},
                 {"1e9", 1e9},  {"5 kHz", 5000},      {"GHz", 0},        {"-1GHz", 0},
                 {"0", 0},      {"1GB", 0},           {"inf", 0},        {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double hz = 0;
        assert_true(bench_frequency_parse(cases[i].text, &hz) == (cases[i].hz > 0));
        assert_near(hz, cases[i].hz, 1e-3);
    }
}

static void names_are_words(void **state) {
    (void)state;
    enum bench_clock clock = CLOCK_AUTO;
    assert_true(bench_clock_parse("ratio", &clock));
    assert_int_equal(clock, CLOCK_RATIO);
    assert_false(bench_clock_parse("sundial", &clock));
    assert_string_equal(bench_outcome_name(BENCH_SIGILL), "illegal instruction");
    assert_string_equal(bench_drop_name(DROP_NEGATIVE), "negative");
    assert_string_equal(bench_verdict_name(MEASURED_WITHIN), "within");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_truth_when_quiet),
        cmocka_unit_test(noise_gives_no_wrong_verdict),
        cmocka_unit_test(slow_drift_cancels),
        cmocka_unit_test(fast_drift_is_refused),
        cmocka_unit_test(two_modes_are_reported),
        cmocka_unit_test(disturbed_rounds_are_counted),
        cmocka_unit_test(faults_are_dropped),
        cmocka_unit_test(a_wide_interval_is_no_result),
        cmocka_unit_test(mostly_disturbed_is_unstable),
        cmocka_unit_test(wrong_reference_is_found),
        cmocka_unit_test(a_reference_of_two_cycles_is_told),
        cmocka_unit_test(a_shared_core_widens_the_error),
        cmocka_unit_test(rounds_beside_a_neighbour_are_dropped),
        cmocka_unit_test(a_steady_neighbour_is_seen),
        cmocka_unit_test(a_neighbour_during_calibration),
        cmocka_unit_test(a_multiply_that_changes_is_seen),
        cmocka_unit_test(stolen_time_is_a_reason),
        cmocka_unit_test(coarse_timer_runs_longer),
        cmocka_unit_test(slow_code_runs_once_and_twice),
        cmocka_unit_test(crashes_are_outcomes),
        cmocka_unit_test(perf_clock_counts),
        cmocka_unit_test(groups_of_events_take_turns),
        cmocka_unit_test(samples_with_foreign_instructions_go),
        cmocka_unit_test(foreign_instructions_in_all_samples_give_no_value),
        cmocka_unit_test(lying_counters_are_passed_over),
        cmocka_unit_test(perf_clock_without_counters_is_refused),
        cmocka_unit_test(standing_timer_is_refused),
        cmocka_unit_test(time_clock_finds_the_truth),
        cmocka_unit_test(a_wrong_frequency_is_found),
        cmocka_unit_test(a_frequency_that_moved_is_found),
        cmocka_unit_test(a_value_near_no_fraction_is_warned_of),
        cmocka_unit_test(time_clock_needs_a_frequency),
        cmocka_unit_test(frequencies_have_units),
        cmocka_unit_test(names_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
