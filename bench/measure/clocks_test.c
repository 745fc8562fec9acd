// The clocks, on a target whose truth we know: what each measures, what it refuses, and when it is found to be wrong.
#include "bench/measure/fake_session.h"

#include <string.h>

// A reference that is not one cycle, by 2.3 %: the multiply chain tells.
static void wrong_reference_is_found(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.reference_cycles = 1.023;
    fake_measure(&session, fake);
    assert_false(session.bench.stable);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "multiply chain takes 2.9"));
    arena_free(&session.arena);
}

// A core whose add takes two cycles: as it is, the multiplies of 7 cycles look like 3.5; told, all comes out right.
static void a_reference_of_two_cycles_is_told(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.reference_cycles = 2;
    fake.multiply_cycles = 7;
    fake.code_cycles = 5;
    fake_measure(&session, fake);
    assert_false(session.bench.stable);
    arena_free(&session.arena);
    fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1, .budget_ms = 20, .reference_cycles = 2},
                      &fake_code);
    assert_true(session.bench.stable);
    assert_near(session.bench.cross_check_cycles, 7, 0.01);
    assert_near(session.bench.ticks_per_cycle, 0.7, 0.001);
    assert_near(session.result.cycles, 5, 0.01);
    assert_non_null(strstr(session.bench.clock_note, "taken as 2 cycles each"));
    arena_free(&session.arena);
}

// A note is whole, however much there is to be said.
static void a_note_is_never_cut(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    char counters[700];
    memset(counters, 'x', sizeof counters - 1);
    counters[sizeof counters - 1] = '\0';
    fake.target.counters_note = counters;
    fake.multiply_cycles = 2.9;
    fake_measure(&session, fake);
    assert_non_null(strstr(session.bench.clock_note, session.bench.unstable_why));
    assert_non_null(strstr(session.bench.clock_note, counters));
    arena_free(&session.arena);
}

static void perf_clock_counts(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_noisy(9);
    fake.target.has_counters = true;
    fake.code_cycles = 4.25;
    fake.drift = 0.02; // of no concern to a counter of cycles
    fake_measure(&session, fake);
    assert_int_equal(session.result.clock, CLOCK_PERF);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_int_equal(session.result.numerator, 17);
    assert_int_equal(session.result.denominator, 4);
    assert_int_equal(session.result.n_events, 1);
    assert_string_equal(session.result.events[0].name, "instructions");
    assert_near(session.result.events[0].count, 1, 1e-9);
    arena_free(&session.arena);
}

static void open_groups(struct fake_target *fake) {
    fake->target.has_counters = fake->target.has_user_reads = true;
    fake->target.n_groups = 3;
    fake->target.groups[0] = (struct target_group){2, {"a", "b"}};
    fake->target.groups[1] = (struct target_group){1, {"c"}};
    fake->target.groups[2] = (struct target_group){2, {"d", "e"}};
}

// More events than a group holds: each batch counts one group, and all are told, in the order they were asked for.
static void groups_of_events_take_turns(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    open_groups(&fake);
    static const double counts[] = {1, 0, 0.25, 3, 12};
    memcpy(fake.events, counts, sizeof counts);
    fake_measure(&session, fake);
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

// The cycles are there after a few rounds; each event needs 8 rounds of its group, whatever is dropped.
static void each_group_has_rounds_enough(void **state) {
    (void)state;
    for (unsigned is_disturbed = 0; is_disturbed < 2; is_disturbed++) {
        struct fake_session session;
        struct fake_target fake = fake_target_quiet();
        open_groups(&fake);
        fake.switch_share = is_disturbed ? 0.2 : 0;
        fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1, .precision = 0.01}, &fake_code);
        assert_int_equal(session.result.n_events, 6);
        for (unsigned i = 0; i < 6; i++) {
            assert_null(session.result.events[i].why);
            assert_true(session.result.events[i].samples >= 8);
        }
        arena_free(&session.arena);
    }
}

static const struct bench_code counted = {
    .bytes = (const uint8_t *)"x", .n_bytes = 1, .bodies = 100, .iteration_instructions = 100};

// An interrupt that counts as an instruction was in the middle of the sample: it goes, the others stay.
static void samples_with_foreign_instructions_go(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    struct bench_options options = {.cpu = -1, .budget_ms = 20};
    fake.target.has_counters = true;
    fake.overcount_share = 0.05;
    fake_measure_with(&session, fake, &options, &counted);
    assert_true(session.result.dropped[DROP_RETIRED] > 0);
    assert_true(session.result.samples > 0);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    arena_free(&session.arena);
}

static void foreign_instructions_in_all_samples_give_no_value(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    struct bench_options options = {.cpu = -1, .budget_ms = 20};
    struct bench_code wrong = counted;
    wrong.iteration_instructions = 101;
    fake.target.has_counters = true;
    fake_measure_with(&session, fake, &options, &wrong);
    assert_int_equal(session.result.samples, 0);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "retired"));
    arena_free(&session.arena);
}

// A counter that counts something else than cycles is found at calibration, and the next clock is taken, unless events
// were asked for or the clock was.
static void lying_counters_are_passed_over(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    struct bench_options options = {.cpu = -1, .budget_ms = 20};
    fake.target.has_counters = true;
    fake.counter_factor = 1.3;
    fake_measure_with(&session, fake, &options, &fake_code);
    assert_int_equal(session.result.clock, CLOCK_RATIO);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_non_null(strstr(session.bench.clock_note, "perf was passed over"));
    arena_free(&session.arena);
    options.needs_counters = true;
    fake_measure_with(&session, fake, &options, &fake_code);
    assert_int_equal(session.result.clock, CLOCK_PERF);
    assert_false(session.bench.stable);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    arena_free(&session.arena);
}

static void perf_clock_without_counters_is_refused(void **state) {
    (void)state;
    struct fake_session session = {.fake = fake_target_quiet()};
    session.fake.target.counters_note = "this VM shows none";
    struct bench_options options = {.cpu = -1, .clock = CLOCK_PERF};
    assert_false(
        bench_open(&session.bench, &session.arena, &session.fake.target, &options, &fake_chains, &session.fail));
    assert_int_equal(session.fail.status, FAIL_UNAVAILABLE);
    assert_non_null(strstr(session.fail.text, "this VM shows none"));
    arena_free(&session.arena);
}

static void standing_timer_is_refused(void **state) {
    (void)state;
    struct fake_session session = {.fake = fake_target_quiet()};
    session.fake.ticks_per_cycle = session.fake.overhead_ticks = 0;
    struct bench_options options = {.cpu = -1};
    assert_false(
        bench_open(&session.bench, &session.arena, &session.fake.target, &options, &fake_chains, &session.fail));
    assert_int_equal(session.fail.status, FAIL_UNAVAILABLE);
    arena_free(&session.arena);
}

// Of the fake core: its timer ticks 0.7 times a cycle.
static const double fake_hz = 2.6e9 / 0.7;

static void time_clock_finds_the_truth(void **state) {
    (void)state;
    for (int add_cycles = 1; add_cycles <= 2; add_cycles++) { // which is not assumed
        struct fake_session session;
        struct fake_target fake = fake_target_noisy(3);
        fake.drift = 0;
        fake.reference_cycles = add_cycles;
        fake_measure_with(
            &session, fake,
            &(struct bench_options){.cpu = -1, .budget_ms = 20, .clock = CLOCK_TIME, .frequency_hz = fake_hz},
            &fake_code);
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
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake_measure_with(
        &session, fake,
        &(struct bench_options){.cpu = -1, .budget_ms = 20, .clock = CLOCK_TIME, .frequency_hz = fake_hz * 0.95},
        &fake_code);
    assert_false(session.bench.stable);
    assert_non_null(strstr(session.bench.unstable_why, "the frequency is not"));
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    arena_free(&session.arena);
}

// The frequency moves when calibration is over: the chain of adds timed with the code has it too.
static void a_frequency_that_moved_is_found(void **state) {
    (void)state;
    struct fake_session session;
    struct bench_options options = {.cpu = -1, .budget_ms = 20, .clock = CLOCK_TIME, .frequency_hz = fake_hz};
    fake_measure_with(&session, fake_target_quiet(), &options, &fake_code);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    session.fake.ticks_per_cycle *= 0.9;
    assert_true(bench_measure(&session.bench, &fake_code, &session.result, 1, NULL, &session.fail));
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "frequency"));
    arena_free(&session.arena);
}

static void a_value_near_no_fraction_is_warned_of(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.code_cycles = 4.13;
    fake_measure_with(&session, fake,
                      &(struct bench_options){.cpu = -1, .budget_ms = 20, .clock = CLOCK_TIME, .frequency_hz = fake_hz},
                      &fake_code);
    assert_int_equal(session.result.verdict, MEASURED_WITHIN);
    assert_non_null(session.result.warning);
    arena_free(&session.arena);
    fake_measure(&session, fake); // other clocks believe nobody
    assert_null(session.result.warning);
    arena_free(&session.arena);
}

static void time_clock_needs_a_frequency(void **state) {
    (void)state;
    struct fake_session session = {.fake = fake_target_quiet()};
    struct bench_options options = {.cpu = -1, .clock = CLOCK_TIME};
    assert_false(
        bench_open(&session.bench, &session.arena, &session.fake.target, &options, &fake_chains, &session.fail));
    assert_int_equal(session.fail.status, FAIL_UNAVAILABLE);
    assert_non_null(strstr(session.fail.text, "--frequency"));
    session.fake.target.core_hz = fake_hz;
    session.fail = (struct fail){0};
    assert_true(
        bench_open(&session.bench, &session.arena, &session.fake.target, &options, &fake_chains, &session.fail));
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
                 {"0", 0},      {"3.6", 0},           {"1GB", 0},        {"inf", 0},
                 {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_options options = {.cpu = -1};
        struct fail fail = {0};
        assert_true(bench_read_clock("time", cases[i].text, &options, &fail) == (cases[i].hz > 0));
        assert_near(options.frequency_hz, cases[i].hz, 1e-3);
    }
    struct bench_options other = {.cpu = -1};
    struct fail fail = {0};
    assert_false(bench_read_clock("ratio", "1GHz", &other, &fail));
    assert_non_null(strstr(fail.text, "--frequency is for --clock time"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_reference_is_found),
        cmocka_unit_test(a_reference_of_two_cycles_is_told),
        cmocka_unit_test(a_note_is_never_cut),
        cmocka_unit_test(perf_clock_counts),
        cmocka_unit_test(groups_of_events_take_turns),
        cmocka_unit_test(each_group_has_rounds_enough),
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
