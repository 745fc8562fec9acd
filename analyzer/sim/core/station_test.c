// The oldest ready uop goes first, whenever it became ready.
#include "analyzer/sim/core/station.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { P0 = 1, P1 = 2, PLACES = 16 };

struct fixture {
    struct cpu cpu;
    struct core_plan plan;
    struct stash stash;
    struct station station;
};

static void open_station(struct fixture *fixture) {
    fixture->plan = (struct core_plan){.cpu = &fixture->cpu, .most_uops = 1, .n_queues = 3, .queues = {0, P0, P1}};
    station_open(&fixture->station, &fixture->plan, PLACES, false, &fixture->stash);
    for (unsigned i = 0; i < PLACES && fixture->station.uops; i++)
        fixture->station.uops[i] = (struct waiting_uop){.queue = 1 + i % 2, .age = i};
}

static void the_oldest_goes_first(void **state) {
    (void)state;
    struct fixture fixture = {0};
    open_station(&fixture);
    struct station *station = &fixture.station;
    station_release(station, 6, ticks_at(0), 0);
    station_release(station, 2, ticks_at(1), 0);
    station_release(station, 4, ticks_at(0), 0);
    station_release(station, 3, ticks_at(0), 0);
    assert_int_equal(station_oldest(station, P0 | P1, 0), 2);
    assert_int_equal(station->first[2], 3);
    assert_int_equal(station_oldest(station, P0, 0), 1);
    assert_int_equal(station->first[1], 4);
    station_wake(station, 1);
    assert_int_equal(station->first[1], 2);
    assert_int_equal(station_oldest(station, P0 | P1, 0), 1);
    station_remove(station, 2);
    station_remove(station, 4);
    assert_int_equal(station->first[1], 6);
    station_remove(station, 6);
    assert_int_equal(station->first[1], NO_UOP);
    assert_int_equal(station_oldest(station, P0, 0), CORE_MOST_QUEUES);
    stash_free(&fixture.stash);
}

static void what_is_far_away_comes_round(void **state) {
    (void)state;
    struct fixture fixture = {0};
    open_station(&fixture);
    station_release(&fixture.station, 2, ticks_at(1000) + 1, 0);
    int64_t cycle = 1;
    for (; fixture.station.first[1] == NO_UOP; cycle++)
        station_wake(&fixture.station, cycle);
    assert_int_equal(cycle - 1, 1000);
    stash_free(&fixture.stash);
}

static void schedulers_are_finite(void **state) {
    (void)state;
    struct fixture fixture = {0};
    const struct core_insn insn = {.entries = 2}, large = {.entries = 9};
    fixture.cpu.parameters[CPU_SCHEDULER] = (struct cpu_number){.is_known = true, .value = 4};
    open_station(&fixture);
    assert_true(station_has_room(&fixture.station, &large)); // when nothing else is in it
    fixture.station.n_entries[0] = 2;
    assert_true(station_has_room(&fixture.station, &insn));
    fixture.station.n_entries[0] = 3;
    assert_false(station_has_room(&fixture.station, &insn));
    stash_free(&fixture.stash);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_oldest_goes_first),
                                       cmocka_unit_test(what_is_far_away_comes_round),
                                       cmocka_unit_test(schedulers_are_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
