#include "analyzer/sim/mca/corun.h"

#include "analyzer/sim/mca/toy_test.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

// Cycles per iteration of each thread in steady state, both running the toy's block.
struct steady {
    double first, second;
};

static struct steady run_both(const struct toy *a, const struct toy *b) {
    const struct execution *both[CORUN_THREADS] = {EXECUTION_OF(&a->block), EXECUTION_OF(&b->block)};
    struct corun_result results[2];
    struct fail fail = {0};
    for (unsigned is_long = 0; is_long < 2; is_long++) {
        struct pipeline_options options = a->options;
        options.iterations = is_long ? 1600 : 400;
        options.max_cycles = 100000;
        assert_true(corun_run(&a->machine, both, &options, NULL, &results[is_long], &fail));
    }
    double cycles = (double)(results[1].cycles - results[0].cycles);
    double second = (double)(results[1].instructions[1] - results[0].instructions[1]) / b->block.n_insns;
    return (struct steady){cycles / 1200, cycles / second};
}

static void assert_steady(const struct toy *a, const struct toy *b, double first, double second) {
    struct steady steady = run_both(a, b);
    assert_float_equal(steady.first, first, 0.01);
    assert_float_equal(steady.second, second, 0.01);
}

static void make_chain(struct toy *toy, unsigned width, unsigned rob_size, unsigned latency) {
    toy_init(toy, width, rob_size);
    toy->machine.in_order = rob_size == 0;
    toy_insn(toy, latency);
    toy_read(toy, 1);
    toy_write(toy, 1);
}

static void chains_do_not_slow_each_other(void **state) {
    (void)state;
    struct toy a, b;
    for (unsigned rob_size = 0; rob_size <= 64; rob_size += 64) {
        make_chain(&a, 2, rob_size, 3);
        make_chain(&b, 2, rob_size, 5);
        assert_steady(&a, &b, 3, 5);
        assert_steady(&b, &a, 5, 3);
    }
}

static void the_width_is_shared(void **state) {
    (void)state;
    struct toy a;
    for (unsigned rob_size = 0; rob_size <= 64; rob_size += 64) {
        toy_init(&a, 2, rob_size);
        a.machine.in_order = rob_size == 0;
        for (unsigned i = 0; i < 4; i++)
            toy_insn(&a, 1);
        assert_float_equal(toy_steady(&a), 2, 0.01);
        assert_steady(&a, &a, 4, 4);
    }
}

static void a_pipe_is_shared(void **state) {
    (void)state;
    struct toy a;
    for (unsigned rob_size = 0; rob_size <= 64; rob_size += 64) {
        make_chain(&a, 4, rob_size, 1);
        unsigned pipe = toy_pipe(&a, "P", 1, -1);
        toy_use(&a, pipe, 3);
        assert_steady(&a, &a, 6, 6);
    }
}

// A thread that waits leaves its slots to the other.
static void a_stalled_thread_is_in_nobodys_way(void **state) {
    (void)state;
    struct toy a, b;
    make_chain(&a, 2, 0, 10);
    toy_init(&b, 2, 0);
    b.machine.in_order = true;
    for (unsigned i = 0; i < 10; i++)
        toy_insn(&b, 1);
    assert_steady(&a, &b, 10, 10 / (20 - 1.0) * 10);
}

// Their common buffer is full most of the time: neither fills it alone.
static void neither_fills_the_common_buffer(void **state) {
    (void)state;
    struct toy a, b;
    make_chain(&a, 4, 64, 1);
    toy_use(&a, toy_pipe(&a, "P", 2, 8), 1);
    make_chain(&b, 4, 64, 3);
    toy_use(&b, toy_pipe(&b, "P", 2, 8), 1);
    assert_steady(&a, &b, 1, 3);
    assert_steady(&b, &a, 3, 1);
}

// Half of a reorder buffer of 8 holds half as many long instructions.
static void a_thread_has_half_of_the_reorder_buffer(void **state) {
    (void)state;
    struct toy a;
    toy_init(&a, 4, 8);
    toy_insn(&a, 40);
    assert_float_equal(toy_steady(&a), 40.0 / 8, 0.3);
    assert_float_equal(run_both(&a, &a).first, 40.0 / 4, 0.6);
}

// Of two chains of adds, one goes in a cycle; while something of several cycles is executed, both do.
static void threads_take_turns(void **state) {
    (void)state;
    struct toy a, b;
    make_chain(&a, 2, 0, 1);
    a.machine.threads_take_turns = true;
    assert_float_equal(toy_steady(&a), 1, 0.01);
    assert_steady(&a, &a, 2, 2);
    make_chain(&b, 2, 0, 10);
    b.machine.threads_take_turns = true;
    assert_steady(&b, &a, 10, 10.0 / 9); // the add waits in each cycle in which the other chain goes on
}

static void what_can_never_be_issued_is_told(void **state) {
    (void)state;
    struct toy a, b;
    struct corun_result result;
    struct fail fail = {0};
    make_chain(&a, 2, 0, 1);
    make_chain(&b, 2, 0, 1);
    toy_pipe(&a, "P", 1, -1);
    toy_use(&b, toy_pipe(&b, "P", 1, -1), 1)->units = 2;
    const struct execution *both[CORUN_THREADS] = {EXECUTION_OF(&a.block), EXECUTION_OF(&b.block)};
    struct pipeline_options options = {.iterations = 10};
    assert_false(corun_run(&a.machine, both, &options, NULL, &result, &fail));
    assert_int_equal(fail.status, FAIL_WORK);
    assert_non_null(strstr(fail.text, "can never be"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_do_not_slow_each_other),
        cmocka_unit_test(the_width_is_shared),
        cmocka_unit_test(a_pipe_is_shared),
        cmocka_unit_test(a_stalled_thread_is_in_nobodys_way),
        cmocka_unit_test(a_thread_has_half_of_the_reorder_buffer),
        cmocka_unit_test(neither_fills_the_common_buffer),
        cmocka_unit_test(threads_take_turns),
        cmocka_unit_test(what_can_never_be_issued_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
