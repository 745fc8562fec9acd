#include "analyzer/predict/bound_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct place at(uint64_t offset) {
    return (struct place){{1, offset}, 8};
}

static double cycles_of(const struct place *loads, unsigned n) {
    return bound_paired_loads(loads, n, UINT64_MAX);
}

static void loads_meet(void **state) {
    (void)state;
    const struct place one_line[] = {at(0), at(8)}, other_bank[] = {at(0), at(72)}, same_bank[] = {at(0), at(64)},
                       apart[] = {at(0), {{2, 64}, 8}};
    assert_true(cycles_of(one_line, 1) == .5);
    assert_true(cycles_of(one_line, 2) == 1);
    assert_true(cycles_of(other_bank, 2) == 1);
    assert_true(cycles_of(same_bank, 2) == 2);
    assert_true(cycles_of(apart, 2) == 1);                  // nothing is known of two bases
    assert_true(bound_paired_loads(same_bank, 2, 64) == 1); // the same line of a memory of one line
}

// One pipe behind the other by a load: [0] beside [128 + 8], [16] beside [64].
static void a_pipe_may_run_behind(void **state) {
    (void)state;
    const struct place loads[] = {at(0), at(64), at(16), at(136)}, odd[] = {at(0), at(64), at(16)};
    assert_true(cycles_of(loads, 4) == 2);
    assert_true(cycles_of(odd, 3) == 1.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_meet), cmocka_unit_test(a_pipe_may_run_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
