// Plans from start to end on a simulated CPU, whose values are known: what is measured, predicted and told, and what
// becomes of the rest where something cannot run, or the user wants no more.
#include "lab/testing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char target[] = "sim:skylake,noise=none";
static const struct plan_options latency = {.has_mode = true, .mode = PROGRAM_LATENCY};

static void assert_cycles(const struct experiment *experiment, double cycles) {
    assert_true(experiment->is_done);
    assert_true(fabs(experiment->measurement.cycles - cycles) < 0.01 * cycles);
    assert_int_equal(experiment->n_predictions, 1);
    assert_true(fabs(experiment->predictions[0].cycles - cycles) < 0.01 * cycles);
    assert_int_equal(experiment->verdicts[0].kind, VERDICT_AGREE);
}

static void a_plan_is_measured_and_predicted(void **state) {
    (void)state;
    struct testing_run run;
    testing_run_start(&run, target);
    testing_run_add(&run, "add-r64", &latency);
    testing_run_add(&run, "imul-r64", &latency);
    testing_run_go(&run);
    assert_true(run.is_done);
    assert_int_equal(run.status, 0);
    assert_int_equal(run.plan.n_experiments, 2);
    assert_cycles(run.plan.experiments[0], 1);
    assert_cycles(run.plan.experiments[1], 3);
    assert_int_equal(run.heard.n_started, 1);
    assert_true(run.heard.n_measuring > 0);
    assert_int_equal(run.heard.number, 2);
    assert_int_equal(run.heard.total, 2);
    assert_int_equal(run.heard.failures.n, 0);
    testing_run_end(&run);
}

// Skylake has no AVX-512: said once, though it is the trouble of several rows.
static void what_cannot_run_here_is_told_and_costs_itself(void **state) {
    (void)state;
    struct testing_run run;
    testing_run_start(&run, target);
    testing_run_add(&run, "fma-zmm-ps", &(struct plan_options){0});
    size_t n_unable = run.plan.n_experiments;
    assert_true(n_unable > 1);
    testing_run_add(&run, "add-r64", &latency);
    testing_run_go(&run);
    assert_true(run.is_done);
    assert_int_equal(run.status, FAIL_UNAVAILABLE);
    for (size_t i = 0; i < n_unable; i++)
        assert_false(run.plan.experiments[i]->is_done);
    assert_cycles(run.plan.experiments[n_unable], 1);
    assert_int_equal(run.heard.failures.n, 1);
    assert_true(testing_has(&run.heard.failures, "avx512f, which skylake does not have"));
    assert_int_equal(run.heard.n_started, 1);
    testing_run_end(&run);
}

// A block that the assembler refuses is taken out of the plan.
static void what_does_not_assemble_is_told_and_costs_itself(void **state) {
    (void)state;
    struct testing_run run;
    testing_run_start(&run, target);
    const struct block_source bogus = {.isa = run.options.isa, .name = "bogus.s", .text = "bogus rax, rbx\n"};
    const struct plan_options unrolled = {.has_form = true, .form = PROGRAM_UNROLLED};
    assert_true(plan_add_block(&run.arena, &run.plan, &bogus, "bogus", &unrolled, &run.fail));
    testing_run_add(&run, "add-r64", &latency);
    testing_run_go(&run);
    assert_true(run.is_done);
    assert_int_equal(run.status, FAIL_INPUT);
    assert_int_equal(run.plan.n_experiments, 1);
    assert_cycles(run.plan.experiments[0], 1);
    assert_int_equal(run.heard.failures.n, 1);
    assert_true(testing_has(&run.heard.failures, "bogus"));
    testing_run_end(&run);
}

// More experiments than go into one process, and the user ends it once the first is there.
static void who_stops_gets_what_there_is(void **state) {
    (void)state;
    struct testing_run run;
    const struct plan_options sweep = {.sweep_first = 1, .sweep_last = 12, .is_both_forms = true};
    testing_run_start(&run, target);
    testing_run_add(&run, "add-r64", &sweep);
    testing_run_add(&run, "imul-r64", &sweep);
    assert_true(run.plan.n_experiments > BENCH_MOST_TOGETHER);
    run.heard.stops_at = 2;
    testing_run_go(&run);
    assert_true(run.is_done);
    assert_int_equal(run.status, RUN_PLAN_INTERRUPTED);
    size_t n_done = 0;
    for (size_t i = 0; i < run.plan.n_experiments; i++) {
        const struct experiment *experiment = run.plan.experiments[i];
        n_done += experiment->is_done;
        if (!experiment->is_done)
            assert_int_equal(experiment->measurement.outcome, BENCH_STOPPED);
    }
    assert_true(n_done > 0 && n_done < run.plan.n_experiments);
    assert_true(testing_has(&run.heard.notes, arena_printf(&run.arena, "interrupted: %zu of %zu measured", n_done,
                                                           run.plan.n_experiments)));
    assert_int_equal(run.heard.failures.n, 0);
    testing_run_end(&run);
}

static void the_worse_status_counts(void **state) {
    (void)state;
    static const int from_bad_to_good[] = {RUN_PLAN_INTERRUPTED, FAIL_WORK,         FAIL_INPUT,
                                           FAIL_UNAVAILABLE,     RUN_PLAN_UNSTABLE, 0};
    enum { N = sizeof from_bad_to_good / sizeof *from_bad_to_good };
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < N; j++) {
            assert_int_equal(run_plan_worse(from_bad_to_good[i], from_bad_to_good[j]), from_bad_to_good[i]);
            assert_int_equal(run_plan_worse(from_bad_to_good[j], from_bad_to_good[i]), from_bad_to_good[i]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_measured_and_predicted),
        cmocka_unit_test(what_cannot_run_here_is_told_and_costs_itself),
        cmocka_unit_test(what_does_not_assemble_is_told_and_costs_itself),
        cmocka_unit_test(who_stops_gets_what_there_is),
        cmocka_unit_test(the_worse_status_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
