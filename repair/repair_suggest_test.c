#include "repair/repair_suggest.c"

#include "check/testing_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// A bound never leads away from LLVM's pipes: an exact value may.
static void bounds_only_add_pipes(void **state) {
    enum { OWN = 1, WIDER, FEWER, PARTLY, APART, N };
    const struct resource resources[N] = {
        {0}, {.mask = 0x10f}, {.mask = 0x21f}, {.mask = 0x403}, {.mask = 0x818}, {.mask = 0x1060}};
    const struct machine machine = {.resources = resources, .n_resources = N};
    const struct model model = {.machine = &machine};
    const unsigned char ranks[N] = {[WIDER] = 1, [FEWER] = 1, [PARTLY] = 13, [APART] = REPAIR_FARTHEST};
    const struct repair_search search = {
        .model = &model, .ranks = ranks, .base = {.n_uses = 1, .uses = {{.resource = OWN, .release = 1}}}};
    (void)state;
    assert_true(can_be_chosen(&search, 0, WIDER, true) && can_be_chosen(&search, 0, WIDER, false));
    assert_true(!can_be_chosen(&search, 0, FEWER, true) && can_be_chosen(&search, 0, FEWER, false));
    assert_true(!can_be_chosen(&search, 0, PARTLY, true) && can_be_chosen(&search, 0, PARTLY, false));
    assert_true(!can_be_chosen(&search, 0, APART, true) && !can_be_chosen(&search, 0, APART, false));
}

// Pipes change where no time on LLVM's gives the throughput: two pipes give 0.5, 1 and 1.5, but not 0.33 and 0.75; nor
// can two uses of one pipe take less than two cycles.
static void times_come_before_pipes(void **state) {
    enum { ONE = 1, TWO, N };
    const struct resource resources[N] = {{0}, {.mask = 2, .units = 1}, {.mask = 0xe, .units = 2}};
    const struct machine machine = {.resources = resources, .n_resources = N};
    const struct model model = {.machine = &machine};
    struct repair_search search = {.model = &model,
                                   .base = {.n_uses = 1, .uses = {{.resource = TWO, .release = 1, .units = 1}}}};
    static const struct {
        double cycles;
        bool suffice;
    } table[] = {{0.5, true}, {1, true}, {1.5, true}, {1.0 / 3, false}, {0.75, false}, {0.565, false}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct check_value value = testing_value("A", "C", CHECK_THROUGHPUT, table[i].cycles, 0.002);
        assert_int_equal(pipes_suffice(&search, &value), table[i].suffice);
    }
    search.base.n_uses = 2;
    search.base.uses[1] = (struct repair_use){.resource = ONE, .release = 1, .units = 1};
    struct check_value one = testing_value("A", "C", CHECK_THROUGHPUT, 1, 0.002),
                       half = testing_value("A", "C", CHECK_THROUGHPUT, 0.5, 0.002);
    assert_true(pipes_suffice(&search, &one));
    assert_false(pipes_suffice(&search, &half)); // the pipe alone is held for one
    half.value.relation = TABLE_AT_MOST;
    assert_false(pipes_suffice(&search, &half));
    one.value.relation = TABLE_AT_MOST;
    assert_true(pipes_suffice(&search, &one));
}

// LLVM counts units from the pipes: where a use has several, times change and pipes stay.
static void pipes_stay_where_a_use_has_several_units(void **state) {
    struct resource resources[] = {
        {.name = "none"}, {.name = "P", .mask = 2, .units = 1}, {.name = "Q", .mask = 4, .units = 1}};
    struct resource group = {.name = "PQ", .mask = 14, .units = 2, .is_group = true};
    struct resource all[] = {resources[0], resources[1], resources[2], group};
    const struct machine machine = {.resources = all, .n_resources = 4};
    const struct insn_write write = {.reg = 0};
    const struct sched_write write_cost = {.latency = 13};
    struct sched_use uses[] = {{.mask = 2, .release = 2, .units = 1}, {.mask = 14, .release = 1, .units = 2}};
    const struct sched_insn cost = {.uops = 1, .writes = &write_cost, .n_uses = 2, .uses = uses};
    const struct insn insn = {.n_writes = 1, .writes = &write, .cost = &cost};
    struct repair_numbers numbers = {0}, reserved = {0};
    (void)state;
    assert_true(repair_numbers_read(&machine, &insn, &numbers));
    assert_true(numbers.has_fixed_pipes && !numbers.has_fixed_uses);
    struct repair_numbers longer = numbers, other = numbers;
    longer.uses[0].release = 16;
    other.uses[0].resource = 2;
    assert_false(has_other_pipes(&numbers, &longer));
    assert_true(has_other_pipes(&numbers, &other));
    uses[1].reserved = true;
    assert_true(repair_numbers_read(&machine, &insn, &reserved));
    assert_true(reserved.has_fixed_uses);
    uses[1] = (struct sched_use){.mask = 14, .release = 1, .units = 1};
    assert_true(repair_numbers_read(&machine, &insn, &reserved));
}

// Increments that renaming adds up take a sixth of a cycle. Twelve of them side by side would with a latency of two,
// too.
static void a_throughput_lengthens_no_latency(void **state) {
    struct resource none = {.name = "none"};
    const struct machine machine = {.resources = &none, .n_resources = 1};
    const struct model model = {.machine = &machine};
    const struct table_part part = {.factor = 1.0 / 12};
    struct check_value value = testing_value("A", "C", CHECK_THROUGHPUT, 0.167, 0.001);
    struct repair_numbers tried[REPAIR_MOST_TRIED];
    struct repair_search search = {.model = &model, .best = {.n_writes = 1, .latencies = {1}}, .tried = tried};
    struct arena arena = {0};
    (void)state;
    value.value.parts = &part;
    value.value.n_parts = 1;
    repair_suggest(&search, &arena, &value, 0.077, BOTTLENECK_DEPENDENCY);
    assert_int_equal(search.n_tried, 0);
    arena_free(&arena);
}

static void reads_are_no_earlier_than_matters(void **state) {
    const struct repair_numbers numbers = {.n_writes = 2, .latencies = {3, 7}};
    (void)state;
    assert_int_equal(clamp_advance(&numbers, 0, 88), 7);
    assert_int_equal(clamp_advance(&numbers, 0, 5), 5);
    assert_int_equal(clamp_advance(&numbers, 0, -2), -2);
    assert_int_equal(clamp_advance(&numbers, 9, 12), 9); // LLVM has it that early
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_only_add_pipes), cmocka_unit_test(times_come_before_pipes),
        cmocka_unit_test(pipes_stay_where_a_use_has_several_units), cmocka_unit_test(a_throughput_lengthens_no_latency),
        cmocka_unit_test(reads_are_no_earlier_than_matters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
