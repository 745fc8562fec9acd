#include "analyzer/predict/port_spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// All sets of ports, one by one.
static double try_each(const struct cpu_use *work, unsigned n, unsigned n_ports) {
    double most = 0;
    for (uint64_t ports = 1; ports < (uint64_t)1 << n_ports; ports++) {
        double cycles = 0;
        for (unsigned i = 0; i < n; i++)
            cycles += work[i].pipes & ~ports ? 0 : work[i].cycles;
        cycles /= __builtin_popcountll(ports);
        most = cycles > most ? cycles : most;
    }
    return most;
}

// The same ports, each five places from the next.
static uint64_t put_apart(uint64_t ports) {
    uint64_t apart = 0;
    for (uint64_t left = ports; left; left &= left - 1)
        apart |= UINT64_C(1) << 5 * __builtin_ctzll(left);
    return apart;
}

static void is_the_best_of_all_sets(void **state) {
    (void)state;
    enum { MOST = 40, PORTS = 11 };
    unsigned seed = 7;
    for (unsigned round = 0; round < 300; round++) {
        struct cpu_use work[MOST];
        unsigned n = 1 + (unsigned)rand_r(&seed) % MOST; // many: more than 512 unions
        for (unsigned i = 0; i < n; i++)
            work[i] =
                (struct cpu_use){1 + (uint64_t)rand_r(&seed) % ((1 << PORTS) - 1), 1 + (double)(rand_r(&seed) % 8) / 2};
        uint64_t ports;
        double cycles = port_spread(work, n, &ports), there = 0;
        assert_true(fabs(cycles - try_each(work, n, PORTS)) < 1e-9);
        for (unsigned i = 0; i < n; i++)
            there += work[i].pipes & ~ports ? 0 : work[i].cycles;
        assert_true(fabs(there / __builtin_popcountll(ports) - cycles) < 1e-9);
        uint64_t apart;
        for (unsigned i = 0; i < n; i++)
            work[i].pipes = put_apart(work[i].pipes);
        assert_true(port_spread(work, n, &apart) == cycles);
        assert_true(apart == put_apart(ports));
    }
}

static void is_nothing_without_work(void **state) {
    (void)state;
    uint64_t ports = 1;
    assert_true(port_spread(NULL, 0, &ports) == 0);
    assert_int_equal(ports, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_best_of_all_sets),
        cmocka_unit_test(is_nothing_without_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
