// Several pieces of code in the same processes: what is shared, and what is not.
#include "bench/measure/fake_session.h"

static struct bench_code code_of(const char *kind) {
    struct bench_code code = fake_code;
    code.bytes = (const uint8_t *)kind;
    return code;
}

static void open_quiet(struct fake_session *session) {
    *session = (struct fake_session){.fake = fake_target_quiet()};
    session->fake.process_ns = 100000;
    assert_true(bench_open(&session->bench, &session->arena, &session->fake.target,
                           &(struct bench_options){.cpu = -1, .confirm_seconds = -1}, &fake_chains, &session->fail));
    session->fake.n_runs = 0;
    session->fake.target.can_choose = true; // or each has runs of its own for its iterations to be chosen
    session->fake.chosen_long = 4000;
}

static void measure_all(struct fake_session *session, const struct bench_code *codes, struct bench_measurement *results,
                        size_t n) {
    assert_true(bench_measure(&session->bench, codes, results, n, NULL, &session->fail));
}

static void values_are_those_of_each_alone(void **state) {
    (void)state;
    enum { N = 3 };
    const struct bench_code codes[N] = {code_of("4"), code_of("1"), code_of("7")};
    static const unsigned truths[N] = {4, 1, 7};
    struct bench_measurement results[N];
    struct fake_session session;
    open_quiet(&session);
    measure_all(&session, codes, results, N);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(results[i].outcome, BENCH_OK);
        assert_int_equal(results[i].verdict, MEASURED_EXACT);
        assert_int_equal(results[i].numerator, truths[i]);
        assert_int_equal(results[i].denominator, 1);
        assert_true(results[i].processes >= 3);
    }
    arena_free(&session.arena);
}

static void processes_are_shared_and_so_is_their_cost(void **state) {
    (void)state;
    enum { N = BENCH_MOST_TOGETHER + 4 };
    struct bench_code codes[N];
    struct bench_measurement results[N], alone;
    struct fake_session session;
    open_quiet(&session);
    for (size_t i = 0; i < N; i++)
        codes[i] = code_of("4");
    assert_true(bench_measure(&session.bench, codes, &alone, 1, NULL, &session.fail));
    unsigned n_runs = session.fake.n_runs;
    measure_all(&session, codes, results, N);
    assert_int_equal(session.fake.n_runs, (1 + 2) * n_runs); // they are more than one process holds, so twice as many
    double process_ms = n_runs * session.fake.process_ns / 1e6;
    assert_near(alone.milliseconds - results[0].milliseconds, process_ms * (1 - 1.0 / BENCH_MOST_TOGETHER), 0.05);
    arena_free(&session.arena);
}

// A crash of one costs the others nothing but time.
static void a_crash_is_one_codes_own(void **state) {
    (void)state;
    enum { N = 3 };
    const struct bench_code codes[N] = {code_of("4"), code_of("u"), code_of("7")};
    struct bench_measurement results[N];
    struct fake_session session;
    open_quiet(&session);
    measure_all(&session, codes, results, N);
    assert_int_equal(results[0].outcome, BENCH_OK);
    assert_int_equal(results[0].numerator, 4);
    assert_int_equal(results[1].outcome, BENCH_SIGILL);
    assert_int_equal(results[1].verdict, MEASURED_UNSTABLE);
    assert_int_equal(results[1].samples, 0);
    assert_int_equal(results[2].outcome, BENCH_OK);
    assert_int_equal(results[2].numerator, 7);
    assert_int_equal(session.fake.last_n_jobs, 1);
    arena_free(&session.arena);
}

// As many as share a process, and more; one of them ends it each time. Each is reported, once.
struct reports {
    unsigned n_of_each[2 * BENCH_MOST_TOGETHER];
};

static bool count_report(void *context, size_t index, struct fail *fail) {
    struct reports *reports = context;
    (void)fail;
    reports->n_of_each[index]++;
    return true;
}

static void a_crash_in_a_full_process_costs_no_other_value(void **state) {
    (void)state;
    enum { N = 2 * BENCH_MOST_TOGETHER, BAD = 17 };
    struct bench_code codes[N];
    struct bench_measurement results[N];
    struct fake_session session;
    struct reports reports = {{0}};
    const struct bench_listener listener = {&reports, count_report, NULL};
    open_quiet(&session);
    for (size_t i = 0; i < N; i++)
        codes[i] = code_of(i == BAD ? "u" : i % 2 ? "4" : "7");
    assert_true(bench_measure(&session.bench, codes, results, N, &listener, &session.fail));
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(reports.n_of_each[i], 1);
        assert_int_equal(results[i].outcome, i == BAD ? BENCH_SIGILL : BENCH_OK);
        if (i != BAD)
            assert_int_equal(results[i].numerator, i % 2 ? 4 : 7);
    }
    arena_free(&session.arena);
}

// The time that went by until it was given up is no part of what the others may take.
static void a_slow_end_costs_the_others_no_rounds(void **state) {
    (void)state;
    enum { N = 2 };
    const struct bench_code codes[N] = {code_of("4"), code_of("u")};
    struct bench_measurement results[N], alone;
    struct fake_session session;
    open_quiet(&session);
    assert_true(bench_measure(&session.bench, codes, &alone, 1, NULL, &session.fail));
    session.fake.crash_ns = 3e9;
    measure_all(&session, codes, results, N);
    assert_int_equal(results[0].samples, alone.samples);
    assert_near(results[0].milliseconds, alone.milliseconds, 0.5);
    assert_int_equal(results[1].outcome, BENCH_SIGILL);
    arena_free(&session.arena);
}

static void code_of_unknown_origin_is_alone(void **state) {
    (void)state;
    enum { N = 3 };
    struct bench_code codes[N] = {code_of("4"), code_of("2"), code_of("7")};
    struct bench_measurement results[N];
    struct fake_session session;
    codes[1].process_set = 1;
    open_quiet(&session);
    measure_all(&session, codes, results, N);
    assert_int_equal(session.fake.last_n_jobs, 1); // the one that others had to be done before
    for (size_t i = 0; i < N; i++)
        assert_int_equal(results[i].verdict, MEASURED_EXACT);
    arena_free(&session.arena);
}

static unsigned n_asked;

static bool is_third_time(void) {
    return ++n_asked >= 3;
}

// What is finished stays; of the others, nothing is said.
static void whoever_asks_can_stop(void **state) {
    (void)state;
    struct bench_code codes[2] = {code_of("4"), code_of("7")};
    struct bench_measurement results[2];
    struct fake_session session;
    open_quiet(&session);
    session.bench.options.processes = 2;
    session.bench.options.is_stopped = is_third_time;
    codes[0].process_set = 1;
    codes[1].process_set = 2;
    codes[0].is_chain = codes[1].is_chain = true; // two processes are enough
    measure_all(&session, codes, results, 2);
    assert_int_equal(results[0].outcome, BENCH_OK);
    assert_int_equal(results[0].numerator, 4);
    assert_int_equal(results[1].outcome, BENCH_STOPPED);
    assert_int_equal(results[1].samples, 0);
    arena_free(&session.arena);
}

// The first process chooses the lengths and meets a limit; the others are given them.
static void a_limit_of_iterations_is_kept(void **state) {
    (void)state;
    const struct bench_code codes[] = {code_of("4")};
    static const uint64_t limits[] = {0, 4500};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct bench_measurement result;
        struct fake_session session;
        open_quiet(&session);
        session.fake.most_iterations = limits[i];
        measure_all(&session, codes, &result, 1);
        assert_int_equal(result.outcome, BENCH_OK);
        assert_true(result.processes > 1);
        assert_int_equal(result.seen.most_iterations, limits[i]);
        arena_free(&session.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_each_alone),
        cmocka_unit_test(processes_are_shared_and_so_is_their_cost),
        cmocka_unit_test(a_crash_in_a_full_process_costs_no_other_value),
        cmocka_unit_test(a_crash_is_one_codes_own),
        cmocka_unit_test(a_slow_end_costs_the_others_no_rounds),
        cmocka_unit_test(code_of_unknown_origin_is_alone),
        cmocka_unit_test(a_limit_of_iterations_is_kept),
        cmocka_unit_test(whoever_asks_can_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
