// What surrounds each run of code: memory and floating-point state as at the start, and the harness's own behind it.
#include "bench/sandbox/code_room.h"

#include <fenv.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ADDRESS = 0x2324000 };

static const uint8_t bytes[64] = {0};
static const struct bench_code known = {.bytes = bytes, .n_bytes = sizeof bytes, .bodies = 1};
static const struct bench_code foreign = {
    .bytes = bytes,
    .n_bytes = sizeof bytes,
    .bodies = 1,
    .foreign = {.exit_offset = 32, .most_pages = 2, .frames = 1, .fill = 3, .lowest_address = 1, .stores = true},
};

struct room_of_two {
    struct code_room room;
    struct fault_note note;
    code_function functions[2]; // of the known code, and of the other
};

static void open_room(struct room_of_two *two) {
    const struct bench_code *const codes[] = {&known, &foreign};
    two->note.outcome = BENCH_SIGILL;
    assert_true(code_room_open(&two->room, codes, 2, two->functions, &two->note));
}

static uint64_t *word(void) {
    uintptr_t address = ADDRESS;
    return (uint64_t *)address; // NOLINT(performance-no-int-to-ptr)
}

static bool has_denormals(void) {
    volatile double small = DBL_MIN;
    return small / 2 != 0;
}

static bool can_flush(void) {
#if defined(__x86_64__) || defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

static void denormals_are_zero_for_code_of_unknown_origin(void **state) {
    (void)state;
    struct room_of_two two;
    if (!can_flush())
        skip();
    open_room(&two);
    code_room_clean(&two.room, &foreign);
    assert_true(has_denormals());
    code_room_enter(&two.room, &foreign, two.functions[1]);
    bool has_inside = has_denormals();
    assert_true(code_room_leave(&two.room, &foreign));
    assert_false(has_inside);
    assert_true(has_denormals());
    code_room_enter(&two.room, &known, two.functions[0]);
    assert_true(has_denormals());
    assert_true(code_room_leave(&two.room, &known));
}

static void rounding_is_the_harness_own_again(void **state) {
    (void)state;
    struct room_of_two two;
    open_room(&two);
    code_room_clean(&two.room, &foreign);
    code_room_enter(&two.room, &foreign, two.functions[1]);
    fesetround(FE_UPWARD);
    code_room_leave(&two.room, &foreign);
    assert_int_equal(fegetround(), FE_TONEAREST);
    fesetround(FE_UPWARD);
    code_room_clean(&two.room, &known);
    assert_int_equal(fegetround(), FE_TONEAREST);
}

// What one run stores, the next one does not find.
static void each_run_finds_the_same(void **state) {
    (void)state;
    struct room_of_two two;
    open_room(&two);
    code_room_clean(&two.room, &foreign);
    for (int run = 0; run < 3; run++) {
        code_room_enter(&two.room, &foreign, two.functions[1]);
        if (run == 0)
            assert_int_equal(demand_memory_answer(&two.room.memory, ADDRESS), DEMAND_APPEARED);
        uint64_t found = *word();
        *word() = 5;
        assert_true(code_room_leave(&two.room, &foreign));
        assert_true(found == foreign.foreign.fill);
    }
    demand_memory_start(&two.room.memory, &known.foreign);
}

static void the_next_code_finds_nothing_of_the_last(void **state) {
    (void)state;
    struct room_of_two two;
    open_room(&two);
    code_room_clean(&two.room, &foreign);
    assert_int_equal(two.note.outcome, BENCH_OK);
    assert_int_equal(demand_memory_answer(&two.room.memory, ADDRESS), DEMAND_APPEARED);
    memset(two.room.buffer, 1, 64);
    two.note.outcome = BENCH_SIGSEGV;
    two.note.fault.is_known = true;
    code_room_clean(&two.room, &known);
    assert_int_equal(two.note.outcome, BENCH_OK);
    assert_false(two.note.fault.is_known);
    assert_int_equal(two.room.memory.n_pages, 0);
    assert_int_equal(*(const uint8_t *)two.room.buffer, 0);
    assert_int_equal(demand_memory_answer(&two.room.memory, ADDRESS), DEMAND_REFUSED);
}

static void leaving_says_whether_it_came_to_its_end(void **state) {
    (void)state;
    struct room_of_two two;
    open_room(&two);
    code_room_clean(&two.room, &foreign);
    code_room_enter(&two.room, &foreign, two.functions[1]);
    two.note.outcome = BENCH_SIGFPE;
    assert_false(code_room_leave(&two.room, &foreign));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denormals_are_zero_for_code_of_unknown_origin),
        cmocka_unit_test(rounding_is_the_harness_own_again),
        cmocka_unit_test(each_run_finds_the_same),
        cmocka_unit_test(the_next_code_finds_nothing_of_the_last),
        cmocka_unit_test(leaving_says_whether_it_came_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
