#include "base/csv_read.h"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void cells_are_read(void **state) {
    (void)state;
    char text[] = "\na,\"b, \"\"c\"\"\nd\",\r\n\r\n,e\rf\nlast";
    struct csv_reader reader = {.at = text, .file = "x.csv"};
    struct fail fail = {0};
    assert_true(csv_read_next(&reader, &fail));
    assert_int_equal(reader.line, 2);
    assert_int_equal(reader.n_cells, 3);
    assert_string_equal(reader.cells[0], "a");
    assert_string_equal(reader.cells[1], "b, \"c\"\nd");
    assert_string_equal(reader.cells[2], "");
    assert_true(csv_read_next(&reader, &fail));
    assert_int_equal(reader.line, 5); // behind the newline in quotes, and an empty line
    assert_int_equal(reader.n_cells, 2);
    assert_string_equal(reader.cells[0], "");
    assert_string_equal(reader.cells[1], "e\rf");
    assert_true(csv_read_next(&reader, &fail));
    assert_int_equal(reader.n_cells, 1);
    assert_string_equal(reader.cells[0], "last");
    assert_false(csv_read_next(&reader, &fail));
    assert_int_equal(fail.status, FAIL_NONE);
}

static void what_is_wrong_is_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
        unsigned line;
    } wrong[] = {{"a\nb,\"c\n\nd", "not closed", 2},
                 {"\"a\"b\n", "inside a cell", 1},
                 {"a\"b\"\n", "inside a cell", 1},
                 {"\"", "not closed", 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena arena = {0};
        struct fail fail = {0};
        struct csv_reader reader = {.at = arena_strdup(&arena, wrong[i].text), .file = "x.csv"};
        while (csv_read_next(&reader, &fail))
            ;
        assert_int_equal(fail.status, FAIL_INPUT);
        assert_int_equal(fail.line, wrong[i].line);
        assert_non_null(strstr(fail.text, wrong[i].says));
        arena_free(&arena);
    }
}

static void many_cells_are_refused(void **state) {
    (void)state;
    char text[CSV_MOST_CELLS + 2];
    memset(text, ',', sizeof text);
    text[CSV_MOST_CELLS - 1] = '\0';
    struct csv_reader reader = {.at = text, .file = "x.csv"};
    struct fail fail = {0};
    assert_true(csv_read_next(&reader, &fail));
    assert_int_equal(reader.n_cells, CSV_MOST_CELLS);
    memset(text, ',', sizeof text);
    text[CSV_MOST_CELLS] = '\0';
    reader = (struct csv_reader){.at = text, .file = "x.csv"};
    assert_false(csv_read_next(&reader, &fail));
    assert_non_null(strstr(fail.text, "more than 256 cells"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_read),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(many_cells_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
