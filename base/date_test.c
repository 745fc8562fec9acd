#include "base/date.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_date_is_in_utc_and_to_the_minute(void **state) {
    struct arena arena = {0};
    (void)state;
    setenv("TZ", "Asia/Tokyo", 1);
    assert_string_equal(date_text(&arena, 0), "1970-01-01T00:00Z");
    assert_string_equal(date_text(&arena, 1795738679), "2026-11-27T00:17Z");
    unsetenv("TZ");
    arena_free(&arena);
}

static void the_time_of_output_can_be_fixed(void **state) {
    static const char *const wrong[] = {"yesterday", "12x", "-1", " 12", "99999999999999999999", "9223372036854775807"};
    struct fail fail = {0};
    (void)state;
    setenv("SOURCE_DATE_EPOCH", "1795738679", 1);
    assert_int_equal(date_of_output(), 1795738679);
    assert_true(date_check(&fail));
    setenv("SOURCE_DATE_EPOCH", "0", 1);
    assert_int_equal(date_of_output(), 0);
    setenv("SOURCE_DATE_EPOCH", "", 1); // as if it were not set
    assert_true(date_check(&fail));
    assert_true(date_of_output() > 1700000000);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SOURCE_DATE_EPOCH", wrong[i], 1);
        assert_false(date_check(&fail));
        assert_int_equal(fail.status, FAIL_INPUT);
        fail_clear(&fail);
    }
    unsetenv("SOURCE_DATE_EPOCH");
    assert_true(date_check(&fail));
    assert_true(date_of_output() > 1700000000);
}

// A measurement made in a shell for packaging has its own date.
static void the_time_of_a_measurement_cannot(void **state) {
    (void)state;
    setenv("SOURCE_DATE_EPOCH", "315532800", 1);
    assert_true(date_now() > 1700000000);
    unsetenv("SOURCE_DATE_EPOCH");
}

static const char *range_of(struct arena *arena, const char *const *dates, size_t n) {
    struct date_range range = {0};
    for (size_t i = 0; i < n; i++)
        date_range_add(arena, &range, dates[i]);
    return date_range_text(arena, &range);
}

static void a_range_goes_from_the_first_date_to_the_last(void **state) {
    static const char *const dates[] = {"2026-11-27T00:26Z", "2026-11-27T00:17Z", "2026-11-27T00:20Z"};
    static const char *const some[] = {"2026-11-27T00:17Z", NULL, "2026-11-27T00:26Z"};
    struct arena arena = {0};
    (void)state;
    assert_null(range_of(&arena, dates, 0));
    assert_string_equal(date_range_said(&arena, &(struct date_range){0}), "not recorded");
    assert_null(range_of(&arena, &some[1], 1));
    assert_string_equal(range_of(&arena, dates, 1), "2026-11-27T00:26Z");
    assert_string_equal(range_of(&arena, dates, 3), "2026-11-27T00:17Z to 2026-11-27T00:26Z");
    assert_string_equal(range_of(&arena, some, 3), "up to 2026-11-27T00:26Z");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_date_is_in_utc_and_to_the_minute),
        cmocka_unit_test(the_time_of_output_can_be_fixed),
        cmocka_unit_test(the_time_of_a_measurement_cannot),
        cmocka_unit_test(a_range_goes_from_the_first_date_to_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
