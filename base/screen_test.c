#include "base/screen.h"

#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

static void set_locale(const char *name) {
    setenv("LC_ALL", name, 1);
    screen_set_up();
}

static void own_signs_are_ascii_in_other_locales(void **state) {
    (void)state;
    struct arena arena = {0};
    set_locale("C.UTF-8");
    assert_string_equal(screen_text(&arena, "4.00 ±0.01 → ü"), "4.00 ±0.01 → ü");
    set_locale("C");
    assert_string_equal(screen_text(&arena, "4.00 ±0.01 → ü"), "4.00 +-0.01 -> ü"); // a file's name is what it is
    assert_string_equal(screen_text(&arena, "1.00‖ 4.00×7 …"), "1.00| 4.00x7 ...");
    assert_string_equal(screen_text(&arena, "\xff\xc2"), "\xff\xc2");
    assert_string_equal(screen_text(&arena, ""), "");
    arena_free(&arena);
}

// A container often lacks the locale of whoever looks into it.
static void a_locale_that_is_not_installed_counts_by_its_name(void **state) {
    (void)state;
    struct arena arena = {0};
    set_locale("xx_YY.UTF-8");
    assert_string_equal(screen_text(&arena, "±"), "±");
    set_locale("xx_YY.utf8@euro");
    assert_string_equal(screen_text(&arena, "±"), "±");
    set_locale("xx_YY.ISO-8859-1");
    assert_string_equal(screen_text(&arena, "±"), "+-");
    arena_free(&arena);
}

static void columns_come_from_the_environment(void **state) {
    (void)state;
    FILE *out = tmpfile();
    assert_non_null(out);
    unsetenv("COLUMNS");
    assert_int_equal(screen_columns(out), SCREEN_PIPE_COLUMNS);
    static const struct {
        const char *text;
        size_t columns;
    } rows[] = {{"64", 64}, {"", 100}, {"wide", 100}, {"1", 20}, {"99999999999999999999", 10000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setenv("COLUMNS", rows[i].text, 1);
        assert_int_equal(screen_columns(out), rows[i].columns);
    }
    unsetenv("COLUMNS");
    fclose(out);
}

static void a_terminal_without_a_size_has_80_columns(void **state) {
    (void)state;
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        skip();
    FILE *out = fopen(ptsname(terminal), "w");
    assert_non_null(out);
    assert_int_equal(ioctl(fileno(out), TIOCSWINSZ, &(struct winsize){.ws_col = 0}), 0);
    unsetenv("COLUMNS");
    assert_int_equal(screen_columns(out), 80);
    assert_int_equal(screen_whole_columns(out), 80);
    fclose(out);
    close(terminal);
}

static void long_names_are_cut_in_the_middle(void **state) {
    (void)state;
    struct arena arena = {0};
    set_locale("C.UTF-8");
    assert_string_equal(screen_cut(&arena, "mov rax, [rdi]; imul rax, rbx; add rbx, 1", 25), "mov rax, [rd…add rbx, 1");
    assert_string_equal(screen_cut(&arena, "mov rax, [rdi]; imul rax, rbx; add rbx, 1", 23), "mov rax, [r…add rbx, 1");
    assert_string_equal(screen_cut(&arena, "add rax, rbx", 12), "add rax, rbx");
    assert_string_equal(screen_cut(&arena, "äöüäöüäöü", 5), "äö…öü");
    set_locale("C");
    assert_string_equal(screen_cut(&arena, "mov rax, [rdi]; imul rax, rbx; add rbx, 1", 25),
                        "mov rax, [r...add rbx, 1");
    assert_string_equal(screen_cut(&arena, "abcdef", 3), "abcdef"); // no room for anything but the gap
    arena_free(&arena);
}

static void wraps(const char *text, size_t at, size_t indent, size_t columns, const char *expected) {
    char *got = NULL;
    size_t length;
    FILE *out = open_memstream(&got, &length);
    assert_non_null(out);
    screen_wrap(text, at, indent, columns, out);
    fclose(out);
    assert_string_equal(got, expected);
    free(got);
}

static void sentences_are_broken_between_words(void **state) {
    (void)state;
    set_locale("C.UTF-8");
    wraps("one two three", 0, 2, 13, "one two three\n");
    wraps("one two three", 0, 2, 12, "one two\n  three\n");
    wraps("one two three", 6, 2, 12, "one\n  two three\n");
    wraps("±±± ±±±", 0, 0, 3, "±±±\n±±±\n");
    wraps("one  two ", 0, 0, 5, "one\ntwo\n");
    wraps("abcdefgh i", 0, 1, 4, "abcd\n efg\n h i\n"); // a word wider than a line
    wraps("", 4, 4, 10, "\n");
    wraps("streams, n = 12 of 15", 0, 2, 12, "streams,\n  n = 12 of\n  15\n"); // one number
    wraps("at most 1 % is", 0, 2, 10, "at most\n  1 % is\n");                  // a number and its unit
    wraps("12; 34 × two modes", 0, 2, 10, "12;\n  34 × two\n  modes\n");
    wraps("a b", 9, 4, 6, "a\n    b\n"); // begins behind the last column
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_signs_are_ascii_in_other_locales),
        cmocka_unit_test(a_locale_that_is_not_installed_counts_by_its_name),
        cmocka_unit_test(columns_come_from_the_environment),
        cmocka_unit_test(a_terminal_without_a_size_has_80_columns),
        cmocka_unit_test(long_names_are_cut_in_the_middle),
        cmocka_unit_test(sentences_are_broken_between_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
