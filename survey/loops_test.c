// Forms of which a loop is to be measured as well.
#include "survey/loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct table_throughput of(const char *kernel, bool is_looped, double cycles) {
    return (struct table_throughput){.is_looped = is_looped,
                                     .streams = 6,
                                     .value = {.is_known = true,
                                               .kernel = kernel,
                                               .cycles = cycles,
                                               .low = cycles * 0.998,
                                               .high = cycles * 1.002,
                                               .verdict = MEASURED_WITHIN}};
}

// The names, one after the other: "13".
static const char *wanted(const struct table_row *rows, size_t n_rows) {
    static char text[8];
    struct arena arena = {0};
    const struct survey_table table = {.rows = rows, .n_rows = n_rows};
    size_t n = 0;
    const char **names = loops_wanted(&arena, &table, &n);
    assert_true(n < sizeof text);
    for (size_t i = 0; i <= n; i++)
        text[i] = i < n ? *names[i] : '\0';
    arena_free(&arena);
    return text;
}

static struct table_row form(const char *name, const char *sched_class, const struct table_throughput *throughputs,
                             size_t n) {
    return (struct table_row){.form = name, .sched_class = sched_class, .throughputs = throughputs, .n_throughputs = n};
}

static struct table_row row(const char *sched_class, const struct table_throughput *throughputs, size_t n) {
    return form("F", sched_class, throughputs, n);
}

static void a_loop_that_is_faster_shows_it_for_its_class(void **state) {
    struct table_throughput first[] = {of("1", false, 1), of("1", true, 0.64)}, alone[] = {of("2", false, 1)},
                            other[] = {of("3", false, 1)}, broken[] = {of("4", false, 1)};
    const struct table_row rows[] = {row("XCHG", first, 2), row("XCHG", alone, 1), row("IMUL", other, 1),
                                     row("XCHG", broken, 1)};
    (void)state;
    broken[0].has_breakers = true;
    first[1] = of("1", true, 0.93); // too little to show it for forms of other classes
    assert_string_equal(wanted(rows, 4), "2");
    first[1] = of("1", true, 0.995); // no more than measuring explains
    assert_string_equal(wanted(rows, 4), "");
    first[1] = of("1", true, 0.64);
    first[1].value.verdict = MEASURED_UNSTABLE;
    assert_string_equal(wanted(rows, 4), ""); // its loop shows nothing yet
}

static void one_that_is_much_faster_shows_it_for_its_name(void **state) {
    struct table_throughput first[] = {of("1", false, 1), of("1", true, 0.64)}, alone[] = {of("2", false, 1)},
                            other[] = {of("3", false, 1)};
    const struct table_row rows[] = {form("XCHG8rr", "A", first, 2), form("XCHG64rr", "B", alone, 1),
                                     form("XCHGX64rr", "C", other, 1), form("XCH_F", NULL, other, 1)};
    (void)state;
    assert_string_equal(wanted(rows, 4), "2");
}

static void a_fraction_is_measured_as_a_loop(void **state) {
    static const double whole[] = {0.1667, 0.2, 0.25, 0.333, 0.4, 0.5, 0.667, 1, 1.333, 1.5, 17.01},
                        fractions[] = {0.346, 0.382, 0.45, 0.53, 0.647, 1.024, 1.07, 2.11};
    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        struct table_throughput one[] = {of("1", false, whole[i])};
        const struct table_row rows[] = {row("A", one, 1)};
        if (*wanted(rows, 1))
            fail_msg("%g cycles are whole", whole[i]);
    }
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        struct table_throughput one[] = {of("1", false, fractions[i]), of("1", true, 0.5)};
        const struct table_row alone[] = {row("A", one, 1)}, both[] = {row("A", one, 2)};
        if (!*wanted(alone, 1))
            fail_msg("%g cycles are not whole", fractions[i]);
        assert_string_equal(wanted(both, 1), ""); // it has a loop
    }
}

static void nothing_stable_wants_nothing(void **state) {
    struct table_throughput one[] = {of("1", false, 0.53)};
    const struct table_row rows[] = {row("A", one, 1), row("A", NULL, 0)};
    (void)state;
    one[0].value.verdict = MEASURED_UNSTABLE;
    assert_string_equal(wanted(rows, 2), "");
    one[0].value = (struct table_value){0};
    assert_string_equal(wanted(rows, 2), "");
    assert_string_equal(wanted(rows, 0), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_is_faster_shows_it_for_its_class),
        cmocka_unit_test(one_that_is_much_faster_shows_it_for_its_name),
        cmocka_unit_test(a_fraction_is_measured_as_a_loop),
        cmocka_unit_test(nothing_stable_wants_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
