// Chains through the stack of x87, as on a Zen 4: an addition takes 7 cycles there.
#include "analyzer/predict/testing_cpu_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char text[] = "cpu: 1\n"
                           "name: small\n"
                           "base: znver4\n"
                           "parameters: {dispatch-width: 6, x87-stack: 1, loads-per-cycle: 3, stores-per-cycle: 2}\n"
                           "forms:\n"
                           "  - {match: 'ADD_F(ST0r|rST0|PrST0|32m)', latency: 7}\n"
                           "  - {match: 'LD_Frr|ST_FP?rr|CHS_F', latency: 1}\n";

static int open_file(void **state) {
    return testing_cpu_file_open(state, text);
}

static void chains(void **state) {
    static const struct {
        const char *hex, *what;
        double latency;
    } rows[] = {
        {"d8c1", "fadd st, st(1)", 7},
        {"d8c1d9e0", "fadd st, st(1); fchs", 8},
        {"dcc1", "fadd st(1), st", 7},
        {"dcc1dcc2", "fadd st(1), st; fadd st(2), st: side by side", 7},
        {"d9e8dec1", "fld1; faddp st(1), st", 7},
        {"d9c0ddd9", "fld st(0); fstp st(1): both copy", 2},
        {"d9e0d9c9", "fchs; fxch st(1): two chains, each in every other turn", 0.5},
        {"d8c1d9c9d8c2", "fadd st, st(1); fxch st(1); fadd st, st(2): one waits for the other", 7},
        {"d807", "fadd dword ptr [rdi]", 7},
        {"d9e8ddd8", "fld1; fstp st(0): nothing waits", 0},
        {"d8c1ddd8", "fadd st, st(1); fstp st(0): each pass finds other registers, and is not followed", 0},
        {"d9e8d8c1d8c2", "fld1; fadd st, st(1); fadd st, st(2): so is this", 0},
        {"d8c1dbe3", "fadd st, st(1); fninit: nothing is known", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bounds bounds =
            testing_bounds(*state, rows[i].hex, (struct bounds_request){.registers = BOUNDS_APART});
        print_message("%s: %.4f\n", rows[i].what, bounds.cycles[BOUND_LATENCY]);
        assert_true(fabs(bounds.cycles[BOUND_LATENCY] - rows[i].latency) < 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains)};
    return cmocka_run_group_tests(tests, open_file, testing_cpu_file_close);
}
