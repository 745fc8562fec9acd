// The instruction table as text, CSV and JSON Lines.
#include "report/table.h"

#include "base/screen.h"
#include "base/text.h"
#include "report/row_summary.h"
#include "report/testing_table.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

typedef bool write_function(struct arena *arena, const struct survey_table *table,
                            const struct table_report_options *options, FILE *out, struct fail *fail);

static const char *written(write_function *write, const struct survey_table *table,
                           struct table_report_options options) {
    char *text = NULL;
    size_t length;
    struct fail fail = {0};
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    if (!write(&arena, table, &options, out, &fail))
        fail_msg("%s", fail.text);
    fclose(out);
    const char *copy = arena_strdup(&arena, text);
    free(text);
    // No number is infinite or undefined; "LEAnan" is a form.
    for (const char *at = strstr(copy, "nan"); at; at = strstr(at + 1, "nan"))
        assert_true(at - copy >= 3 && strncmp(at - 3, "LEAnan", 6) == 0);
    assert_null(strstr(copy, "inf"));
    return copy;
}

static void fits(const char *text, size_t columns) {
    struct slice rest = {text, strlen(text)}, line;
    while (slice_next(&rest, '\n', &line)) {
        const char *copy = arena_copy(&arena, line.data, line.length);
        if (text_width(copy) > columns)
            fail_msg("wider than %zu: %s", columns, copy);
    }
}

static const char *text_of(const struct survey_table *table, struct table_report_options options) {
    const char *text = written(table_report_print, table, options);
    fits(text, 80);
    return text;
}

static void a_row_for_each_form(void **state) {
    (void)state;
    assert_string_equal(text_of(&testing_table, (struct table_report_options){0}),
                        "AMD EPYC 9B45 (family 26, model 2), microcode 0xb002116; LLVM: znver5\n"
                        "Clock: ratio clock (1 cycle = 1 dependent add), ±0.10 %\n"
                        "Measured: not recorded\n"
                        "16140 forms, 6 measured: 15 values (2 unstable ?, 3 upper bounds ≤)\n"
                        "Unstable here: 2 × another thread was busy\n"
                        "Not measured here: 1 × illegal instruction\n"
                        "Dispatch: 6 slots a cycle, measured with 'xor'\n"
                        "Latencies: 1;4 are two that differ, 1..7 the least and the largest of more\n"
                        "Models: latency, then reciprocal throughput, as their tables state them; ≠:\n"
                        "    outside the measured interval. 'cyclops check' simulates the measured code\n"
                        "    instead\n"
                        "\n"
                        "  form              latency    reciprocal  slots  llvm-22/znver5  llvm-19/znver4\n"
                        "                               throughput\n"
                        "  ADD64rr           1          0.25        1      1     0.25      1     0.25\n"
                        "  CRC \"quo…, form\"  3;4        -           -      3≠    1         -\n"
                        "  DIV64r            10..≤18 ?  7 ?         -      30    20        12    7\n"
                        "  LEAnan            -          -           -      -     -         1     1\n"
                        "  NOOP              -          0.083       -      1     0.25≠     0     0.08\n"
                        "  VADDPSYrm         3;≤11      0.5         ≤2     10    0.5       2≠    0.5\n");
    const char *text = text_of(&testing_table, (struct table_report_options){.with_left_out = true, .colour = true});
    assert_non_null(strstr(text, "  XSAVE "));
    assert_non_null(strstr(text, "    illegal instruction\n"));
    assert_non_null(strstr(text, "\033[31m3≠    1\033[0m"));
    assert_non_null(strstr(text, "\033[33m7 ?\033[0m"));
}

// In a pipe without COLUMNS, a page has a line for each row, and the whole code. A screen has the beginning of long
// code and its length.
static void a_page_in_a_pipe_is_whole(void **state) {
    (void)state;
    enum { N_BYTES = 200, MOST_SHOWN = 16 };
    char code[2 * N_BYTES + 1] = "";
    for (int i = 0; i < 2 * N_BYTES; i++)
        code[i] = "90"[i % 2];
    const struct table_latency latency = {.source = "1", .destination = "0", .value = testing_value(3, code)};
    struct table_row row = testing_table.rows[0];
    struct survey_table one = testing_table;
    row.latencies = &latency;
    row.n_latencies = 1;
    one.rows = &row;
    one.n_rows = 1;
    unsetenv("COLUMNS");
    const char *page = written(table_report_print, &one, (struct table_report_options){.form = "VADDPSYrm"});
    setenv("COLUMNS", "80", 1);
    const char *last = strstr(page, "latency 1 → 0  ");
    assert_non_null(last);
    assert_null(strstr(page, "…"));
    assert_int_equal(strcspn(strstr(last, "90 90"), "\n"), 3 * N_BYTES - 1);
    setenv("COLUMNS", "200", 1);
    page = written(table_report_print, &one, (struct table_report_options){.form = "VADDPSYrm"});
    setenv("COLUMNS", "80", 1);
    assert_non_null(strstr(page, "90 90 … (200 bytes)\n"));
    assert_int_equal(strcspn(strstr(page, "90 90"), "…"), 3 * MOST_SHOWN);
}

static void numbers_that_print_alike_are_not_marked(void **state) {
    (void)state;
    static const struct row_summary_range narrow = {0.0513, 0.0514};
    assert_true(row_summary_off(0.0507, narrow) > 1);
    assert_false(row_summary_differs(&arena, 0.0507, narrow));
    assert_true(row_summary_differs(&arena, 0.053, narrow));
    assert_true(row_summary_differs(&arena, 0.25, (struct row_summary_range){0.261, 0.263}));
}

static void one_form_has_a_page(void **state) {
    (void)state;
    static const char page[] = "VADDPSYrm: vaddps 64(%rdi), %ymm1, %ymm0\n"
                               "AMD EPYC 9B45 (family 26, model 2), microcode 0xb002116\n"
                               "Clock: ratio clock (1 cycle = 1 dependent add), ±0.10 %\n"
                               "Measured: not recorded\n"
                               "Scheduling class: WriteFAddYLd\n"
                               "\n"
                               "  latency     cycles  interval        verdict       chain closed by\n"
                               "  1 → 0       3       2.99 to 3.01    exact         itself\n"
                               "  2.base → 0  ≤11     10.99 to 11.01  bound, exact  VMOVQ64rr, together 12\n"
                               "    the partner's latency is unknown\n"
                               "  memory → 0  -                       not known\n"
                               "    no instruction stores what it takes\n"
                               "A number is LLVM's operand, 0 mostly the result; N.base: a register of its\n"
                               "    address; memory: stored and loaded back\n"
                               "\n"
                               "  reciprocal throughput          cycles  interval        verdict\n"
                               "  unrolled, n = 8, own lines     0.5     0.490 to 0.510  exact    in the table\n"
                               "  unrolled, n = 8, same address  0.5     0.490 to 0.510  exact\n"
                               "\n"
                               "  dispatch      slots  interval      verdict\n"
                               "  of 6 a cycle  ≤2     1.99 to 2.01  bound, exact  no whole number of slots\n"
                               "\n"
                               "  model           latency  reciprocal throughput  uops\n"
                               "  llvm-22/znver5  10       0.5                       1\n"
                               "  llvm-19/znver4  2≠       0.5                       1\n"
                               "\n"
                               "To measure again: cyclops run --kernels DIR/kernels KERNEL\n"
                               "  kernel    measures                       bytes of one body\n"
                               "  vadd.1-0  latency 1 → 0                  c5 f4 58 07\n"
                               "  vadd.2-0  latency 2.base → 0             c5 f4 58 07 c4 e1 f9 7e c7\n"
                               "  vadd.8    unrolled, n = 8, own lines     c5 f4 58 07\n"
                               "  vadd.8s   unrolled, n = 8, same address  c5 f4 58 07\n"
                               "  vadd.17   dispatch slots                 c5 f4 58 07\n";
    assert_string_equal(text_of(&testing_table, (struct table_report_options){.form = "VADDPSYrm"}), page);
    struct survey_table one = testing_table; // a table of one row needs no name
    one.n_rows = 1;
    assert_string_equal(text_of(&one, (struct table_report_options){0}), page);
    for (size_t i = 0; i < testing_table.n_rows; i++)
        text_of(&testing_table, (struct table_report_options){.form = testing_table.rows[i].form});
    assert_non_null(strstr(text_of(&testing_table, (struct table_report_options){.form = "XSAVE"}),
                           "\nNot measured: illegal instruction\n"));
}

// What events counted, beside the throughput, and latencies of slow values.
static void counts_and_slow_values_show(void **state) {
    (void)state;
    static const struct table_count counts[] = {{"UOPS_RETIRED", 2.0625, 2.06, 2.07, NULL},
                                                {"PORT_0", 0.5, 0.49, 0.51, "the counter was lost"},
                                                {"PORT_1", 0.001, -0.001, 0.002, NULL}};
    const struct table_value value = {
        .is_known = true, .cycles = 18, .low = 17.99, .high = 18.01, .kernel = "D.slow.rax-rax.xor"};
    const struct table_throughput throughputs[] = {
        {.streams = 32, .copies = 4, .has_breakers = true, .counts = counts, .n_counts = 3, .value = value},
        {.streams = 9, .fillers = 2, .filler = "xor", .value = value}};
    const struct table_latency latency = {true, "rax", "rax", value, false};
    const struct table_row row = {
        .form = "D", .latencies = &latency, .n_latencies = 1, .throughputs = throughputs, .n_throughputs = 2};
    struct survey_table table = testing_table;
    table.rows = &row;
    table.n_rows = 1;
    table.n_models = 0;
    const char *page = text_of(&table, (struct table_report_options){.form = "D"});
    assert_non_null(strstr(page, "  unrolled, n = 9, 2 fillers behind each  "));
    assert_non_null(strstr(page, "  rax → rax, slow values  18"));
    assert_non_null(strstr(page, "  unrolled, n = 32, breakers each 4 copies  18"));
    assert_non_null(strstr(page, "'cyclops run' prints the cycles of N copies"));
    assert_non_null(strstr(page, "  UOPS_RETIRED "));
    assert_non_null(strstr(page, "2.06 to 2.07"));
    assert_non_null(strstr(page, "the counter was lost"));
    assert_non_null(strstr(page, "  1 other event "));
    assert_null(strstr(page, "PORT_1"));
    const char *csv = written(table_report_write_csv, &table, (struct table_report_options){0});
    assert_non_null(
        strstr(csv, "\nD,latency,rax,rax,18,17.99,18.01,equal,exact,,D.slow.rax-rax.xor,,,,,,,yes,,,,,,,,\n"));
    assert_non_null(strstr(csv, "\nD,count,UOPS_RETIRED,,2.0625,2.06,2.07,equal,exact,"));
    assert_non_null(strstr(csv, "\nD,count,PORT_1,,0.001,-0.001,0.002,"));
    assert_non_null(strstr(csv, ",9,no,,,,,2\n"));
    const char *json = written(table_report_write_json, &table, (struct table_report_options){0});
    assert_non_null(strstr(json, "\"slow_values\":true,\"cycles\":18"));
    assert_non_null(strstr(json, "\"streams\":9,\"fillers\":2,\"headline\":false"));
    assert_non_null(strstr(json, "\"streams\":32,\"headline\":true"));
    assert_non_null(
        strstr(json, "\"counts\":[{\"event\":\"UOPS_RETIRED\",\"count\":2.0625,\"low\":2.06,\"high\":2.07},"));
}

static void unknown_forms_are_failures(void **state) {
    (void)state;
    struct fail fail = {0};
    const struct table_report_options options = {.form = "ADD64r"};
    assert_false(table_report_print(&arena, &testing_table, &options, stdout, &fail));
    assert_int_equal(fail.status, FAIL_INPUT);
    assert_string_equal(fail.text, "the table has no form 'ADD64r' (did you mean 'ADD64rr'?)");
}

static void tables_without_rows_or_models(void **state) {
    (void)state;
    struct survey_table table = testing_table;
    table.n_rows = 0;
    assert_non_null(strstr(text_of(&table, (struct table_report_options){0}), "\nNo form is left to show.\n"));
    assert_null(strchr(strchr(written(table_report_write_csv, &table, (struct table_report_options){0}), '\n') + 1,
                       '\n')); // titles alone
    table = testing_table;
    table.n_models = 0;
    assert_non_null(strstr(text_of(&table, (struct table_report_options){0}),
                           "  form                instruction                 latency    reciprocal  slots\n"));
    struct table_row row = testing_table.rows[0]; // models, and no numbers of them
    row.models = NULL;
    table = testing_table;
    table.rows = &row;
    table.n_rows = 1;
    assert_non_null(strstr(text_of(&table, (struct table_report_options){0}), "  llvm-22/znver5  -        -  "));
    written(table_report_write_csv, &table, (struct table_report_options){0});
    written(table_report_write_json, &table, (struct table_report_options){0});
}

// Both speeds show; of an upper bound, the slower one.
// Reasons that differ in their numbers only are counted together.
static void reasons_are_counted_without_numbers(void **state) {
    (void)state;
    static const char *const whys[] = {"4.5 cycles at one time and 5 at another",
                                       "7 cycles at one time and 8 at another",
                                       "two modes: 4 (50 %) and 5 (50 %) cycles", "its streams wait for o0"};
    enum { N = sizeof whys / sizeof *whys };
    struct table_throughput throughputs[N] = {{0}};
    for (size_t i = 0; i < N; i++)
        throughputs[i].value = (struct table_value){
            .is_known = true, .cycles = 1, .low = 1, .high = 1, .verdict = MEASURED_UNSTABLE, .why = whys[i]};
    struct table_row rows[] = {testing_table.rows[0], testing_table.rows[0]}; // of a single one, its page is printed
    rows[0].throughputs = throughputs;
    rows[0].n_throughputs = N;
    struct survey_table table = testing_table;
    table.rows = rows;
    table.n_rows = 2;
    const char *text = text_of(&table, (struct table_report_options){0});
    assert_non_null(strstr(text, "Unstable here: 2 × … cycles at one time and … at another; 1 × "));
    assert_non_null(strstr(text, " o0"));
    assert_non_null(strstr(text, "two modes"));
    assert_null(strstr(text, "two modes:"));
}

// A bound that lies above the largest exact latency by less than a difference leaves no doubt about that one.
static void a_bound_as_large_as_an_exact_latency_is_no_doubt(void **state) {
    (void)state;
    struct table_latency latencies[] = {{false, "1", "0", testing_value(3, "90"), false},
                                        {false, "2", "0", testing_value(3.01, "90"), false}};
    const struct table_row row = {.form = "A", .latencies = latencies, .n_latencies = 2};
    latencies[1].value.relation = TABLE_AT_MOST;
    assert_null(row_summary_latency(&arena, &row).doubt);
    latencies[1].value = testing_value(3.2, "90");
    latencies[1].value.relation = TABLE_AT_MOST;
    assert_non_null(row_summary_latency(&arena, &row).doubt);
}

static void two_speeds_show(void **state) {
    (void)state;
    struct table_value value = testing_value(0.67, "c5ffe6c1");
    value.low = 0.657;
    value.high = 0.89;
    value.has_two_speeds = true;
    value.why = "two speeds, at 3 times: 0.667 and 0.878 cycles";
    const struct table_latency latency = {false, "1", "0", value, false};
    const struct table_throughput throughput = {.streams = 16, .value = value};
    struct table_row row = {.form = "VCVTPD2DQYrr",
                            .latencies = &latency,
                            .n_latencies = 1,
                            .throughputs = &throughput,
                            .n_throughputs = 1};
    struct survey_table table = testing_table;
    table.rows = &row;
    table.n_rows = 1;
    table.n_models = 0;
    assert_non_null(strstr(text_of(&table, (struct table_report_options){.form = row.form}), "0.66~0.89"));
    value.relation = TABLE_AT_MOST;
    assert_string_equal(row_summary_value(&arena, &value), "≤0.89");
    struct row_summary summary = row_summary_latency(&arena, &row);
    assert_non_null(strstr(summary.doubt, "two speeds")); // llvm-exegesis is not to compare it
}

static void long_names_fit(void **state) {
    (void)state;
    struct table_row two[2] = {testing_table.rows[0], testing_table.rows[1]};
    struct table_value value = testing_value(4, "c5f45807c5f45807c5f45807c5f45807c5f45807c5f45807c5f45807c5f45807");
    value.kernel = "vfmaddsub231pdz256mbkz-with-a-name-that-needs-columns";
    value.partner = "VPBROADCASTWrZ256rrkz";
    value.sum = 1234.5;
    value.why = "a reason of many words that does not fit beside the numbers of its row, but goes below them";
    const struct table_latency latency = {false, "2.base", "flags", value, false};
    two[0].form = "VFMADDSUB231PDZ256mbkzAndThenSome";
    two[0].example = "vfmaddsub231pd 64(%rdi){1to4}, %ymm16, %ymm17 {%k1} {z}";
    two[0].latencies = &latency;
    two[0].n_latencies = 1;
    struct survey_table table = testing_table;
    table.rows = two;
    table.n_rows = 2;
    text_of(&table, (struct table_report_options){0});
    assert_non_null(strstr(text_of(&table, (struct table_report_options){.form = two[0].form}), value.kernel));
}

// The order of the forms' first letters.
static void sorted(enum table_sort sort, const char *expected) {
    json_error_t error;
    const char *text = written(table_report_write_json, &testing_table, (struct table_report_options){.sort = sort});
    struct slice rest = {text, strlen(text)}, line;
    struct text found = {.arena = &arena};
    while (rest.length && slice_next(&rest, '\n', &line)) {
        json_t *object = json_loadb(line.data, line.length, 0, &error);
        if (!object)
            fail_msg("%s: %.*s", error.text, (int)line.length, line.data);
        const char *form = json_string_value(json_object_get(object, "form"));
        text_append(&found, form ? form : "", form != NULL);
        json_decref(object);
    }
    assert_string_equal(found.data, expected);
}

static void orders(void **state) {
    (void)state;
    static const struct {
        const char *name, *expected;
    } table[] = {
        {"name", "ACDLNVX"},
        {"latency", "DCVALNX"},    // 10 for certain, 4, 3, 1
        {"throughput", "DVANCLX"}, // 7, 0.5, 0.25, 0.083
        {"model", "NVCADLX"},      // by 2.7, 1.5, 1.3
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        enum table_sort sort;
        struct fail fail = {0};
        assert_true(table_sort_read(table[i].name, &sort, &fail));
        sorted(sort, table[i].expected);
    }
    enum table_sort sort;
    struct fail fail = {0};
    assert_false(table_sort_read("size", &sort, &fail));
    assert_string_equal(fail.text, "cannot sort by 'size': use name, latency, throughput or model");
}

// Splits CSV by RFC 4180; returns the fields of all records, one record after the other.
static size_t read_csv(const char *text, const char ***fields, size_t *n_records) {
    size_t n = 0;
    *n_records = 0;
    while (*text) {
        struct text field = {.arena = &arena};
        text_add(&field, "");
        bool is_quoted = *text == '"';
        text += is_quoted;
        for (; *text && (is_quoted || (*text != ',' && *text != '\n')); text++) {
            if (is_quoted && *text == '"' && *++text != '"')
                break;
            text_append(&field, text, 1);
        }
        *ARENA_ADD(&arena, *fields, n) = field.data;
        assert_true(*text == ',' || *text == '\n');
        *n_records += *text++ == '\n';
    }
    return n;
}

static void csv_is_quoted(void **state) {
    (void)state;
    enum { COLUMNS = 26 + 2 * 3, WHY = 9, KERNEL = 10, PARTNER = 21, SUM = 22 };
    const char **fields = ARENA_ARRAY(&arena, const char *, 1);
    size_t n_records, n = read_csv(written(table_report_write_csv, &testing_table, (struct table_report_options){0}),
                                   &fields, &n_records);
    assert_int_equal(n_records, 1 + 5 + 3 + 4 + 4 + 2 + 5 + 1);
    assert_int_equal(n, n_records * COLUMNS);
    assert_string_equal(fields[WHY], "why");
    assert_string_equal(fields[COLUMNS - 6], "llvm-22/znver5 latency");
    const char **crc = &fields[(size_t)7 * COLUMNS];
    assert_string_equal(crc[0], "CRC \"quoted, form\"");
    assert_string_equal(crc[4], "4");
    assert_string_equal(crc[7], "equal");
    assert_string_equal(crc[WHY], "the partner's share,\n\"2.5\", is subtracted");
    assert_string_equal(crc[KERNEL], "crc \"2\"");
    assert_string_equal(crc[PARTNER], "MOVQ, by a=b");
    assert_string_equal(crc[SUM], "6.5");
    assert_string_equal(crc[COLUMNS - 1], ""); // the second model does not know it
    for (size_t i = 0; i < n_records; i++)
        if (strcmp(fields[i * COLUMNS], "VADDPSYrm") == 0 && strcmp(fields[i * COLUMNS + 1], "slots") == 0) {
            assert_string_equal(fields[i * COLUMNS + 4], "2");
            assert_string_equal(fields[i * COLUMNS + 7], "at most");
        }
    const char **last = &fields[(n_records - 1) * COLUMNS];
    assert_string_equal(last[0], "XSAVE");
    assert_string_equal(last[1], "none");
    assert_string_equal(last[4], "");
    assert_string_equal(last[WHY], "illegal instruction");
}

static void json_has_everything(void **state) {
    (void)state;
    json_error_t error;
    const char *text =
        written(table_report_write_json, &testing_table, (struct table_report_options){.form = "DIV64r"});
    const char *second = strchr(text, '\n') + 1;
    json_t *head = json_loadb(text, (size_t)(second - text), 0, &error), *form = json_loads(second, 0, &error);
    assert_non_null(head);
    assert_non_null(form);
    assert_string_equal(json_string_value(json_object_get(head, "record")), "table");
    assert_int_equal(json_integer_value(json_object_get(head, "forms")), 16140);
    const char *verdict, *relation, *destination;
    assert_int_equal(json_unpack(form, "{s:[{s:s},{s:s},{s:s}]}", "latencies", "destination", &destination, "verdict",
                                 &verdict, "relation", &relation),
                     0);
    assert_string_equal(destination, "rax");
    assert_string_equal(verdict, "unstable");
    assert_string_equal(relation, "at most");
    const char *why;
    assert_int_equal(json_unpack(form, "{s:{s:s}}", "slots", "why", &why), 0);
    assert_string_equal(why, "its copies take longer than fillers can hide");
    assert_int_equal(json_unpack(head, "{s:s}", "filler", &why), 0);
    assert_string_equal(why, "xor");
    json_decref(head);
    json_decref(form);
}

static const char *classes_of(const struct survey_table *table, enum table_format format) {
    char *text = NULL;
    size_t length;
    struct fail fail = {0};
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_true(table_classes_write(&arena, table, format, false, out, &fail));
    fclose(out);
    const char *copy = arena_strdup(&arena, text);
    free(text);
    return copy;
}

// A result that other instructions wait for longer has another row; the list has both numbers. Classes compare forms
// by what all of them have.
static void what_others_wait_for_shows(void **state) {
    (void)state;
    const struct table_value own = testing_value(2, "c5f458c2"), to_others = testing_value(3, "c5f458c2c5f054c8");
    const struct table_latency latencies[] = {{false, "1", "0", own, false}, {false, "1", "0", to_others, true}};
    const struct table_row rows[] = {
        {.form = "VADDPDYrr", .sched_class = "WriteFAddY", .latencies = latencies, .n_latencies = 2},
        {.form = "VADDPSYrr", .sched_class = "WriteFAddY", .latencies = latencies, .n_latencies = 1}};
    struct survey_table table = testing_table;
    table.rows = rows;
    table.n_rows = 2;
    table.n_models = 0;
    const char *page = text_of(&table, (struct table_report_options){.form = "VADDPDYrr"});
    assert_non_null(strstr(page, "  1 → 0, to others  3"));
    assert_non_null(strstr(page, "to others: until"));
    assert_null(strstr(text_of(&table, (struct table_report_options){.form = "VADDPSYrr"}), "to others"));
    assert_non_null(strstr(text_of(&table, (struct table_report_options){0}), "  2;3 "));
    const char *json = written(table_report_write_json, &table, (struct table_report_options){.form = "VADDPDYrr"});
    assert_non_null(strstr(json, "\"destination\":\"0\",\"to_others\":true,\"cycles\":3"));
    assert_null(strstr(json, "\"to_others\":true,\"cycles\":2"));
    const char *csv = written(table_report_write_csv, &table, (struct table_report_options){.form = "VADDPDYrr"});
    assert_non_null(strstr(csv, ",partner,sum,to_others,placement,fillers\n"));
    assert_non_null(strstr(csv, ",yes,,\n"));
    assert_string_equal(classes_of(&table, TABLE_TEXT), "Scheduling classes whose forms differ: 0\n");
}

static void classes_whose_forms_differ(void **state) {
    (void)state;
    struct table_throughput fast = {.streams = 4, .value = testing_value(0.25, "90")}, slow = fast, bound = fast;
    slow.value = testing_value(0.5, "90");
    bound.value = testing_value(3, "90");
    bound.value.relation = TABLE_AT_MOST;
    const struct table_row rows[] = {
        {.form = "A", .sched_class = "WriteX", .throughputs = &fast, .n_throughputs = 1},
        {.form = "B", .sched_class = "WriteX", .throughputs = &slow, .n_throughputs = 1},
        {.form = "C", .sched_class = "WriteX", .throughputs = &fast, .n_throughputs = 1},
        {.form = "D", .sched_class = "WriteX", .throughputs = &bound, .n_throughputs = 1},
        {.form = "E", .sched_class = "WriteY", .throughputs = &fast, .n_throughputs = 1},
        {.form = "F", .throughputs = &slow, .n_throughputs = 1},
    };
    struct survey_table table = {.rows = rows, .n_rows = sizeof rows / sizeof *rows};
    assert_string_equal(classes_of(&table, TABLE_TEXT), "Scheduling classes whose forms differ: 1\n"
                                                        "\n"
                                                        "  scheduling class  differs in  cycles  forms  such as\n"
                                                        "  WriteX            throughput  0.25        2  A\n"
                                                        "                                0.5         1  B\n");
    assert_non_null(strstr(classes_of(&table, TABLE_CSV), "\nWriteX,throughput,0.25,"));
    assert_non_null(strstr(classes_of(&table, TABLE_JSON), "\"forms\":1"));
    table.n_rows = 1;
    assert_string_equal(classes_of(&table, TABLE_TEXT), "Scheduling classes whose forms differ: 0\n");
    assert_string_equal(classes_of(&table, TABLE_JSON), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_for_each_form),
        cmocka_unit_test(a_page_in_a_pipe_is_whole),
        cmocka_unit_test(numbers_that_print_alike_are_not_marked),
        cmocka_unit_test(one_form_has_a_page),
        cmocka_unit_test(counts_and_slow_values_show),
        cmocka_unit_test(what_others_wait_for_shows),
        cmocka_unit_test(unknown_forms_are_failures),
        cmocka_unit_test(tables_without_rows_or_models),
        cmocka_unit_test(two_speeds_show),
        cmocka_unit_test(a_bound_as_large_as_an_exact_latency_is_no_doubt),
        cmocka_unit_test(reasons_are_counted_without_numbers),
        cmocka_unit_test(long_names_fit),
        cmocka_unit_test(orders),
        cmocka_unit_test(csv_is_quoted),
        cmocka_unit_test(json_has_everything),
        cmocka_unit_test(classes_whose_forms_differ),
    };
    setenv("COLUMNS", "80", 1);
    screen_set_up();
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&arena);
    return status;
}
