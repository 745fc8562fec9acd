// Code with two speeds, which takes one of them in each run.
#include "bench/measure/uneven.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SHORT = 1000, LONG = 8000, START = 120 };
static const double fast = 4, slow = 6;

struct fixture {
    struct arena arena;
    struct bench_code code, reference;
    struct target_job job;
    struct target bench_target;
    struct bench bench;
    struct sampling sampling;
};

static struct target_sample run_of(double cycles, uint64_t n) {
    return (struct target_sample){.ticks = START + (uint64_t)llround(cycles * (double)n)};
}

static struct fixture *open_fixture(void) {
    struct fixture *f = test_calloc(1, sizeof *f);
    f->bench_target = (struct target){.timer_step = 1, .ticks_per_second = 1e9};
    f->bench = (struct bench){.target = &f->bench_target, .clock = CLOCK_RATIO};
    f->code = (struct bench_code){.bodies = 1};
    f->reference = (struct bench_code){.bodies = 1, .body_cycles = 1};
    f->job = (struct target_job){
        .code = &f->code,
        .code_short = SHORT,
        .code_long = LONG,
        .reference = &f->reference,
        .reference_short = SHORT,
        .reference_long = LONG,
    };
    f->sampling = sampling_new(&f->arena);
    sampling_start_process(&f->sampling, 0);
    return f;
}

static void close_fixture(struct fixture *f) {
    arena_free(&f->arena);
    test_free(f);
}

static void add(struct fixture *f, unsigned n, double of_short, double of_long) {
    const struct target_round round = {
        .reference_before = {run_of(1, SHORT), run_of(1, LONG)},
        .reference_after = {run_of(1, SHORT), run_of(1, LONG)},
        .code_short = run_of(of_short, SHORT),
        .code_long = run_of(of_long, LONG),
    };
    for (unsigned i = 0; i < n; i++)
        sampling_add(&f->sampling, &f->bench, &f->job, &round);
    uneven_choose(&f->sampling);
}

static void assert_cycles(const struct fixture *f, size_t sample, double cycles) {
    assert_true(fabs(f->sampling.samples[sample].cycles - cycles) < 0.001);
}

static void a_difference_of_two_speeds_is_none_of_them(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    add(f, 4, fast, fast);
    add(f, 4, slow, fast);
    add(f, 4, fast, slow);
    add(f, 4, slow, slow);
    assert_int_equal(f->sampling.n_kept, 16);
    assert_true(f->sampling.samples[4].difference < fast - 0.2);
    assert_true(f->sampling.samples[8].difference > slow + 0.2);
    for (size_t i = 0; i < 16; i++)
        assert_cycles(f, i, i < 8 ? fast : slow);
    close_fixture(f);
}

// Nothing is even, but rounds with less than no start show that there are two speeds.
static void uneven_rounds_explain_each_other(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    add(f, 4, slow, fast);
    assert_true(f->sampling.samples[0].cycles == f->sampling.samples[0].difference);
    add(f, 4, fast, slow);
    for (size_t i = 0; i < 8; i++)
        assert_cycles(f, i, i < 4 ? fast : slow);
    assert_true(uneven_slack(&f->sampling) == 0);
    close_fixture(f);
}

// All short runs may be slower: the difference is too small then, and the long run alone is right.
static void the_value_may_be_that_of_the_long_run(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    add(f, 8, 1.25 * fast, fast);
    assert_false(uneven_is_doubtful(&f->sampling));
    assert_true(f->sampling.samples[0].cycles < 0.97 * fast);
    assert_true(fabs(f->sampling.samples[0].cycles + uneven_slack(&f->sampling) - fast) < 0.001);
    close_fixture(f);
}

// As where code or data are not in a cache yet: both runs of all rounds have that start.
static void the_same_start_cancels(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    const struct target_round round = {
        .reference_before = {run_of(1, SHORT), run_of(1, LONG)},
        .reference_after = {run_of(1, SHORT), run_of(1, LONG)},
        .code_short = {.ticks = run_of(fast, SHORT).ticks + 2000},
        .code_long = {.ticks = run_of(fast, LONG).ticks + 2000},
    };
    for (unsigned i = 0; i < 8; i++)
        sampling_add(&f->sampling, &f->bench, &f->job, &round);
    uneven_choose(&f->sampling);
    assert_true(f->sampling.samples[0].start > 0.3);
    assert_cycles(f, 0, fast);
    close_fixture(f);
}

// The limit divides rounds that start alike: they are not of two speeds.
static void starts_near_the_limit_are_alike(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    for (unsigned i = 0; i < 20; i++) {
        uint64_t start = 540 + 10 * (i % 5);
        const struct target_round round = {
            .reference_before = {run_of(1, SHORT), run_of(1, LONG)},
            .reference_after = {run_of(1, SHORT), run_of(1, LONG)},
            .code_short = {.ticks = run_of(fast, SHORT).ticks + start},
            .code_long = {.ticks = run_of(fast, LONG).ticks + start},
        };
        sampling_add(&f->sampling, &f->bench, &f->job, &round);
    }
    uneven_choose(&f->sampling);
    unsigned n_above = 0;
    for (size_t i = 0; i < 20; i++) {
        n_above += f->sampling.samples[i].start > 0.12;
        assert_cycles(f, i, fast);
    }
    assert_true(n_above > 2 && n_above < 18);
    close_fixture(f);
}

static void less_than_no_start_is_two_speeds(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    add(f, 8, fast, slow);
    assert_true(f->sampling.samples[0].start < -0.3);
    assert_cycles(f, 0, slow);
    assert_false(uneven_is_doubtful(&f->sampling));
    close_fixture(f);
}

// Either all short runs are slow, or all runs start slowly: the difference may be wrong.
static void a_large_start_is_doubtful(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    add(f, 8, 1.6 * fast, fast);
    assert_true(uneven_is_doubtful(&f->sampling));
    add(f, 2, fast, fast);
    assert_false(uneven_is_doubtful(&f->sampling));
    assert_cycles(f, 0, fast);
    close_fixture(f);
}

static void a_single_round_changes_nothing(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    add(f, 1, slow, fast);
    add(f, 40, fast, fast);
    assert_true(f->sampling.samples[0].cycles == f->sampling.samples[0].difference);
    close_fixture(f);
}

// Short runs of a simulated CPU: what fills its pipeline is much of them.
static void a_pipeline_fills(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    f->job.code_short = 40;
    f->job.code_long = 320;
    const struct target_round round = {
        .reference_before = {run_of(1, SHORT), run_of(1, LONG)},
        .reference_after = {run_of(1, SHORT), run_of(1, LONG)},
        .code_short = {.ticks = run_of(fast, 40).ticks + 60},
        .code_long = {.ticks = run_of(fast, 320).ticks + 60},
    };
    for (unsigned i = 0; i < 8; i++)
        sampling_add(&f->sampling, &f->bench, &f->job, &round);
    uneven_choose(&f->sampling);
    assert_cycles(f, 0, fast);
    assert_true(uneven_slack(&f->sampling) == 0);
    close_fixture(f);
}

// Their starts say nothing of their speeds.
static void some_code_has_no_usual_start(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct fixture *f = open_fixture();
        f->job.code_calls = kind == 0 ? 2 : 1;
        f->code.chase.n = kind == 1;
        f->code.foreign.exit_offset = kind == 2 ? 64 : 0;
        if (kind == 3) { // few iterations, of as many ticks
            f->job.code_short = 3;
            f->job.code_long = 24;
        }
        add(f, 4, fast, fast);
        add(f, 4, slow, fast);
        assert_true(f->sampling.samples[4].start == 0);
        assert_true(f->sampling.samples[4].cycles == f->sampling.samples[4].difference);
        close_fixture(f);
    }
}

// A reference that an interrupt met is no measure of a start.
static void a_disturbed_reference_has_limits(void **state) {
    (void)state;
    struct fixture *f = open_fixture();
    struct target_round round = {
        .reference_before = {run_of(1, SHORT), run_of(1, LONG)},
        .reference_after = {run_of(1, SHORT), run_of(1, LONG)},
        .code_short = run_of(fast, SHORT),
        .code_long = run_of(fast, LONG),
    };
    struct sample sample = {.difference = fast};
    round.reference_before[0].ticks += 100000;
    uneven_judge(&f->job, &round, &sample);
    assert_true(fabs(sample.start) <= 0.12 && fabs(sample.alone - fast) < 0.02 * fast);
    close_fixture(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_of_two_speeds_is_none_of_them),
        cmocka_unit_test(the_same_start_cancels),
        cmocka_unit_test(starts_near_the_limit_are_alike),
        cmocka_unit_test(less_than_no_start_is_two_speeds),
        cmocka_unit_test(uneven_rounds_explain_each_other),
        cmocka_unit_test(the_value_may_be_that_of_the_long_run),
        cmocka_unit_test(a_large_start_is_doubtful),
        cmocka_unit_test(a_single_round_changes_nothing),
        cmocka_unit_test(a_pipeline_fills),
        cmocka_unit_test(some_code_has_no_usual_start),
        cmocka_unit_test(a_disturbed_reference_has_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
