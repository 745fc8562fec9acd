// What a model has no number for.
#include "repair/repair_limits.h"

#include "check/testing_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum repair_limit limit_of(const struct check_value *value, bool is_other_code) {
    struct resource resources[] = {{.name = "none"}, {.name = "P", .units = 1}, {.name = "PQR", .units = 3}};
    const struct machine machine = {.resources = resources, .n_resources = 3, .dispatch_width = 4};
    const struct predicted predicted = {.is_known = true, .cycles = 100, .simulated = value->value.cycles};
    return repair_limit_of(&machine, value, &predicted, is_other_code);
}

static void throughputs_are_whole_cycles_of_pipes(void **state) {
    static const struct {
        double cycles;
        enum repair_limit limit;
    } cases[] = {
        {1, REPAIR_LIMIT_NONE},         {36, REPAIR_LIMIT_NONE},       {2.0 / 3, REPAIR_LIMIT_NONE}, // of three pipes
        {0.5, REPAIR_LIMIT_NONE},                                                                    // of four slots
        {0.612, REPAIR_LIMIT_FRACTION}, {1.07, REPAIR_LIMIT_FRACTION}, {0.2, REPAIR_LIMIT_FRACTION},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct check_value value = testing_value("A", "C", CHECK_THROUGHPUT, cases[i].cycles, 0.001);
        assert_int_equal(limit_of(&value, false), cases[i].limit);
        value.value.relation = TABLE_AT_MOST; // anything below is right
        assert_int_equal(limit_of(&value, false), REPAIR_LIMIT_NONE);
    }
}

static void latencies_are_whole_cycles(void **state) {
    struct check_value whole = testing_value("A", "C", CHECK_LATENCY, 4, 0.01),
                       none = testing_value("A", "C", CHECK_LATENCY, 0, 0.01),
                       average = testing_value("A", "C", CHECK_LATENCY, 4.5, 0.01);
    (void)state;
    assert_int_equal(limit_of(&whole, false), REPAIR_LIMIT_NONE);
    assert_int_equal(limit_of(&none, false), REPAIR_LIMIT_NONE);
    assert_int_equal(limit_of(&average, false), REPAIR_LIMIT_FRACTION); // although two slots of four are half a cycle
}

static void what_no_opcode_has_a_number_for(void **state) {
    struct check_value high = testing_value("ADD8rr-high0", "C", CHECK_LATENCY, 4, 0.01), same = high, memory = high,
                       locked = high, stack = testing_value("ADD_FST0r", "C", CHECK_LATENCY, 3, 0.01);
    (void)state;
    same.source = "same";
    memory.destination = "memory";
    stack.source = stack.destination = "st0";
    assert_int_equal(limit_of(&high, false), REPAIR_LIMIT_OPERANDS);
    assert_int_equal(limit_of(&same, false), REPAIR_LIMIT_REGISTER);
    assert_int_equal(limit_of(&memory, false), REPAIR_LIMIT_MEMORY);
    assert_int_equal(limit_of(&locked, true), REPAIR_LIMIT_CODE);
    assert_int_equal(limit_of(&stack, false), REPAIR_LIMIT_STACK);
    for (int limit = 0; limit < REPAIR_N_LIMITS; limit++)
        assert_non_null(repair_limit_about((enum repair_limit)limit));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throughputs_are_whole_cycles_of_pipes),
        cmocka_unit_test(latencies_are_whole_cycles),
        cmocka_unit_test(what_no_opcode_has_a_number_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
