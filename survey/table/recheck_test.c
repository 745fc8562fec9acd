// Throughputs that are a little slower than their class.
#include "survey/table/recheck.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 4 };

struct fixture {
    struct arena arena;
    struct table_throughput throughputs[MOST_ROWS];
    struct table_row rows[MOST_ROWS];
    struct survey_table table;
};

// Forms of one class, each with one throughput: kernels "0", "1", ...
static void set_up(struct fixture *f, const double *cycles, size_t n) {
    static const char *const names[MOST_ROWS] = {"0", "1", "2", "3"};
    *f = (struct fixture){.table = {.rows = f->rows, .n_rows = n}};
    for (size_t i = 0; i < n; i++) {
        f->throughputs[i] = (struct table_throughput){.streams = 16,
                                                      .value = {.is_known = true,
                                                                .kernel = names[i],
                                                                .cycles = cycles[i],
                                                                .low = cycles[i] * 0.998,
                                                                .high = cycles[i] * 1.002,
                                                                .verdict = MEASURED_WITHIN}};
        f->rows[i] = (struct table_row){
            .form = names[i], .sched_class = "C", .throughputs = &f->throughputs[i], .n_throughputs = 1};
    }
}

// The names, one after the other: "13".
static const char *slower_of(struct fixture *f) {
    static char text[MOST_ROWS + 1];
    size_t n = 0;
    const char **names = recheck_than_class(&f->arena, &f->table, &n);
    for (size_t i = 0; i <= n; i++)
        text[i] = i < n ? *names[i] : '\0';
    arena_free(&f->arena);
    return text;
}

static void a_little_slower_than_the_class_is_found(void **state) {
    static const double cycles[] = {0.5, 0.532, 0.503, 0.7}; // 0.503 may be the same, and 0.7 is another kind
    struct fixture f;
    (void)state;
    set_up(&f, cycles, 4);
    assert_string_equal(slower_of(&f), "012"); // with its witnesses
    f.throughputs[0].value.cycles = f.throughputs[0].value.low = f.throughputs[0].value.high = 0.66;
    assert_string_equal(slower_of(&f), "0123"); // beside 0.503 and 0.66
}

static void only_what_is_alike_is_compared(void **state) {
    static const double cycles[] = {0.5, 0.532};
    struct fixture f;
    (void)state;
    set_up(&f, cycles, 2);
    assert_string_equal(slower_of(&f), "01");
    f.throughputs[0].streams = 8;
    assert_string_equal(slower_of(&f), "");
    set_up(&f, cycles, 2);
    f.throughputs[1].is_looped = true;
    assert_string_equal(slower_of(&f), "");
    set_up(&f, cycles, 2);
    f.rows[1].sched_class = "D";
    assert_string_equal(slower_of(&f), "");
    set_up(&f, cycles, 2);
    f.rows[1].sched_class = NULL;
    assert_string_equal(slower_of(&f), "");
}

static void only_single_stable_values_are_compared(void **state) {
    static const double cycles[] = {0.5, 0.532};
    struct fixture f;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct table_value *value = &f.throughputs[i].value;
        set_up(&f, cycles, 2);
        value->verdict = MEASURED_UNSTABLE;
        assert_string_equal(slower_of(&f), "");
        set_up(&f, cycles, 2);
        value->has_two_speeds = true;
        assert_string_equal(slower_of(&f), "");
        set_up(&f, cycles, 2);
        value->relation = TABLE_AT_MOST;
        assert_string_equal(slower_of(&f), "");
        set_up(&f, cycles, 2);
        value->is_known = false;
        assert_string_equal(slower_of(&f), "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_little_slower_than_the_class_is_found),
        cmocka_unit_test(only_what_is_alike_is_compared),
        cmocka_unit_test(only_single_stable_values_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
