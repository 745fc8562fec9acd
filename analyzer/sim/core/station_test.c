// The oldest ready uop goes first, whenever it became ready.
#include "analyzer/sim/core/station.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { P0 = 1, P1 = 2, PLACES = 16 };
enum { FIRST = 1 << 1, BOTH = FIRST | 1 << 2 }; // queues

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
        fixture->station.uops[i] = (struct waiting_uop){.queue = 1 + i % 2, .number = i};
}

static void the_oldest_goes_first(void **state) {
    (void)state;
    struct fixture fixture = {0};
    open_station(&fixture);
    struct station *station = &fixture.station;
    station_release(station, &station->uops[6], ticks_at(0), 0);
    station_release(station, &station->uops[2], ticks_at(1), 0);
    station_release(station, &station->uops[4], ticks_at(0), 0);
    station_release(station, &station->uops[3], ticks_at(0), 0);
    assert_int_equal(station_oldest(station, BOTH), 2);
    assert_ptr_equal(station_first(station, 2), &station->uops[3]);
    assert_int_equal(station_oldest(station, FIRST), 1);
    assert_ptr_equal(station_first(station, 1), &station->uops[4]);
    station_wake(station, 1);
    assert_ptr_equal(station_first(station, 1), &station->uops[2]);
    assert_int_equal(station_oldest(station, BOTH), 1);
    station_remove_first(station, 1);
    station_remove_first(station, 1);
    assert_ptr_equal(station_first(station, 1), &station->uops[6]);
    station_remove_first(station, 1);
    assert_int_equal(station->queues[1].n, 0);
    assert_int_equal(station_oldest(station, FIRST), CORE_MOST_QUEUES);
    stash_free(&fixture.stash);
}

// Numbers go on where places begin anew.
static void order_is_that_of_numbers(void **state) {
    (void)state;
    struct fixture fixture = {0};
    open_station(&fixture);
    struct station *station = &fixture.station;
    for (uint64_t number = PLACES + 4; number >= PLACES - 2; number -= 2) { // the oldest one comes last
        *station_at(station, number) = (struct waiting_uop){.number = number, .queue = 1};
        station_release(station, station_at(station, number), 0, 0);
    }
    for (uint64_t number = PLACES - 2; number <= PLACES + 4; number += 2) {
        assert_int_equal(station_first(station, 1)->number, number);
        station_remove_first(station, 1);
    }
    assert_int_equal(station->filled, 0);
    stash_free(&fixture.stash);
}

static void what_is_far_away_comes_round(void **state) {
    (void)state;
    struct fixture fixture = {0};
    open_station(&fixture);
    station_release(&fixture.station, &fixture.station.uops[2], ticks_at(1000) + 1, 0);
    int64_t cycle = 1;
    for (; !fixture.station.queues[1].n; cycle++)
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_goes_first), cmocka_unit_test(order_is_that_of_numbers),
        cmocka_unit_test(what_is_far_away_comes_round), cmocka_unit_test(schedulers_are_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
