// Options that llvm-mca does not have or seldom needs, and machines that it hangs or crashes on.
#include "analyzer/sim/mca/toy_test.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static void assert_steady(struct toy *toy, double cycles) {
    assert_float_equal(toy_steady(toy), cycles, 0.01);
}

// The three instructions of M. Hsu's article "Calculate Throughput with LLVM's Scheduling Model" (2025).
static void segments_follow_each_other(void **state) {
    (void)state;
    static const struct {
        const char *name;
        unsigned acquire[3], release[3];
        double held_from_issue;
    } rows[] = {
        {"BLAH", {0, 0, 0}, {1, 3, 2}, 3},
        {"BLOB", {0, 2, 1}, {2, 5, 3}, 5},
        {"counterexample", {0, 4, 1}, {2, 5, 4}, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct toy toy;
        toy_init(&toy, 4, 64);
        unsigned pipes[] = {toy_pipe(&toy, "P0", 1, -1), toy_pipe(&toy, "P1", 1, -1), toy_pipe(&toy, "P2", 1, -1)};
        toy_insn(&toy, 5);
        for (unsigned p = 0; p < 3; p++)
            toy_use(&toy, pipes[p], rows[i].release[p])->acquire = rows[i].acquire[p];
        toy.options.as_llvm_mca = true;
        assert_steady(&toy, rows[i].held_from_issue);
        toy.options.as_llvm_mca = false;
        assert_steady(&toy, 3);
        toy.machine.in_order = true;
        assert_steady(&toy, 3);
    }
}

static void segments_go_to_groups_and_equal_pipes(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1), pair = toy_pipe(&toy, "PP", 2, -1);
    unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0);
    toy_insn(&toy, 5);
    toy_use(&toy, p01, 6)->acquire = 3;
    assert_steady(&toy, 1.5);
    toy_use(&toy, pair, 9)->acquire = 4;
    assert_steady(&toy, 2.5);
    toy_use(&toy, p0, 1); // its own group's segment may follow on the same pipe; taking turns wastes some time
    assert_true(toy_steady(&toy) >= 2.5 && toy_steady(&toy) < 4);
}

// A resource without a buffer keeps others from dispatch until it is released.
static void segments_block_resources_without_a_buffer(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned pipe = toy_pipe(&toy, "P", 1, 0);
    toy_insn(&toy, 1);
    toy_cost(&toy)->issue_immediately = true;
    toy_use(&toy, pipe, 4)->acquire = 2;
    assert_steady(&toy, 4);
}

static void retirement_may_be_limited(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 1);
    toy.machine.retire_width = 3;
    assert_steady(&toy, 1.0 / 3);
    toy.options.retire_width = 2;
    assert_steady(&toy, 0.5);
    toy.machine.retire_width = 0;
    assert_steady(&toy, 0.5);
}

static void decoders_and_their_queue_limit(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 1);
    toy.options.decoder_throughput = 1;
    assert_steady(&toy, 0.25); // there is no queue that they would fill
    toy.options.micro_op_queue = 8;
    assert_steady(&toy, 1);
    toy.options.decoder_throughput = 0;
    assert_steady(&toy, 0.25);
    toy.options.micro_op_queue = 2;
    assert_steady(&toy, 0.5);
    toy.costs[0].uops = 3; // takes the whole queue
    assert_steady(&toy, 1);
    toy.options.micro_op_queue = 5; // one of two waits in the queue
    assert_steady(&toy, 1);
    toy.costs[0].uops = 0; // takes one entry
    assert_steady(&toy, 0.2);
}

// Both pipes are taken by name, and a group wants a third: no unit can ever be found, so this must end and be reported.
static void groups_without_a_pipe_left_are_told(void **state) {
    (void)state;
    struct toy toy;
    struct fail fail = {0};
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1), p2 = toy_pipe(&toy, "P2", 1, -1);
    unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0), p12 = toy_group(&toy, "P12", -1, p1, p2, 0);
    toy_insn(&toy, 1);
    toy_cost(&toy)->has_partially_overlapping_groups = true;
    toy_use(&toy, p1, 1);
    toy_use(&toy, p2, 1);
    toy_use(&toy, p01, 1);
    toy_use(&toy, p12, 1);
    for (unsigned in_order = 0; in_order < 2; in_order++) {
        toy.machine.in_order = in_order;
        assert_int_equal(toy_run(&toy, 10, NULL, &fail), 0);
        assert_int_equal(fail.status, FAIL_WORK);
        assert_non_null(strstr(fail.text, "the units it asks for are never all free together"));
    }
}

static void count_uses(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    (void)insn;
    (void)uses;
    *(unsigned *)self += n_uses;
}

// Three groups of three pipes, each two of them: taken in turn, the first two groups may leave nothing to the third,
// though all three are free.
static void groups_that_take_each_others_pipes_end(void **state) {
    (void)state;
    struct toy toy;
    struct fail fail = {0};
    unsigned n_uses = 0;
    struct event_listener listener = {.self = &n_uses, .issued = count_uses};
    struct event_listener *listeners[] = {&listener, NULL};
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1), p2 = toy_pipe(&toy, "P2", 1, -1);
    unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0), p12 = toy_group(&toy, "P12", -1, p1, p2, 0);
    unsigned p02 = toy_group(&toy, "P02", -1, p0, p2, 0);
    toy_insn(&toy, 1);
    toy_cost(&toy)->has_partially_overlapping_groups = true;
    toy_use(&toy, p01, 1);
    toy_use(&toy, p12, 1);
    toy_use(&toy, p02, 1);
    toy_insn(&toy, 1);
    toy_use(&toy, p1, 1);
    uint64_t cycles = toy_run(&toy, 100, listeners, &fail);
    assert_true(cycles >= 200 && cycles < 300);
    assert_int_equal(n_uses, 400);
    // Segments are planned together before any is taken.
    toy.uses[0][0].release = 2;
    toy.uses[0][0].acquire = 1;
    n_uses = 0;
    assert_true(toy_run(&toy, 100, listeners, &fail) >= 134); // four segments of three pipes
    assert_int_equal(n_uses, 400);
}

// A wrongly predicted branch that is dispatched in cycle 0 issues in cycle 1 and is done in cycle 2; what follows it is
// dispatched the penalty later. In order it issues at once.
static void wrong_predictions_cost_their_penalty(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    struct insn *branch = toy_insn(&toy, 1);
    branch->is_branch = true;
    toy.options.branch_penalty = 10;
    assert_steady(&toy, 0.25);
    toy.has_steps = toy.steps[0].is_mispredicted = true;
    assert_steady(&toy, 12);
    toy.options.branch_penalty = 1000;
    assert_steady(&toy, 1002);
    toy.machine.in_order = true;
    assert_steady(&toy, 1001);
    toy.options.branch_penalty = 0;
    assert_steady(&toy, 0.25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_follow_each_other),
        cmocka_unit_test(segments_go_to_groups_and_equal_pipes),
        cmocka_unit_test(segments_block_resources_without_a_buffer),
        cmocka_unit_test(retirement_may_be_limited),
        cmocka_unit_test(decoders_and_their_queue_limit),
        cmocka_unit_test(groups_without_a_pipe_left_are_told),
        cmocka_unit_test(groups_that_take_each_others_pipes_end),
        cmocka_unit_test(wrong_predictions_cost_their_penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
