// Two speeds of a class: those that some of its forms were seen at both.
#include "survey/table/clusters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N_ROWS = 6 };

struct fixture {
    struct arena arena;
    struct table_throughput throughputs[N_ROWS];
    struct table_row rows[N_ROWS];
};

static void set(struct table_throughput *throughput, double cycles) {
    *throughput = (struct table_throughput){.streams = 16,
                                            .seen_least = cycles,
                                            .seen_most = cycles,
                                            .value = {.is_known = true,
                                                      .cycles = cycles,
                                                      .low = cycles * 0.998,
                                                      .high = cycles * 1.002,
                                                      .verdict = MEASURED_EXACT}};
}

// A class whose forms take 0.50 or 0.565 cycles, and one that takes 1.
static int set_up(void **state) {
    static const double cycles[N_ROWS] = {0.5, 0.565, 0.501, 0.564, 0.565, 1};
    struct fixture *f = test_calloc(1, sizeof *f);
    for (size_t i = 0; i < N_ROWS; i++) {
        set(&f->throughputs[i], cycles[i]);
        f->rows[i] =
            (struct table_row){.form = "F", .sched_class = "C", .throughputs = &f->throughputs[i], .n_throughputs = 1};
    }
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

// The rows whose values hold both speeds, a digit each: "0134".
static const char *widened(struct fixture *f) {
    static char text[N_ROWS + 1];
    size_t n = 0;
    clusters_mark(&f->arena, f->rows, N_ROWS);
    for (size_t i = 0; i < N_ROWS; i++) {
        const struct table_value *value = &f->rows[i].throughputs->value;
        if (!value->has_two_speeds)
            continue;
        assert_true(value->low < 0.5 && value->low > 0.49 && value->high > 0.565 && value->high < 0.57);
        assert_int_equal(value->verdict, MEASURED_WITHIN);
        assert_string_equal(value->why, "two speeds of its class, 0.5 and 0.565 cycles, by a state of the core");
        text[n++] = (char)('0' + i);
    }
    text[n] = '\0';
    return text;
}

// Forms that differ are each as they are.
static void forms_that_differ(void **state) {
    struct fixture *f = *state;
    assert_string_equal(widened(f), "");
    f->throughputs[0].seen_most = 0.565; // one witness may have been disturbed
    assert_string_equal(widened(f), "");
    f->throughputs[2].seen_most = 0.53; // at neither speed
    assert_string_equal(widened(f), "");
}

// Two that were seen at both speeds show that neither is a form's own. A value that moved is no longer unstable then.
static void a_state_of_the_core(void **state) {
    struct fixture *f = *state;
    f->throughputs[0].seen_most = 0.565;
    f->throughputs[3].seen_least = 0.5;
    f->throughputs[3].value.verdict = MEASURED_UNSTABLE;
    f->throughputs[3].value.why = "an earlier look found 0.5";
    f->throughputs[4].value.verdict = MEASURED_UNSTABLE; // for another reason
    assert_string_equal(widened(f), "0123");
    assert_ptr_equal(f->rows[5].throughputs, &f->throughputs[5]);
    assert_int_equal(f->rows[4].throughputs->value.verdict, MEASURED_UNSTABLE);
}

// A value whose interval is wide stretches no speed: what lies between two is of neither.
static void wide_intervals(void **state) {
    struct fixture *f = *state;
    f->throughputs[1].value.low = 0.51;
    f->throughputs[0].seen_most = f->throughputs[2].seen_most = 0.53;
    assert_string_equal(widened(f), "");
}

static void only_what_is_alike_is_compared(void **state) {
    struct fixture *f = *state;
    f->throughputs[0].seen_most = f->throughputs[2].seen_most = 0.565;
    f->rows[1].sched_class = "D";
    f->throughputs[3].streams = 8;
    f->throughputs[4].is_looped = true;
    assert_string_equal(widened(f), "");
    f->throughputs[4].is_looped = false;
    assert_string_equal(widened(f), "024");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forms_that_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_state_of_the_core, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wide_intervals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_what_is_alike_is_compared, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
