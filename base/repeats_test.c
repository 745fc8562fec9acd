#include "base/repeats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct repeats_before nothing = {NULL, 0};

static const char *written(struct arena *arena, const uint8_t *bytes, size_t n) {
    struct text text = {.arena = arena};
    repeats_write(&text, nothing, bytes, n);
    return text.data;
}

static void repeated_code_stands_once(void **state) {
    (void)state;
    struct arena arena = {0};
    uint8_t code[] = "\x48\x01\xc8\x48\x01\xc8\x48\x01\xc8\x48\x01\xc8\xc3";
    assert_string_equal(written(&arena, code, sizeof code - 1), "4801c8 3-9 c3");
    assert_string_equal(written(&arena, code, 5), "4801c84801"); // a short run takes no less
    memset(code, 0x90, sizeof code);
    assert_string_equal(written(&arena, code, 8), "90 1-7");
    arena_free(&arena);
}

static void everything_comes_back(void **state) {
    (void)state;
    struct arena arena = {0};
    uint8_t code[3000], *read;
    size_t n;
    for (size_t kind = 1; kind < 40; kind++) // periods of all lengths, with a byte in between that breaks them
        for (size_t i = 0; i < sizeof code; i++)
            code[i] = (uint8_t)(i % (7 * kind) == 0 ? i / 7 : i % kind * 37);
    for (size_t length = 1; length < sizeof code; length += length / 3 + 1) {
        assert_true(repeats_read(&arena, written(&arena, code, length), nothing, sizeof code, &read, &n));
        assert_int_equal(n, length);
        assert_memory_equal(read, code, length);
    }
    arena_free(&arena);
}

// One program is much like the one before: a run begins in that one, and may go on into its own.
static void what_comes_before_counts(void **state) {
    (void)state;
    struct arena arena = {0};
    static const uint8_t one[] = "\x55\x53\x48\x31\xc0\x0f\x1f",
                         other[] = "\x55\x53\x48\x31\xc0\xc3\x0f\x1f\x55\x53\x48\x31\xc0";
    const struct repeats_before before = {one, sizeof one - 1};
    struct text text = {.arena = &arena};
    uint8_t *read;
    size_t n;
    repeats_write(&text, before, other, sizeof other - 1);
    assert_string_equal(text.data, "7-5 c3 8-7");
    assert_true(repeats_read(&arena, text.data, before, 100, &read, &n));
    assert_int_equal(n, sizeof other - 1);
    assert_memory_equal(read, other, n);
    assert_false(repeats_read(&arena, "8-5", before, 100, &read, &n));
    arena_free(&arena);
}

static void what_is_no_such_text_is_refused(void **state) {
    (void)state;
    struct arena arena = {0};
    static const char *const bad[] = {"",      "9",       "9g",      "90 0-4",    "90 2-4",           "1-4",
                                      "90 1-", "90 1-4x", "90 -1-4", "90 1-9999", "90 1-99999999999", "90 1-2-3 90"};
    uint8_t *bytes;
    size_t n;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (repeats_read(&arena, bad[i], nothing, 1000, &bytes, &n))
            fail_msg("read '%s'", bad[i]);
    assert_false(repeats_read(&arena, "90 1-7", nothing, 7, &bytes, &n));
    assert_true(repeats_read(&arena, "90 1-7", nothing, 8, &bytes, &n));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_code_stands_once),
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(what_comes_before_counts),
        cmocka_unit_test(what_is_no_such_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
