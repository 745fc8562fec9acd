// What goes in comes out: events of random blocks on random machines are counted and held against each other.
#include "analyzer/sim/mca/toy_random_test.h"

#include <setjmp.h>

#include <cmocka.h>

enum { ITERATIONS = 50, MAX_EXECUTED = ITERATIONS * TOY_INSNS, ROUNDS = 300 };

enum stage { ABSENT, DISPATCHED, PENDING, READY, ISSUED, EXECUTED, RETIRED };

struct ledger {
    struct event_listener listener;
    const struct toy *toy;
    uint64_t cycle, uops, retired, n_cycles;
    uint64_t next_dispatched;
    enum stage stages[MAX_EXECUTED];
    int registers;
    uint64_t buffers_taken, buffers_freed;
    uint64_t busy_until[TOY_RESOURCES][4]; // by resource and unit
};

static void expect_stage(struct ledger *ledger, const struct event_insn *insn, enum stage from, enum stage to) {
    assert_true(insn->index < MAX_EXECUTED);
    assert_int_equal(insn->position, insn->index % ledger->toy->block.n_insns);
    assert_ptr_equal(insn->insn, &ledger->toy->insns[insn->position]);
    assert_int_equal(ledger->stages[insn->index], from);
    ledger->stages[insn->index] = to;
}

static void on_cycle_begin(void *self, uint64_t cycle) {
    struct ledger *ledger = self;
    assert_int_equal(cycle, ledger->n_cycles);
    ledger->cycle = cycle;
    ledger->n_cycles++;
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    struct ledger *ledger = self;
    ledger->uops += uops;
    assert_true(uops <= ledger->toy->machine.dispatch_width);
    ledger->registers += (int)registers[0];
    if (insn->index + 1 == ledger->next_dispatched)
        return; // the rest of a wide one
    assert_int_equal(insn->index, ledger->next_dispatched++);
    expect_stage(ledger, insn, ABSENT, DISPATCHED);
}

// May be told twice: when registers are known, and when memory operations are.
static void on_pending(void *self, const struct event_insn *insn) {
    struct ledger *ledger = self;
    assert_true(ledger->stages[insn->index] == DISPATCHED || ledger->stages[insn->index] == PENDING);
    ledger->stages[insn->index] = PENDING;
}

// An instruction that waited only for memory was never told to be pending; llvm-mca does not either.
static void on_ready(void *self, const struct event_insn *insn) {
    struct ledger *ledger = self;
    bool is_memory = insn->insn->may_load || insn->insn->may_store;
    if (is_memory && ledger->stages[insn->index] == DISPATCHED)
        ledger->stages[insn->index] = PENDING;
    expect_stage(self, insn, PENDING, READY);
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct ledger *ledger = self;
    expect_stage(ledger, insn, READY, ISSUED);
    assert_int_equal(n_uses, insn->insn->cost->n_uses);
    for (unsigned i = 0; i < n_uses; i++) {
        const struct resource *resource = &ledger->toy->resources[uses[i].resource];
        assert_false(resource->is_group);
        assert_true(uses[i].unit < resource->units);
        uint64_t *busy = &ledger->busy_until[uses[i].resource][uses[i].unit];
        assert_true(*busy <= ledger->cycle);
        *busy = ledger->cycle + uses[i].cycles;
    }
}

static void on_executed(void *self, const struct event_insn *insn) {
    expect_stage(self, insn, ISSUED, EXECUTED);
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    struct ledger *ledger = self;
    expect_stage(ledger, insn, EXECUTED, RETIRED);
    ledger->registers -= (int)registers[0];
    assert_true(ledger->registers >= 0);
    assert_int_equal(insn->index, ledger->retired++);
}

static void on_buffers_taken(void *self, const struct event_insn *insn, uint64_t buffers) {
    assert_int_equal(buffers, insn->insn->cost->buffers);
    ((struct ledger *)self)->buffers_taken++;
}

static void on_buffers_freed(void *self, const struct event_insn *insn, uint64_t buffers) {
    assert_int_equal(buffers, insn->insn->cost->buffers);
    ((struct ledger *)self)->buffers_freed++;
}

static struct event_listener listener_of(struct ledger *ledger) {
    return (struct event_listener){
        .self = ledger,
        .cycle_begin = on_cycle_begin,
        .dispatched = on_dispatched,
        .pending = on_pending,
        .ready = on_ready,
        .issued = on_issued,
        .executed = on_executed,
        .retired = on_retired,
        .buffers_taken = on_buffers_taken,
        .buffers_freed = on_buffers_freed,
    };
}

static uint64_t uops_of(const struct toy *toy) {
    uint64_t uops = 0;
    for (unsigned i = 0; i < toy->block.n_insns; i++)
        uops += toy->costs[i].uops;
    return uops;
}

static void everything_comes_out(void **state) {
    (void)state;
    static struct ledger ledger;
    static struct toy toy;
    uint64_t seed = 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct fail fail = {0};
        toy_random(&toy, &seed);
        ledger = (struct ledger){.toy = &toy};
        ledger.listener = listener_of(&ledger);
        struct event_listener *listeners[] = {&ledger.listener, NULL};
        uint64_t cycles = toy_run(&toy, ITERATIONS, listeners, &fail);
        if (cycles == 0)
            fail_msg("round %u: %s", round, fail.text);
        assert_int_equal(cycles, ledger.n_cycles);
        assert_int_equal(ledger.retired, (uint64_t)ITERATIONS * toy.block.n_insns);
        // The run ends when the last instruction retires, even if some of its uops were still to be dispatched.
        uint64_t missing = ITERATIONS * uops_of(&toy) - ledger.uops;
        assert_true(missing == 0 || missing < toy.costs[toy.block.n_insns - 1].uops);
        assert_int_equal(ledger.registers, 0);
        assert_int_equal(ledger.buffers_taken, ledger.buffers_freed);
    }
}

// Who listens must not change what happens.
static void listening_changes_nothing(void **state) {
    (void)state;
    static struct ledger ledger;
    static struct toy toy;
    uint64_t seed = 2;
    for (unsigned round = 0; round < 50; round++) {
        struct fail fail = {0};
        toy_random(&toy, &seed);
        ledger = (struct ledger){.toy = &toy};
        ledger.listener = listener_of(&ledger);
        struct event_listener *listeners[] = {&ledger.listener, NULL};
        assert_int_equal(toy_run(&toy, ITERATIONS, listeners, &fail), toy_run(&toy, ITERATIONS, NULL, &fail));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_out),
        cmocka_unit_test(listening_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
