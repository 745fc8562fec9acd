// Predictions on a machine made by hand: two pipes P0 and P1 in a group P01, four uops a cycle.
#include "analyzer/predict/prediction.h"

#include "analyzer/predict/resource_bound.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { P0 = 1 << 0, P1 = 1 << 1, P01 = 1 << 2 | P0 | P1 };

static const unsigned members[] = {1, 2};
static const struct resource resources[] = {
    {.name = "InvalidUnit"},
    {.name = "P0", .mask = P0, .units = 1, .buffer_size = -1},
    {.name = "P1", .mask = P1, .units = 1, .buffer_size = -1},
    {.name = "P01", .mask = P01, .units = 2, .buffer_size = 40, .is_group = true, .members = members},
};
static const struct register_file files[] = {{.name = ""}};
static const struct machine_register registers[] = {{.name = ""},
                                                    {.name = "r1", .cost = 1},
                                                    {.name = "r2", .cost = 1},
                                                    {.name = "r3", .cost = 1},
                                                    {.name = "r4", .cost = 1}};
static const struct machine machine = {
    .id = "test/two-pipes",
    .name = "two pipes",
    .cpu = "two-pipes",
    .dispatch_width = 4,
    .rob_size = 64,
    .retire_width = 0,
    .resources = resources,
    .n_resources = 4,
    .register_files = files,
    .n_register_files = 1,
    .registers = registers,
    .n_registers = 5,
};

static const struct sched_use one_cycle[] = {{.mask = P01, .release = 1, .units = 1}};
static const struct sched_use two_cycles[] = {{.mask = P01, .release = 2, .units = 1}};
static const struct insn_write writes[] = {{.reg = 1}, {.reg = 2}, {.reg = 3}, {.reg = 4}};
static const struct insn_read reads[] = {{.reg = 1}, {.reg = 2}, {.reg = 3}, {.reg = 4}};
static const struct sched_write in_4_cycles = {.latency = 4}, in_50_cycles = {.latency = 50};
static const struct sched_read plain_read = {.n_advances = 0};

static struct sched_insn cost_of(unsigned latency, const struct sched_use *use) {
    return (struct sched_insn){.uops = 1,
                               .latency = latency,
                               .writes = latency == 50 ? &in_50_cycles : &in_4_cycles,
                               .reads = &plain_read,
                               .uses = use,
                               .n_uses = use ? 1 : 0,
                               .buffers = use ? 1 << 2 : 0,
                               .used_groups = use ? P01 : 0};
}

// An instruction that reads and writes register `reg`, at that cost.
static struct insn accumulate(unsigned reg, const struct sched_insn *cost) {
    return (struct insn){.text = "fma",
                         .opcode = "FMA",
                         .writes = &writes[reg - 1],
                         .n_writes = 1,
                         .reads = &reads[reg - 1],
                         .n_reads = 1,
                         .cost = cost};
}

struct row {
    int line;
    unsigned n_streams, n_independent, n_idle; // accumulators of their own; instructions without a read; without a pipe
    const struct sched_use *use;
    double cycles;
    enum bottleneck kind;
    const char *bottleneck;
};

static void check(const struct row *row) {
    const struct sched_insn cost = cost_of(4, row->use), idle = cost_of(0, NULL);
    struct insn insns[64];
    unsigned n = 0;
    for (unsigned i = 0; i < row->n_streams; i++)
        insns[n++] = accumulate(i + 1, &cost);
    for (unsigned i = 0; i < row->n_independent; i++) {
        insns[n] = accumulate(1, &cost);
        insns[n++].n_reads = 0;
    }
    for (unsigned i = 0; i < row->n_idle; i++) {
        insns[n] = accumulate(1, &idle);
        insns[n].n_writes = 0;
        insns[n++].n_reads = 0;
    }
    struct arena arena = {0};
    struct fail fail = {0};
    struct block block = {.name = "", .insns = insns, .n_insns = n};
    struct prediction prediction;
    if (!prediction_make(&arena, &machine, EXECUTION_OF(&block), &prediction, &fail))
        fail_msg("row of line %d: %s", row->line, fail.text);
    if (fabs(prediction.cycles - row->cycles) > 1e-9 || prediction.kind != row->kind ||
        strcmp(prediction.bottleneck, row->bottleneck) != 0)
        fail_msg("row of line %d: %g cycles, bottleneck %d '%s'", row->line, prediction.cycles, (int)prediction.kind,
                 prediction.bottleneck);
    arena_free(&arena);
}

static void cycles_and_bottlenecks(void **state) {
    (void)state;
    static const struct row rows[] = {
        {__LINE__, 1, 0, 0, one_cycle, 4, BOTTLENECK_DEPENDENCY, "dependency chain"},
        {__LINE__, 4, 0, 0, one_cycle, 4, BOTTLENECK_DEPENDENCY, "dependency chain"},
        {__LINE__, 4, 0, 0, two_cycles, 4, BOTTLENECK_RESOURCE, "P01"},
        {__LINE__, 0, 10, 0, one_cycle, 5, BOTTLENECK_RESOURCE, "P01"},
        {__LINE__, 0, 3, 0, two_cycles, 3, BOTTLENECK_RESOURCE, "P01"},
        {__LINE__, 0, 1, 7, one_cycle, 2, BOTTLENECK_DISPATCH, "dispatch width"},
        {__LINE__, 0, 4, 4, one_cycle, 2, BOTTLENECK_RESOURCE, "P01 and dispatch width"},
        {__LINE__, 0, 0, 4, one_cycle, 1, BOTTLENECK_DISPATCH, "dispatch width"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&rows[i]);
}

// A slow instruction in a buffer of 64 uops that nothing depends on: only 63 others fit beside it.
static void a_full_reorder_buffer_is_found(void **state) {
    (void)state;
    const struct sched_insn slow = cost_of(50, NULL), idle = cost_of(0, NULL);
    struct insn insns[128];
    for (unsigned i = 0; i < 128; i++) {
        insns[i] = accumulate(2, &idle);
        insns[i].n_reads = insns[i].n_writes = 0;
    }
    insns[0].n_writes = 1;
    insns[0].cost = &slow;
    struct arena arena = {0};
    struct fail fail = {0};
    struct block block = {.name = "", .insns = insns, .n_insns = 128};
    struct prediction prediction;
    assert_true(prediction_make(&arena, &machine, EXECUTION_OF(&block), &prediction, &fail));
    assert_int_equal(prediction.kind, BOTTLENECK_BUFFER);
    assert_string_equal(prediction.bottleneck, "reorder buffer");
    assert_true(prediction.cycles > 33);
    arena_free(&arena);
}

// Loads that stay for 20 cycles in a queue of two, whose size the machine gives by a resource's buffer.
static void a_full_queue_is_found(void **state) {
    (void)state;
    struct resource with_queue[5];
    memcpy(with_queue, resources, sizeof resources);
    with_queue[4] = (struct resource){.name = "LoadQueue", .mask = 1 << 3, .units = 1, .buffer_size = 2};
    struct machine queued = machine;
    queued.resources = with_queue;
    queued.n_resources = 5;
    queued.load_queue_resource = 4;
    const struct sched_insn cost = cost_of(20, NULL);
    struct insn load = accumulate(1, &cost);
    load.n_reads = load.n_writes = 0;
    load.may_load = true;
    struct arena arena = {0};
    struct fail fail = {0};
    struct block block = {.name = "", .insns = &load, .n_insns = 1};
    struct prediction prediction;
    assert_true(prediction_make(&arena, &queued, EXECUTION_OF(&block), &prediction, &fail));
    assert_true(prediction.cycles >= 10);
    assert_int_equal(prediction.kind, BOTTLENECK_BUFFER);
    assert_string_equal(prediction.bottleneck, "load and store queues");
    arena_free(&arena);
}

// An in-order machine has no reorder buffer to blame.
static void dependences_are_found_in_order(void **state) {
    (void)state;
    struct machine in_order = machine;
    in_order.in_order = true;
    in_order.rob_size = 0;
    const struct sched_insn cost = cost_of(4, one_cycle);
    struct insn insn = accumulate(1, &cost);
    struct arena arena = {0};
    struct fail fail = {0};
    struct block block = {.name = "", .insns = &insn, .n_insns = 1};
    struct prediction prediction;
    assert_true(prediction_make(&arena, &in_order, EXECUTION_OF(&block), &prediction, &fail));
    assert_true(prediction.cycles == 4);
    assert_string_equal(prediction.bottleneck, "dependency chain");
    arena_free(&arena);
}

static void the_smallest_busiest_set_is_named(void **state) {
    (void)state;
    static const struct sched_use only_p0[] = {{.mask = P0, .release = 3, .units = 1}};
    struct sched_insn first = cost_of(4, only_p0), second = cost_of(4, one_cycle);
    struct insn insns[] = {accumulate(1, &first), accumulate(2, &second)};
    first.used_units = P0;
    first.used_groups = 0;
    struct block block = {.name = "", .insns = insns, .n_insns = 2};
    struct resource_bound bound = resource_bound_of(&machine, EXECUTION_OF(&block));
    assert_string_equal(resources[bound.resource].name, "P0");
    assert_true(bound.cycles == 3 && bound.holds_cycles == 3);
}

// Two chains side by side, of which an execution runs one twice as often, or not at all. What a prediction has is per
// pass, and so is the same however many passes were recorded.
static void only_what_ran_counts(void **state) {
    (void)state;
    static const unsigned orders[][6] = {{0, 1, 0}, {0, 1, 0, 0, 1, 0}, {1}, {0, 0}, {1, 0}};
    static const struct {
        unsigned n_steps, n_passes;
        double cycles, uops, pressure;
    } rows[] = {{3, 1, 8, 3, 4}, {6, 2, 8, 3, 4}, {1, 1, 4, 1, 2}, {2, 0, 8, 2, 2}, {2, 1, 4, 2, 3}};
    static const struct sched_use on_p0[] = {{.mask = P0, .release = 1, .units = 1}},
                                  longer_on_p0[] = {{.mask = P0, .release = 2, .units = 1}};
    struct sched_insn costs[] = {cost_of(4, on_p0), cost_of(4, longer_on_p0)};
    struct insn insns[] = {accumulate(1, &costs[0]), accumulate(2, &costs[1])};
    const struct block block = {.name = "", .insns = insns, .n_insns = 2};
    costs[0].used_units = costs[1].used_units = P0;
    costs[0].used_groups = costs[1].used_groups = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct execution_step steps[6];
        for (unsigned s = 0; s < rows[i].n_steps; s++)
            steps[s] = (struct execution_step){.insn = orders[i][s]};
        const struct execution execution = {
            .block = &block, .steps = steps, .n_steps = rows[i].n_steps, .n_passes = rows[i].n_passes};
        struct arena arena = {0};
        struct fail fail = {0};
        struct prediction prediction;
        double cycles;
        assert_true(prediction_make(&arena, &machine, &execution, &prediction, &fail));
        assert_true(prediction_cycles(&machine, &execution, &cycles, &fail));
        assert_float_equal(cycles, rows[i].cycles, 1e-9);
        assert_float_equal(prediction.cycles, rows[i].cycles, 1e-9);
        assert_float_equal(prediction.uops, rows[i].uops, 0);
        assert_int_equal(prediction.kind, BOTTLENECK_DEPENDENCY);
        assert_float_equal(prediction.pressure[1], rows[i].pressure, 1e-9);
        arena_free(&arena);
    }
}

static void an_empty_block_is_a_failure(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    struct block block = {.name = ""};
    struct prediction prediction;
    assert_false(prediction_make(&arena, &machine, EXECUTION_OF(&block), &prediction, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_and_bottlenecks),
        cmocka_unit_test(a_full_reorder_buffer_is_found),
        cmocka_unit_test(a_full_queue_is_found),
        cmocka_unit_test(dependences_are_found_in_order),
        cmocka_unit_test(the_smallest_busiest_set_is_named),
        cmocka_unit_test(only_what_ran_counts),
        cmocka_unit_test(an_empty_block_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
