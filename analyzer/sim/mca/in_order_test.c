#include "analyzer/sim/mca/toy_test.h"

#include <setjmp.h>

#include <cmocka.h>

static void make(struct toy *toy, unsigned width) {
    toy_init(toy, width, 0);
    toy->machine.in_order = true;
}

static void assert_steady(struct toy *toy, double cycles) {
    assert_float_equal(toy_steady(toy), cycles, 0.01);
}

static void a_chain_takes_its_latencies(void **state) {
    (void)state;
    struct toy toy;
    make(&toy, 2);
    toy_insn(&toy, 4);
    toy_read(&toy, 1);
    toy_write(&toy, 1);
    assert_steady(&toy, 4);
    toy_advance(&toy, 1, 1);
    assert_steady(&toy, 3);
}

static void issue_width_limits(void **state) {
    (void)state;
    struct toy toy;
    make(&toy, 2);
    for (unsigned i = 0; i < 3; i++)
        toy_insn(&toy, 1);
    assert_steady(&toy, 1.5);
    toy.options.dispatch_width = 3; // as in llvm-mca, for out-of-order machines only
    assert_steady(&toy, 1.5);
}

static void a_stall_stops_all_that_follow(void **state) {
    (void)state;
    struct toy toy;
    make(&toy, 4);
    unsigned pipe = toy_pipe(&toy, "P", 1, 0);
    toy_insn(&toy, 1);
    toy_use(&toy, pipe, 3);
    toy_insn(&toy, 1);
    toy_insn(&toy, 1);
    assert_steady(&toy, 3);
}

static void results_are_written_in_order(void **state) {
    (void)state;
    struct toy toy;
    make(&toy, 4);
    toy_insn(&toy, 7);
    toy_write(&toy, 1);
    toy_insn(&toy, 1); // waits 6 cycles, so that it is done together with the first
    toy_write(&toy, 2);
    assert_steady(&toy, 6);
    toy.costs[0].retires_out_of_order = true;
    assert_steady(&toy, 0.5);
}

static void waits_until_few_enough_are_left(void **state) {
    (void)state;
    static const uint8_t none[SCHED_COUNTERS] = {255, 0, 255, 255}, one[SCHED_COUNTERS] = {255, 1, 0, 255};
    struct toy toy;
    make(&toy, 4);
    toy_insn(&toy, 20);
    toy_cost(&toy)->counted = 1 << 1;
    toy_insn(&toy, 1);
    toy_cost(&toy)->waits = none;
    toy.costs[0].retires_out_of_order = toy.costs[1].retires_out_of_order = true;
    assert_steady(&toy, 20);
    toy.costs[1].waits = one; // two iterations overlap
    assert_steady(&toy, 10);
    toy.costs[0].counted = 1 << 3; // nobody waits for these
    assert_steady(&toy, 0.5);
}

static void wide_instructions_take_several_cycles(void **state) {
    (void)state;
    struct toy toy;
    make(&toy, 2);
    toy_insn(&toy, 1);
    toy_cost(&toy)->uops = 5;
    assert_steady(&toy, 2.5);
    toy.costs[0].ends_group = true;
    assert_steady(&toy, 3);
}

static void count_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)insn;
    (void)registers;
    ++*(unsigned *)self;
}

// The wide one is carried for three cycles, in which the one before it gets done.
static void a_mistake_is_repeated_on_request(void **state) {
    (void)state;
    struct toy toy;
    struct fail fail = {0};
    unsigned n_retired = 0;
    struct event_listener listener = {.self = &n_retired, .retired = count_retired};
    struct event_listener *listeners[] = {&listener, NULL};
    make(&toy, 2);
    toy_insn(&toy, 2);
    toy_insn(&toy, 4);
    toy_cost(&toy)->uops = 7;
    uint64_t cycles = toy_run(&toy, 10, listeners, &fail);
    assert_int_equal(n_retired, 20);
    toy.options.mistakes_of_llvm_mca = true;
    n_retired = 0;
    assert_int_equal(toy_run(&toy, 10, listeners, &fail), cycles);
    assert_int_equal(n_retired, 10);
}

static void loads_wait_for_stores_that_may_alias(void **state) {
    (void)state;
    struct toy toy;
    make(&toy, 2);
    toy_insn(&toy, 3)->may_store = true;
    toy_insn(&toy, 3)->may_load = true;
    assert_steady(&toy, 1);
    toy.options.assume_alias = true;
    assert_steady(&toy, 6);
}

static void instructions_without_uops_are_free(void **state) {
    (void)state;
    struct toy toy;
    make(&toy, 1);
    toy_insn(&toy, 3);
    toy_cost(&toy)->uops = 0;
    toy_write(&toy, 1);
    toy_insn(&toy, 3);
    toy_cost(&toy)->uops = 0;
    toy_insn(&toy, 3);
    assert_steady(&toy, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_its_latencies),        cmocka_unit_test(issue_width_limits),
        cmocka_unit_test(a_stall_stops_all_that_follow),      cmocka_unit_test(results_are_written_in_order),
        cmocka_unit_test(waits_until_few_enough_are_left),    cmocka_unit_test(wide_instructions_take_several_cycles),
        cmocka_unit_test(a_mistake_is_repeated_on_request),   cmocka_unit_test(loads_wait_for_stores_that_may_alias),
        cmocka_unit_test(instructions_without_uops_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
