#include "repair/repair_latencies.c"

#include "check/testing_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// A latency that a third write changes, too, does not get that write's number.
static void several_dependences_stay_several(void **state) {
    (void)state;
    int found = with_dependence(REPAIR_NONE, 4);
    assert_int_equal(found, 5);
    for (unsigned number = 5; number < 9; number++) {
        found = with_dependence(found, number);
        assert_int_equal(found, REPAIR_SEVERAL);
    }
}

// A read that comes before the result is there hides both: only a longer change shows which they are.
static void early_reads_are_found(void **state) {
    const struct repair_numbers numbers = {.n_writes = 2, .latencies = {3, 5}, .n_reads = 2, .advances = {6, 0}};
    (void)state;
    assert_true((int)probe_of_write(&numbers, 0).latencies[0] - numbers.advances[0] >= 4);
    assert_true((int)numbers.latencies[0] - probe_of_read(&numbers, 0).advances[0] >= 4);
    assert_int_equal(probe_of_write(&numbers, 0).latencies[1], 5);
    // A read that does not come early is changed by as much as ever.
    assert_int_equal(probe_of_read(&numbers, 1).advances[1], -4);
}

// A load form's latency is not what its merged destination waits for: a bound from its address shows that.
static void bounds_are_not_undercut(void **state) {
    struct check_value values[] = {testing_value("A", "C", CHECK_LATENCY, 8, 0.01),
                                   testing_value("A", "C", CHECK_LATENCY, 1, 0.01)};
    const double allowed[] = {2, 2};
    const size_t numbers[] = {0, 1};
    struct predicted predicted[] = {{.is_known = true, .cycles = 10}, {.is_known = true, .cycles = 2}};
    int write[] = {1, 1};
    const struct repair_dependences found = {.write = write};
    struct repair_search search = {.all = values,
                                   .allowed_below = allowed,
                                   .values = numbers,
                                   .n_values = 2,
                                   .predicted = predicted,
                                   .best = {.n_writes = 1, .latencies = {8}}};
    (void)state;
    values[0].source = "2.base";
    values[0].value.relation = TABLE_AT_MOST;
    values[1].source = "1";
    assert_int_equal(latency_of_bounds(&search, &found, 0), 6);
    // Within what a way back may take less, the bound is no reason to change anything.
    predicted[0].cycles = 7;
    assert_true(repair_gap_to_close(&search, 0, &predicted[0]) == 0);
    assert_int_equal(latency_of_bounds(&search, &found, 0), 8);
    // A latency of 1 fits the other value, and is far below this one.
    search.best.latencies[0] = 1;
    predicted[0].cycles = 3;
    assert_true(repair_gap_to_close(&search, 0, &predicted[0]) > 0);
    assert_int_equal(latency_of_bounds(&search, &found, 0), 6);
    search.allowed_below = NULL;
    assert_true(repair_gap_to_close(&search, 0, &predicted[0]) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_dependences_stay_several),
                                       cmocka_unit_test(early_reads_are_found),
                                       cmocka_unit_test(bounds_are_not_undercut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
