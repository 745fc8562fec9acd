#include "lab/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static char said[200];

static void take_note(void *context, enum lab_note kind, const char *text) {
    (void)context;
    assert_int_equal(kind, LAB_NOTE);
    strncpy(said, text, sizeof said - 1);
}

static const struct lab_listener listener = {.note = take_note};

static void passes_end_with_the_values_or_the_budget(void **state) {
    (void)state;
    struct passes passes;
    struct pass_effort effort;
    passes_start(&passes, 100, 8, 50);
    assert_false(passes_next(&passes, &listener, 0, &effort));
    assert_true(passes_next(&passes, &listener, 20, &effort));
    assert_string_equal(said, "20 values are unstable: pass 2 measures them again");
    assert_true(passes_next(&passes, &listener, 1, &effort));
    assert_string_equal(said, "1 value is unstable: pass 3 measures it again");
    // The same number again is no news.
    strcpy(said, "nothing");
    assert_true(passes_next(&passes, &listener, 1, &effort));
    assert_string_equal(said, "nothing");
    assert_int_equal(passes.n, 4);
    passes_start(&passes, 0, 8, 50);
    assert_false(passes_next(&passes, &listener, 20, &effort));
}

static void passes_do_not_go_on_for_ever(void **state) {
    (void)state;
    struct passes passes;
    struct pass_effort effort;
    unsigned n = 0;
    passes_start(&passes, 1e6, 8, 50);
    while (n < 1000 && passes_next(&passes, &listener, 20, &effort))
        n++;
    assert_in_range(n, 5, 50);
}

// Where short tries help, a value does not wait; where they do not, it does. Few values have more time each.
static void a_pass_waits_where_short_ones_do_not_help(void **state) {
    (void)state;
    struct passes passes;
    struct pass_effort many, few, same;
    passes_start(&passes, 240, 8, 10000);
    assert_true(passes_next(&passes, &listener, 5000, &many));
    assert_true(passes_next(&passes, &listener, 400, &few));
    assert_true(passes_next(&passes, &listener, 400, &same));
    assert_true(many.is_hasty && few.is_hasty && !same.is_hasty);
    assert_true(few.attempt_ms > many.attempt_ms && many.attempt_ms >= 10 && few.attempt_ms <= 200);
    assert_true(many.retry_seconds > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_end_with_the_values_or_the_budget),
        cmocka_unit_test(passes_do_not_go_on_for_ever),
        cmocka_unit_test(a_pass_waits_where_short_ones_do_not_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
