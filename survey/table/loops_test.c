// Forms of which a loop is to be measured as well.
#include "survey/table/loops.h"

#include "gen/isa.h"

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
    const char **names = loops_wanted(&arena, isa_find("x86_64"), &table, &n);
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

// Immediates of 16 bits behind a prefix, by the encoding alone. The other encodings have no such prefix, another kind
// of immediate, or REX.W in its place.
static void what_may_stall_is_measured_as_a_loop(void **state) {
    static const struct {
        const char *bytes, *what;
        bool stalls;
    } cases[] = {
        {"6681c10100", "addw $1, %cx", true},
        {"664181c00100", "addw $1, %r8w", true},
        {"66050100", "addw $1, %ax", true},
        {"66b90100", "movw $1, %cx", true},
        {"66f7c10100", "testw $1, %cx", true},
        {"6669c90100", "imulw $1, %cx, %cx", true},
        {"66c7014000", "movw $64, (%rcx)", true},
        {"66680100", "pushw $1", true},
        {"f0668101010066810101", "lock addw $1, (%rcx)", true},
        {"66a90100", "testw $1, %ax", true},
        {"6683c101", "addw $1, %cx, of 8 bits", false},
        {"81c101000000", "addl $1, %ecx", false},
        {"664881c101000000", "addq $1, %rcx behind a useless prefix", false},
        {"66f7d1", "notw %cx", false},
        {"66b101", "movb $1, %cl behind a useless prefix", false},
        {"660f6fc1", "movdqa", false},
        {"66", "a prefix alone", false},
        {"", "nothing", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table_throughput both[] = {of("1", false, 3), of("1", true, 0.2)};
        const struct table_row alone[] = {row("A", both, 1)}, with_loop[] = {row("A", both, 2)};
        both[0].value.bytes = cases[i].bytes;
        if ((*wanted(alone, 1) == '1') != cases[i].stalls)
            fail_msg("%s: stalls, or not", cases[i].what);
        assert_string_equal(wanted(with_loop, 1), "");
        both[0].value.verdict = MEASURED_UNSTABLE; // as where the stall comes and goes
        if ((*wanted(alone, 1) == '1') != cases[i].stalls)
            fail_msg("unstable %s: stalls, or not", cases[i].what);
    }
}

static void a_width_that_is_slower_is_measured_as_a_loop(void **state) {
    struct table_throughput narrow[] = {of("1", false, 3), of("1", true, 3)}, wide[] = {of("2", false, 0.2)},
                            other[] = {of("3", false, 3)};
    const struct table_row rows[] = {form("ADD16ri", "A", narrow, 1), form("ADD64ri32", "B", wide, 1),
                                     form("ADD16rr", "A", other, 1)},
                           measured[] = {form("ADD16ri", "A", narrow, 2), form("ADD64ri32", "B", wide, 1)};
    (void)state;
    assert_string_equal(wanted(rows, 3), "1");
    assert_string_equal(wanted(measured, 2), "");
    narrow[0] = of("1", false, 0.2);
    assert_string_equal(wanted(rows, 3), "");
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
        cmocka_unit_test(what_may_stall_is_measured_as_a_loop),
        cmocka_unit_test(a_width_that_is_slower_is_measured_as_a_loop),
        cmocka_unit_test(nothing_stable_wants_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
