#include "analyzer/predict/pairing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct pairing_time within(double cycles, double half) {
    return (struct pairing_time){cycles, cycles - half, cycles + half};
}

static void times_tell_pairs(void **state) {
    (void)state;
    static const struct {
        double alone[2], few[2], mix, half;
        enum pairing_kind kind;
        double overlap;
    } rows[] = {
        {{1, 1}, {1, 1}, 1, 0, PAIRING_TOGETHER, 1},      // two pipes
        {{1, 1}, {1, 1}, 2, 0, PAIRING_APART, 0},         // one
        {{0.5, 0.5}, {0.5, 0.5}, 1, 0, PAIRING_APART, 0}, // the width of the core, or two pipes for both
        {{0.25, 0.25}, {0.25, 0.25}, 1 / 3.0, 0, PAIRING_PARTLY, 2 / 3.0}, // a core six wide, four pipes for each
        {{1, 0.5}, {1, 0.5}, 1.01, 0.01, PAIRING_TOGETHER, 0.98},
        {{1, 1}, {1, 1}, 2.5, 0, PAIRING_SLOWER, -0.5},
        {{1, 1}, {1.5, 1}, 1.5, 0, PAIRING_WAITING, 0.5},      // four cycles' latency in too few streams
        {{0.5, 0.5}, {1, 0.5}, 1, 0, PAIRING_WAITING, 0},      // which hides that they are apart, too
        {{0.5, 0.5}, {3, 1}, 3, 0, PAIRING_WAITING, -4},       // a chain in one stream
        {{1, 1}, {1.5, 1}, 1, 0, PAIRING_TOGETHER, 1},         // the best there is: nothing waited
        {{1, 1}, {1.2, 1}, 1.2, 0, PAIRING_TOGETHER, 0.8},     // waited a little, but cannot have shared much
        {{1, 1}, {1.5, 1}, 2, 0, PAIRING_APART, 0},            // longer than the wait
        {{20, 0.2}, {20, 0.2}, 20.1, 0, PAIRING_UNCLEAR, 0.5}, // too small to be seen beside the other
        {{1, 1}, {1, 1}, 1.5, 0.6, PAIRING_UNCLEAR, 0.5},      // an interval that holds both
        {{1, 1}, {1, 1}, 0.8, 0, PAIRING_UNCLEAR, 1.2},        // impossible
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pairing_times times = {.mix = within(rows[i].mix, rows[i].half)};
        for (int k = 0; k < 2; k++) {
            times.alone[k] = within(rows[i].alone[k], rows[i].half / 10);
            times.few[k] = within(rows[i].few[k], rows[i].half / 10);
        }
        struct pairing found = pairing_find(&times);
        if (found.kind != rows[i].kind || fabs(found.overlap - rows[i].overlap) > 1e-9)
            fail_msg("row %zu: %s, overlap %g", i, pairing_name(found.kind), found.overlap);
    }
}

static void kinds_have_names(void **state) {
    (void)state;
    for (enum pairing_kind a = PAIRING_TOGETHER; a < PAIRING_N_KINDS; a++)
        for (enum pairing_kind b = PAIRING_TOGETHER; b < a; b++)
            assert_string_not_equal(pairing_name(a), pairing_name(b));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(times_tell_pairs), cmocka_unit_test(kinds_have_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
