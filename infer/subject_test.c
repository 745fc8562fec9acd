// What of a survey's bounds a CPU file takes: slots of microcode, which are no whole number, and throughputs that a
// base is far below, of two speeds or with other instructions around the form. Latencies of pairs, where one is
// missing.
#include "infer/subject.h"

#include "analyzer/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <strings.h>

#include <cmocka.h>

static const char base[] = "cpu: 1\n"
                           "name: small\n"
                           "base: znver4\n"
                           "parameters: {dispatch-width: 6}\n";

struct fixture {
    struct arena arena;
    struct model model;
    struct predictor predictor;
    struct subject_view view;
};

static void open_fixture(struct fixture *fixture) {
    struct fail fail = {0};
    *fixture = (struct fixture){.arena = {0}};
    if (!model_open_cpu_text(&fixture->model, &fixture->arena, NULL, "small.cpu.yaml", base, &fail))
        fail_msg("%s", fail.text);
    predictor_open(&fixture->predictor, &fixture->arena, &fixture->model);
    fixture->predictor.only_cycles = true;
    fixture->view = (struct subject_view){&fixture->arena, &fixture->arena, &fixture->predictor, fixture->model.own, 0};
}

static void close_fixture(struct fixture *fixture) {
    model_close(&fixture->model);
    arena_free(&fixture->arena);
}

// Numbers of a form after one value of its code.
static struct numbers taken(const char *opcode, const char *code, enum check_quantity quantity,
                            const struct table_value *measured) {
    struct fixture fixture;
    open_fixture(&fixture);
    const struct table_part part = {.code = code, .factor = 1};
    struct check_value value = {.form = opcode, .quantity = quantity, .detail = "", .code = code, .value = *measured};
    value.value.is_known = true;
    value.value.verdict = MEASURED_WITHIN;
    value.value.parts = &part;
    value.value.n_parts = 1;
    const struct form form = {.name = opcode, .opcode = opcode};
    struct subject subject = {.form = &form, .values = &value, .n_values = 1};
    if (quantity == CHECK_SLOTS)
        subject_take_slots(&fixture.view, &subject);
    else
        subject_take_throughput(&fixture.view, &subject);
    close_fixture(&fixture);
    return subject.numbers;
}

static const char bts[] = "480fba2e05", scatter[] = "62f27d49a0140e"; // bts qword [rsi], 5; vpscatterdd [rsi+zmm1]{k1}

static void slots_of_microcode_are_its_whole_ones(void **state) {
    (void)state;
    const struct table_value between = {.cycles = 6.63, .low = 6.4, .high = 6.9, .relation = TABLE_AT_MOST},
                             around = {.cycles = 6.63, .low = 5.9, .high = 7.2, .relation = TABLE_AT_MOST};
    struct numbers numbers = taken("BTS64mi8", bts, CHECK_SLOTS, &between);
    assert_true(numbers.has_slots);
    assert_int_equal(numbers.slots, 6);
    assert_false(taken("BTS64mi8", bts, CHECK_SLOTS, &around).has_slots); // it may be any number below
}

static void a_time_far_above_the_base_is_taken(void **state) {
    (void)state;
    const struct table_value two = {.cycles = 23,
                                    .low = 22.5,
                                    .high = 24.5,
                                    .relation = TABLE_AT_MOST,
                                    .has_two_speeds = true},
                             little = {.cycles = 1.2, .low = 1.1, .high = 1.3, .relation = TABLE_AT_MOST};
    struct numbers numbers = taken("VPSCATTERDDZmr", scatter, CHECK_THROUGHPUT, &two);
    assert_true(numbers.has_serial);
    assert_true(numbers.serial > 21.9 && numbers.serial < 23.1); // the faster one, in two figures
    assert_false(taken("VPSCATTERDDZmr", scatter, CHECK_THROUGHPUT, &little).has_serial);
}

// Of two speeds, either is a time that it took: what the base holds its pipes for longer than both is too long.
static void two_speeds_below_the_base_are_taken(void **state) {
    (void)state;
    static const char convert[] = "c5fc5ac1"; // vcvtps2pd ymm0, xmm1: a cycle, in the base
    const struct table_value below = {.cycles = 0.664, .low = 0.656, .high = 0.694, .has_two_speeds = true},
                             around = {.cycles = 0.9, .low = 0.8, .high = 1.05, .has_two_speeds = true};
    const struct numbers numbers = taken("VCVTPS2PDYrr", convert, CHECK_THROUGHPUT, &below);
    assert_true(numbers.has_uses && numbers.n_uses == 1);
    assert_true(numbers.uses[0].cycles == 2); // of three pipes
    assert_false(taken("VCVTPS2PDYrr", convert, CHECK_THROUGHPUT, &around).has_uses);
}

struct pair {
    const char *source, *destination;
    double cycles;
};

// Numbers of `div ecx` after these latencies. Opens the fixture, which has their names.
static struct numbers of_division(struct fixture *fixture, const struct pair *pairs, unsigned n) {
    enum { MOST = 8 };
    static const struct form_operand divisor = {.kind = FORM_REGISTER, .is_read = true, .tied = -1};
    static const struct form form = {.name = "DIV32r", .opcode = "DIV32r", .operands = &divisor, .n_operands = 1};
    struct check_value values[MOST] = {0};
    open_fixture(fixture);
    for (unsigned i = 0; i < n && i < MOST; i++) {
        values[i] = (struct check_value){.form = form.name,
                                         .quantity = CHECK_LATENCY,
                                         .source = pairs[i].source,
                                         .destination = pairs[i].destination,
                                         .code = "f7f1"};
        values[i].value = (struct table_value){.is_known = true,
                                               .cycles = pairs[i].cycles,
                                               .low = pairs[i].cycles - 0.02,
                                               .high = pairs[i].cycles + 0.02,
                                               .verdict = MEASURED_WITHIN};
    }
    struct subject subject = {.form = &form, .values = values, .n_values = n};
    subject_take_latencies(&fixture->view, &subject);
    return subject.numbers;
}

// Cycles of a pair by these numbers.
static double pair_of(const struct numbers *numbers, const struct pair *pair, const char *source) {
    double to = numbers->latency, slowest = numbers->latency, from = -1;
    for (unsigned i = 0; i < numbers->n_to; i++) {
        slowest = numbers->to[i].cycles > slowest ? numbers->to[i].cycles : slowest;
        to = strcasecmp(numbers->to[i].name, pair->destination) == 0 ? numbers->to[i].cycles : to;
    }
    for (unsigned i = 0; i < numbers->n_from; i++)
        from = strcasecmp(numbers->from[i].name, source) == 0 ? numbers->from[i].cycles : from;
    return to - (from < 0 ? 0 : slowest - from);
}

// As on a Zen 4, where no chain from edx to eax can be measured: it would overflow.
static void pairs_that_are_not_measured_make_no_other_one_shorter(void **state) {
    (void)state;
    static const struct pair pairs[] = {{"eax", "eax", 9}, {"eax", "edx", 10}, {"edx", "edx", 11}, {"0", "eax", 9}};
    struct fixture fixture, of_bounds;
    const struct numbers numbers = of_division(&fixture, pairs, 4);
    assert_true(numbers.has_latency);
    for (unsigned i = 0; i < 4; i++)
        assert_true(pair_of(&numbers, &pairs[i], pairs[i].source) == pairs[i].cycles);
    assert_true(pair_of(&numbers, &pairs[0], "edx") == 10);
    // No two numbers have all of these; then none takes longer than it was measured.
    static const struct pair crossed[] = {{"eax", "eax", 9}, {"eax", "edx", 11}, {"edx", "edx", 9}, {"edx", "eax", 11}};
    const struct numbers bounds = of_division(&of_bounds, crossed, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_true(pair_of(&bounds, &crossed[i], crossed[i].source) <= crossed[i].cycles);
    close_fixture(&fixture);
    close_fixture(&of_bounds);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slots_of_microcode_are_its_whole_ones),
                                       cmocka_unit_test(a_time_far_above_the_base_is_taken),
                                       cmocka_unit_test(two_speeds_below_the_base_are_taken),
                                       cmocka_unit_test(pairs_that_are_not_measured_make_no_other_one_shorter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
