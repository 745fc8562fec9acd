#include "base/table.h"

#include <fcntl.h>
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

static void on_a_narrow_terminal_a_note_has_its_own_line(void **state) {
    (void)state;
    struct arena arena = {0};
    struct table table = {.arena = &arena};
    table_column(&table, TABLE_LEFT, "measured");
    table_column(&table, TABLE_LEFT, "");
    table_cell(&table, "4.00");
    table_cell(&table, "a long note");
    table_cell(&table, "5.00");
    table_cell(&table, "%s", "");
    char text[256];
    print_on_terminal(&table, 23, text, sizeof text);
    assert_string_equal(text, "  measured\r\n  4.00      a long note\r\n  5.00\r\n");
    print_on_terminal(&table, 22, text, sizeof text);
    assert_string_equal(text, "  measured\r\n  4.00\r\n      a long note\r\n  5.00\r\n");
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned_and_lines_end_clean),
        cmocka_unit_test(on_a_narrow_terminal_a_note_has_its_own_line),
        cmocka_unit_test(without_titles_there_is_no_title_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
