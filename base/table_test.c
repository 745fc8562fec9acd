#include "base/table.h"

#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

static char *printed(const struct table *table, bool colour) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    table_print(table, out, colour);
    fclose(out);
    return text;
}

static void columns_are_aligned_and_lines_end_clean(void **state) {
    (void)state;
    struct arena arena = {0};
    struct table table = {.arena = &arena};
    table_column(&table, TABLE_RIGHT, "n");
    table_column(&table, TABLE_LEFT, "measured");
    table_column(&table, TABLE_LEFT, "note");
    table_cell(&table, "1");
    table_cell(&table, "4.00 ±0.01");
    table_cell(&table, "%s", "");
    table_cell(&table, "12");
    table_cell(&table, "5.98");
    table_cell_colour(&table, TABLE_RED, "%s", "slow");
    char *text = printed(&table, false);
    assert_string_equal(text, "   n  measured    note\n"
                              "   1  4.00 ±0.01\n"
                              "  12  5.98        slow\n");
    free(text);
    text = printed(&table, true);
    assert_non_null(strstr(text, "\033[31mslow\033[0m\n"));
    free(text);
    arena_free(&arena);
}

// What a terminal of so many columns is sent.
static void print_on_terminal(const struct table *table, unsigned short columns, char *text, size_t size) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        arena_free(table->arena);
        skip();
    }
    FILE *out = fopen(ptsname(terminal), "w");
    assert_non_null(out);
    assert_int_equal(ioctl(fileno(out), TIOCSWINSZ, &(struct winsize){.ws_row = 24, .ws_col = columns}), 0);
    table_print(table, out, false);
    fputc('\f', out); // a terminal delivers in pieces: this is the end
    fflush(out);
    size_t length = 0;
    while (length == 0 || text[length - 1] != '\f') {
        ssize_t n = read(terminal, text + length, size - length);
        assert_true(n > 0);
        length += (size_t)n;
    }
    text[length - 1] = '\0';
    fclose(out);
    close(terminal);
}

static void on_a_narrow_terminal_a_note_has_lines_of_its_own(void **state) {
    (void)state;
    struct arena arena = {0};
    struct table table = {.arena = &arena};
    table_column(&table, TABLE_LEFT, "measured");
    table_column(&table, TABLE_NOTE, "");
    table_cell(&table, "4.00");
    table_cell(&table, "a very long note");
    table_cell(&table, "5.00");
    table_cell(&table, "%s", "");
    char text[256];
    print_on_terminal(&table, 28, text, sizeof text);
    assert_string_equal(text, "  measured\r\n  4.00      a very long note\r\n  5.00\r\n");
    print_on_terminal(&table, 27, text, sizeof text);
    assert_string_equal(text, "  measured\r\n  4.00\r\n    a very long note\r\n  5.00\r\n");
    print_on_terminal(&table, 20, text, sizeof text);
    assert_string_equal(text, "  measured\r\n  4.00\r\n    a very long note\r\n  5.00\r\n");
    arena_free(&arena);
}

static void notes_below_their_rows_are_there_at_every_width(void **state) {
    (void)state;
    struct arena arena = {0};
    struct table table = {.arena = &arena};
    table_column(&table, TABLE_RIGHT, "values");
    table_column(&table, TABLE_LEFT, "finding");
    table_column(&table, TABLE_BELOW, "");
    table_cell(&table, "12");
    table_cell(&table, "one");
    table_cell(&table, "a note of words");
    table_cell(&table, "3");
    table_cell(&table, "another");
    table_cell(&table, "%s", "");
    char text[256];
    print_on_terminal(&table, 80, text, sizeof text);
    assert_string_equal(text,
                        "  values  finding\r\n      12  one\r\n          a note of words\r\n       3  another\r\n");
    print_on_terminal(&table, 20, text, sizeof text);
    assert_string_equal(text, "  values  finding\r\n      12  one\r\n          a note of\r\n          words\r\n"
                              "       3  another\r\n");
    arena_free(&arena);
}

static void assert_printed(const struct table *table, const char *columns, const char *expected) {
    setenv("COLUMNS", columns, 1);
    char *text = printed(table, false);
    unsetenv("COLUMNS");
    assert_string_equal(text, expected);
    free(text);
}

static void add_row(struct table *table, const char *kernel, const char *measures, const char *cycles,
                    const char *model, const char *note) {
    table_cell(table, "%s", kernel);
    table_cell(table, "%s", measures);
    table_cell(table, "%s", cycles);
    table_cell(table, "%s", model);
    table_cell(table, "%s", note);
}

static void what_is_too_wide_gives_way_in_turns(void **state) {
    (void)state;
    struct arena arena = {0};
    struct table table = {.arena = &arena};
    table_column(&table, TABLE_CUT, "kernel");
    table_column(&table, TABLE_WRAP, "measures");
    table_column(&table, TABLE_LEFT, "measured");
    table_column(&table, TABLE_RIGHT, "skylake (LLVM 19)");
    table_column(&table, TABLE_NOTE, "");
    add_row(&table, "mov rax, [rdi]; add rbx, 1", "throughput, n = 4", "1.00 ±0.01", "2.00", "model: 2 cycles");
    add_row(&table, "nop", "latency", "0.25 ±0.01", "1.00", "slow");
    assert_printed(&table, "84",
                   "  kernel                      measures           measured    skylake (LLVM 19)\n"
                   "  mov rax, [rdi]; add rbx, 1  throughput, n = 4  1.00 ±0.01               2.00\n"
                   "    model: 2 cycles\n"
                   "  nop                         latency            0.25 ±0.01               1.00  slow\n");
    assert_printed(&table, "77", // titles
                   "  kernel                      measures           measured      skylake\n"
                   "                                                             (LLVM 19)\n"
                   "  mov rax, [rdi]; add rbx, 1  throughput, n = 4  1.00 ±0.01       2.00\n"
                   "    model: 2 cycles\n"
                   "  nop                         latency            0.25 ±0.01       1.00  slow\n");
    assert_printed(&table, "66", // names down to 24, then texts
                   "  kernel                    measures         measured      skylake\n"
                   "                                                         (LLVM 19)\n"
                   "  mov rax, [rd…add rbx, 1   throughput,      1.00 ±0.01       2.00\n"
                   "                            n = 4\n"
                   "    model: 2 cycles\n"
                   "  nop                       latency          0.25 ±0.01       1.00\n"
                   "    slow\n");
    assert_printed(&table, "54", // names further
                   "  kernel           measures      measured      skylake\n"
                   "                                             (LLVM 19)\n"
                   "  mov rax, [rdi]; add rbx, 1\n"
                   "                   throughput,   1.00 ±0.01       2.00\n"
                   "                   n = 4\n"
                   "    model: 2 cycles\n"
                   "  nop              latency       0.25 ±0.01       1.00\n"
                   "    slow\n");
    arena_free(&arena);
}

static void columns_that_do_not_fit_follow_in_parts(void **state) {
    (void)state;
    struct arena arena = {0};
    struct table table = {.arena = &arena};
    table_column(&table, TABLE_RIGHT, "n");
    table_column(&table, TABLE_LEFT, "measured");
    table_column(&table, TABLE_LEFT, "model a");
    table_column(&table, TABLE_BESIDE, "off");
    table_column(&table, TABLE_NOTE, "");
    add_row(&table, "1", "4.00 ±0.01", "4.00", "0 %", "");
    add_row(&table, "2", "5.00 ±0.01", "6.00", "+20 %", "slow");
    assert_printed(&table, "26",
                   "  n  measured\n"
                   "  1  4.00 ±0.01\n"
                   "  2  5.00 ±0.01\n"
                   "  n  model    off\n"
                   "     a\n"
                   "  1  4.00     0 %\n"
                   "  2  6.00   +20 %  slow\n");
    arena_free(&arena);
}

static void without_titles_there_is_no_title_line(void **state) {
    (void)state;
    struct arena arena = {0};
    struct table table = {.arena = &arena};
    table_column(&table, TABLE_LEFT, "");
    table_column(&table, TABLE_LEFT, "");
    table_cell(&table, "%s", "a");
    table_cell(&table, "%s", "b");
    table_cell(&table, "%s", "short row");
    char *text = printed(&table, false);
    assert_string_equal(text, "  a          b\n  short row\n");
    free(text);
    arena_free(&arena);
}

int main(void) {
    unsetenv("COLUMNS");
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned_and_lines_end_clean),
        cmocka_unit_test(on_a_narrow_terminal_a_note_has_lines_of_its_own),
        cmocka_unit_test(notes_below_their_rows_are_there_at_every_width),
        cmocka_unit_test(what_is_too_wide_gives_way_in_turns),
        cmocka_unit_test(columns_that_do_not_fit_follow_in_parts),
        cmocka_unit_test(without_titles_there_is_no_title_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
