#include "base/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct values {
    bool flag;
    struct option_count count;
    double number;
    const char *text;
    struct option_list list;
} values;

static struct option more_options[] = {
    {OPTION_TEXT, "mcpu", "CPU", "A text.", &values.text},
    {0},
};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Test options", NULL},
    {OPTION_FLAG, "noalias", NULL, "A flag.", &values.flag},
    {OPTION_COUNT, "iterations", "N", "A count.", &values.count},
    {OPTION_NUMBER, "precision", "SHARE", "A number.", &values.number},
    {OPTION_ROWS, NULL, NULL, NULL, more_options},
    {OPTION_LIST, "asm", "TEXT", "A list.", &values.list},
    {0},
};
static const struct command command = {"test", "[options]", "Tests.\n", NULL, options};

static enum options_result parse(struct arena *arena, const char *line, struct operands *operands, struct fail *fail) {
    values = (struct values){.flag = false, .count = {.value = 7}};
    char *copy = arena_strdup(arena, line);
    char *argv[16];
    int argc = 0;
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return options_parse(arena, &command, argc, argv, operands, fail);
}

static void both_dash_styles_and_mixed_operands(void **state) {
    (void)state;
    struct arena arena = {0};
    struct operands operands = {0};
    struct fail fail = {0};
    const char *line = "test a -mcpu=btver2 --iterations 300 b -noalias=true --asm x --asm=y=z - -- --not-an-option";
    assert_int_equal(parse(&arena, line, &operands, &fail), OPTIONS_OK);
    assert_string_equal(values.text, "btver2");
    assert_true(values.count.value == 300 && values.count.is_given);
    assert_true(values.flag);
    assert_int_equal(values.list.n_items, 2);
    assert_string_equal(values.list.items[1], "y=z");
    assert_int_equal(operands.n_items, 4);
    assert_string_equal(operands.items[2], "-");
    assert_string_equal(operands.items[3], "--not-an-option");
    arena_free(&arena);
}

static void mistakes_name_the_word(void **state) {
    (void)state;
    static const struct {
        const char *line, *text;
    } rows[] = {
        {"test --iteration=3",
         "unknown option '--iteration=3' (did you mean '--iterations'?); 'test --help' lists them"},
        {"test --iterations", "option --iterations needs an argument: N"},
        {"test --iterations=x", "option --iterations takes a whole number, not 'x'"},
        {"test --iterations=-3", "option --iterations takes a whole number, not '-3'"},
        {"test --iterations=99999999999999999999",
         "option --iterations takes a whole number, not '99999999999999999999'"},
        {"test --precision=0", "option --precision takes a number above 0, not '0'"},
        {"test --precision=nan", "option --precision takes a number above 0, not 'nan'"},
        {"test --mcpu a --mcpu b", "option --mcpu is given twice"},
        {"test -noalias=maybe", "option --noalias takes true or false, not 'maybe'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena arena = {0};
        struct operands operands = {0};
        struct fail fail = {0};
        assert_int_equal(parse(&arena, rows[i].line, &operands, &fail), OPTIONS_BAD);
        assert_string_equal(fail.text, rows[i].text);
        assert_int_equal(fail.status, FAIL_INPUT);
        arena_free(&arena);
    }
}

static void ranges(void **state) {
    (void)state;
    unsigned first, last;
    struct fail fail = {0};
    assert_true(options_parse_range("1..12", &first, &last, &fail) && first == 1 && last == 12);
    assert_true(options_parse_range("8", &first, &last, &fail) && first == 8 && last == 8);
    static const char *const bad[] = {"", "0..3", "3..1", "1..", "..3", "a..b", "1..12x", "-1..3", "1..-3", "1..5000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fail = (struct fail){0};
        assert_false(options_parse_range(bad[i], &first, &last, &fail));
    }
}

static void help_fits_the_terminal(void **state) {
    (void)state;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    options_print_help(&command, out);
    fclose(out);
    assert_non_null(strstr(text, "  --iterations N          A count.\n"));
    assert_non_null(strstr(text, "\nTest options:\n"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_dash_styles_and_mixed_operands),
        cmocka_unit_test(mistakes_name_the_word),
        cmocka_unit_test(ranges),
        cmocka_unit_test(help_fits_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
