// Which pipe a uop takes, and for how long.
#include "analyzer/sim/core/ports.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { P0 = 1, P1 = 2, P5 = 4, P6 = 8 };

static void parts_of_cycles_add_up(void **state) {
    (void)state;
    const struct core_plan plan = {.n_queues = 2, .queues = {0, P0}};
    const struct core_uop uop = {.pipes = P0, .hold = TICKS * 3 / 2};
    struct ports ports;
    unsigned n = 0;
    ports_open(&ports, &plan);
    for (int64_t cycle = 0; cycle < 30; cycle++) {
        ports_begin(&ports, cycle);
        if (!(ports.open & P0))
            continue;
        ports_take(&ports, &uop, 0, cycle, 0, uop.hold);
        n++;
    }
    assert_int_equal(n, 20); // 1.5 cycles each
}

static void the_least_wanted_pipe_is_chosen(void **state) {
    (void)state;
    const struct core_plan plan = {.n_queues = 2, .queues = {0, P0 | P1 | P5 | P6}, .wanted = {2, .5, .25, 1}};
    const struct core_uop uop = {.pipes = P0 | P1 | P6, .hold = TICKS};
    struct ports ports;
    ports_open(&ports, &plan);
    ports_begin(&ports, 0);
    assert_int_equal(ports_choose(&ports, uop.pipes, 0, 0), 1);
    ports_take(&ports, &uop, 1, 0, 0, uop.hold);
    assert_int_equal(ports_choose(&ports, uop.pipes, 0, 0), 3);
}

static void queues_are_served_while_a_pipe_is_open(void **state) {
    (void)state;
    const struct core_plan plan = {.n_queues = 3, .queues = {0, P0, P0 | P1}};
    const struct core_uop uop = {.pipes = P0 | P1, .hold = INT64_C(2) * TICKS};
    enum { QUEUE_1 = 1 << 1, QUEUE_2 = 1 << 2 };
    struct ports ports;
    ports_open(&ports, &plan);
    ports_begin(&ports, 0);
    assert_int_equal(ports.served & 7, 1 | QUEUE_1 | QUEUE_2);
    ports_take(&ports, &uop, 0, 0, 0, uop.hold);
    assert_int_equal(ports.served & 7, 1 | QUEUE_2);
    ports_take(&ports, &uop, 1, 0, 0, TICKS);
    assert_int_equal(ports.served & 7, 1);
    ports_begin(&ports, 1); // P1 is free again
    assert_int_equal(ports.served & 7, 1 | QUEUE_2);
    ports_begin(&ports, 2);
    assert_int_equal(ports.served & 7, 1 | QUEUE_1 | QUEUE_2);
}

// One that becomes free within the cycle, where the uop can begin no earlier elsewhere.
static void the_pipe_that_fits_is_chosen(void **state) {
    (void)state;
    const struct core_plan plan = {.n_queues = 2, .queues = {0, P0 | P1}};
    const struct core_uop uop = {.pipes = P0 | P1, .hold = TICKS + TICKS / 2};
    struct ports ports;
    ports_open(&ports, &plan);
    ports_begin(&ports, 0);
    ports_take(&ports, &uop, 1, 0, 0, uop.hold); // until the middle of cycle 1
    ports_begin(&ports, 1);
    assert_int_equal(ports_choose(&ports, uop.pipes, 1, 0), 0);
    assert_int_equal(ports_choose(&ports, uop.pipes, 1, TICKS + TICKS / 4), 0);
    assert_int_equal(ports_choose(&ports, uop.pipes, 1, TICKS + TICKS / 2), 1);
}

static void at_rename_the_least_loaded_one(void **state) {
    (void)state;
    const struct core_plan plan = {.n_queues = 5, .queues = {0, P0, P1, P5, P6}, .binds_at_rename = true};
    const struct core_uop any = {.pipes = P0 | P1 | P5 | P6, .hold = TICKS, .part = CORE_COMPUTES, .is_bound = true};
    const struct core_uop load = {.pipes = P1 | P5, .hold = TICKS, .part = CORE_LOADS, .is_bound = true};
    static const unsigned expected[] = {3, 2, 1, 0, 3};
    struct ports ports;
    ports_open(&ports, &plan);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(ports_bind(&ports, &any), expected[i]);
    assert_int_equal(ports_bind(&ports, &load), 1); // in turn, whatever else waits
    assert_int_equal(ports_bind(&ports, &load), 2);
    assert_int_equal(ports_bind(&ports, &load), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_cycles_add_up), cmocka_unit_test(the_least_wanted_pipe_is_chosen),
        cmocka_unit_test(queues_are_served_while_a_pipe_is_open), cmocka_unit_test(the_pipe_that_fits_is_chosen),
        cmocka_unit_test(at_rename_the_least_loaded_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
