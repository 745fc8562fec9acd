#include "bench/sandbox/steps.h"

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

// Two copies of a body, each with a loop of its own: stepping stops behind the copy in which there were enough steps.
static void enough_is_enough(void **state) {
    (void)state;
    static const struct {
        size_t enough, n, bodies;
    } rows[] = {{1, 7, 1}, {7, 7, 1}, {8, 16, 2}, {17, 23, 3}, {1000, 1008, 126}, {9999, 1600, 200}};
#if defined(__x86_64__)
    // mov ecx, 3; dec ecx; jnz back; mov ecx, 3; dec ecx; jnz back; dec rdi; jnz to the start; ret
    static const uint8_t code[] = {0xb9, 3, 0,    0,    0,    0xff, 0xc9, 0x75, 0xfc, 0xb9, 3,    0,
                                   0,    0, 0xff, 0xc9, 0x75, 0xfc, 0x48, 0xff, 0xcf, 0x75, 0xe9, 0xc3};
    enum { BODY = 9 };
#elif defined(__aarch64__)
    // mov w1, 3; sub w1, w1, 1; cbnz w1, back; the same again; sub x0, x0, 1; cbnz x0, to the start; ret
    static const uint32_t code[] = {0x52800061, 0x51000421, 0x35ffffe1, 0x52800061, 0x51000421,
                                    0x35ffffe1, 0xd1000400, 0xb5ffff20, 0xd65f03c0};
    enum { BODY = 12 };
#else
    static const uint8_t code[] = {0};
    enum { BODY = 1 };
#endif
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bench_code all = {.bytes = (const uint8_t *)code, .n_bytes = sizeof code, .bodies = 2};
        const struct steps_request request = {.code = &all,
                                              .iterations = 100,
                                              .end = sizeof code - (BODY == 12 ? 4 : 1),
                                              .most = 10000,
                                              .body_bytes = BODY,
                                              .copies = 2,
                                              .enough = rows[i].enough};
        struct steps steps;
        failure = (struct fail){0};
        if (!steps_record(&arena, &request, &steps, &failure) && failure.status == FAIL_UNAVAILABLE)
            skip();
        assert_int_equal(failure.status, FAIL_NONE);
        assert_int_equal(steps.outcome, BENCH_OK);
        assert_int_equal(steps.n, rows[i].n);
        assert_int_equal(steps.bodies, rows[i].bodies);
        assert_int_equal(steps.offsets[0], 0);
    }
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
        cmocka_unit_test(enough_is_enough),
        cmocka_unit_test(more_than_wanted_is_a_failure),
        cmocka_unit_test(crashes_are_outcomes),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return status;
}
