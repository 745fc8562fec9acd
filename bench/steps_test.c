#include "bench/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__)
// dec rdi; jnz back; ret
static const uint8_t loop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3}, illegal[] = {0x90, 0x0f, 0x0b};
static const uint32_t body[] = {0, 3}, behind = 5, at_fault = 1;
#elif defined(__aarch64__)
// sub x0, x0, 1; cbnz x0, back; ret       nop; udf
static const uint8_t loop[] = {0x00, 0x04, 0x00, 0xd1, 0xe0, 0xff, 0xff, 0xb5, 0xc0, 0x03, 0x5f, 0xd6};
static const uint8_t illegal[] = {0x1f, 0x20, 0x03, 0xd5, 0, 0, 0, 0};
static const uint32_t body[] = {0, 4}, behind = 8, at_fault = 4;
#else
static const uint8_t loop[] = {0}, illegal[] = {0};
static const uint32_t body[] = {0, 0}, behind = 0, at_fault = 0;
#endif

static struct fail failure;
static struct arena arena;

static bool record(const uint8_t *bytes, size_t n_bytes, uint64_t iterations, size_t most, struct steps *steps) {
    const struct bench_code code = {.bytes = bytes, .n_bytes = n_bytes, .bodies = 1};
    const struct steps_request request = {.code = &code, .iterations = iterations, .end = n_bytes, .most = most};
    failure = (struct fail){0};
    bool is_done = steps_record(&arena, &request, steps, &failure);
    if (!is_done && failure.status == FAIL_UNAVAILABLE)
        skip();
    return is_done;
}

static void each_instruction_in_order(void **state) {
    (void)state;
    struct steps steps;
    assert_true(record(loop, sizeof loop, 3, 7, &steps));
    assert_int_equal(steps.outcome, BENCH_OK);
    assert_int_equal(steps.n, 7);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(steps.offsets[i], body[i % 2]);
    assert_int_equal(steps.offsets[6], behind);
}

static void more_than_wanted_is_a_failure(void **state) {
    (void)state;
    struct steps steps;
    assert_false(record(loop, sizeof loop, 1000000000, 20, &steps));
    assert_int_equal(failure.status, FAIL_WORK);
}

static void crashes_are_outcomes(void **state) {
    (void)state;
    struct steps steps;
    assert_true(record(illegal, sizeof illegal, 1, 20, &steps));
    assert_int_equal(steps.outcome, BENCH_SIGILL);
    assert_int_equal(steps.offsets[steps.n - 1], at_fault);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instruction_in_order),
        cmocka_unit_test(more_than_wanted_is_a_failure),
        cmocka_unit_test(crashes_are_outcomes),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return status;
}
