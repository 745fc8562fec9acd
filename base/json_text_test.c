#include "base/json_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

static void members_stand_in_their_order(void **state) {
    (void)state;
    struct arena arena = {0};
    struct json_text json = {.text.arena = &arena};
    json_open(&json, NULL);
    json_put_text(&json, "a", "x");
    json_put_text(&json, "nothing", NULL);
    json_put_text_or_null(&json, "none", NULL);
    json_open_list(&json, "list");
    json_put_integer(&json, NULL, -3);
    json_open(&json, NULL);
    json_close(&json);
    json_put_bool(&json, NULL, true);
    json_close_list(&json);
    json_put_bool(&json, "b", false);
    json_close(&json);
    assert_string_equal(json.text.data, "{\"a\":\"x\",\"none\":null,\"list\":[-3,{},true],\"b\":false}");
    arena_free(&arena);
}

static void numbers_print_short(void **state) {
    (void)state;
    static const struct {
        double value;
        int decimals;
        const char *text;
    } cases[] = {{4.410000000000001, 5, "[4.41]"},
                 {4, 5, "[4.0]"},
                 {2596123675.4, 0, "[2596123675.0]"},
                 {100, 3, "[100.0]"},
                 {0.000004, 5, "[0.0]"},
                 {-0.5, 2, "[-0.5]"},
                 {INFINITY, 2, "[0.0]"},
                 {1e15 + 1, 3, "[1000000000000001.0]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct json_text json = {.text.arena = &arena};
        json_open_list(&json, NULL);
        json_put_real(&json, NULL, cases[i].value, cases[i].decimals);
        json_close_list(&json);
        assert_string_equal(json.text.data, cases[i].text);
        arena_free(&arena);
    }
}

static void prints_json_as_llvm_does(void **state) {
    (void)state;
    struct arena arena = {0};
    struct json_text json = {.text.arena = &arena, .has_lines = true};
    json_open(&json, NULL);
    json_open_list(&json, "empty");
    json_close_list(&json);
    json_open_list(&json, "list");
    json_put_integer(&json, NULL, -1);
    json_put_exact(&json, NULL, 2);
    json_put_exact(&json, NULL, 0.1);
    json_close_list(&json);
    json_put_text(&json, "a\"b", "tab\t\r\\\x01");
    json_put_bytes(&json, "zero", "P.\0", 3);
    json_put_bool(&json, "no", false);
    json_close(&json);
    assert_string_equal(json.text.data,
                        "{\n  \"empty\": [],\n  \"list\": [\n    -1,\n    2,\n    0.10000000000000001\n  ],\n"
                        "  \"a\\\"b\": \"tab\\t\\r\\\\\\u0001\",\n  \"zero\": \"P.\\u0000\",\n  \"no\": false\n}");
    arena_free(&arena);
}

// Whatever the text, a reader has it back; what is no UTF-8 cannot be written, and is marked.
static void any_text_is_valid(void **state) {
    (void)state;
    static const char *const texts[][2] = {
        {"a\"b\\c\n\t\x01\x7f", "a\"b\\c\n\t\x01\x7f"}, {"µ → 𝄞", "µ → 𝄞"}, {"a\xff\xc3z", "a\ufffd\ufffdz"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena = {0};
        struct json_text json = {.text.arena = &arena};
        json_open(&json, NULL);
        json_put_text(&json, "k", texts[i][0]);
        json_close(&json);
        json_t *read = json_loads(json.text.data, 0, NULL);
        assert_non_null(read);
        assert_string_equal(json_string_value(json_object_get(read, "k")), texts[i][1]);
        json_decref(read);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_json_as_llvm_does),
        cmocka_unit_test(members_stand_in_their_order),
        cmocka_unit_test(numbers_print_short),
        cmocka_unit_test(any_text_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
