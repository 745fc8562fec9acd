// Results that the same kind of instruction has earlier than others: which values they are, what is named as the cause
// where a model has one number, and what a
// repair makes of it.
#include "check/forwarding.h"

#include "check/gap.h"
#include "check/testing_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// By form and detail, as check_results_read has them.
enum { FIRST, FIRST_TO_OTHERS, MASKED, MEMORY, SAME, SLOW, STORED, THROUGH, OTHER_CLASS, N };

static void make_values(struct check_value *values) {
    static const struct {
        const char *form, *class_name, *source, *destination;
        double cycles;
    } all[N] = {
        [FIRST] = {"VADDPDYrr", "WriteFAddY", "1", "0", 2},
        [FIRST_TO_OTHERS] = {"VADDPDYrr", "WriteFAddY", "1", "0", 3},
        [MASKED] = {"VADDPDZ256rrk", "WriteFAddY", "3", "0", 2},
        [MEMORY] = {"VADDPSYrm", "WriteFAddYLd", "1", "0", 2},
        [SAME] = {"VADDPSYrr", "WriteFAddY", "same", "0", 2},
        [SLOW] = {"VHADDPSYrr", "WriteFAddY", "1", "0", 4},
        [STORED] = {"VMAXPSYrr", "WriteFAddY", "1", "memory", 2},
        [THROUGH] = {"VMINPSYrr", "WriteFAddY", "1", "0", 2},
        [OTHER_CLASS] = {"VMULPSYrr", "WriteFMulY", "1", "0", 2},
    };
    for (int i = 0; i < N; i++) {
        values[i] = testing_value(all[i].form, all[i].class_name, CHECK_LATENCY, all[i].cycles, 0.01);
        values[i].source = all[i].source;
        values[i].destination = all[i].destination;
    }
    values[FIRST_TO_OTHERS].is_to_others = true;
    values[FIRST_TO_OTHERS].value.partner = "vandps";
    values[MASKED].value.partner = TABLE_CROSSING;
    values[THROUGH].value.partner = "vandps"; // what others wait for, it is
}

static void test_its_own_kind(void **state) {
    struct arena arena = {0};
    struct check_value values[N];
    (void)state;
    make_values(values);
    forwarding_mark(&arena, values, N);
    static const bool are_marked[N] = {[FIRST] = true, [MASKED] = true, [MEMORY] = true, [SAME] = true};
    for (int i = 0; i < N; i++)
        if ((values[i].to_others == 3) != are_marked[i] || (values[i].to_others == 0) == are_marked[i])
            fail_msg("%s %s: %g", values[i].form, values[i].source, values[i].to_others);
    arena_free(&arena);
}

// What is not sure marks nothing.
static void test_only_what_is_sure(void **state) {
    struct arena arena = {0};
    struct check_value values[N];
    (void)state;
    make_values(values);
    values[FIRST_TO_OTHERS].value.verdict = MEASURED_UNSTABLE;
    values[MASKED].value.relation = TABLE_AT_MOST;
    forwarding_mark(&arena, values, N);
    for (int i = 0; i < N; i++)
        assert_true(values[i].to_others == 0);
    values[FIRST_TO_OTHERS].value.verdict = MEASURED_EXACT;
    forwarding_mark(&arena, values, N);
    assert_true(values[FIRST].to_others == 3);
    assert_true(values[MASKED].to_others == 0);
    arena_free(&arena);
}

// A class with several pairs: each form takes the one that it is as long as, and the longest of others. The order of
// the forms does not matter.
static void test_several_of_a_class(void **state) {
    struct arena arena = {0};
    struct check_value values[5];
    (void)state;
    for (int order = 0; order < 2; order++) {
        for (int i = 0; i < 5; i++) {
            static const char *const forms[] = {"A", "A", "B", "B", "C"};
            const double cycles[] = {2, order ? 4 : 3, 2, order ? 3 : 4, 2};
            values[i] = testing_value(forms[i], "Class", CHECK_LATENCY, cycles[i], 0.01);
            values[i].source = "1";
            values[i].destination = "0";
            values[i].is_to_others = i == 1 || i == 3;
        }
        forwarding_mark(&arena, values, 5);
        assert_true(values[0].to_others == 4 && values[2].to_others == 4 && values[4].to_others == 4);
    }
    values[0].value.cycles = values[2].value.cycles = 1; // of other lengths than that of C
    values[0].to_others = values[2].to_others = values[4].to_others = 0;
    forwarding_mark(&arena, values, 5);
    assert_true(values[0].to_others == 4 && values[4].to_others == 0);
    arena_free(&arena);
}

static const char *cause_of(struct arena *arena, const struct check_value *value, double predicted) {
    struct predicted number = {.is_known = true, .cycles = predicted, .simulated = predicted, .resource = ""};
    return gap_describe(arena, value, &number).own;
}

static void test_a_kind_of_its_own(void **state) {
    struct arena arena = {0};
    struct check_value values[N];
    (void)state;
    make_values(values);
    assert_string_equal(cause_of(&arena, &values[FIRST], 3), "latency/WriteFAddY");
    assert_string_equal(cause_of(&arena, &values[SAME], 3), "same-register/WriteFAddY");
    forwarding_mark(&arena, values, N);
    assert_string_equal(cause_of(&arena, &values[FIRST], 3), "forwarding/WriteFAddY");
    assert_string_equal(cause_of(&arena, &values[SAME], 3), "forwarding/WriteFAddY");
    assert_string_equal(cause_of(&arena, &values[MEMORY], 3), "forwarding/WriteFAddYLd");
    struct predicted three = {.is_known = true, .cycles = 3, .simulated = 3, .resource = ""};
    assert_string_equal(gap_describe(&arena, &values[FIRST], &three).about,
                        "2 cycles to its own kind, 3 to others; the model lacks it");
    // No instruction waits for four cycles, or for one.
    assert_string_equal(cause_of(&arena, &values[FIRST], 4), "latency/WriteFAddY");
    assert_string_equal(cause_of(&arena, &values[FIRST], 1), "latency/WriteFAddY");
    assert_string_equal(cause_of(&arena, &values[FIRST_TO_OTHERS], 4), "latency/WriteFAddY");
    assert_string_equal(cause_of(&arena, &values[OTHER_CLASS], 3), "latency/WriteFMulY");
    arena_free(&arena);
}

// A repair takes every number from the own kind's to the others', and no number beyond. Where the model has the own
// kind's number, it shall keep it.
static void test_a_repair_accepts_both(void **state) {
    struct arena arena = {0};
    struct check_value values[N];
    (void)state;
    make_values(values);
    forwarding_mark(&arena, values, N);
    for (int cycles = 1; cycles <= 5; cycles++) {
        struct check_value value = values[FIRST], other = values[OTHER_CLASS];
        struct predicted predicted = {
            .is_known = true, .cycles = cycles, .simulated = cycles, .kind = BOTTLENECK_UNKNOWN, .resource = ""};
        forwarding_accept(&value, 3);
        forwarding_accept(&other, 3);
        assert_int_equal(gap_find(&value, &predicted) == 0, cycles == 2 || cycles == 3);
        assert_int_equal(gap_find(&other, &predicted) == 0, cycles == 2);
        value = values[FIRST];
        forwarding_accept(&value, 2);
        assert_int_equal(gap_find(&value, &predicted) == 0, cycles == 2);
        value = values[MEMORY];
        forwarding_accept(&value, 5);
        assert_true(value.value.cycles == 3); // what a repair shall come to
    }
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_its_own_kind),          cmocka_unit_test(test_only_what_is_sure),
        cmocka_unit_test(test_several_of_a_class),    cmocka_unit_test(test_a_kind_of_its_own),
        cmocka_unit_test(test_a_repair_accepts_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
