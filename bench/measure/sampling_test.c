// Which rounds count, what a look at them costs, and what makes of them an exact value.
#include "bench/measure/conclude.h"
#include "bench/measure/sampling.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SHORT = 1000, LONG = 5000 };

struct fixture {
    struct arena arena;
    struct target target;
    struct bench bench;
    struct bench_code code;
    struct target_job job;
    struct target_round round; // of two cycles a body, with nothing wrong
    struct sampling sampling;
};

static struct fixture *open_fixture(enum bench_clock clock) {
    struct fixture *f = test_calloc(1, sizeof *f);
    f->target = (struct target){.timer_step = 10, .ticks_per_second = 1e9};
    f->bench = (struct bench){.target = &f->target, .clock = clock};
    f->code = (struct bench_code){.bodies = 1, .body_cycles = 1};
    f->job = (struct target_job){
        .code = &f->code,
        .code_short = SHORT,
        .code_long = LONG,
        .reference = &f->code,
        .reference_short = SHORT,
        .reference_long = LONG,
    };
    const struct target_sample of_short = {.ticks = 100 + SHORT}, of_long = {.ticks = 100 + LONG};
    f->round = (struct target_round){
        .reference_before = {of_short, of_long},
        .reference_after = {of_short, of_long},
        .code_short = {.ticks = 100 + 2 * SHORT, .counters = {50 + 2 * SHORT}},
        .code_long = {.ticks = 100 + 2 * LONG, .counters = {50 + 2 * LONG}},
        .corunner = {.bodies = 1000, .ticks = 3000, .is_whole = true},
    };
    f->sampling = sampling_new(&f->arena);
    return f;
}

static void close_fixture(struct fixture *f) {
    arena_free(&f->arena);
    test_free(f);
}

static void disturb(struct target_round *round, enum bench_drop reason) {
    switch (reason) {
    case DROP_SWITCH:
        round->switches = 1;
        break;
    case DROP_MIGRATION:
        round->migrations = 1;
        break;
    case DROP_FAULT:
        round->faults = 1;
        break;
    case DROP_STEAL:
        round->stolen_ns = 1;
        break;
    case DROP_SIBLING:
        round->has_busy_sibling = true;
        break;
    case DROP_CORUNNER:
        round->corunner.is_whole = false;
        break;
    case DROP_REFERENCE:
        round->reference_after[1].ticks += LONG / 50;
        break;
    case DROP_GAP:
        round->is_interrupted = true;
        break;
    case DROP_NEGATIVE:
        round->code_long.ticks = round->code_short.ticks;
        break;
    case DROP_MULTIPLY:
    case DROP_ISSUE:
    case DROP_RETIRED:
    case DROP_SLOWER:
    case DROP_USES:
    case DROP_N_REASONS:
        fail_msg("no such disturbance here: %s", bench_drop_name(reason));
    }
}

static void each_disturbance_has_its_reason(void **state) {
    (void)state;
    static const enum bench_drop reasons[] = {DROP_SWITCH,   DROP_MIGRATION, DROP_FAULT,    DROP_STEAL, DROP_SIBLING,
                                              DROP_CORUNNER, DROP_REFERENCE, DROP_NEGATIVE, DROP_GAP};
    struct fixture *f = open_fixture(CLOCK_RATIO);
    f->job.corunner = &f->code;
    sampling_add(&f->sampling, &f->bench, &f->job, &f->round);
    assert_int_equal(f->sampling.n_kept, 1);
    assert_true(fabs(f->sampling.samples[0].cycles - 2) < 1e-12);
    assert_true(fabs(f->sampling.samples[0].corunner - 3) < 1e-12);
    for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        struct target_round round = f->round;
        disturb(&round, reasons[i]);
        sampling_add(&f->sampling, &f->bench, &f->job, &round);
        assert_int_equal(f->sampling.n_kept, 1);
        assert_int_equal(f->sampling.dropped[reasons[i]], 1);
        assert_int_equal(sampling_n_dropped(&f->sampling), i + 1);
    }
    close_fixture(f);
}

// Without a co-runner, no round is dropped for one.
static void without_code_corunner_nothing_is_asked_of_it(void **state) {
    (void)state;
    struct fixture *f = open_fixture(CLOCK_RATIO);
    f->round.corunner = (struct target_corunner){0};
    sampling_add(&f->sampling, &f->bench, &f->job, &f->round);
    assert_int_equal(f->sampling.n_kept, 1);
    close_fixture(f);
}

// What the least difference of the clock is worth: a step of the timer on the code's side and on the reference's, or a
// count at either end.
static void a_step_is_what_the_clock_can_show(void **state) {
    (void)state;
    struct fixture *f = open_fixture(CLOCK_RATIO);
    sampling_add(&f->sampling, &f->bench, &f->job, &f->round);
    sampling_take_look(&f->sampling);
    assert_true(fabs(f->sampling.look.step - 2 * 10 * (1.0 / 8000 + 1.0 / 8000)) < 1e-12);
    close_fixture(f);
    f = open_fixture(CLOCK_PERF);
    sampling_add(&f->sampling, &f->bench, &f->job, &f->round);
    sampling_take_look(&f->sampling);
    assert_true(fabs(f->sampling.look.step - 2 * 2.0 / 8000) < 1e-12);
    close_fixture(f);
}

// Looks at the same samples get wider intervals, and what earlier ones have spent is not there any more.
static void looks_cost_confidence(void **state) {
    (void)state;
    struct fixture *f = open_fixture(CLOCK_RATIO);
    for (unsigned i = 0; i < 40; i++) {
        f->round.code_long.ticks = 100 + 2 * LONG + 100 * (i * 17 % 40); // in no order
        sampling_add(&f->sampling, &f->bench, &f->job, &f->round);
    }
    double last = 0;
    for (unsigned look = 1; look <= 4; look++) {
        sampling_take_look(&f->sampling);
        const struct interval *interval = &f->sampling.look.interval;
        double spent = (1 - SAMPLING_CONFIDENCE) * (1 - 1.0 / look); // the sum of 1 %/(k (k + 1)) before this one
        assert_true(interval->confidence >= SAMPLING_CONFIDENCE && interval->confidence <= 1 - spent);
        assert_true(interval->high - interval->low >= last);
        last = interval->high - interval->low;
    }
    close_fixture(f);
}

// A round of `cycles`, as seen in a process.
static void add(struct fixture *f, unsigned process, double cycles) {
    f->sampling.n_batches = process;
    f->round.code_short.ticks = 100 + SHORT;
    f->round.code_long.ticks = f->round.code_short.ticks + (uint64_t)llround(cycles * (LONG - SHORT));
    sampling_add(&f->sampling, &f->bench, &f->job, &f->round);
}

static enum bench_verdict conclude(struct fixture *f) {
    struct bench_measurement result = {.clock = CLOCK_RATIO};
    f->bench.arena = &f->arena;
    f->bench.stable = true;
    conclude_samples(&f->sampling, &f->bench, &f->job, &result);
    assert_true(fabs(result.cycles - 1) < 0.003);
    return result.verdict;
}

// Forty values around 1, as far off as `spread` to either side: the interval is about half as wide.
static enum bench_verdict verdict_of_spread(double spread) {
    struct fixture *f = open_fixture(CLOCK_RATIO);
    for (unsigned i = 0; i < 40; i++)
        add(f, i / 8, 1 + spread * ((double)(i * 17 % 40) - 19.5) / 19.5);
    enum bench_verdict verdict = conclude(f);
    close_fixture(f);
    return verdict;
}

static void exact_is_within_half_a_percent(void **state) {
    (void)state;
    assert_int_equal(verdict_of_spread(0.004), MEASURED_EXACT);
    assert_int_equal(verdict_of_spread(0.016), MEASURED_WITHIN);
    assert_int_equal(verdict_of_spread(0.08), MEASURED_UNSTABLE);
}

// The same values, scattered over the processes or each the whole of one.
static void processes_that_differ_have_no_exact_value(void **state) {
    (void)state;
    enum { PROCESSES = 16, ROUNDS = 24 };
    for (unsigned is_by_process = 0; is_by_process < 2; is_by_process++) {
        struct fixture *f = open_fixture(CLOCK_RATIO);
        f->target.timer_step = 1; // less than they differ by
        for (unsigned i = 0; i < PROCESSES * ROUNDS; i++) {
            unsigned place = (is_by_process ? i / ROUNDS : i) * 7 % PROCESSES;
            add(f, i / ROUNDS, 1 + 0.0004 * ((double)place - 7.5));
        }
        assert_int_equal(conclude(f), is_by_process ? MEASURED_WITHIN : MEASURED_EXACT);
        close_fixture(f);
    }
}

// Ten processes agree, and four are 10 % slower: the code's own, or a neighbour's that has left hardly a round of each.
static void processes_that_were_spoilt_are_no_speeds(void **state) {
    (void)state;
    enum { AGREE = 10, PROCESSES = 14, ROUNDS = 24 };
    for (unsigned n_left = 1; n_left <= 4; n_left++) {
        struct fixture *f = open_fixture(CLOCK_RATIO);
        for (unsigned process = 1; process <= PROCESSES; process++)
            for (unsigned i = 0; i < (process <= AGREE ? ROUNDS : n_left); i++)
                add(f, process, process <= AGREE ? 1 : 1.1);
        assert_int_equal(conclude(f) == MEASURED_UNSTABLE, n_left >= 3);
        close_fixture(f);
    }
}

// More rounds than there is room for are no harm, and nobody's fault.
static void samples_have_an_end(void **state) {
    (void)state;
    struct fixture *f = open_fixture(CLOCK_RATIO);
    for (unsigned i = 0; i < SAMPLING_MAX + 10; i++)
        add(f, i / 24, 2);
    assert_int_equal(f->sampling.n_kept, SAMPLING_MAX);
    assert_int_equal(sampling_n_dropped(&f->sampling), 0);
    close_fixture(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_disturbance_has_its_reason),
        cmocka_unit_test(without_code_corunner_nothing_is_asked_of_it),
        cmocka_unit_test(a_step_is_what_the_clock_can_show),
        cmocka_unit_test(looks_cost_confidence),
        cmocka_unit_test(exact_is_within_half_a_percent),
        cmocka_unit_test(processes_that_differ_have_no_exact_value),
        cmocka_unit_test(processes_that_were_spoilt_are_no_speeds),
        cmocka_unit_test(samples_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
