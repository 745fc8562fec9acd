#include "analyzer/predict/rthroughput.h"

#include "analyzer/predict/resource_bound.h"
#include "analyzer/sim/mca/toy_test.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static struct rthroughput bound_of(const struct toy *toy) {
    return insn_rthroughput(&toy->machine, &toy->insns[0]);
}

// The three instructions of M. Hsu's article: without and with resource segments, and the one with a gap.
static void segments_follow_each_other(void **state) {
    (void)state;
    static const struct {
        const char *name;
        unsigned acquire[3], release[3];
        double cycles;
        unsigned resource;
    } rows[] = {
        {"BLAH", {0, 0, 0}, {1, 3, 2}, 3, 2},
        {"BLOB", {0, 2, 1}, {2, 5, 3}, 3, 2},
        {"counterexample", {0, 4, 1}, {2, 5, 4}, 3, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct toy toy;
        toy_init(&toy, 4, 64);
        unsigned pipes[] = {toy_pipe(&toy, "P0", 1, -1), toy_pipe(&toy, "P1", 1, -1), toy_pipe(&toy, "P2", 1, -1)};
        toy_insn(&toy, 5);
        for (unsigned p = 0; p < 3; p++)
            toy_use(&toy, pipes[p], rows[i].release[p])->acquire = rows[i].acquire[p];
        assert_float_equal(bound_of(&toy).cycles, rows[i].cycles, 0);
        assert_int_equal(bound_of(&toy).resource, rows[i].resource);
    }
}

static void equal_pipes_share(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned pipes = toy_pipe(&toy, "P", 4, -1);
    toy_insn(&toy, 5);
    assert_float_equal(bound_of(&toy).cycles, 0, 0);
    assert_int_equal(bound_of(&toy).resource, 0);
    toy_use(&toy, pipes, 3);
    assert_float_equal(bound_of(&toy).cycles, 0.75, 0);
}

static void groups_are_charged_for_their_members(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1), p2 = toy_pipe(&toy, "P2", 1, -1);
    unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0), p12 = toy_group(&toy, "P12", -1, p1, p2, 0);
    toy_insn(&toy, 5);
    toy_use(&toy, p0, 1);
    toy_use(&toy, p01, 2);
    assert_float_equal(bound_of(&toy).cycles, 1.5, 0); // 3 cycles must go to P0 and P1
    assert_int_equal(bound_of(&toy).resource, p01);
    toy_use(&toy, p12, 5);
    assert_float_equal(bound_of(&toy).cycles, 8.0 / 3, 1e-12); // the union of both groups
    toy_use(&toy, p12, 4)->reserved = true;
    assert_float_equal(bound_of(&toy).cycles, 4, 0);
}

static unsigned random_below(uint64_t *seed, unsigned n) {
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(*seed >> 33) % n;
}

// A wide machine, so that nothing but pipes limits.
static void init_wide(struct toy *toy) {
    toy_init(toy, 16, 256);
}

// Pipes that no two uses of the instruction share: the simulation reaches the bound.
static void simulation_converges_to_the_bound(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (unsigned round = 0; round < 200; round++) {
        struct toy toy;
        init_wide(&toy);
        unsigned a = toy_pipe(&toy, "A", 1 + random_below(&seed, 4), -1);
        unsigned b = toy_pipe(&toy, "B", 1 + random_below(&seed, 4), -1);
        unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1, -1), p2 = toy_pipe(&toy, "P2", 1, -1);
        unsigned group =
            random_below(&seed, 2) ? toy_group(&toy, "P01", -1, p0, p1, 0) : toy_group(&toy, "P012", -1, p0, p1, p2, 0);
        unsigned resources[] = {a, b, group};
        toy_insn(&toy, random_below(&seed, 6));
        for (unsigned i = 0; i < 3; i++)
            if (random_below(&seed, 3) != 0)
                toy_use(&toy, resources[i], 1 + random_below(&seed, 7));
        double bound = bound_of(&toy).cycles;
        if (bound > 0)
            assert_float_equal(toy_steady(&toy), bound, (float)(0.02 * bound + 0.01));
    }
}

// With groups that overlap, round robin may do worse than the bound; it never does better.
static void simulation_never_beats_the_bound(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (unsigned round = 0; round < 200; round++) {
        struct toy toy;
        init_wide(&toy);
        unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 1 + random_below(&seed, 2), -1);
        unsigned p2 = toy_pipe(&toy, "P2", 1, -1), p3 = toy_pipe(&toy, "P3", 1, -1);
        unsigned choices[] = {
            p0, p1, p2, p3, toy_group(&toy, "P01", -1, p0, p1, 0), toy_group(&toy, "P123", -1, p1, p2, p3, 0)};
        toy_insn(&toy, 1);
        toy_cost(&toy)->has_partially_overlapping_groups = true;
        unsigned first = random_below(&seed, 6), second = random_below(&seed, 6);
        toy_use(&toy, choices[first], 1 + random_below(&seed, 5));
        if (second > first)
            toy_use(&toy, choices[second], 1 + random_below(&seed, 5));
        assert_true(toy_steady(&toy) >= bound_of(&toy).cycles - 0.01);
        assert_true(resource_bound_of(&toy.machine, EXECUTION_OF(&toy.block)).cycles <= bound_of(&toy).cycles + 1e-9);
    }
}

static void blocks_are_bound_by_dispatch_and_by_names(void **state) {
    (void)state;
    struct toy toy;
    toy_init(&toy, 4, 64);
    unsigned p0 = toy_pipe(&toy, "P0", 1, -1), p1 = toy_pipe(&toy, "P1", 2, -1);
    unsigned p01 = toy_group(&toy, "P01", -1, p0, p1, 0);
    toy_insn(&toy, 1);
    toy_cost(&toy)->uops = 3;
    assert_float_equal(block_rthroughput(&toy.machine, &toy.block, 0), 0.75, 0);
    assert_float_equal(block_rthroughput(&toy.machine, &toy.block, 2), 1.5, 0);
    toy_use(&toy, p1, 5)->acquire = 4; // which llvm-mca does not look at
    assert_float_equal(block_rthroughput(&toy.machine, &toy.block, 0), 2.5, 0);
    toy_use(&toy, p01, 8); // of two members, however many units they have
    assert_float_equal(block_rthroughput(&toy.machine, &toy.block, 0), 4, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_follow_each_other),
        cmocka_unit_test(equal_pipes_share),
        cmocka_unit_test(groups_are_charged_for_their_members),
        cmocka_unit_test(simulation_converges_to_the_bound),
        cmocka_unit_test(simulation_never_beats_the_bound),
        cmocka_unit_test(blocks_are_bound_by_dispatch_and_by_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
