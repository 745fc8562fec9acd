// Published tables, and several of them side by side.
#include "report/table_machines.h"

#include "base/file.h"
#include "base/text.h"
#include "report/table.h"
#include "survey/table/table_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct fail fail;
    char folder[32];
};

static int set_up(void **state) {
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/cyclops-machines-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

static const char *path_of(struct fixture *f, const char *name) {
    return arena_printf(&f->arena, "%s/%s", f->folder, name);
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    const char **names;
    size_t n = file_list(&f->arena, f->folder, "", &names);
    for (size_t i = 0; i < n; i++)
        unlink(path_of(f, names[i]));
    rmdir(f->folder);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

#define TITLES "form,quantity,source,destination,cycles,low,high,relation,verdict,why,headline,slow_values"
#define MODEL ",m latency,m rthroughput,m uops"

static bool read_text(struct fixture *f, const char *name, const char *text, struct survey_table *table) {
    const char *path = path_of(f, name);
    fail_clear(&f->fail);
    assert_true(file_write(path, text, strlen(text), &f->fail));
    return table_read_csv(&f->arena, path, table, &f->fail);
}

static const char one[] = TITLES "\n"
                                 "ADD64rr,latency,1,0,1,0.999,1.001,equal,exact,,,\n"
                                 "ADD64rr,throughput,,,0.5,0.49,0.51,equal,within,,no,\n"
                                 "ADD64rr,throughput,,,0.25,0.249,0.251,equal,exact,,yes,\n"
                                 "ADD64rr,slots,,,1,0.9,1.1,equal,exact,,,\n"
                                 "CPUID,none,,,,,,,,\"it would end, or not\",,\n"
                                 "MUL64r,latency,1,rax,4,3.9,4.1,equal,unstable,busy,,\n"
                                 "MUL64r,latency,0,rdx,3,2.9,3.1,at most,within,,,\n"
                                 "DIV64r,latency,1,rax,10,9,11,equal,within,\"two speeds, at 3 times\",,\n";

static void a_published_table_is_read(void **state) {
    struct fixture *f = *state;
    struct survey_table table;
    assert_true(read_text(f, "table.csv", one, &table));
    assert_int_equal(table.n_forms, 4);
    assert_int_equal(table.n_measured, 3);
    assert_int_equal(table.n_values, 7);
    assert_int_equal(table.n_unstable, 1);
    assert_int_equal(table.n_at_most, 1);
    assert_string_equal(table.cpu, file_base(f->folder)); // nothing else names the machine
    assert_string_equal(table.rows[0].form, "ADD64rr");
    assert_true(table.rows[0].throughputs[table.rows[0].headline].value.cycles == 0.25);
    assert_string_equal(table.rows[1].left_out, "it would end, or not");
    assert_true(table.rows[3].latencies[0].value.has_two_speeds);

    static const char card[] = "name: x\nmeasured_on: \"AMD EPYC (family 25, model 17, stepping 1), microcode 0x1\"\n",
                      host[] = "{\"record\":\"host\",\"cpu\":\"Cortex-A76\",\"midr\":\"0x414fd0b1\",\n"
                               "\"time\":\"2026-11-27T00:17Z\",\"clock\":{\"tier\":\"ratio\",\"target\":\"native\"}}\n";
    assert_true(file_write(path_of(f, "card.yaml"), card, strlen(card), &f->fail));
    assert_true(read_text(f, "table.csv", one, &table));
    assert_string_equal(table.cpu, "AMD EPYC (family 25, model 17, stepping 1), microcode 0x1");
    assert_true(file_write(path_of(f, "host.json"), host, strlen(host), &f->fail));
    assert_true(read_text(f, "table.csv", one, &table));
    assert_string_equal(table.cpu, "Cortex-A76 (MIDR 0x414fd0b1)");
    assert_string_equal(table.when.last, "2026-11-27T00:17Z");

    assert_true(
        read_text(f, "models.csv", TITLES MODEL "\nADD64rr,latency,1,0,1,1,1,equal,exact,,,,1,0.25,1\n", &table));
    assert_int_equal(table.n_models, 1);
    assert_string_equal(table.models[0], "m");
    assert_true(table.rows[0].models[0].is_known && table.rows[0].models[0].rthroughput == 0.25);
    assert_int_equal(table.rows[0].models[0].uops, 1);
}

static void what_is_wrong_is_named(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *text, *says;
        unsigned line;
    } wrong[] = {
        {"", "empty", 0},
        {"a,b\n", "no column 'form'", 1},
        {TITLES ",m latency,m uops\n", "columns of models", 1},
        {TITLES "\nADD,latency\n", "2 cells, where the titles are 12", 2},
        {TITLES "\nADD,latency,1,0,1x,1,1,equal,exact,,,\n", "no number: '1x'", 2},
        {TITLES "\nADD,latency,1,0,inf,1,1,equal,exact,,,\n", "no number: 'inf'", 2},
        {TITLES "\nADD,latency,1,0,3,1,2,equal,exact,,,\n", "not in its interval: '3'", 2},
        {TITLES "\nADD,latency,1,0,1,,1,equal,exact,,,\n", "not in its interval", 2},
        {TITLES "\nADD,latency,1,0,1,1,1,equal,sure,,,\n", "unknown verdict: 'sure'", 2},
        {TITLES "\nADD,latency,1,0,1,1,1,less,exact,,,\n", "unknown relation: 'less'", 2},
        {TITLES "\nADD,speed,1,0,1,1,1,equal,exact,,,\n", "unknown quantity: 'speed'", 2},
        {TITLES "\n,latency,1,0,1,1,1,equal,exact,,,\n", "a line of no form", 2},
        {TITLES "\n\n\"ADD,latency", "not closed", 3},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct survey_table table;
        assert_false(read_text(f, "wrong.csv", wrong[i].text, &table));
        if (f->fail.line != wrong[i].line || !strstr(f->fail.text, wrong[i].says))
            fail_msg("%zu: line %u: %s", i, f->fail.line, f->fail.text);
    }
}

// A value of a form on each of two machines, and whether they differ.
static bool differ(struct fixture *f, const char *a, const char *b) {
    struct survey_table tables[2];
    char *text = NULL;
    size_t length;
    assert_true(read_text(f, "a.csv", arena_printf(&f->arena, TITLES "\n%s\n", a), &tables[0]));
    assert_true(read_text(f, "b.csv", arena_printf(&f->arena, TITLES "\n%s\n", b), &tables[1]));
    tables[1].cpu = "another";
    const struct table_machine machines[] = {{"a", &tables[0]}, {"b", &tables[1]}};
    const struct table_machines_options options = {.only_differs = true};
    FILE *out = open_memstream(&text, &length);
    assert_true(table_machines_write_csv(&f->arena, machines, 2, &options, out, &f->fail));
    fclose(out);
    bool does = strstr(text, ",yes,") != NULL;
    free(text);
    return does;
}

static void values_differ_where_intervals_do_not_meet(void **state) {
    struct fixture *f = *state;
    assert_true(differ(f, "X,latency,1,0,3,2.9,3.1,equal,exact,,,", "X,latency,1,0,4,3.9,4.1,equal,exact,,,"));
    assert_false(differ(f, "X,latency,1,0,3,2.9,3.1,equal,exact,,,", "X,latency,2,0,4,3.9,4.1,equal,exact,,,"));
    assert_false(differ(f, "X,latency,1,0,3,2.9,3.6,equal,exact,,,", "X,latency,1,0,4,3.5,4.1,equal,exact,,,"));
    // below 1 %
    assert_false(differ(f, "X,slots,,,3,2.999,3.001,equal,exact,,,", "X,slots,,,3.02,3.01,3.03,equal,exact,,,"));
    // what is not stable, and what has two speeds
    assert_false(differ(f, "X,latency,1,0,3,2.9,3.1,equal,unstable,,,", "X,latency,1,0,4,3.9,4.1,equal,exact,,,"));
    assert_false(differ(f, "X,latency,1,0,3,2.9,3.1,equal,within,two speeds,,", "X,latency,1,0,4,4,4,equal,exact,,,"));
    // a bound says nothing of what is below it, nor of another bound
    assert_true(differ(f, "X,latency,1,0,3,2.9,3.1,at most,exact,,,", "X,latency,1,0,4,3.9,4.1,equal,exact,,,"));
    assert_false(differ(f, "X,latency,1,0,3,2.9,3.1,equal,exact,,,", "X,latency,1,0,4,3.9,4.1,at most,exact,,,"));
    assert_false(differ(f, "X,latency,1,0,3,2.9,3.1,at most,exact,,,", "X,latency,1,0,4,3.9,4.1,at most,exact,,,"));
    // throughputs: the headline
    assert_true(differ(f, "X,throughput,,,1,1,1,equal,exact,,yes,", "X,throughput,,,2,2,2,equal,exact,,yes,"));
    assert_false(differ(f, "X,throughput,,,1,1,1,equal,exact,,no,", "X,throughput,,,2,2,2,equal,exact,,no,"));
}

static void tables_of_one_machine_share_a_column(void **state) {
    struct fixture *f = *state;
    static const char other[] = TITLES "\n"
                                       "ADD64rr,latency,1,0,2,1.999,2.001,equal,exact,,,\n"
                                       "NOOP,throughput,,,0.1,0.09,0.11,equal,exact,,yes,\n";
    struct survey_table tables[3];
    assert_true(read_text(f, "one.csv", one, &tables[0]) && read_text(f, "other.csv", other, &tables[1]) &&
                read_text(f, "third.csv", other, &tables[2]));
    tables[0].cpu = tables[2].cpu = "chip A";
    tables[1].cpu = "chip B";
    const struct table_machine machines[] = {{"one", &tables[0]}, {"other", &tables[1]}, {"third", &tables[2]}};
    struct table_machines_options options = {.only_differs = true};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(table_machines_print(&f->arena, machines, 3, &options, out, &f->fail));
    fclose(out);
    assert_non_null(strstr(text, "one: chip A; 7 values, 1 unstable\n"));
    assert_non_null(strstr(text, "other: chip B; 2 values, 0 unstable\n"));
    assert_non_null(strstr(text, "one and third, of one model and microcode: 1 difference:\n"));
    assert_non_null(strstr(text, "    ADD64rr, latency 1 -> 0: 1 in one, 2 in third\n"));
    assert_non_null(strstr(text, "2 forms are on all of them; 1 of these differ.")); // the third has NOOP
    assert_non_null(strstr(text, "\n  ADD64rr  1       0.25   1  2"));
    assert_null(strstr(text, "NOOP"));
    free(text);
    options.form = "NOOB";
    assert_false(table_machines_print(&f->arena, machines, 3, &options, stdout, &f->fail));
    assert_non_null(strstr(f->fail.text, "did you mean 'NOOP'"));
}

static char *page_of(struct fixture *f, const struct table_machine *machines, size_t n) {
    const char *page = table_machines_page(&f->arena, machines, n, NULL, &f->fail);
    assert_non_null(page);
    return strdup(page);
}

// Of two tables with the same 1000 values, a few that are hardly apart may be so by chance; ones that are far apart may
// not. A latency of crossing copies is compared with none through a partner.
static void chance_is_limited(void **state) {
    struct fixture *f = *state;
    struct text before = {.arena = &f->arena}, after = {.arena = &f->arena};
    struct survey_table tables[2];
    enum { N = 1000, N_NEAR = 3, N_FAR = 5 };
    text_add(&before, TITLES ",partner\n");
    text_add(&after, TITLES ",partner\n");
    for (int i = 0; i < N; i++) {
        double low = i < N_NEAR ? 3.11 : i < N_NEAR + N_FAR ? 3.9 : 2.9;
        text_addf(&before, "X%d,latency,1,0,3,2.9,3.1,equal,within,,,,\n", i);
        text_addf(&after, "X%d,latency,1,0,%g,%g,%g,equal,within,,,,\n", i, low + 0.1, low, low + 0.2);
    }
    text_add(&before, "Y,latency,1,0,3,2.99,3.01,equal,within,,,,crossing\n");
    text_add(&after, "Y,latency,1,0,4,3.99,4.01,equal,within,,,,add\n");
    assert_true(read_text(f, "before.csv", before.data, &tables[0]) &&
                read_text(f, "after.csv", after.data, &tables[1]));
    tables[0].cpu = "chip A, microcode 0x1";
    tables[1].cpu = "chip A, microcode 0x2";
    const struct table_machine machines[] = {{"before", &tables[0]}, {"after", &tables[1]}};
    const struct table_machines_options options = {.only_differs = true};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_true(table_machines_print(&f->arena, machines, 2, &options, out, &f->fail));
    fclose(out);
    assert_non_null(strstr(text, "after has another microcode than before: latencies: 0 shorter, 5 longer;"));
    assert_non_null(strstr(text, "    X3, latency 1 -> 0: 3 in before, 4 in after\n"));
    assert_non_null(strstr(text, "1001 forms are on all of them; 5 of these differ."));
    assert_null(strstr(text, "\n  Y "));
    free(text);
}

// The page has the numbers in a line for each form, and names of a stranger's table end no script of it.
static void a_page_has_the_values(void **state) {
    struct fixture *f = *state;
    struct survey_table tables[2];
    assert_true(read_text(f, "one.csv", one, &tables[0]) &&
                read_text(f, "other.csv",
                          TITLES "\n"
                                 "</script><b>,latency,<i>,@VALUES@,2,1.9,2.1,equal,exact,,,\n"
                                 "ADD64rr,latency,1,0,2,1.5,2.5,at most,exact,,,\n",
                          &tables[1]));
    tables[0].cpu = "chip A";
    tables[1].cpu = "chip B";
    const struct table_machine machines[] = {{"one", &tables[0]}, {"other", &tables[1]}};
    char *page = page_of(f, machines, 2);
    assert_null(strstr(page, "</script><b>"));
    assert_null(strstr(page, "<i>"));
    assert_non_null(strstr(page, "[\"ADD64rr\",\"\",\"1|0.25|1/≤2|-|-\"]"));
    assert_non_null(strstr(page, "0:1:1 0.999 1.001 0;2 1.5 2.5 1|1:2:0.25 0.249 0.251 0;|2:2:1 0.9 1.1 0;|\n"));
    assert_non_null(strstr(page, "10 9 11 2;")); // two speeds
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_published_table_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_differ_where_intervals_do_not_meet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_of_one_machine_share_a_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(chance_is_limited, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_page_has_the_values, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
