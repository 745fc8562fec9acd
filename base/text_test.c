#include "base/fail.h"
#include "base/text.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
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

static void strangers_cannot_drive_the_terminal(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct {
        const char *text, *printable;
    } rows[] = {{"add ±0.1 → ok", "add ±0.1 → ok"},
                {"\033[2Jx\r\n\t\177", "\\x1b[2Jx\\x0d\\x0a\\x09\\x7f"},
                {"\xc2\x9b"
                 "31m",
                 "\\xc2\\x9b31m"}, // CSI as one character
                // Right-to-left override. NOLINTNEXTLINE(misc-misleading-bidirectional)
                {"a\xe2\x80\xae"
                 "b",
                 "a\\xe2\\x80\\xae"
                 "b"},
                {"\xff\xc0\x80\xe2\x82", "\\xff\\xc0\\x80\\xe2\\x82"}, // no UTF-8
                {"\xed\xa0\x80", "\\xed\\xa0\\x80"}};                  // half a surrogate pair
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(text_printable(&arena, rows[i].text, 100), rows[i].printable);
    assert_string_equal(text_printable(&arena, "±±±", 5), "±±…");
    struct fail fail = {0};
    char said[64] = "";
    FILE *out = fmemopen(said, sizeof said, "w");
    fail_set(&fail, FAIL_INPUT, "unknown \033[31m ±");
    fail_print(&fail, out);
    fclose(out);
    assert_string_equal(said, "cyclops: error: unknown \\x1b[31m ±\n");
    arena_free(&arena);
}

static void one_thing_is_in_the_singular(void **state) {
    (void)state;
    struct arena arena = {0};
    assert_string_equal(text_count_are(&arena, 1, "value"), "1 value is");
    assert_string_equal(text_count_are(&arena, 2, "value"), "2 values are");
    arena_free(&arena);
}

static void different_numbers_print_apart(void **state) {
    (void)state;
    struct arena arena = {0};
    assert_string_equal(text_number_beside(&arena, 1.0036, 1, 3), "1.004");
    assert_string_equal(text_number_beside(&arena, 1, 1.0036, 3), "1");
    assert_string_equal(text_number_beside(&arena, 0.502, 1, 3), "0.502");
    assert_string_equal(text_number_beside(&arena, 4, 4, 3), "4");
    arena_free(&arena);
}

static void tabs_become_spaces(void **state) {
    (void)state;
    struct arena arena = {0};
    const char *text = "\tlock\tadd\t[rax], 1\t";
    assert_string_equal(text_without_tabs(&arena, text), " lock add [rax], 1 ");
    assert_string_equal(text, "\tlock\tadd\t[rax], 1\t");
    assert_string_equal(text_without_tabs(&arena, ""), "");
    arena_free(&arena);
}

static void numbers_have_no_trailing_zeros(void **state) {
    (void)state;
    static const struct {
        double number;
        int decimals;
        const char *text;
    } cases[] = {{4, 2, "4"}, {4.41, 5, "4.41"}, {0.126, 2, "0.13"}, {100, 0, "100"}, {-0.001, 2, "0"}, {-0.4, 0, "0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {0};
        struct text text = {.arena = &arena};
        text_add(&text, "1.50,");
        text_add_number(&text, cases[i].number, cases[i].decimals);
        text_add(&text, ";");
        assert_string_equal(text.data, arena_printf(&arena, "1.50,%s;", cases[i].text));
        arena_free(&arena);
    }
}

static void slices_split_and_trim(void **state) {
    (void)state;
    struct slice rest = {"a; bc ;;", 8}, piece;
    assert_true(slice_next(&rest, ';', &piece) && slice_is(piece, "a"));
    assert_true(slice_next(&rest, ';', &piece) && slice_is(slice_trim(piece), "bc"));
    assert_true(slice_next(&rest, ';', &piece) && piece.length == 0);
    assert_true(slice_next(&rest, ';', &piece) && piece.length == 0);
    assert_false(slice_next(&rest, ';', &piece));
    assert_true(slice_starts((struct slice){"abc", 2}, "ab") && slice_starts((struct slice){"", 0}, ""));
    assert_false(slice_starts((struct slice){"abc", 2}, "abc"));
    assert_true(text_starts("abc", "ab") && text_starts("abc", ""));
    assert_false(text_starts("ab", "abc"));
}

static void words_are_found_among_names(void **state) {
    (void)state;
    static const char *const names[] = {"rdpmc", "perf", "ratio", "perf"};
    assert_int_equal(text_find("perf", names, 4), 1);
    assert_int_equal(text_find("per", names, 4), 4);
    assert_int_equal(text_find("", names, 0), 0);
}

static void sorted_words_stand_once(void **state) {
    const char *words[] = {"b", "a", "c", "a", "b"}, *wanted = "c";
    (void)state;
    assert_int_equal(text_sort(words, 5), 3);
    assert_string_equal(words[0], "a");
    assert_string_equal(words[1], "b");
    assert_ptr_equal(bsearch(&wanted, words, 3, sizeof *words, text_compare), &words[2]);
    assert_int_equal(text_sort(NULL, 0), 0);
}

static void copies_are_changed(void **state) {
    (void)state;
    struct arena arena = {0};
    assert_string_equal(text_replaced(&arena, "-same-line-", '-', ' '), " same line ");
    assert_string_equal(text_lower(&arena, "Cortex-A72 \u00c9"), "cortex-a72 \u00c9");
    arena_free(&arena);
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_among_names),
        cmocka_unit_test(sorted_words_stand_once),
        cmocka_unit_test(copies_are_changed),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(width_counts_columns),
        cmocka_unit_test(distance_counts_edits),
        cmocka_unit_test(nearest_names_come_first),
        cmocka_unit_test(strangers_cannot_drive_the_terminal),
        cmocka_unit_test(tabs_become_spaces),
        cmocka_unit_test(different_numbers_print_apart),
        cmocka_unit_test(one_thing_is_in_the_singular),
        cmocka_unit_test(slices_split_and_trim),
        cmocka_unit_test(numbers_have_no_trailing_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
