// Differences with one cause become one finding, whose name does not depend on their order.
#include "check/findings.h"

#include "check/testing_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 5 };

struct fixture {
    struct arena arena;
    struct check_value values[N];
    struct check_difference differences[N];
    const struct check_finding *findings;
    size_t n;
};

// Forms a to d store two cycles too long, each of a class of its own; e has another latency.
static int set_up(void **state) {
    static const char *const forms[N] = {"a", "b", "c", "d", "e"};
    struct fixture *f = test_calloc(1, sizeof *f);
    for (int i = 0; i < N; i++) {
        enum check_quantity quantity = i < N - 1 ? CHECK_THROUGHPUT : CHECK_LATENCY;
        f->values[i] = testing_value(forms[i], arena_printf(&f->arena, "Class%s", forms[i]), quantity, 1, 0.002);
        f->differences[i] = (struct check_difference){
            .value = &f->values[i],
            .number = 2,
            .gap = 1,
            .own = arena_printf(&f->arena, "own/Class%s", forms[i]),
            .shared = i < N - 1 ? "resource/Store/2-cycles/x1/2" : NULL,
            .about = i < N - 1 ? "Store held for 2 cycles" : "",
        };
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

static void test_shared_causes_are_one_finding(void **state) {
    struct fixture *f = *state;
    check_find(&f->arena, CHECK_GAP, f->differences, N, &f->findings, &f->n);
    assert_int_equal(f->n, 2);
    assert_string_equal(f->findings[0].id, "gap:resource/Store/2-cycles/x1/2");
    assert_int_equal(f->findings[0].n_forms, 4);
    assert_int_equal(f->findings[0].n_classes, 4);
    assert_string_equal(f->findings[0].summary, "Store held for 2 cycles: reciprocal throughput 2, measured 1");
    assert_string_equal(f->findings[1].id, "gap:own/Classe");
    assert_string_equal(f->findings[1].summary, "latency 2, measured 1");
}

// A difference of less than the usual digits shows.
static void test_numbers_of_a_finding_differ(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < N - 1; i++)
        f->differences[i].number = 1.0036;
    check_find(&f->arena, CHECK_GAP, f->differences, N, &f->findings, &f->n);
    assert_string_equal(f->findings[0].summary, "Store held for 2 cycles: reciprocal throughput 1.004, measured 1");
}

// A latency through another register file includes the way back on both sides.
static void test_bounds_are_beside_bounds(void **state) {
    struct fixture *f = *state;
    f->values[N - 1].value.relation = TABLE_AT_MOST;
    check_find(&f->arena, CHECK_GAP, f->differences, N, &f->findings, &f->n);
    assert_string_equal(f->findings[1].summary, "latency at most 2, measured at most 1");
}

// Slots against uops differ by convention, however many they are. Slots that moved on the hardware moved.
static void test_slots_are_last(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < N - 1; i++) {
        f->values[i].quantity = CHECK_SLOTS;
        f->differences[i].own = "slots/C";
        f->differences[i].shared = NULL;
    }
    check_find(&f->arena, CHECK_GAP, f->differences, N, &f->findings, &f->n);
    assert_int_equal(f->n, 2);
    assert_false(f->findings[0].is_of_slots);
    assert_true(f->findings[1].is_of_slots);
    assert_string_equal(f->findings[1].id, "gap:slots/C");
    check_find(&f->arena, CHECK_HARDWARE, f->differences, N, &f->findings, &f->n);
    assert_false(f->findings[0].is_of_slots);
    assert_string_equal(f->findings[0].id, "hardware:slots/C");
}

// Sums that are too short come behind all else but slots, and speak of the whole chain.
static void test_sums_are_apart(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < N - 1; i++) {
        f->values[i].quantity = i ? CHECK_LATENCY : CHECK_SLOTS;
        f->values[i].value.relation = TABLE_AT_MOST;
        f->values[i].value.sum = i ? 9 : 0;
        f->differences[i].sum = i ? 2 : 0;
        f->differences[i].gap = i ? -7.0 / 9 : 1;
        f->differences[i].own = i ? "sum/A+B" : "slots/C";
        f->differences[i].shared = NULL;
        f->differences[i].about = i ? "with x" : "";
    }
    check_find(&f->arena, CHECK_GAP, f->differences, N, &f->findings, &f->n);
    assert_int_equal(f->n, 3);
    assert_string_equal(f->findings[0].id, "gap:own/Classe");
    assert_string_equal(f->findings[1].id, "gap:sum/A+B");
    assert_true(f->findings[1].is_of_sums && !f->findings[1].is_of_slots);
    assert_string_equal(f->findings[1].summary, "with x: latencies together 2, measured 9");
    assert_string_equal(f->findings[2].id, "gap:slots/C");
}

static void test_few_classes_keep_their_own(void **state) {
    struct fixture *f = *state;
    check_find(&f->arena, CHECK_MODEL, f->differences, 2, &f->findings, &f->n);
    assert_int_equal(f->n, 2);
    assert_string_equal(f->findings[0].id, "model:own/Classa");
    assert_string_equal(f->findings[1].id, "model:own/Classb");
}

static void test_names_survive_another_order(void **state) {
    struct fixture *f = *state;
    struct check_difference reversed[N];
    const struct check_finding *others;
    size_t n_others;
    for (int i = 0; i < N; i++)
        reversed[i] = f->differences[N - 1 - i];
    check_find(&f->arena, CHECK_GAP, f->differences, N, &f->findings, &f->n);
    check_find(&f->arena, CHECK_GAP, reversed, N, &others, &n_others);
    assert_int_equal(f->n, n_others);
    for (size_t i = 0; i < f->n; i++) {
        assert_string_equal(f->findings[i].id, others[i].id);
        assert_string_equal(f->findings[i].summary, others[i].summary);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shared_causes_are_one_finding, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers_of_a_finding_differ, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bounds_are_beside_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_slots_are_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sums_are_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_few_classes_keep_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_names_survive_another_order, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
