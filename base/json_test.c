#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void rounded_numbers_print_short(void **state) {
    (void)state;
    struct fail fail = {0};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    json_t *value = json_object();
    json_object_set_new(value, "cycles", json_rounded(4.410000000000001, 3));
    json_object_set_new(value, "n", json_integer(8));
    assert_true(json_write_line(out, value, &fail));
    fclose(out);
    assert_string_equal(text, "{\"cycles\":4.41,\"n\":8}\n");
    free(text);
}

static void a_full_device_is_a_failure(void **state) {
    (void)state;
    struct fail fail = {0};
    FILE *out = fopen("/dev/full", "w");
    assert_non_null(out);
    assert_false(json_write_line(out, json_object(), &fail));
    assert_string_equal(fail.text, "cannot write: No space left on device");
    fclose(out);
}

static void bad_lines_name_their_place(void **state) {
    (void)state;
    struct fail fail = {0};
    const char *line = "{\"a\":1,}";
    assert_null(json_parse_line(line, strlen(line), "m.jsonl", 7, &fail));
    assert_string_equal(fail.file, "m.jsonl");
    assert_int_equal(fail.line, 7);
    assert_int_equal(fail.column, 8);
}

static void members_have_types(void **state) {
    (void)state;
    struct arena arena = {0};
    struct fail fail = {0};
    const char *line = "{\"x\":1.5,\"n\":3,\"s\":\"t\",\"none\":null,\"minus\":-1}";
    json_t *object = json_parse_line(line, strlen(line), "f", 1, &fail);
    assert_non_null(object);
    double x = 0;
    unsigned long n = 7;
    const char *s = "fallback";
    assert_true(json_get_number(object, "x", &x, &fail) && x == 1.5);
    assert_true(json_get_count(object, "missing", &n, &fail) && n == 7);
    assert_true(json_get_count(object, "n", &n, &fail) && n == 3);
    assert_true(json_get_string(&arena, object, "none", &s, &fail));
    assert_string_equal(s, "fallback");
    assert_true(json_get_string(&arena, object, "s", &s, &fail));
    assert_string_equal(s, "t");
    assert_false(json_get_count(object, "minus", &n, &fail));
    assert_string_equal(fail.text, "'minus' must be a whole number, 0 or more");
    fail = (struct fail){0};
    assert_false(json_get_number(object, "s", &x, &fail));
    fail = (struct fail){0};
    assert_false(json_get_string(&arena, object, "n", &s, &fail));
    json_decref(object);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounded_numbers_print_short),
        cmocka_unit_test(a_full_device_is_a_failure),
        cmocka_unit_test(bad_lines_name_their_place),
        cmocka_unit_test(members_have_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
