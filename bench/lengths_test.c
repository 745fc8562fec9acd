#include "bench/lengths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// Returns what a pilot of `fewest` runs or more believes of runs, and how many it needs.
static struct lengths_pilot pilot_of(unsigned fewest, const double *ticks, unsigned n) {
    struct lengths_pilot pilot = {.fewest = fewest};
    for (unsigned i = 0; i < n && !lengths_pilot_is_done(&pilot); i++)
        lengths_pilot_take(&pilot, ticks[i]);
    return pilot;
}

static void a_pilot_believes_two_runs_that_agree(void **state) {
    (void)state;
    static const struct {
        unsigned fewest;
        double ticks[5];
        unsigned n; // runs that it needs
        double least;
    } rows[] = {
        {0, {100, 110, 1, 1, 1}, 2, 100},         // nothing disturbs
        {0, {180, 100, 101, 1, 1}, 3, 100},       // the first one is cold
        {0, {50000, 100, 101, 1, 1}, 3, 100},     // a gap hits the first one,
        {0, {180, 50000, 100, 101, 1}, 4, 100},   // the one behind a cold one,
        {3, {50000, 52000, 100, 101, 1}, 4, 100}, // and gaps of one length hit two
        {3, {100, 110, 105, 1, 1}, 3, 100},       // where gaps are frequent, but hit none
        {0, {800, 400, 200, 100, 50}, 5, 50},     // code that never takes the same time
        {0, {0, 0, 1, 1, 1}, 2, 0},               // the timer has not moved
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct lengths_pilot pilot = pilot_of(rows[i].fewest, rows[i].ticks, 5);
        assert_int_equal(pilot.n, rows[i].n);
        assert_float_equal(pilot.ticks, rows[i].least, 0);
    }
}

static void a_long_run_takes_what_is_wanted(void **state) {
    (void)state;
    struct target_lengths lengths = lengths_for(10, 500, 8000);
    assert_int_equal(lengths.n_long, 160);
    assert_int_equal(lengths.n_short, 20);
    lengths = lengths_for(1, 50000, 8000);
    assert_int_equal(lengths.n_long, 2);
    assert_int_equal(lengths.n_short, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pilot_believes_two_runs_that_agree),
        cmocka_unit_test(a_long_run_takes_what_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
