// Kendall's tau-b against counting all pairs, and medians.
#include "corpus/rank.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// By the definition: pairs in the same order less pairs in the other order, over those that are not tied.
static double tau_by_counting(const struct rank_pair *pairs, size_t n) {
    double difference = 0, n_x = 0, n_y = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            int x = (pairs[i].x > pairs[j].x) - (pairs[i].x < pairs[j].x);
            int y = (pairs[i].y > pairs[j].y) - (pairs[i].y < pairs[j].y);
            difference += x * y;
            n_x += x != 0;
            n_y += y != 0;
        }
    return n_x > 0 && n_y > 0 ? difference / sqrt(n_x * n_y) : 0;
}

static void tau_counts_pairs(void **state) {
    (void)state;
    unsigned random = 1;
    for (size_t n = 0; n < 60; n++) {
        struct rank_pair pairs[60];
        for (size_t i = 0; i < n; i++) {
            random = random * 1103515245U + 12345U;
            pairs[i].x = (float)(random >> 16 & 7);
            random = random * 1103515245U + 12345U;
            pairs[i].y = (float)(random >> 16 & 7) + pairs[i].x / 2;
        }
        double wanted = tau_by_counting(pairs, n);
        assert_true(fabs(rank_tau(pairs, n) - wanted) < 1e-12);
    }
}

static void tau_of_orders(void **state) {
    (void)state;
    struct rank_pair same[] = {{1, 10}, {2, 20}, {3, 30}}, other[] = {{1, 3}, {2, 2}, {3, 1}},
                     equal[] = {{1, 1}, {2, 1}, {3, 1}};
    assert_true(fabs(rank_tau(same, 3) - 1) < 1e-12);
    assert_true(fabs(rank_tau(other, 3) + 1) < 1e-12);
    assert_true(rank_tau(equal, 3) == 0);
}

static void medians(void **state) {
    (void)state;
    float odd[] = {3, 1, 2}, even[] = {4, 1, 2, 3};
    assert_true(rank_median(odd, 3) == 2);
    assert_true(rank_median(even, 4) == 2.5);
    assert_true(rank_median(odd, 0) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tau_counts_pairs),
        cmocka_unit_test(tau_of_orders),
        cmocka_unit_test(medians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
