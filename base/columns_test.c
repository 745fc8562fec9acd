#include "base/columns.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct row {
    const char *text, *quoted;
    enum column_truth truth;
    int64_t count;
    double real, fixed, exact;
};

static const struct column columns[] = {
    {"text", COLUMN_TEXT, 0, offsetof(struct row, text)},    {"quoted", COLUMN_QUOTED, 0, offsetof(struct row, quoted)},
    {"truth", COLUMN_TRUTH, 0, offsetof(struct row, truth)}, {"count", COLUMN_COUNT, 0, offsetof(struct row, count)},
    {"real", COLUMN_REAL, 3, offsetof(struct row, real)},    {"fixed", COLUMN_FIXED, 3, offsetof(struct row, fixed)},
    {"exact", COLUMN_EXACT, 0, offsetof(struct row, exact)},
};
enum { N = sizeof columns / sizeof *columns };
static const unsigned char all[N] = {0, 1, 2, 3, 4, 5, 6}, some[] = {6, 0};

static const struct row known = {"a, \"b\"", "c", COLUMN_NO, 0, 1.5, 2, 0.1};
static const struct row absent = {"", NULL, COLUMN_UNKNOWN, -1, NAN, INFINITY, NAN};

static void cells_and_titles_have_one_order(void **state) {
    (void)state;
    struct arena arena = {0};
    struct csv csv = {.line.arena = &arena};
    columns_put_titles(columns, N, "", &csv);
    assert_string_equal(csv.line.data, "text,quoted,truth,count,real,fixed,exact");
    csv = (struct csv){.line.arena = &arena};
    columns_put_titles(columns, 2, "m ", &csv);
    assert_string_equal(csv.line.data, "m text,m quoted");
    csv = (struct csv){.line.arena = &arena};
    columns_put_cells(columns, N, &known, &csv);
    assert_string_equal(csv.line.data, "\"a, \"\"b\"\"\",\"c\",no,0,1.5,2.000,0.10000000000000001");
    arena_free(&arena);
}

static void members_are_those_asked_for(void **state) {
    (void)state;
    struct arena arena = {0};
    struct json_text json = {.text.arena = &arena};
    json_open(&json, NULL);
    columns_put_members(columns, all, N, &known, &json);
    json_close(&json);
    assert_string_equal(json.text.data, "{\"text\":\"a, \\\"b\\\"\",\"quoted\":\"c\",\"truth\":false,\"count\":0,"
                                        "\"real\":1.5,\"fixed\":2.0,\"exact\":0.10000000000000001}");
    json = (struct json_text){.text.arena = &arena};
    json_open(&json, NULL);
    columns_put_members(columns, some, sizeof some, &known, &json);
    json_close(&json);
    assert_string_equal(json.text.data, "{\"exact\":0.10000000000000001,\"text\":\"a, \\\"b\\\"\"}");
    arena_free(&arena);
}

static void what_is_absent_is_an_empty_cell_and_no_member(void **state) {
    (void)state;
    struct arena arena = {0};
    struct csv csv = {.line.arena = &arena};
    struct json_text json = {.text.arena = &arena};
    columns_put_cells(columns, N, &absent, &csv);
    assert_string_equal(csv.line.data, ",,,,,,");
    json_open(&json, NULL);
    columns_put_members(columns, all, N, &absent, &json);
    json_close(&json);
    assert_string_equal(json.text.data, "{}");
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_and_titles_have_one_order),
        cmocka_unit_test(members_are_those_asked_for),
        cmocka_unit_test(what_is_absent_is_an_empty_cell_and_no_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
