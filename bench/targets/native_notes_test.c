#include "bench/targets/native_notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct target_round between(const struct native_notes *before, const struct native_notes *after) {
    struct target_round round = {.switches = 99, .migrations = 99, .faults = 99, .stolen_ns = 99};
    native_notes_compare(before, after, &round);
    return round;
}

static void what_happened_is_counted(void **state) {
    (void)state;
    struct native_notes before = {.cpu = 1}, after;
    before.usage.ru_nvcsw = 10;
    before.usage.ru_nivcsw = 20;
    before.usage.ru_minflt = 30;
    before.usage.ru_majflt = 40;
    after = before;
    struct target_round quiet = between(&before, &after);
    assert_int_equal(quiet.switches, 0);
    assert_int_equal(quiet.migrations, 0);
    assert_int_equal(quiet.faults, 0);
    assert_int_equal(quiet.stolen_ns, 0);
    after.cpu = 2;
    after.usage.ru_nvcsw += 1;
    after.usage.ru_nivcsw += 2;
    after.usage.ru_minflt += 3;
    after.usage.ru_majflt += 4;
    after.not_running_ns += 50000;
    struct target_round disturbed = between(&before, &after);
    assert_int_equal(disturbed.switches, 1 + 2);
    assert_int_equal(disturbed.migrations, 1);
    assert_int_equal(disturbed.faults, 3 + 4);
    assert_int_equal(disturbed.stolen_ns, 50000);
}

// The two clocks are not read at the same moment: what that can make of them was not stolen, a few µs were.
static void the_clocks_distance_is_not_stolen(void **state) {
    (void)state;
    struct native_notes before = {.not_running_ns = 1000000}, after = before;
    after.not_running_ns = before.not_running_ns + 1000;
    assert_int_equal(between(&before, &after).stolen_ns, 0);
    after.not_running_ns = before.not_running_ns - 1000;
    assert_int_equal(between(&before, &after).stolen_ns, 0);
    after.not_running_ns = before.not_running_ns + 5000;
    assert_int_equal(between(&before, &after).stolen_ns, 5000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_happened_is_counted),
        cmocka_unit_test(the_clocks_distance_is_not_stolen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
