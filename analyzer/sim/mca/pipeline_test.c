// Blocks whose time can be worked out by hand.
#include "analyzer/sim/mca/toy_test.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static void assert_steady(struct toy *toy, double cycles) {
    assert_float_equal(toy_steady(toy), cycles, 0.01);
}

// Dispatch, issue, `latency` cycles, write-back, retire: three cycles more than the latencies.
static void a_chain_takes_its_latencies(void **state) {
    (void)state;
    for (unsigned latency = 1; latency <= 5; latency++) {
        struct toy toy;
        struct fail fail = {0};
        toy_init(&toy, 4, 64);
        toy_insn(&toy, latency);
        toy_read(&toy, 1);
        toy_write(&toy, 1);
        assert_int_equal(toy_run(&toy, 100, NULL, &fail), 100 * latency + 3);
        assert_int_equal(toy_run(&toy, 1, NULL, &fail), latency + 3);
    }
}

// The FMA table: latency 4, two pipes.
static void streams_hide_latency_until_the_pipes_are_full(void **state) {
    (void)state;
    for (uint16_t n = 1; n <= 12; n++) {
        struct toy toy;
        toy_init(&toy, 4, 128);
        unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1);
        unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0);
        for (uint16_t stream = 1; stream <= n; stream++) {
            toy_insn(&toy, 4);
            toy_read(&toy, stream);
            toy_write(&toy, stream);
            toy_use(&toy, p01, 1);
        }
        assert_steady(&toy, n <= 8 ? 4 : n / 2.0);
    }
}

static void dispatch_width_limits(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 2, 64);
    for (unsigned i = 0; i < 3; i++)
        toy_insn(&toy, 1);
    assert_steady(&toy, 1.5);
    toy.options.dispatch_width = 3;
    assert_steady(&toy, 1);
}

static void wide_instructions_take_several_cycles(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 1);
    toy_cost(&toy)->uops = 10; // 4 + 4 + 2; the next one's first cycle is a whole one again
    assert_steady(&toy, 3);
    toy_insn(&toy, 1);
    toy_cost(&toy)->uops = 2; // fits behind the last 2
    assert_steady(&toy, 3);
}

static void dispatch_groups_begin_and_end(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 1);
    toy_insn(&toy, 1);
    assert_steady(&toy, 0.5);
    toy.costs[0].begins_group = true;
    assert_steady(&toy, 1);
    toy.costs[0].ends_group = true;
    assert_steady(&toy, 2);
}

// Dispatch in t, issue in t+1, done in t+21; in t+22 it retires and makes room.
static void reorder_buffer_limits(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 8);
    toy_insn(&toy, 20);
    assert_steady(&toy, 22.0 / 8);
    toy.costs[0].uops = 100; // more than there are: it takes all
    toy.machine.dispatch_width = 200;
    assert_steady(&toy, 22);
}

static void retire_width_counts_instructions(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 1);
    toy_cost(&toy)->uops = 2;
    assert_steady(&toy, 0.5);
    toy.machine.retire_width = 1;
    assert_steady(&toy, 1);
}

static void register_files_limit(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 8);
    toy_write(&toy, 1);
    assert_steady(&toy, 0.25);
    toy.options.register_file_size = 5; // a register is held for 10 cycles, as in the reorder buffer
    assert_steady(&toy, 2);
}

static void read_advance_shortens_and_lengthens(void **state) {
    (void)state;
    static const struct {
        unsigned write_class;
        int advance;
        double cycles;
    } rows[] = {{1, 3, 2}, {0, 3, 2}, {2, 3, 5}, {1, -2, 7}, {1, 9, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct toy toy;
        toy_init(&toy, 1, 64);
        toy_insn(&toy, 5);
        toy_write(&toy, 1);
        toy_read(&toy, 1);
        toy_advance(&toy, rows[i].write_class, rows[i].advance);
        assert_steady(&toy, rows[i].cycles);
    }
}

// r1 is written by an instruction that has retired long before the reader enters, unless forwarding is slow.
static void slow_forwarding_outlasts_retirement(void **state) {
    (void)state;
    struct toy toy;
    struct fail fail = {0};
    toy_init(&toy, 1, 64);
    toy_insn(&toy, 1);
    toy_write(&toy, 1);
    for (unsigned i = 0; i < 8; i++)
        toy_insn(&toy, 0);
    toy_insn(&toy, 1);
    toy_read(&toy, 1);
    uint64_t plain = toy_run(&toy, 1, NULL, &fail);
    toy_advance(&toy, 1, -20);
    // Write-back in cycle 2; so the reader is issued in cycle 22, done in 23, retired in 24.
    assert_int_equal(plain, 9 + 4);
    assert_int_equal(toy_run(&toy, 1, NULL, &fail), 25);
}

static void idioms_break_chains(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 2, 64);
    toy_insn(&toy, 6);
    toy_write(&toy, 1);
    toy_read(&toy, 1);
    assert_steady(&toy, 6);
    toy.read_costs[0][0].independent = true;
    assert_steady(&toy, 0.5);
}

static void add_move_chain(struct toy *toy) {
    toy->machine.n_register_files = 2;
    for (unsigned i = 1; i < TOY_REGISTERS; i++) {
        toy->registers[i].file = 1;
        toy->registers[i].move_eliminable = true;
    }
    toy_insn(toy, 3); // r1 = f(r2)
    toy_read(toy, 2);
    toy_write(toy, 1);
    toy_insn(toy, 1);
    toy_cost(toy)->eliminable_move = true; // r2 = r1
    toy_read(toy, 1);
    toy_write(toy, 2);
}

static void moves_are_eliminated(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    add_move_chain(&toy);
    assert_steady(&toy, 3);
    toy.files[1].zero_moves_only = true; // r1 is not known to be zero
    assert_steady(&toy, 4);
    toy.write_costs[0][0].is_zero = true;
    assert_steady(&toy, 3);
    toy.files[1].zero_moves_only = false;
    toy.registers[2].move_eliminable = false;
    assert_steady(&toy, 4);
}

static void eliminated_moves_per_cycle_are_limited(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    add_move_chain(&toy);
    toy.block.n_insns = 0;
    unsigned pipe = toy_pipe(&toy, "P", 1, -1);
    for (uint16_t i = 0; i < 4; i++) {
        toy_insn(&toy, 1);
        toy_cost(&toy)->eliminable_move = true;
        toy_read(&toy, (uint16_t)(1 + i));
        toy_write(&toy, (uint16_t)(11 + i));
        toy_use(&toy, pipe, 1);
    }
    assert_steady(&toy, 1); // none reaches the pipe
    toy.files[1].max_moves_eliminated = 1;
    assert_steady(&toy, 2); // each cycle one is eliminated and one goes through the pipe
}

static void partial_writes_merge(void **state) {
    (void)state;
    static const uint16_t whole = 1, part = 2;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_nest(&toy, &whole, &part);
    toy_insn(&toy, 3);
    struct insn_write *write = toy_write(&toy, part);
    assert_steady(&toy, 0.25);
    toy.registers[part].rename_as = whole;
    assert_steady(&toy, 1); // issued so that it ends no earlier than the older one
    write->clears_supers = true;
    assert_steady(&toy, 0.25);
}

static void reading_the_whole_waits_for_its_parts(void **state) {
    (void)state;
    static const uint16_t whole = 1, part = 2;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_nest(&toy, &whole, &part);
    toy_insn(&toy, 3);
    toy_read(&toy, whole);
    toy_write(&toy, part);
    assert_steady(&toy, 3);
}

static void loads_wait_for_stores_that_may_alias(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 5)->may_load = true;
    toy_insn(&toy, 1)->may_store = true;
    assert_steady(&toy, 0.5); // nobody waits: a store may be issued once older ones are
    toy.options.assume_alias = true;
    assert_steady(&toy, 6);
}

static void load_barriers_order_loads(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 5)->may_load = true;
    assert_steady(&toy, 0.25);
    toy.insns[0].load_barrier = true;
    assert_steady(&toy, 5);
}

static void queues_limit(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 8)->may_load = true;
    assert_steady(&toy, 0.25);
    toy.options.load_queue = 2; // held for 10 cycles
    assert_steady(&toy, 5);
    toy.options.load_queue = 0;
    toy.machine.load_queue = 5;
    assert_steady(&toy, 2);
    toy.machine.load_queue = 0;
    toy.machine.load_queue_resource = toy_pipe(&toy, "LQ", 1, 10);
    assert_steady(&toy, 1);
}

static void pipes_without_a_buffer_stop_dispatch(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned pipe = toy_pipe(&toy, "P", 1, 0);
    toy_insn(&toy, 1);
    toy_cost(&toy)->issue_immediately = true;
    toy_use(&toy, pipe, 3);
    toy_insn(&toy, 1);
    assert_steady(&toy, 3);
}

// Of an instruction that needs P0 and one that needs P0 or P1, both go every cycle if the second leaves P0 alone.
static void units_and_groups_share_pipes(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1);
    unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0);
    toy_insn(&toy, 1);
    toy_use(&toy, p0, 1);
    toy_insn(&toy, 1);
    toy_use(&toy, p01, 1);
    assert_steady(&toy, 1);
    toy_insn(&toy, 1);
    toy_use(&toy, p01, 2);
    assert_true(toy_steady(&toy) >= 2);
}

static void a_reserved_group_is_taken_whole(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1);
    unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0);
    toy_insn(&toy, 1);
    toy_use(&toy, p01, 4)->reserved = true;
    assert_steady(&toy, 4);
}

static void assert_stuck(struct toy *toy, const char *words) {
    struct fail fail = {0};
    assert_int_equal(toy_run(toy, 10, NULL, &fail), 0);
    assert_int_equal(fail.status, FAIL_WORK);
    assert_non_null(strstr(fail.text, words));
}

static void impossible_needs_are_told(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1);
    unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0);
    toy_insn(&toy, 1);
    toy_insn(&toy, 1);
    toy_use(&toy, p01, 1)->units = 3;
    assert_stuck(&toy, "instruction 2 of the block, 'toy insn', can never be issued on toy: it needs 3 units of P01, "
                       "which has 2");
    toy.machine.in_order = true;
    assert_stuck(&toy, "instruction 2 of the block, 'toy insn', can never be dispatched");
}

static void too_many_cycles_and_no_instructions_are_told(void **state) {
    (void)state;
    struct toy toy;
    struct fail fail = {0};
    toy_init(&toy, 4, 64);
    assert_int_equal(toy_run(&toy, 10, NULL, &fail), 0);
    assert_int_equal(fail.status, FAIL_INPUT);
    toy_insn(&toy, 9);
    toy_read(&toy, 1);
    toy_write(&toy, 1);
    toy.options.max_cycles = 50;
    assert_stuck(&toy, "50 cycles");
}

// Without a known size, the window is large; with 1 instruction a cycle and latency 100, more than 100 are in flight.
static void an_unknown_reorder_buffer_is_large(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 1, 0);
    toy_insn(&toy, 1000);
    assert_steady(&toy, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_takes_its_latencies),
        cmocka_unit_test(streams_hide_latency_until_the_pipes_are_full),
        cmocka_unit_test(dispatch_width_limits),
        cmocka_unit_test(wide_instructions_take_several_cycles),
        cmocka_unit_test(dispatch_groups_begin_and_end),
        cmocka_unit_test(reorder_buffer_limits),
        cmocka_unit_test(retire_width_counts_instructions),
        cmocka_unit_test(register_files_limit),
        cmocka_unit_test(read_advance_shortens_and_lengthens),
        cmocka_unit_test(slow_forwarding_outlasts_retirement),
        cmocka_unit_test(idioms_break_chains),
        cmocka_unit_test(moves_are_eliminated),
        cmocka_unit_test(eliminated_moves_per_cycle_are_limited),
        cmocka_unit_test(partial_writes_merge),
        cmocka_unit_test(reading_the_whole_waits_for_its_parts),
        cmocka_unit_test(loads_wait_for_stores_that_may_alias),
        cmocka_unit_test(load_barriers_order_loads),
        cmocka_unit_test(queues_limit),
        cmocka_unit_test(pipes_without_a_buffer_stop_dispatch),
        cmocka_unit_test(units_and_groups_share_pipes),
        cmocka_unit_test(a_reserved_group_is_taken_whole),
        cmocka_unit_test(impossible_needs_are_told),
        cmocka_unit_test(too_many_cycles_and_no_instructions_are_told),
        cmocka_unit_test(an_unknown_reorder_buffer_is_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
