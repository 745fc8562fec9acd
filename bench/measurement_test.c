#include "bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void the_clocks_error_widens_the_interval(void **state) {
    (void)state;
    const struct bench_measurement m = {.cycles = 4, .low = 3.5, .high = 4.25, .clock_error = 0.125};
    assert_float_equal(measured_low(&m), 3.5 * 0.875, 0);
    assert_float_equal(measured_high(&m), 4.25 * 1.125, 0);
    assert_float_equal(measured_half_width(&m), 0.5 + 0.5, 0); // the lower half is the wider one
}

static void values_differ_beyond_their_intervals(void **state) {
    (void)state;
    static const struct {
        struct bench_measurement a, b;
        bool differ;
    } rows[] = {
        {{.cycles = 4, .low = 3.9, .high = 4.1}, {.cycles = 4.2, .low = 4.15, .high = 4.3}, true},
        {{.cycles = 4, .low = 3.9, .high = 4.1}, {.cycles = 4.2, .low = 4.05, .high = 4.3}, false},
        {{.cycles = 4, .low = 3.9, .high = 4.1, .clock_error = 0.02}, {.cycles = 4.2, .low = 4.15, .high = 4.3}, false},
        {{.cycles = 4, .low = 4, .high = 4}, {.cycles = 4.03, .low = 4.03, .high = 4.03}, false}, // less than 1 %
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(measured_differ(&rows[i].a, &rows[i].b), rows[i].differ);
        assert_int_equal(measured_differ(&rows[i].b, &rows[i].a), rows[i].differ);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clocks_error_widens_the_interval),
        cmocka_unit_test(values_differ_beyond_their_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
