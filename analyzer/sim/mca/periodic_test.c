// Leaving out what repeats changes no count: random blocks on random machines, walked and not walked.
#include "analyzer/sim/mca/toy_random_test.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

enum { HIGHEST = 40, N_KINDS = 16 };

// Everything that a view might count: totals, histograms and sums over cycles.
struct counts {
    uint64_t cycles, in_use_cycles;
    uint64_t dispatched, pending, ready, issued, executed, retired, taken, freed, moves, zero_moves;
    uint64_t by_position[TOY_INSNS], held[TOY_RESOURCES][4];
    uint64_t retired_per_cycle[HIGHEST], dispatched_per_cycle[HIGHEST];
    uint64_t stalls[STALL_N_KINDS], pressed[N_KINDS], pressed_by[TOY_RESOURCES];
    uint64_t distance, dependence_cycles; // between instructions
};

struct counter {
    struct event_listener listener;
    struct counts now, marked;
    uint64_t cycle, next_retired, n_repeated;
    unsigned retired_now, dispatched_now;
    uint64_t in_use;
};

static struct counts *counts_of(void *self) {
    return &((struct counter *)self)->now;
}

static void on_cycle_begin(void *self, uint64_t cycle) {
    struct counter *counter = self;
    assert_int_equal(cycle, counter->cycle);
}

static void on_cycle_end(void *self, uint64_t cycle) {
    struct counter *counter = self;
    counter->cycle = cycle + 1;
    counter->now.cycles++;
    counter->now.in_use_cycles += counter->in_use;
    counter->now.retired_per_cycle[counter->retired_now % HIGHEST]++;
    counter->now.dispatched_per_cycle[counter->dispatched_now % HIGHEST]++;
    counter->retired_now = counter->dispatched_now = 0;
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    struct counter *counter = self;
    counter->now.dispatched += 1 + insn->position;
    counter->in_use += registers[0];
    counter->dispatched_now += uops;
}

static void on_pending(void *self, const struct event_insn *insn) {
    counts_of(self)->pending += 1 + insn->position;
}

static void on_ready(void *self, const struct event_insn *insn) {
    counts_of(self)->ready += 1 + insn->position;
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct counts *counts = counts_of(self);
    counts->issued++;
    counts->by_position[insn->position]++;
    for (unsigned i = 0; i < n_uses; i++)
        counts->held[uses[i].resource][uses[i].unit] += uses[i].cycles;
}

static void on_executed(void *self, const struct event_insn *insn) {
    counts_of(self)->executed += 1 + insn->position;
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    struct counter *counter = self;
    counter->now.retired++;
    counter->retired_now++;
    assert_int_equal(insn->index, counter->next_retired++);
    counter->in_use -= registers[0];
}

static void on_stalled(void *self, const struct event_insn *insn, enum event_stall kind) {
    counts_of(self)->stalls[kind] += 1 + insn->position;
}

static void on_buffers_taken(void *self, const struct event_insn *insn, uint64_t buffers) {
    (void)insn;
    counts_of(self)->taken += buffers;
}

static void on_buffers_freed(void *self, const struct event_insn *insn, uint64_t buffers) {
    (void)insn;
    counts_of(self)->freed += buffers;
}

static void on_moved(void *self, const struct event_insn *insn, const struct event_moves *moves) {
    (void)insn;
    counts_of(self)->moves += moves->candidates + 1000 * moves->eliminated;
    counts_of(self)->zero_moves += moves->zero;
}

static void on_critical(void *self, const struct event_insn *insn, const struct event_critical *critical) {
    struct counts *counts = counts_of(self);
    const struct event_dependence *on[] = {&critical->on_register, &critical->on_memory};
    counts->dependence_cycles += critical->resources;
    counts->dependence_cycles += critical->resource_cycles + critical->register_cycles + critical->memory_cycles;
    for (unsigned i = 0; i < 2; i++) {
        if (on[i]->cycles == 0)
            continue;
        assert_true(on[i]->index < insn->index);
        counts->distance += insn->index - on[i]->index + on[i]->reg;
        counts->dependence_cycles += on[i]->cycles;
    }
}

static void on_pressed(void *self, enum event_pressure kind, uint64_t resources) {
    counts_of(self)->pressed[kind]++;
    for (; resources != 0; resources &= resources - 1)
        counts_of(self)->pressed_by[__builtin_ctzll(resources)]++;
}

static void on_marked(void *self) {
    struct counter *counter = self;
    counter->marked = counter->now;
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    struct counter *counter = self;
    uint64_t now[sizeof counter->now / sizeof(uint64_t)], marked[sizeof now / sizeof *now];
    memcpy(now, &counter->now, sizeof now);
    memcpy(marked, &counter->marked, sizeof marked);
    for (size_t i = 0; i < sizeof now / sizeof *now; i++)
        now[i] += (now[i] - marked[i]) * times;
    memcpy(&counter->now, now, sizeof now);
    counter->n_repeated += times;
    counter->cycle += cycles;
    counter->next_retired += instructions;
}

static void counter_init(struct counter *counter) {
    memset(counter, 0, sizeof *counter);
    counter->listener = (struct event_listener){
        .self = counter,
        .cycle_begin = on_cycle_begin,
        .cycle_end = on_cycle_end,
        .dispatched = on_dispatched,
        .pending = on_pending,
        .ready = on_ready,
        .issued = on_issued,
        .executed = on_executed,
        .retired = on_retired,
        .stalled = on_stalled,
        .buffers_taken = on_buffers_taken,
        .buffers_freed = on_buffers_freed,
        .moved = on_moved,
        .critical = on_critical,
        .pressed = on_pressed,
        .marked = on_marked,
        .repeated = on_repeated,
    };
}

static bool run(const struct toy *toy, struct counter *counter, struct pipeline_options options, bool walk_all,
                struct pipeline_result *result, struct fail *fail) {
    struct event_listener *listeners[] = {&counter->listener, NULL};
    const struct execution execution = toy_execution(toy);
    counter_init(counter);
    options.walk_all = walk_all;
    return mca_core_run(&toy->machine, &execution, &options, listeners, result, fail);
}

static void assert_same(const struct toy *toy, uint64_t iterations, uint64_t *n_skipped) {
    static struct counter walked, skipped;
    struct fail fail = {0};
    struct pipeline_result a, b, c;
    struct pipeline_options options = toy->options;
    options.iterations = iterations;
    assert_true(run(toy, &walked, options, true, &a, &fail));
    assert_true(run(toy, &skipped, options, false, &b, &fail));
    const struct execution execution = toy_execution(toy);
    assert_true(mca_core_run(&toy->machine, &execution, &options, NULL, &c, &fail));
    assert_int_equal(a.cycles, a.walked_cycles);
    assert_int_equal(a.cycles, b.cycles);
    assert_int_equal(a.cycles, c.cycles);
    assert_int_equal(a.instructions, b.instructions);
    assert_int_equal(a.uops, b.uops);
    assert_int_equal(b.cycles, skipped.cycle);
    assert_int_equal(walked.n_repeated, 0);
    assert_memory_equal(&walked.now, &skipped.now, sizeof walked.now);
    *n_skipped += b.walked_cycles < b.cycles;
}

// More of what machines have than toy_random makes: moves, partial registers, idioms, forwarding, pipes in groups.
static void make_richer(struct toy *toy, uint64_t *seed) {
    static const uint16_t whole = 1, part = 2;
    toy_random(toy, seed);
    toy->machine.n_register_files = 2;
    toy->files[1].max_moves_eliminated = random_below(seed, 3);
    toy->files[1].n_physical = random_below(seed, 2) * (8 + random_below(seed, 30));
    for (unsigned r = 1; r < TOY_REGISTERS; r++) {
        toy->registers[r].file = 1;
        toy->registers[r].move_eliminable = true;
    }
    if (random_below(seed, 2) != 0) {
        toy_nest(toy, &whole, &part);
        toy->registers[part].rename_as = random_below(seed, 2) != 0 ? whole : 0;
    }
    for (unsigned i = 0; i < toy->block.n_insns; i++) {
        struct insn *insn = &toy->insns[i];
        toy->costs[i].eliminable_move = !insn->may_load && !insn->may_store && random_below(seed, 2) == 0;
        toy->steps[i] = (struct execution_step){.insn = i, .is_mispredicted = random_below(seed, 6) == 0};
        toy->has_steps |= toy->steps[i].is_mispredicted;
        for (unsigned w = 0; w < insn->n_writes; w++)
            toy->write_costs[i][w].is_zero = random_below(seed, 6) == 0;
        for (unsigned r = 0; r < insn->n_reads; r++) {
            toy->advances[i][r] = (struct sched_advance){.cycles = (int)random_below(seed, 8) - 5};
            toy->read_costs[i][r].advances = &toy->advances[i][r];
            toy->read_costs[i][r].n_advances = random_below(seed, 2);
        }
    }
    toy->options.retire_width = random_below(seed, 3);
    toy->options.branch_penalty = random_below(seed, 2) * random_below(seed, 30);
    toy->options.micro_op_queue = random_below(seed, 2) * (1 + random_below(seed, 20));
    toy->options.decoder_throughput = random_below(seed, 5);
}

static void make_in_order(struct toy *toy, uint64_t *seed) {
    make_richer(toy, seed);
    toy->machine.in_order = true;
    toy->machine.rob_size = 0;
    for (unsigned i = 0; i < toy->block.n_insns; i++)
        toy->costs[i].retires_out_of_order = random_below(seed, 2) != 0;
    // Listeners expect instructions to retire in order.
}

static void out_of_order_counts_are_the_same(void **state) {
    (void)state;
    static const uint64_t iterations[] = {1, 2, 3, 7, 20, 33, 50, 100, 1000};
    static struct toy toy;
    uint64_t seed = 11, n_skipped = 0;
    for (unsigned round = 0; round < 80; round++) {
        make_richer(&toy, &seed);
        for (size_t i = 0; i < sizeof iterations / sizeof *iterations; i++)
            assert_same(&toy, iterations[i], &n_skipped);
    }
    assert_true(n_skipped > 80); // not a comparison of walks
}

static void every_number_of_iterations_is_the_same(void **state) {
    (void)state;
    static struct toy toy;
    uint64_t seed = 12, n_skipped = 0;
    for (unsigned round = 0; round < 4; round++) {
        make_richer(&toy, &seed);
        for (uint64_t iterations = 1; iterations <= 50; iterations++)
            assert_same(&toy, iterations, &n_skipped);
        assert_same(&toy, 4096, &n_skipped);
        assert_same(&toy, 10007, &n_skipped);
    }
    assert_true(n_skipped > 4);
}

static uint64_t cycles_in_order(const struct toy *toy, uint64_t iterations, bool walk_all, uint64_t *walked) {
    struct fail fail = {0};
    struct pipeline_result result;
    struct pipeline_options options = toy->options;
    options.iterations = iterations;
    options.walk_all = walk_all;
    assert_true(mca_core_run(&toy->machine, EXECUTION_OF(&toy->block), &options, NULL, &result, &fail));
    *walked = result.walked_cycles;
    return result.cycles;
}

static void in_order_cycles_are_the_same(void **state) {
    (void)state;
    static const uint64_t iterations[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 25, 33, 50, 100, 1000, 4096};
    static struct toy toy;
    uint64_t seed = 13, n_skipped = 0, walked;
    for (unsigned round = 0; round < 80; round++) {
        make_in_order(&toy, &seed);
        for (size_t i = 0; i < sizeof iterations / sizeof *iterations; i++) {
            uint64_t all = cycles_in_order(&toy, iterations[i], true, &walked);
            assert_int_equal(all, walked);
            assert_int_equal(cycles_in_order(&toy, iterations[i], false, &walked), all);
            n_skipped += walked < all;
        }
    }
    assert_true(n_skipped > 80);
}

static void one_who_does_not_know_of_it_hears_all(void **state) {
    (void)state;
    static struct counter counter;
    struct toy toy;
    struct fail fail = {0};
    struct pipeline_result result;
    struct pipeline_options options = {.iterations = 5000};
    struct event_listener *listeners[] = {&counter.listener, NULL};
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 3);
    counter_init(&counter);
    assert_true(mca_core_run(&toy.machine, EXECUTION_OF(&toy.block), &options, listeners, &result, &fail));
    assert_true(result.walked_cycles < 200);
    counter_init(&counter);
    counter.listener.repeated = NULL;
    assert_true(mca_core_run(&toy.machine, EXECUTION_OF(&toy.block), &options, listeners, &result, &fail));
    assert_int_equal(result.walked_cycles, result.cycles);
    counter_init(&counter);
    options.walk_iterations = 2000;
    assert_true(mca_core_run(&toy.machine, EXECUTION_OF(&toy.block), &options, listeners, &result, &fail));
    assert_true(result.walked_cycles >= 500 && result.walked_cycles < 700);
}

// The limit is met in the same cycle as when all is walked.
static void a_limit_of_cycles_holds(void **state) {
    (void)state;
    struct toy toy;
    struct pipeline_result result;
    toy_init(&toy, 4, 64);
    toy_insn(&toy, 3);
    toy_read(&toy, 1);
    toy_write(&toy, 1);
    for (uint64_t limit = 290; limit < 310; limit++) {
        struct fail fail = {0};
        struct pipeline_options options = {.iterations = 100, .max_cycles = limit};
        assert_int_equal(mca_core_run(&toy.machine, EXECUTION_OF(&toy.block), &options, NULL, &result, &fail),
                         limit >= 303);
        assert_int_equal(result.cycles, limit < 303 ? limit : 303);
    }
}

// A chain of three on a group of two pipes whose turns make a period of several iterations, and moves between registers
// that make one of three.
static void long_periods_are_found(void **state) {
    (void)state;
    struct toy toy;
    struct fail fail = {0};
    struct pipeline_result result;
    struct pipeline_options options = {.iterations = 1000000000000};
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1), p2 = toy_pipe(&toy, "P2", 1, -1);
    unsigned p012 = toy_group(&toy, "P012", -1, p0, p1, p2, 0), p01 = toy_group(&toy, "P01", -1, p0, p1, 0);
    for (uint16_t i = 0; i < 7; i++) {
        toy_insn(&toy, 2u + i % 3);
        toy_read(&toy, (uint16_t)(1 + i % 2));
        toy_write(&toy, (uint16_t)(1 + i % 3));
        toy_use(&toy, i % 3 == 0 ? p01 : p012, 1 + i % 2);
    }
    assert_true(mca_core_run(&toy.machine, EXECUTION_OF(&toy.block), &options, NULL, &result, &fail));
    assert_int_equal(result.instructions, 7 * options.iterations);
    assert_true(result.walked_cycles < 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_of_order_counts_are_the_same), cmocka_unit_test(every_number_of_iterations_is_the_same),
        cmocka_unit_test(in_order_cycles_are_the_same),     cmocka_unit_test(one_who_does_not_know_of_it_hears_all),
        cmocka_unit_test(a_limit_of_cycles_holds),          cmocka_unit_test(long_periods_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
