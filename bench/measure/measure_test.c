// The whole of bench but the hardware: choice of iterations, judgement, interval and verdict, on a target whose truth
// we know. Clocks and neighbours have files of their own.
#include "bench/measure/fake_session.h"
#include "bench/measure/progress.h"

#include <limits.h>
#include <string.h>

static void finds_the_truth_when_quiet(void **state) {
    (void)state;
    static const struct {
        double cycles;
        unsigned numerator, denominator; // 0: not a fraction
    } cases[] = {{4, 4, 1},     {1, 1, 1},    {0.5, 1, 2}, {1.0 / 3, 1, 3}, {0.125, 1, 8},
                 {2.75, 11, 4}, {4.41, 0, 0}, {13, 13, 1}, {0.085, 0, 0},   {1.0 / 6, 1, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_session session;
        struct fake_target fake = fake_target_quiet();
        fake.code_cycles = cases[i].cycles;
        fake_measure(&session, fake);
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
            struct fake_session session;
            struct fake_target fake = fake_target_noisy(seed + 1000 * t);
            fake.code_cycles = truths[t];
            fake_measure(&session, fake);
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
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.drift = 0.001; // some 3 % over the 1000 executions of a measurement
    fake_measure(&session, fake);
    assert_true(fabs(session.fake.ticks_per_cycle / 0.7 - 1) > 0.005);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_int_equal(session.result.numerator, 4);
    arena_free(&session.arena);
}

static void fast_drift_is_refused(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.drift = 0.05;
    fake_measure(&session, fake);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_true(session.result.dropped[DROP_REFERENCE] > session.result.samples);
    assert_non_null(strstr(session.result.why, "reference"));
    arena_free(&session.arena);
}

// A first look takes three processes of any code, and calls no value stable. A second one needs only what is missing.
static void two_looks_share_the_processes_of_a_value(void **state) {
    (void)state;
    static const struct {
        double cycles;
        bool is_first;
        unsigned seen, most_needed, n;
    } cases[] = {{4.13, true, 0, 0, 3},  {4, true, 0, 0, 3},  {4.13, false, 3, 0, 9}, {4, false, 3, 0, 3},
                 {4.13, false, 0, 3, 3}, {4, false, 0, 3, 3}, {4.13, false, 12, 0, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_session session;
        struct fake_target fake = fake_target_quiet();
        struct bench_code code = fake_code;
        const struct bench_options options = {
            .cpu = -1, .is_first_look = cases[i].is_first, .most_needed = cases[i].most_needed};
        code.seen_processes = cases[i].seen;
        fake.code_cycles = cases[i].cycles;
        fake_measure_with(&session, fake, &options, &code);
        const struct bench_measurement *result = &session.result;
        assert_near(result->cycles, cases[i].cycles, cases[i].cycles * 0.002);
        assert_int_equal(result->verdict == MEASURED_UNSTABLE, cases[i].is_first);
        assert_int_equal(result->look, cases[i].is_first ? LOOK_FIRST : LOOK_NONE);
        assert_in_range(result->processes, cases[i].n, cases[i].n + 1);
        if (cases[i].is_first)
            assert_non_null(strstr(result->why, "processes only, at one time"));
        arena_free(&session.arena);
    }
}

// What is unstable by itself is no look.
static void a_disturbed_first_look_says_nothing(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.drift = 0.05;
    fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1, .is_first_look = true}, &fake_code);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_int_equal(session.result.look, LOOK_NONE);
    assert_non_null(strstr(session.result.why, "reference"));
    arena_free(&session.arena);
}

// Where one process is enough, there may be none yet of which a round was kept.
static void no_round_is_kept(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.switch_share = 1;
    fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1, .processes = 1, .budget_ms = 5}, &fake_code);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_int_equal(session.result.samples, 0);
    arena_free(&session.arena);
}

// Code may have two speeds: three processes alike say little. A plain fraction is more than chance, and so is a chain's
// whole number, which needs fewest. A block of real code may have two speeds at any value; among thousands, another
// pass looks at it.
static void values_that_are_no_fraction_rest_on_more_processes(void **state) {
    (void)state;
    static const struct {
        double cycles;
        unsigned uses, exit_offset;
        bool is_chain, is_hasty;
        unsigned n;
    } cases[] = {{4.13, 0, 0, false, false, 12}, {4.13, 1U << USE_LOAD, 0, false, false, 12},
                 {4.13, 0, 32, false, true, 3},  {4.13, 0, 32, false, false, 12},
                 {4, 0, 32, false, false, 12},   {4, 1U << USE_LOAD, 0, false, false, 6},
                 {4, 0, 0, false, false, 6},     {4, 0, 0, true, false, 3},
                 {4.13, 0, 0, true, false, 12},  {40.02, 0, 0, false, false, 12}, // too near 40 to tell, but not exact
                 {40.02, 0, 0, true, false, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_session session;
        struct fake_target fake = fake_target_quiet();
        struct bench_code code = fake_code;
        code.uses = cases[i].uses;
        code.foreign.exit_offset = cases[i].exit_offset;
        code.is_chain = cases[i].is_chain;
        fake.code_cycles = cases[i].cycles;
        fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1, .is_hasty = cases[i].is_hasty}, &code);
        assert_true(session.result.verdict != MEASURED_UNSTABLE);
        assert_in_range(session.result.processes, cases[i].n, cases[i].n + 1); // one more where a round was dropped
        arena_free(&session.arena);
    }
}

// One process that was faster than the others may have met the code's other speed.
static void values_with_a_faster_process_rest_on_more(void **state) {
    (void)state;
    static const struct {
        double cycles;
        bool is_chain;
        unsigned faster, n;
    } cases[] = {{4.13, false, 0, 12}, {4.13, false, 5, 36}, {4, false, 0, 6}, {4, false, 3, 36}, {4.13, true, 5, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_session session;
        struct fake_target fake = fake_target_quiet();
        struct bench_code code = fake_code;
        code.is_chain = cases[i].is_chain;
        fake.code_cycles = cases[i].cycles;
        fake.faster_process = cases[i].faster;
        fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1}, &code);
        assert_near(session.result.cycles, cases[i].cycles, cases[i].cycles * 0.002);
        assert_in_range(session.result.processes, cases[i].n, cases[i].n + 1); // one more where a round was dropped
        arena_free(&session.arena);
    }
}

// Code that is slow in some processes, by where it lies, is not taken for code beside a neighbour, whose slower
// processes go.
static void two_speeds_by_process_are_no_value(void **state) {
    (void)state;
    enum { SEEDS = 100 };
    static const double shares[] = {0.7, 0.3};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        unsigned n_unstable = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct fake_session session;
            struct fake_target fake = fake_target_noisy(seed);
            struct bench_code code = fake_code;
            code.foreign.exit_offset = 32;
            fake.slower_share = shares[i];
            fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1, .budget_ms = 200}, &code);
            n_unstable += session.result.verdict == MEASURED_UNSTABLE;
            arena_free(&session.arena);
        }
        assert_in_range(n_unstable, SEEDS * 95 / 100, SEEDS);
    }
}

// However few samples are enough for a narrow interval around the median.
static void two_modes_are_reported(void **state) {
    (void)state;
    enum { SEEDS = 100 };
    unsigned n_named = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct fake_session session;
        struct fake_target fake = fake_target_noisy(seed);
        fake.second_mode_cycles = 8.01;
        fake.second_mode_share = 0.35;
        fake_measure(&session, fake);
        assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
        bool is_named = strstr(session.result.why, "two modes: ") && strstr(session.result.why, "8.0");
        assert_int_equal(session.result.look, is_named ? LOOK_MODES : LOOK_NONE);
        n_named += is_named;
        arena_free(&session.arena);
    }
    assert_true(n_named >= SEEDS * 9 / 10); // else slower "at another time", as a process may have only the second one
}

// Among thousands of values, one with two modes gives its time to the others once these are clear.
static void clear_modes_end_a_hasty_value(void **state) {
    (void)state;
    enum { SEEDS = 40 };
    unsigned n_named = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double milliseconds[2];
        for (unsigned is_hasty = 0; is_hasty < 2; is_hasty++) {
            struct fake_session session;
            struct fake_target fake = fake_target_noisy(seed);
            fake.second_mode_cycles = 8.01;
            fake.second_mode_share = 0.35;
            fake_measure_with(
                &session, fake,
                &(struct bench_options){.cpu = -1, .budget_ms = 200, .confirm_seconds = -1, .is_hasty = is_hasty},
                &fake_code);
            assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
            milliseconds[is_hasty] = session.result.milliseconds;
            n_named += is_hasty && session.result.look == LOOK_MODES;
            arena_free(&session.arena);
        }
        assert_true(milliseconds[1] < milliseconds[0]);
    }
    assert_true(n_named >= SEEDS * 9 / 10);
}

// Likewise one that a neighbour spoils all the time.
static void a_neighbour_ends_a_hasty_value(void **state) {
    (void)state;
    double milliseconds[2];
    for (unsigned is_hasty = 0; is_hasty < 2; is_hasty++) {
        struct fake_session session;
        struct fake_target fake = fake_target_quiet();
        fake.switch_share = 1;
        fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1, .budget_ms = 200, .is_hasty = is_hasty},
                          &fake_code);
        assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
        assert_int_equal(session.result.samples, 0);
        milliseconds[is_hasty] = session.result.milliseconds;
        arena_free(&session.arena);
    }
    assert_true(milliseconds[1] < milliseconds[0] / 2);
}

static void disturbed_rounds_are_counted(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.switch_share = 0.3;
    fake.fault_share = 0.1;
    fake_measure(&session, fake);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_true(session.result.dropped[DROP_SWITCH] > 0);
    arena_free(&session.arena);
}

// A process of which nothing was kept is none that a value rests on.
static void a_lost_process_is_made_up_for(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.lost_process = 3; // the first finds how long to run
    fake_measure(&session, fake);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_int_equal(session.result.processes, 6); // as many as any fraction's
    arena_free(&session.arena);
}

static void too_few_processes_are_no_value(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.lost_process = 3; // the first finds how long to run
    struct bench_options options = {.cpu = -1, .budget_ms = 0.001, .confirm_seconds = -1};
    fake_measure_with(&session, fake, &options, &fake_code);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_int_equal(session.result.processes, 2);
    assert_non_null(strstr(session.result.why, "2 processes only"));
    arena_free(&session.arena);
}

static void faults_are_dropped(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.fault_share = 0.3;
    fake_measure(&session, fake);
    assert_true(session.result.dropped[DROP_FAULT] > 0);
    assert_int_equal(session.result.dropped[DROP_SWITCH], 0);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    arena_free(&session.arena);
}

// More samples would help, but there is no time for them.
static void a_wide_interval_is_no_result(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.code_spread = 0.2;
    struct bench_options options = {.cpu = -1, .budget_ms = 0.001, .confirm_seconds = -1};
    fake_measure_with(&session, fake, &options, &fake_code);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_non_null(strstr(session.result.why, "still ±"));
    arena_free(&session.arena);
}

// Each process has a speed of its own: the median of few says little of the next ones.
static void a_value_of_its_own_in_each_process_is_no_result(void **state) {
    (void)state;
    unsigned n_of_processes = 0, n_spread = 0;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct fake_session session;
        struct fake_target fake = fake_target_quiet();
        fake.process_spread = 0.05;
        fake.seed = seed;
        struct bench_options options = {.cpu = -1, .budget_ms = 10000, .confirm_seconds = -1};
        fake_measure_with(&session, fake, &options, &fake_code);
        const struct bench_measurement *m = &session.result;
        double half = (m->high - m->low) / 2 / m->cycles;
        assert_true(m->verdict == MEASURED_UNSTABLE || half < 0.005 || m->process_high < 1.04 * m->process_low);
        if (m->why && strstr(m->why, "another value in each process")) {
            n_of_processes++;
            n_spread += m->look == LOOK_SPREAD; // else a gap makes two groups of them
            assert_in_set(m->look, ((const LargestIntegralType[]){LOOK_SPREAD, LOOK_MODES}), 2);
        }
        arena_free(&session.arena);
    }
    assert_true(n_of_processes > 0 && n_spread > 0);
}

static void mostly_disturbed_is_unstable(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.switch_share = 1;
    fake_measure(&session, fake);
    assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
    assert_int_equal(session.result.samples, 0);
    assert_non_null(strstr(session.result.why, "switch"));
    arena_free(&session.arena);
}

static void coarse_timer_runs_longer(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.target.timer_step = 1000;
    fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1}, &fake_code);
    const struct target_job *job = &session.fake.last_job;
    assert_true((double)(job->code_long - job->code_short) * 100 * 4 * 0.7 > 900 * 1000);
    assert_true((double)(job->reference_long - job->reference_short) * 100 * 0.7 > 900 * 1000);
    assert_int_equal(session.result.verdict, MEASURED_EXACT);
    assert_int_equal(session.result.numerator, 4);
    arena_free(&session.arena);
}

// Runs are shorter where little precision is wanted, but not below two fifths of 10 µs.
static void coarse_precision_runs_shorter(void **state) {
    (void)state;
    static const struct {
        double precision, seconds;
    } cases[] = {{0.001, 10e-6}, {0.002, 10e-6}, {0.004, 5e-6}, {0.1, 4e-6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fake_session session;
        struct bench_options options = {.cpu = -1, .precision = cases[i].precision};
        fake_measure_with(&session, fake_target_quiet(), &options, &fake_code);
        const struct target_job *job = &session.fake.last_job;
        double ticks = (double)(job->code_long - job->code_short) * 100 * 4 * 0.7;
        assert_near(ticks / 2.6e9, cases[i].seconds, 0.1 * cases[i].seconds);
        arena_free(&session.arena);
    }
}

static unsigned n_asked;

// Far more often than the measurement below asks: one without an end ends here.
static bool is_enough(void) {
    return ++n_asked > 10000;
}

// No number of samples is enough for this precision, and there is time without end: the rounds of a process and the
// samples have their most all the same.
static void a_value_that_never_is_narrow_ends(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    fake.code_spread = 0.2;
    n_asked = 0;
    struct bench_options options = {
        .cpu = -1, .precision = 1e-6, .budget_ms = 1e12, .confirm_seconds = -1, .is_stopped = is_enough};
    fake_measure_with(&session, fake, &options, &fake_code);
    assert_int_equal(session.result.outcome, BENCH_OK);
    assert_int_equal(session.result.samples, SAMPLING_MAX);
    assert_int_equal(session.fake.last_job.n_rounds, PROGRESS_MOST_ROUNDS);
    arena_free(&session.arena);
}

// Runs a process of the value at `ns`, and decides.
static void run_process_at(struct fake_session *session, struct progress *progress, uint64_t ns) {
    struct target_round rounds[PROGRESS_MOST_ROUNDS];
    enum bench_outcome outcome;
    progress->job.rounds = rounds;
    progress->job.n_rounds = PROGRESS_MOST_ROUNDS;
    progress->job.code_short = 1;
    progress->job.code_long = 8;
    struct target *target = &session->fake.target;
    assert_true(target->ops->run(target, &progress->job, 1, &outcome, &session->fail));
    progress_take(progress, ns);
    progress_decide(progress, ns, true);
}

// The samples are as many as there may be, long before the value's other time: those of that time find room.
static void a_value_full_of_samples_is_confirmed(void **state) {
    (void)state;
    struct fake_session session;
    fake_measure(&session, fake_target_quiet());
    session.bench.options.confirm_seconds = 1;
    session.bench.is_new_here = true;
    struct sampling sampling = sampling_new(&session.arena);
    struct progress progress = {.sampling = &sampling,
                                .result = &session.result,
                                .counts = {.arena = &session.arena, .target = &session.fake.target}};
    progress_start(&progress, &session.bench, &fake_code, NULL);
    progress.look_at = UINT_MAX; // as if it were never narrow enough before
    for (unsigned i = 0; i <= SAMPLING_MAX / PROGRESS_MOST_ROUNDS; i++)
        run_process_at(&session, &progress, 1);
    assert_false(progress.is_finished);
    assert_true(progress.look_ns > 1000000000);
    run_process_at(&session, &progress, progress.look_ns);
    assert_true(progress.is_finished);
    assert_true(sampling.samples[sampling.n_kept - 1].ns == progress.look_ns);
    arena_free(&session.arena);
}

// A body that takes 30 ms: the first guess of iterations runs into its time-out, then one and two do.
static void slow_code_runs_once_and_twice(void **state) {
    (void)state;
    struct fake_session session;
    struct fake_target fake = fake_target_quiet();
    struct bench_code slow = fake_code;
    slow.bodies = 1;
    fake.code_cycles = 1e8;
    fake.second_per_body = 0.03;
    fake_measure_with(&session, fake, &(struct bench_options){.cpu = -1, .budget_ms = 5}, &slow);
    assert_int_equal(session.result.outcome, BENCH_OK);
    assert_int_equal(session.fake.last_job.code_short, 1);
    assert_int_equal(session.fake.last_job.code_long, 2);
    assert_near(session.result.cycles, 1e8, 1e5);
    arena_free(&session.arena);
}

static void crashes_are_outcomes(void **state) {
    (void)state;
    for (enum bench_outcome outcome = BENCH_SIGILL; outcome < BENCH_N_OUTCOMES; outcome++) {
        struct fake_session session;
        struct fake_target fake = fake_target_quiet();
        fake.outcome = outcome;
        fake_measure(&session, fake);
        assert_int_equal(session.result.outcome, outcome);
        assert_int_equal(session.result.verdict, MEASURED_UNSTABLE);
        assert_string_equal(session.result.why, bench_outcome_name(outcome));
        arena_free(&session.arena);
    }
}

static void names_are_words(void **state) {
    (void)state;
    struct bench_options options = {.cpu = -1};
    struct fail fail = {0};
    assert_true(bench_read_clock("ratio", NULL, &options, &fail));
    assert_int_equal(options.clock, CLOCK_RATIO);
    assert_false(bench_read_clock("sundial", NULL, &options, &fail));
    assert_non_null(strstr(fail.text, "unknown clock 'sundial'"));
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
        cmocka_unit_test(values_that_are_no_fraction_rest_on_more_processes),
        cmocka_unit_test(two_looks_share_the_processes_of_a_value),
        cmocka_unit_test(no_round_is_kept),
        cmocka_unit_test(a_disturbed_first_look_says_nothing),
        cmocka_unit_test(values_with_a_faster_process_rest_on_more),
        cmocka_unit_test(two_speeds_by_process_are_no_value),
        cmocka_unit_test(two_modes_are_reported),
        cmocka_unit_test(clear_modes_end_a_hasty_value),
        cmocka_unit_test(a_neighbour_ends_a_hasty_value),
        cmocka_unit_test(disturbed_rounds_are_counted),
        cmocka_unit_test(a_lost_process_is_made_up_for),
        cmocka_unit_test(too_few_processes_are_no_value),
        cmocka_unit_test(faults_are_dropped),
        cmocka_unit_test(a_wide_interval_is_no_result),
        cmocka_unit_test(a_value_of_its_own_in_each_process_is_no_result),
        cmocka_unit_test(mostly_disturbed_is_unstable),
        cmocka_unit_test(coarse_timer_runs_longer),
        cmocka_unit_test(coarse_precision_runs_shorter),
        cmocka_unit_test(a_value_that_never_is_narrow_ends),
        cmocka_unit_test(a_value_full_of_samples_is_confirmed),
        cmocka_unit_test(slow_code_runs_once_and_twice),
        cmocka_unit_test(crashes_are_outcomes),
        cmocka_unit_test(names_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
