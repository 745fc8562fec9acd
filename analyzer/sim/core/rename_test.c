// Who waits for whom: through moves that rename does, idioms, and the stack engine.
#include "analyzer/sim/core/rename.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { A = 1, B = 2, STACK = 3, N_UNITS = 4, PLACES = 16 };

struct fixture {
    struct cpu cpu;
    struct core_plan plan;
    struct stash stash;
    struct flights flights;
    struct rename rename;
};

static void open_rename(struct fixture *fixture) {
    fixture->cpu.stack = STACK;
    fixture->plan = (struct core_plan){.cpu = &fixture->cpu, .n_units = N_UNITS};
    fixture->plan.most_reads = 2;
    fixture->plan.most_writes = 1;
    flights_open(&fixture->flights, &fixture->plan, PLACES, &fixture->stash);
    rename_open(&fixture->rename, &fixture->plan, &fixture->stash);
}

static struct flight *enter(struct fixture *fixture, const struct core_insn *insn, int64_t sync) {
    struct core_access *access = test_calloc(1, sizeof *access);
    access->sync = sync;
    struct flight *flight = flights_enter(&fixture->flights, insn, access, 0);
    rename_flight(&fixture->rename, &fixture->flights, flight, 10, false);
    test_free(access);
    return flight;
}

static void moves_and_idioms(void **state) {
    (void)state;
    struct fixture fixture = {0};
    open_rename(&fixture);
    const struct core_insn make = {.n_writes = 1, .writes = (struct core_write[]){{.unit = A, .latency = TICKS}}},
                           move = {.rename = CPU_MOVES,
                                   .n_writes = 1,
                                   .writes = (struct core_write[]){{.unit = B, .latency = 0}},
                                   .n_reads = 1,
                                   .reads = (struct core_read[]){{.unit = A, .group = CORE_VALUE}}},
                           zero = {.rename = CPU_ZEROES,
                                   .n_writes = 1,
                                   .writes = (struct core_write[]){{.unit = A, .latency = 0}}},
                           use = {.n_reads = 2,
                                  .reads = (struct core_read[]){{.unit = A, .group = CORE_VALUE},
                                                                {.unit = B, .group = CORE_VALUE}}};
    const struct flight *made = enter(&fixture, &make, 0);
    enter(&fixture, &move, 0);
    enter(&fixture, &zero, 0);
    const struct flight *user = enter(&fixture, &use, 0);
    assert_int_equal(user->counts.n_waits[CORE_VALUE], 1); // for B, which is what A was
    const struct wait *wait = &fixture.flights.waits[made->results[0].waiting];
    assert_int_equal(wait->flight, user->index);
    stash_free(&fixture.stash);
}

static void the_stack_engine(void **state) {
    (void)state;
    struct fixture fixture = {0};
    open_rename(&fixture);
    const struct core_insn use = {.n_reads = 1, .reads = (struct core_read[]){{.unit = STACK, .group = CORE_ADDRESS}}};
    const struct flight *first = enter(&fixture, &use, TICKS);
    assert_int_equal(first->ready[CORE_ADDRESS], ticks_at(11)); // one cycle behind that of its dispatch, 10
    const struct flight *second = enter(&fixture, &use, TICKS);
    assert_int_equal(second->ready[CORE_ADDRESS], ticks_at(12));
    stash_free(&fixture.stash);
}

static void known_results_are_times(void **state) {
    (void)state;
    struct fixture fixture = {0};
    open_rename(&fixture);
    const struct core_insn make = {.n_writes = 1, .writes = (struct core_write[]){{.unit = A, .latency = TICKS}}},
                           use = {.n_reads = 1,
                                  .reads = (struct core_read[]){{.unit = A, .group = CORE_VALUE, .early = TICKS}}};
    struct flight *made = enter(&fixture, &make, 0);
    made->results[0].ticks = ticks_at(20);
    const struct flight *user = enter(&fixture, &use, 0);
    assert_int_equal(user->counts.n_waits[CORE_VALUE], 0);
    assert_int_equal(user->ready[CORE_VALUE], ticks_at(19));
    stash_free(&fixture.stash);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_and_idioms), cmocka_unit_test(the_stack_engine),
                                       cmocka_unit_test(known_results_are_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
