// What parts of a front end deliver by the cycle, counted by hand.
#include "analyzer/sim/core/front_end.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct core_supply_step first_steps[] = {{5, TICKS}, {0, INT64_C(2) * TICKS}},
                               second_steps[] = {{4, TICKS}, {1, TICKS}};

static void one_part(void **state) {
    (void)state;
    static const struct cpu cpu = {0};
    const struct core_plan plan = {.cpu = &cpu, .n_supplies = 1, .supplies = {{first_steps, 2, 0}}};
    static const uint64_t delivered[] = {5, 5, 5, 10, 10, 10, 12, 12}; // of 12 in all
    struct front_end front;
    front_end_open(&front, &plan, 12);
    for (unsigned cycle = 0; cycle < sizeof delivered / sizeof *delivered; cycle++) {
        front_end_cycle(&front, cycle, 0);
        assert_int_equal(front_end_delivered(&front), delivered[cycle]);
    }
}

static void one_part_feeds_the_next(void **state) {
    (void)state;
    static const struct cpu cpu = {0};
    const struct core_plan plan = {
        .cpu = &cpu, .n_supplies = 2, .supplies = {{first_steps, 2, 0}, {second_steps, 2, 0}}};
    // 5 come in cycles 0 and 3; of these, 4 and 1 go on.
    static const uint64_t delivered[] = {4, 5, 5, 9, 10, 10, 14};
    struct front_end front;
    front_end_open(&front, &plan, 100);
    for (unsigned cycle = 0; cycle < sizeof delivered / sizeof *delivered; cycle++) {
        front_end_cycle(&front, cycle, 0);
        assert_int_equal(front_end_delivered(&front), delivered[cycle]);
    }
}

static void a_full_queue_stops_it(void **state) {
    (void)state;
    static struct cpu cpu = {0};
    static struct core_supply_step steps[] = {{3, TICKS}};
    cpu.parameters[CPU_DECODE_QUEUE] = (struct cpu_number){.is_known = true, .value = 6};
    const struct core_plan plan = {.cpu = &cpu, .n_supplies = 1, .supplies = {{steps, 1, 0}}};
    struct front_end front;
    front_end_open(&front, &plan, 100);
    for (unsigned cycle = 0; cycle < 5; cycle++)
        front_end_cycle(&front, cycle, 0);
    assert_int_equal(front_end_delivered(&front), 6);
    assert_true(front_end_cycle(&front, 5, 2)); // two have been renamed
    assert_int_equal(front_end_delivered(&front), 9);
}

static void no_part_is_no_limit(void **state) {
    (void)state;
    static const struct cpu cpu = {0};
    const struct core_plan plan = {.cpu = &cpu};
    struct front_end front;
    front_end_open(&front, &plan, 100);
    assert_int_equal(front_end_delivered(&front), 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_part), cmocka_unit_test(one_part_feeds_the_next),
                                       cmocka_unit_test(a_full_queue_stops_it), cmocka_unit_test(no_part_is_no_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
