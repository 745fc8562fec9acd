// Units by themselves, without the stages that drive them.
#include "analyzer/sim/mca/load_store.h"
#include "analyzer/sim/mca/register_file.h"
#include "analyzer/sim/mca/reorder_buffer.h"
#include "analyzer/sim/mca/resources.h"
#include "analyzer/sim/mca/scheduler.h"
#include "analyzer/sim/mca/toy_test.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

// Every unit of a toy, with its instructions in flight at will.
struct bench {
    struct toy toy;
    struct stash stash;
    struct simulation_plan plan;
    struct flight flight;
    struct register_unit registers;
    struct resource_unit resources;
    struct memory_unit memory;
    struct scheduler scheduler;
    struct event_use uses[TOY_OPERANDS];
};

static struct bench *bench_new(void) {
    static struct bench bench;
    memset(&bench, 0, sizeof bench);
    toy_init(&bench.toy, 4, 16);
    return &bench;
}

// To be called when the toy is complete.
static void bench_build(struct bench *bench) {
    const struct plan_options options = {
        .dispatch_width = 4, .rob_size = 16, .has_buffers = true, .eliminates_moves = true};
    plan_build(&bench->plan, &bench->toy.machine, EXECUTION_OF(&bench->toy.block), &options, &bench->stash);
    flight_init(&bench->flight, &bench->plan, 64, false, &bench->stash);
    register_unit_init(&bench->registers, &bench->plan, 0, &bench->stash);
    resource_unit_init(&bench->resources, &bench->plan, true, &bench->stash);
    memory_unit_init(&bench->memory, &bench->flight, 16, &bench->stash);
    bench->scheduler =
        (struct scheduler){.flight = &bench->flight, .resources = &bench->resources, .memory = &bench->memory};
    scheduler_init(&bench->scheduler, 16, true, &bench->stash);
}

static struct in_flight *enter(struct bench *bench, uint64_t index, int64_t now) {
    struct in_flight *insn = flight_enter(&bench->flight, index, &bench->plan.insns[index % bench->toy.block.n_insns]);
    register_unit_rename(&bench->registers, &bench->flight, insn, now);
    return insn;
}

static unsigned issue(struct bench *bench, unsigned position, int64_t now) {
    assert_int_equal(resource_unit_busy(&bench->resources, &bench->plan.insns[position], now), 0);
    return resource_unit_issue(&bench->resources, &bench->plan.insns[position], now, bench->uses);
}

static void pipes_are_taken_in_turn(void **state) {
    (void)state;
    struct bench *b = bench_new();
    unsigned p[] = {toy_pipe(&b->toy, "P0", 1, -1), toy_pipe(&b->toy, "P1", 1, -1), toy_pipe(&b->toy, "P2", 1, -1)};
    unsigned group = toy_group(&b->toy, "P012", -1, p[0], p[1], p[2], 0);
    toy_insn(&b->toy, 1);
    toy_use(&b->toy, group, 1);
    bench_build(b);
    static const unsigned turns[] = {2, 1, 0, 2, 1, 0}; // the highest first
    for (unsigned i = 0; i < 6; i++) {
        resource_unit_cycle(&b->resources, i);
        assert_int_equal(issue(b, 0, i), 1);
        assert_int_equal(b->uses[0].resource, p[turns[i]]);
    }
    stash_free(&b->stash);
}

// A pipe that others used gives up its turn in the group's next round.
static void pipes_used_by_others_lose_their_turn(void **state) {
    (void)state;
    struct bench *b = bench_new();
    unsigned p0 = toy_pipe(&b->toy, "P0", 1, -1), p1 = toy_pipe(&b->toy, "P1", 1, -1);
    unsigned group = toy_group(&b->toy, "P01", -1, p0, p1, 0);
    toy_insn(&b->toy, 1);
    toy_use(&b->toy, group, 1);
    toy_insn(&b->toy, 1);
    toy_use(&b->toy, p1, 1);
    bench_build(b);
    issue(b, 0, 0); // P1, from the group
    resource_unit_cycle(&b->resources, 1);
    issue(b, 1, 1); // P1 again, by name
    resource_unit_cycle(&b->resources, 2);
    static const unsigned expected[] = {0, 0, 1}; // the rest of this round, P0 alone in the next, then both again
    for (unsigned i = 0; i < 3; i++) {
        issue(b, 0, 2 + i);
        assert_int_equal(b->uses[0].resource, expected[i] == 0 ? p0 : p1);
        resource_unit_cycle(&b->resources, 3 + i);
    }
    stash_free(&b->stash);
}

static void pipes_are_held_for_their_cycles(void **state) {
    (void)state;
    struct bench *b = bench_new();
    unsigned pair = toy_pipe(&b->toy, "PP", 2, -1);
    toy_insn(&b->toy, 1);
    toy_use(&b->toy, pair, 3);
    bench_build(b);
    issue(b, 0, 0);
    assert_int_equal(b->uses[0].unit, 1);
    assert_int_equal(b->uses[0].cycles, 3);
    issue(b, 0, 0);
    assert_int_equal(b->uses[0].unit, 0);
    for (int64_t now = 0; now < 3; now++) {
        resource_unit_cycle(&b->resources, now);
        assert_int_not_equal(resource_unit_busy(&b->resources, &b->plan.insns[0], now), 0);
        assert_false(resource_unit_is_idle(&b->resources, now));
    }
    resource_unit_cycle(&b->resources, 3);
    assert_int_equal(resource_unit_busy(&b->resources, &b->plan.insns[0], 3), 0);
    assert_true(resource_unit_is_idle(&b->resources, 3));
    stash_free(&b->stash);
}

static void overlapping_groups_must_each_find_a_pipe(void **state) {
    (void)state;
    struct bench *b = bench_new();
    unsigned p0 = toy_pipe(&b->toy, "P0", 1, -1), p1 = toy_pipe(&b->toy, "P1", 1, -1),
             p2 = toy_pipe(&b->toy, "P2", 1, -1);
    unsigned p01 = toy_group(&b->toy, "P01", -1, p0, p1, 0), p12 = toy_group(&b->toy, "P12", -1, p1, p2, 0);
    toy_insn(&b->toy, 1);
    toy_cost(&b->toy)->has_partially_overlapping_groups = true;
    toy_use(&b->toy, p01, 1);
    toy_use(&b->toy, p12, 1);
    toy_insn(&b->toy, 1);
    toy_use(&b->toy, p0, 5);
    toy_insn(&b->toy, 1);
    toy_use(&b->toy, p2, 5);
    bench_build(b);
    assert_int_equal(issue(b, 0, 0), 2);
    resource_unit_cycle(&b->resources, 1);
    issue(b, 1, 1);
    assert_int_equal(resource_unit_busy(&b->resources, &b->plan.insns[0], 1), 0); // P1 and P2
    issue(b, 2, 1);
    assert_int_not_equal(resource_unit_busy(&b->resources, &b->plan.insns[0], 1), 0); // P1 for both
    stash_free(&b->stash);
}

// Of a large and a small group, LLVM 19 serves the one that its table has first, LLVM 22 the small one.
static void the_scarcer_group_chooses_first(void **state) {
    (void)state;
    for (int is_22 = 0; is_22 < 2; is_22++) {
        struct bench *b = bench_new();
        unsigned p0 = toy_pipe(&b->toy, "P0", 1, -1), p1 = toy_pipe(&b->toy, "P1", 1, -1),
                 p2 = toy_pipe(&b->toy, "P2", 1, -1);
        unsigned large = toy_group(&b->toy, "P012", -1, p0, p1, p2, 0),
                 small = toy_group(&b->toy, "P12", -1, p1, p2, 0);
        toy_insn(&b->toy, 1);
        toy_cost(&b->toy)->has_partially_overlapping_groups = true;
        toy_use(&b->toy, large, 5);
        toy_use(&b->toy, small, 1);
        b->toy.machine.serves_scarce_groups_first = is_22;
        bench_build(b);
        assert_int_equal(issue(b, 0, 0), 2);
        assert_string_equal(b->toy.machine.resources[b->uses[0].resource].name, "P2"); // the highest is chosen first
        assert_int_equal(b->uses[0].cycles, is_22 ? 1 : 5);
        assert_string_equal(b->toy.machine.resources[b->uses[1].resource].name, "P1");
        assert_int_equal(b->uses[1].cycles, is_22 ? 5 : 1);
        stash_free(&b->stash);
    }
}

static void buffers_fill_and_block(void **state) {
    (void)state;
    struct bench *b = bench_new();
    unsigned buffered = toy_pipe(&b->toy, "B", 1, 2), direct = toy_pipe(&b->toy, "D", 1, 0);
    toy_insn(&b->toy, 1);
    toy_use(&b->toy, direct, 4);
    bench_build(b);
    uint64_t b_bit = 1ULL << buffered, d_bit = 1ULL << direct;
    struct resource_unit *unit = &b->resources;
    resource_unit_take_buffers(unit, b_bit);
    assert_int_equal(resource_unit_buffers(unit, b_bit), BUFFER_FREE);
    resource_unit_take_buffers(unit, b_bit);
    assert_int_equal(resource_unit_buffers(unit, b_bit), BUFFER_FULL);
    assert_int_equal(resource_unit_buffers(unit, d_bit), BUFFER_FREE);
    resource_unit_free_buffers(unit, b_bit);
    assert_int_equal(resource_unit_buffers(unit, b_bit), BUFFER_FREE);
    resource_unit_take_buffers(unit, d_bit);
    assert_int_equal(resource_unit_buffers(unit, b_bit | d_bit), BUFFER_BLOCKED);
    issue(b, 0, 0);
    resource_unit_free_buffers(unit, d_bit); // issued, but the pipe is held
    assert_int_equal(resource_unit_buffers(unit, d_bit), BUFFER_BLOCKED);
    resource_unit_cycle(unit, 4);
    assert_int_equal(resource_unit_buffers(unit, d_bit), BUFFER_FREE);
    stash_free(&b->stash);
}

static void families_written_together_are_one_class(void **state) {
    (void)state;
    static const uint16_t whole = 1, part = 2;
    struct bench *b = bench_new();
    toy_nest(&b->toy, &whole, &part);
    toy_insn(&b->toy, 1);
    toy_write(&b->toy, whole);
    toy_read(&b->toy, part);
    bench_build(b);
    assert_int_equal(b->plan.n_classes, 2);
    assert_int_equal(b->plan.insns[0].reads[0].depends.n, 1);
    toy_insn(&b->toy, 1); // now the part is also written alone
    toy_write(&b->toy, part);
    toy_insn(&b->toy, 1);
    toy_read(&b->toy, whole);
    bench_build(b);
    assert_int_equal(b->plan.insns[0].writes[0].defines.n, 2);
    assert_int_equal(b->plan.insns[1].writes[0].defines.n, 1);
    assert_int_equal(b->plan.insns[2].reads[0].depends.n, 2);
    toy_insn(&b->toy, 1); // nobody writes it
    toy_read(&b->toy, 7);
    bench_build(b);
    assert_int_equal(b->plan.insns[3].reads[0].depends.n, 0);
    stash_free(&b->stash);
}

static void a_reader_waits_for_each_result_once(void **state) {
    (void)state;
    static const uint16_t whole = 1, part = 2;
    struct bench *b = bench_new();
    toy_nest(&b->toy, &whole, &part);
    toy_insn(&b->toy, 5);
    toy_write(&b->toy, whole);
    toy_insn(&b->toy, 1);
    toy_read(&b->toy, whole);
    toy_insn(&b->toy, 2);
    toy_write(&b->toy, part);
    bench_build(b);
    struct in_flight *producer = enter(b, 0, 0), *reader = enter(b, 1, 0);
    assert_int_equal(reader->unknown, 1);
    assert_int_equal(producer->users, 1);
    flight_issue(&b->flight, producer, 3);
    assert_int_equal(reader->unknown, 0);
    assert_int_equal(reader->ready_cycle, 8);
    assert_int_equal(b->flight.n_woken, 1);
    struct in_flight *merger = enter(b, 2, 4);
    assert_int_equal(merger->unknown, 0); // the part is renamed by itself
    assert_int_equal(flight_cycles_left(producer, 0, 6), 2);
    assert_int_equal(flight_cycles_left(producer, 0, 100), 0); // it does not age after write-back
    stash_free(&b->stash);
}

// Two results of one instruction for one register: the slower one counts, whatever their order.
static void the_slower_of_two_results_counts(void **state) {
    (void)state;
    for (unsigned slow = 0; slow < 2; slow++) {
        struct bench *b = bench_new();
        toy_insn(&b->toy, 6);
        toy_write(&b->toy, 1);
        toy_write(&b->toy, 1);
        b->toy.write_costs[0][!slow].latency = 2;
        toy_insn(&b->toy, 1);
        toy_read(&b->toy, 1);
        bench_build(b);
        struct in_flight *producer = enter(b, 0, 0), *reader = enter(b, 1, 0);
        flight_issue(&b->flight, producer, 1);
        assert_int_equal(reader->ready_cycle, 7);
        stash_free(&b->stash);
    }
}

static void exchanges_are_eliminated(void **state) {
    (void)state;
    struct bench *b = bench_new();
    b->toy.machine.n_register_files = 2;
    b->toy.files[1].n_physical = 8; // what is in use counts only where there is a limit
    for (unsigned r = 1; r < TOY_REGISTERS; r++) {
        b->toy.registers[r].file = 1;
        b->toy.registers[r].move_eliminable = true;
    }
    toy_insn(&b->toy, 4);
    toy_write(&b->toy, 1);
    toy_insn(&b->toy, 4);
    toy_write(&b->toy, 2);
    toy_insn(&b->toy, 1);
    toy_cost(&b->toy)->eliminable_move = true; // r1 <-> r2
    toy_read(&b->toy, 1);
    toy_read(&b->toy, 2);
    toy_write(&b->toy, 1);
    toy_write(&b->toy, 2);
    toy_insn(&b->toy, 1);
    toy_read(&b->toy, 2);
    bench_build(b);
    struct in_flight *first = enter(b, 0, 0), *second = enter(b, 1, 0), *exchange = enter(b, 2, 0);
    assert_true(exchange->is_eliminated);
    enter(b, 3, 0);
    assert_int_equal(first->users, 1); // what r2 holds now
    assert_int_equal(second->users, 0);
    assert_int_equal(b->registers.files[1].used, 2);
    stash_free(&b->stash);
}

static void the_reorder_buffer_keeps_order(void **state) {
    (void)state;
    struct bench *b = bench_new();
    toy_insn(&b->toy, 1);
    toy_cost(&b->toy)->uops = 9;
    toy_insn(&b->toy, 1);
    toy_cost(&b->toy)->uops = 0;
    bench_build(b);
    struct reorder_buffer buffer = {.size = 16};
    struct in_flight *wide = enter(b, 0, 0), *empty = enter(b, 1, 0);
    reorder_buffer_enter(&buffer, wide);
    assert_false(reorder_buffer_can_enter(&buffer, wide->plan));
    reorder_buffer_enter(&buffer, empty);
    assert_int_equal(buffer.used, 10); // one even without a uop
    empty->done_cycle = 3;
    assert_null(reorder_buffer_retirable(&buffer, &b->flight, 5));
    wide->done_cycle = 5;
    assert_null(reorder_buffer_retirable(&buffer, &b->flight, 5)); // in the next cycle
    assert_ptr_equal(reorder_buffer_retirable(&buffer, &b->flight, 6), wide);
    reorder_buffer_retire(&buffer, wide);
    reorder_buffer_retire(&buffer, reorder_buffer_retirable(&buffer, &b->flight, 6));
    assert_true(reorder_buffer_is_empty(&buffer));
    assert_int_equal(buffer.used, 0);
    stash_free(&b->stash);
}

static struct in_flight *enter_memory(struct bench *bench, uint64_t index) {
    struct in_flight *insn = enter(bench, index, 0);
    memory_unit_dispatch(&bench->memory, insn, 0);
    return insn;
}

enum { LOAD, STORE, BARRIER }; // positions in the block of bench_of_memory

static struct bench *bench_of_memory(bool assume_alias) {
    struct bench *b = bench_new();
    toy_insn(&b->toy, 4)->may_load = true;
    toy_insn(&b->toy, 1)->may_store = true;
    struct insn *barrier = toy_insn(&b->toy, 2);
    barrier->may_load = barrier->load_barrier = true;
    b->memory.assume_alias = assume_alias;
    bench_build(b);
    return b;
}

static void loads_share_a_group_until_it_starts(void **state) {
    (void)state;
    struct bench *b = bench_of_memory(false);
    struct in_flight *first = enter_memory(b, LOAD), *second = enter_memory(b, LOAD + 3);
    assert_int_equal(first->memory_group, second->memory_group);
    memory_unit_issue(&b->memory, first, 0);
    struct in_flight *third = enter_memory(b, LOAD + 6);
    assert_int_equal(first->memory_group, third->memory_group);
    memory_unit_issue(&b->memory, second, 0);
    memory_unit_issue(&b->memory, third, 0);
    struct in_flight *late = enter_memory(b, LOAD + 9);
    assert_int_not_equal(first->memory_group, late->memory_group);
    assert_int_equal(b->memory.loads, 4);
    memory_unit_retire(&b->memory, first);
    assert_int_equal(b->memory.loads, 3);
    stash_free(&b->stash);
}

static void stores_wait_for_older_loads_to_start(void **state) {
    (void)state;
    struct bench *b = bench_of_memory(false);
    struct in_flight *load = enter_memory(b, LOAD), *store = enter_memory(b, STORE);
    assert_true(memory_unit_is_waiting(&b->memory, store));
    memory_unit_issue(&b->memory, load, 0);
    assert_int_equal(b->memory.n_woken, 1);
    assert_true(memory_unit_is_ready(&b->memory, store));
    assert_true(memory_unit_is_ready(&b->memory, enter_memory(b, LOAD + 3))); // loads pass the store
    stash_free(&b->stash);
}

static void aliases_wait_for_the_end(void **state) {
    (void)state;
    struct bench *b = bench_of_memory(true);
    struct in_flight *store = enter_memory(b, STORE), *load = enter_memory(b, LOAD + 3);
    assert_true(memory_unit_is_waiting(&b->memory, load));
    memory_unit_issue(&b->memory, store, 0);
    assert_true(memory_unit_is_pending(&b->memory, load));
    assert_false(memory_unit_is_ready(&b->memory, load));
    memory_unit_execute(&b->memory, store);
    assert_true(memory_unit_is_ready(&b->memory, load));
    stash_free(&b->stash);
}

static void barriers_wait_and_are_waited_for(void **state) {
    (void)state;
    struct bench *b = bench_of_memory(false);
    struct in_flight *load = enter_memory(b, LOAD), *barrier = enter_memory(b, BARRIER);
    struct in_flight *younger = enter_memory(b, LOAD + 3);
    assert_true(memory_unit_is_waiting(&b->memory, barrier));
    assert_true(memory_unit_is_waiting(&b->memory, younger));
    memory_unit_issue(&b->memory, load, 0);
    memory_unit_execute(&b->memory, load);
    assert_true(memory_unit_is_ready(&b->memory, barrier));
    memory_unit_issue(&b->memory, barrier, 0);
    assert_true(memory_unit_is_pending(&b->memory, younger));
    memory_unit_execute(&b->memory, barrier);
    assert_true(memory_unit_is_ready(&b->memory, younger));
    stash_free(&b->stash);
}

// The oldest goes first, but each instruction that waits for a result counts as one of age.
static void the_scheduler_prefers_age_and_users(void **state) {
    (void)state;
    struct bench *b = bench_new();
    toy_insn(&b->toy, 1);
    toy_insn(&b->toy, 1);
    toy_write(&b->toy, 1);
    for (unsigned i = 0; i < 2; i++) {
        toy_insn(&b->toy, 1);
        toy_read(&b->toy, 1);
    }
    bench_build(b);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(scheduler_dispatch(&b->scheduler, enter(b, i, 0), 0), i < 2);
    struct in_flight *first = scheduler_select(&b->scheduler, 1);
    assert_int_equal(first->index, 1);
    assert_int_equal(scheduler_issue(&b->scheduler, first, 1, b->uses), 0);
    assert_int_equal(b->scheduler.became_pending.n, 2);
    assert_int_equal(b->scheduler.became_ready.n, 0);
    assert_int_equal(scheduler_select(&b->scheduler, 1)->index, 0);
    assert_null(scheduler_select(&b->scheduler, 1));
    scheduler_cycle(&b->scheduler, 2);
    assert_int_equal(b->scheduler.became_done.n, 1);
    assert_int_equal(b->scheduler.became_ready.n, 2);
    stash_free(&b->stash);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipes_are_taken_in_turn),
        cmocka_unit_test(pipes_used_by_others_lose_their_turn),
        cmocka_unit_test(pipes_are_held_for_their_cycles),
        cmocka_unit_test(overlapping_groups_must_each_find_a_pipe),
        cmocka_unit_test(the_scarcer_group_chooses_first),
        cmocka_unit_test(buffers_fill_and_block),
        cmocka_unit_test(families_written_together_are_one_class),
        cmocka_unit_test(a_reader_waits_for_each_result_once),
        cmocka_unit_test(the_slower_of_two_results_counts),
        cmocka_unit_test(exchanges_are_eliminated),
        cmocka_unit_test(the_reorder_buffer_keeps_order),
        cmocka_unit_test(loads_share_a_group_until_it_starts),
        cmocka_unit_test(stores_wait_for_older_loads_to_start),
        cmocka_unit_test(aliases_wait_for_the_end),
        cmocka_unit_test(barriers_wait_and_are_waited_for),
        cmocka_unit_test(the_scheduler_prefers_age_and_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
