#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void text_grows(void **state) {
    (void)state;
    struct arena arena = {0};
    struct text text = {.arena = &arena};
    for (int i = 0; i < 1000; i++)
        text_addf(&text, "%d,", i);
    text_addf(&text, "%01000d", 5);
    assert_int_equal(text.length, strlen(text.data));
    assert_int_equal(strncmp(text.data, "0,1,2,", 6), 0);
    assert_int_equal(text.data[text.length - 1], '5');
    arena_free(&arena);
}

static void width_counts_columns(void **state) {
    (void)state;
    assert_int_equal(text_width("abc"), 3);
    assert_int_equal(text_width("±0.01"), 5);
    assert_int_equal(text_width("e\xCC\x81"), 1);
    assert_int_equal(text_width("\033[31mred\033[0m"), 3);
    assert_int_equal(text_width("\033["), 0);
    assert_int_equal(text_width(""), 0);
}

static void distance_counts_edits(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned distance;
    } rows[] = {
        {"fma", "fma", 0}, {"fma", "FMA", 0},        {"zmm", "zzm", 1}, {"znver4", "znvre4", 1},
        {"", "abc", 3},    {"kitten", "sitting", 3}, {"ab", "ba", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(text_distance(rows[i].a, rows[i].b), rows[i].distance);
}

static void nearest_names_come_first(void **state) {
    (void)state;
    struct arena arena = {0};
    const char *const names[] = {"znver1", "znver2", "skylake", "znver3", "znver4", "zmm"};
    assert_string_equal(text_did_you_mean(&arena, "znver44", names, 6),
                        " (did you mean 'znver4', 'znver1' or 'znver2'?)");
    assert_string_equal(text_did_you_mean(&arena, "skylke", names, 6), " (did you mean 'skylake'?)");
    assert_string_equal(text_did_you_mean(&arena, "completely-else", names, 6), "");
    arena_free(&arena);
}

static void slices_split_and_trim(void **state) {
    (void)state;
    struct slice rest = {"a; bc ;;", 8}, piece;
    assert_true(slice_next(&rest, ';', &piece) && slice_is(piece, "a"));
    assert_true(slice_next(&rest, ';', &piece) && slice_is(slice_trim(piece), "bc"));
    assert_true(slice_next(&rest, ';', &piece) && piece.length == 0);
    assert_true(slice_next(&rest, ';', &piece) && piece.length == 0);
    assert_false(slice_next(&rest, ';', &piece));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),
        cmocka_unit_test(width_counts_columns),
        cmocka_unit_test(distance_counts_edits),
        cmocka_unit_test(nearest_names_come_first),
        cmocka_unit_test(slices_split_and_trim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
