// Loads, banks, and stores that go into the cache: by the cycle.
#include "analyzer/sim/core/memory.h"
#include "analyzer/sim/core/store_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void set(struct cpu *cpu, enum cpu_parameter parameter, double value) {
    cpu->parameters[parameter] = (struct cpu_number){.is_known = true, .value = value};
}

// Loads that are served until `cycles` are over.
static unsigned serve(const struct cpu *cpu, const struct core_access *accesses, unsigned n_accesses, int64_t cycles) {
    struct memory memory;
    unsigned n = 0;
    memory_open(&memory, cpu);
    for (int64_t cycle = 0; cycle < cycles; cycle++)
        while (n < n_accesses && memory_is_open(&memory, &accesses[n], cycle) &&
               memory_has_banks(&memory, &accesses[n], cycle))
            memory_load(&memory, &accesses[n++], cycle, 0);
    return n;
}

static void loads_per_cycle(void **state) {
    (void)state;
    struct core_access accesses[20];
    struct cpu cpu = {0};
    for (unsigned i = 0; i < 20; i++)
        accesses[i] = (struct core_access){.n_loads = 1};
    set(&cpu, CPU_LOADS, 3);
    set(&cpu, CPU_ACCESSES, 4);
    assert_int_equal(serve(&cpu, accesses, 20, 4), 12);
    set(&cpu, CPU_ACCESSES, 2);
    assert_int_equal(serve(&cpu, accesses, 20, 4), 8);
    accesses[0].n_loads = 4; // the second line of each counts, too
    assert_int_equal(serve(&cpu, accesses, 20, 4), 5);
}

static void banks_serve_reads(void **state) {
    (void)state;
    struct core_access accesses[8];
    struct cpu cpu = {0};
    for (unsigned i = 0; i < 8; i++)
        accesses[i] = (struct core_access){.n_loads = 1, .banks = 1};
    set(&cpu, CPU_LOADS, 3);
    set(&cpu, CPU_LOAD_BANKS, 16);
    set(&cpu, CPU_LOAD_BANK_READS, 2);
    assert_int_equal(serve(&cpu, accesses, 8, 3), 6);
    accesses[2].banks = accesses[5].banks = 2;
    assert_int_equal(serve(&cpu, accesses, 8, 3), 8);
}

static void pairs_by_bank(void **state) {
    (void)state;
    struct core_access accesses[] = {{.n_loads = 1, .offset = 0},
                                     {.n_loads = 1, .offset = 128},
                                     {.n_loads = 1, .offset = 4},
                                     {.n_loads = 1, .offset = 128}};
    struct cpu cpu = {0};
    set(&cpu, CPU_PAIRED_LOADS_BY_BANK, 1);
    assert_int_equal(serve(&cpu, accesses, 4, 1), 1); // the second one meets the first
    assert_int_equal(serve(&cpu, accesses, 4, 2), 4); // 128 and 4 do not; both at 128 are of one line
    accesses[1].base = 7;
    assert_int_equal(serve(&cpu, accesses, 4, 1), 3);
}

static unsigned commit(const struct cpu *cpu, const unsigned *n_commits, unsigned n, int64_t cycles) {
    struct store_table *table = test_calloc(1, sizeof *table);
    struct stash stash = {0};
    store_table_open(table, cpu, &stash);
    for (unsigned i = 0; i < n; i++)
        store_table_enter(table, i, &(const struct core_access){.n_commits = n_commits[i], .n_store_turns = 1});
    table->retired = n;
    for (int64_t cycle = 0; cycle < cycles; cycle++)
        store_table_commit(table, cycle);
    unsigned committed = (unsigned)table->committed;
    stash_free(&stash);
    test_free(table);
    return committed;
}

static void stores_by_line(void **state) {
    (void)state;
    enum { MANY = 24, CYCLES = 16 };
    unsigned one_line[MANY], other_lines[MANY], wide[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        one_line[i] = i % 2 == 0;
        other_lines[i] = 1;
        wide[i] = 2;
    }
    static const unsigned three_and_one[] = {1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    struct cpu cpu = {0};
    set(&cpu, CPU_STORES, 2);
    set(&cpu, CPU_STORES_BY_LINE, 1);
    // A line a cycle, and a few more that wait in the buffer.
    assert_int_equal(commit(&cpu, one_line, MANY, CYCLES / 2), CYCLES);
    assert_in_range(commit(&cpu, other_lines, MANY, CYCLES), CYCLES, CYCLES + 5);
    assert_in_range(commit(&cpu, wide, MANY, CYCLES), CYCLES / 2, CYCLES / 2 + 3);
    assert_int_equal(commit(&cpu, three_and_one, 12, 6), 12); // six cycles of lines: they come in pairs
}

static void what_a_load_meets(void **state) {
    (void)state;
    struct store_table *table = test_calloc(1, sizeof *table);
    const struct cpu cpu = {0};
    struct stash stash = {0};
    store_table_open(table, &cpu, &stash);
    const struct core_access store = {.n_commits = 1, .n_store_turns = 1};
    const struct core_access newest = {.meets = CORE_IS_FORWARDED, .stores_back = 1},
                             older = {.meets = CORE_IS_FORWARDED, .stores_back = 2};
    assert_null(store_table_met(table, &newest));
    store_table_enter(table, 0, &store);
    assert_ptr_equal(store_table_met(table, &newest), &table->ring[0]);
    assert_null(store_table_met(table, &older));
    store_table_enter(table, 0, &store);
    assert_ptr_equal(store_table_met(table, &older), &table->ring[0]);
    assert_null(store_table_met(table, &store));
    stash_free(&stash);
    test_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_per_cycle), cmocka_unit_test(banks_serve_reads),
                                       cmocka_unit_test(pairs_by_bank), cmocka_unit_test(stores_by_line),
                                       cmocka_unit_test(what_a_load_meets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
