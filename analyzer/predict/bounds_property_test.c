// What holds of bounds whatever the block: over random blocks of common instructions, for each CPU file that is
// installed. No bound is negative or no number; a CPU that does a thing faster is never slower; what is explained is
// what was found, with a chain that takes as long as the bound; and what is known of an instruction stays true.
#include "analyzer/predict/bounds_explain.h"

#include "analyzer/model/model.h"
#include "analyzer/predict/testing_blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// CYCLOPS_BLOCKS asks for more. Among so many, RARE may be the exception, which is printed.
enum { N_BLOCKS = 400, RARE = 1000 };

static const struct {
    enum cpu_parameter parameter;
    double factor; // that makes it faster
} relaxed[] = {
    {CPU_DISPATCH_WIDTH, 2},
    {CPU_DISPATCHES_APART, 0},
    {CPU_RETIRE_WIDTH, 2},
    {CPU_LENGTH_CHANGE_STALL, 0},
    {CPU_FORWARD_LATENCY, .5},
    {CPU_BLOCKED_LOAD, .5},
    {CPU_ATOMIC, .5},
    {CPU_CACHE_LINES, 2},
    {CPU_CACHE_SLOTS, 2},
    {CPU_LOADS, 2},
    {CPU_STORES, 2},
    {CPU_ACCESSES, 2},
    {CPU_LOAD_BANK_READS, 2},
    {CPU_DECODED_BYTES, 2},
    {CPU_RENAMED_LATENCY, .5},
    {CPU_PREDECODE_WIDTH, 2},
    {CPU_DISPATCH_WIDTH_VECTOR, 2},
    {CPU_LOADS_VECTOR, 2},
    {CPU_RENAMED_MOST_SLOTS, 2},
};

static struct bounds find(const struct bounds_request *request) {
    struct bounds bounds;
    struct fail fail = {0};
    assert_true(bounds_find(request, &bounds, &fail));
    for (unsigned i = 0; i < BOUND_N; i++)
        assert_true(isfinite(bounds.cycles[i]) && bounds.cycles[i] >= 0 && bounds.cycles[i] <= bounds.most);
    return bounds;
}

static void assert_same_lists(const struct cpu_recipe *one, const struct cpu_recipe *other) {
    assert_int_equal(one->n_uses, other->n_uses);
    for (unsigned i = 0; i < one->n_uses; i++)
        assert_true(one->uses[i].pipes == other->uses[i].pipes && one->uses[i].cycles == other->uses[i].cycles);
    assert_int_equal(one->n_reads, other->n_reads);
    for (unsigned i = 0; i < one->n_reads; i++)
        assert_true(one->reads[i].unit == other->reads[i].unit && one->reads[i].parts == other->reads[i].parts &&
                    one->reads[i].is_address == other->reads[i].is_address &&
                    one->reads[i].early == other->reads[i].early);
    assert_int_equal(one->n_writes, other->n_writes);
    for (unsigned i = 0; i < one->n_writes; i++)
        assert_true(one->writes[i].unit == other->writes[i].unit && one->writes[i].part == other->writes[i].part &&
                    one->writes[i].latency == other->writes[i].latency);
}

// An instruction that was met before has the recipe that it would get now.
static void check_recipes(struct arena *arena, struct cpu *cpu, const struct block *block) {
    struct known_recipes *known = cpu->recipes;
    assert_non_null(known);
    cpu_recipes(arena, cpu, block);
    const struct cpu_recipe *again = cpu_recipes(arena, cpu, block);
    cpu->recipes = NULL;
    const struct cpu_recipe *anew = cpu_recipes(arena, cpu, block);
    cpu->recipes = known;
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct cpu_recipe *one = &again[i], *other = &anew[i];
        assert_ptr_equal(one->insn, other->insn);
        assert_ptr_equal(one->opcode, other->opcode);
        assert_true(one->immediate == other->immediate && one->rename == other->rename && one->fuses == other->fuses);
        assert_true(one->slots == other->slots && one->decoded_slots == other->decoded_slots);
        assert_true(one->n_loads == other->n_loads && one->n_stores == other->n_stores);
        assert_true(one->latency == other->latency && one->load_latency == other->load_latency);
        assert_true(one->store_delay == other->store_delay && one->serial == other->serial);
        assert_true(one->n_parts == other->n_parts && one->lost == other->lost);
        assert_same_lists(one, other);
    }
}

// Operations crowd before pipes where nothing else holds them up, and then lose turns; so do accesses beside them, and
// stores that loads meet: without the other limit, a block may take longer, by what these lose.
static bool may_lose_turns(const struct cpu *cpu, const struct bounds *bounds) {
    return (bounds->largest == BOUND_PORTS && cpu_knows(cpu, CPU_DEPENDENT_CYCLES)) ||
           (bounds->largest == BOUND_LOADS && bounds->crowded > 0) ||
           (bounds->largest == BOUND_STORES && bounds->alone > 0);
}

// Returns how many are slower.
static unsigned relax_each(struct cpu *cpu, const struct bounds_request *request) {
    static const double TOLERANCE = 0.01; // the mean of a walk that does not come to rest
    double before = find(request).most;
    unsigned n_slower = 0;
    for (size_t i = 0; i < sizeof relaxed / sizeof *relaxed; i++) {
        struct cpu_number *number = &cpu->parameters[relaxed[i].parameter];
        const struct cpu_number kept = *number;
        if (!kept.is_known)
            continue;
        number->value *= relaxed[i].factor;
        struct bounds relaxed_bounds = find(request);
        double after = relaxed_bounds.most;
        const bool may_crowd = may_lose_turns(cpu, &relaxed_bounds);
        *number = kept;
        if (may_crowd || after <= before * (1 + TOLERANCE) + 1e-9)
            continue;
        print_message("%s: %s made a block slower: %g to %g\n", cpu->name, cpu_parameters[relaxed[i].parameter].name,
                      before, after);
        n_slower++;
    }
    return n_slower;
}

// Returns whether a chain was found.
static bool check_explanation(struct arena *arena, const struct bounds_request *request) {
    struct bounds_explained explained;
    struct fail fail = {0};
    const struct bounds bounds = find(request);
    double sum = 0;
    assert_true(bounds_explain(arena, request, &explained, &fail));
    assert_memory_equal(bounds.cycles, explained.bounds.cycles, sizeof bounds.cycles);
    for (unsigned i = 0; i < explained.n_chain; i++)
        sum += explained.chain[i].cycles;
    if (explained.n_chain)
        assert_true(fabs(sum / explained.chain_turns - bounds.cycles[BOUND_LATENCY]) <=
                    0.011 * bounds.cycles[BOUND_LATENCY]);
    return explained.n_chain > 0 || bounds.cycles[BOUND_LATENCY] <= 0;
}

static void random_blocks(void **state) {
    (void)state;
    static const char *const names[] = {"cpu:skylake", "cpu:haswell", "cpu:ivybridge", "cpu:zen5", "cpu:zen4"};
    const char *wanted = getenv("CYCLOPS_BLOCKS");
    const unsigned n_blocks = wanted ? (unsigned)strtoul(wanted, NULL, 10) : N_BLOCKS;
    for (size_t c = 0; c < sizeof names / sizeof *names; c++) {
        struct arena arena = {0};
        struct model model;
        struct fail fail = {0};
        const struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = names[c]};
        uint64_t random = 40 + c;
        unsigned n_explained = 0, n_slower = 0;
        if (!model_open(&model, &arena, NULL, &options, &fail)) {
            print_message("%s: %s\n", names[c], fail.text); // its base is in another LLVM
            continue;
        }
        for (unsigned i = 0; i < n_blocks; i++) {
            uint8_t bytes[TESTING_BLOCK_BYTES];
            size_t n = testing_block_make(&random, bytes);
            struct arena scratch = {0};
            struct block block;
            assert_true(model_describe_bytes(&model, &scratch, bytes, n, &block, &fail));
            const struct bounds_request request = {.cpu = model.own,
                                                   .block = &block,
                                                   .is_decoded = i % 2,
                                                   .registers = i % 4 < 2 ? BOUNDS_APART : BOUNDS_SAME,
                                                   .pages_are_one = i % 4 >= 2};
            check_recipes(&scratch, model.own, &block);
            struct known_recipes *known = model.own->recipes;
            model.own->recipes = NULL; // of other parameters they would be others
            n_slower += relax_each(model.own, &request);
            model.own->recipes = known;
            n_explained += check_explanation(&scratch, &request);
            arena_free(&scratch);
        }
        print_message("%s: the chain of %u of %u blocks is found\n", names[c], n_explained, n_blocks);
        assert_true(n_explained > n_blocks / 10 * 9 && n_slower <= n_blocks / RARE);
        model_close(&model);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
