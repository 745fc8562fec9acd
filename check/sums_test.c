// Which latencies are sums, and by how much a model's is too short.
#include "check/sums.h"

#include "check/testing_values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// A chain of 9 cycles, of which the way back takes one at least.
static struct check_value sum_of_nine(void) {
    struct check_value value = testing_value("A", "C", CHECK_LATENCY, 8, 0.02);
    value.value.relation = TABLE_AT_MOST;
    value.value.sum = 9;
    return value;
}

static double missing(const struct check_value *value, double cycles) {
    const struct predicted predicted = {.is_known = true, .cycles = cycles, .simulated = cycles + 1, .resource = ""};
    return sums_missing(value, &predicted);
}

static void a_shorter_sum_lacks_cycles(void **state) {
    const struct check_value value = sum_of_nine();
    (void)state;
    assert_true(fabs(missing(&value, 1) - 6.98) < 1e-9);
    assert_true(fabs(missing(&value, 7) - 0.98) < 1e-9);
    assert_true(missing(&value, 7.8) == 0); // less than half a cycle
    assert_true(missing(&value, 8) == 0 && missing(&value, 12) == 0);
    const struct predicted unknown = {.why = "it was not measured", .resource = ""};
    assert_true(sums_missing(&value, &unknown) == 0);
}

static void other_values_are_no_sums(void **state) {
    struct check_value value = sum_of_nine();
    (void)state;
    assert_true(sums_is_one(&value));
    value.value.relation = TABLE_EQUAL;
    assert_false(sums_is_one(&value));
    value = sum_of_nine();
    value.value.sum = 0; // a bound for another reason
    assert_false(sums_is_one(&value));
    assert_true(missing(&value, 1) == 0);
    value = sum_of_nine();
    value.destination = "memory";
    assert_false(sums_is_one(&value));
    value = sum_of_nine();
    value.source = "same";
    assert_false(sums_is_one(&value));
    value = sum_of_nine();
    value.quantity = CHECK_THROUGHPUT;
    assert_false(sums_is_one(&value));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_shorter_sum_lacks_cycles),
                                       cmocka_unit_test(other_values_are_no_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
