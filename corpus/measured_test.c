// Measured values: CSV files of others, and the records of a folder, of which the last one of a block counts.
#include "corpus/measured.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct fail fail;
    char folder[64];
    const char *file;
    struct measured *measured;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    strcpy(f->folder, "/tmp/corpus-measured-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    f->file = arena_printf(&f->arena, "%s/measurements.jsonl", f->folder);
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    measured_close(f->measured);
    unlink(f->file);
    unlink(arena_printf(&f->arena, "%s/settings.json", f->folder));
    rmdir(f->folder);
    arena_free(&f->arena);
    free(f);
    return 0;
}

static void write_file(const struct fixture *f, const char *text) {
    FILE *out = fopen(f->file, "we");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

// Makes the folder one of a corpus.
static void write_settings(struct fixture *f, const char *fill) {
    FILE *out = fopen(arena_printf(&f->arena, "%s/settings.json", f->folder), "we");
    assert_non_null(out);
    fprintf(out, "{\"fill\": \"%s\"}\n", fill);
    fclose(out);
}

static bool open_file(struct fixture *f, const struct measured_request *request) {
    measured_close(f->measured);
    fail_clear(&f->fail);
    f->measured = measured_open(request, &f->fail);
    return f->measured != NULL;
}

static void expect_next(struct fixture *f, const char *hex, double cycles, enum value_kind kind) {
    struct corpus_value value;
    assert_true(measured_next(f->measured, &f->arena, &value, &f->fail));
    assert_string_equal(value.hex, hex);
    assert_int_equal(value.kind, kind);
    assert_true(kind == VALUE_MISSING || fabs(value.cycles - cycles) < 1e-9);
}

static void expect_end(struct fixture *f) {
    struct corpus_value value;
    assert_false(measured_next(f->measured, &f->arena, &value, &f->fail));
    assert_int_equal(f->fail.status, FAIL_NONE);
}

static void values_of_others(void **state) {
    struct fixture *f = *state;
    struct measured_request request = {.csv = f->file};
    write_file(f, "4801d8,150\n90,\n"); // as BHive writes them: no titles, cycles of 100 iterations
    assert_true(open_file(f, &request));
    expect_next(f, "4801d8", 1.5, VALUE_STABLE);
    expect_next(f, "90", 0, VALUE_MISSING);
    expect_end(f);
    write_file(f, "hex,cycles_per_100_iterations,may_alias\n4801D8,99,1\n");
    assert_true(open_file(f, &request));
    struct corpus_value value;
    assert_true(measured_next(f->measured, &f->arena, &value, &f->fail));
    assert_string_equal(value.hex, "4801d8");
    assert_string_equal(value.notes, "aliases");
    assert_true(fabs(value.cycles - 0.99) < 1e-9);
    request.per = 10;
    assert_true(open_file(f, &request));
    expect_next(f, "4801d8", 9.9, VALUE_STABLE);
    request = (struct measured_request){.csv = f->file, .column = "skl", .per = 100};
    write_file(f, "hex,hsw,skl\n90,100,200\n");
    assert_true(open_file(f, &request));
    expect_next(f, "90", 2, VALUE_STABLE);
    request.column = "ivb";
    assert_false(open_file(f, &request));
    assert_non_null(strstr(f->fail.text, "there are hex, hsw, skl"));
}

static void own_files_come_back(void **state) {
    struct fixture *f = *state;
    const struct measured_request request = {.csv = f->file};
    struct corpus_value value;
    write_file(f, "block,form,cycles,low,high,verdict,bytes,pages,notes,model\n"
                  "90,unrolled,0.25,0.24,0.26,stable,90,0,,1.0\n"
                  "90,looped,2,1.9,2.1,unstable,909083ef0175eb,1,aliases walks,1.0\n"
                  "90,looped,2,1.9,2.1,stable,,,,\n");
    assert_true(open_file(f, &request));
    assert_true(measured_next(f->measured, &f->arena, &value, &f->fail));
    assert_int_equal(value.form, PROGRAM_UNROLLED);
    assert_true(value.low == 0.24 && value.high == 0.26 && value.has_pages && value.pages == 0);
    assert_true(measured_next(f->measured, &f->arena, &value, &f->fail));
    assert_int_equal(value.form, PROGRAM_LOOPED);
    assert_int_equal(value.kind, VALUE_UNSTABLE);
    assert_string_equal(value.code, "909083ef0175eb");
    assert_true(value.walks);
    expect_end(f); // a loop without its code is malformed
    assert_int_equal(measured_malformed(f->measured), 1);
}

// Older files of ours, and BHive's, name the block "hex"; then "bytes" may be a count.
static void older_titles_are_read(void **state) {
    struct fixture *f = *state;
    const struct measured_request request = {.csv = f->file};
    struct corpus_value value;
    write_file(f, "hex,bytes,form,cycles,code\n90,1,looped,2,909083ef0175eb\n");
    assert_true(open_file(f, &request));
    assert_true(measured_next(f->measured, &f->arena, &value, &f->fail));
    assert_string_equal(value.hex, "90");
    assert_string_equal(value.code, "909083ef0175eb");
}

static void malformed_lines(void **state) {
    struct fixture *f = *state;
    struct measured_request request = {.csv = f->file};
    write_file(f, "hex,cycles\nzz,1\n90,one\n90,-1\n9,1\n48ffc0,1\n");
    assert_true(open_file(f, &request));
    expect_next(f, "48ffc0", 1, VALUE_STABLE);
    expect_end(f);
    assert_int_equal(measured_malformed(f->measured), 4);
    request.is_strict = true;
    assert_true(open_file(f, &request));
    struct corpus_value value;
    assert_false(measured_next(f->measured, &f->arena, &value, &f->fail));
    assert_int_equal(f->fail.line, 2);
    assert_int_equal(f->fail.column, 1);
}

#define RECORD "{\"record\":\"measurement\",\"isa\":\"x86_64\",\"mode\":\"block\",\"bytes\":\"90\",\"samples\":9,"

static void the_last_record_counts(void **state) {
    struct fixture *f = *state;
    const char *const folders[] = {f->folder};
    const struct measured_request request = {.folders = folders, .n_folders = 1};
    write_settings(f, "");
    write_file(
        f, "{\"record\":\"host\",\"version\":1}\n" //
        RECORD
           "\"kernel\":\"90\",\"form\":\"unrolled\",\"cycles\":5,\"low\":4,\"high\":6,\"verdict\":\"unstable\"}\n" //
        RECORD "\"kernel\":\"90\",\"form\":\"looped\",\"cycles\":1,\"low\":1,\"high\":1,\"verdict\":\"within\"}\n"
           "{\"record\":\"measurement\",\"mode\":\"block\",\"kernel\":\"cc\",\"form\":\"looped\",\"bytes\":\"cc\","
           "\"outcome\":\"trap\"}\n"
           "{\"record\":\"host\",\"version\":1}\n" //
        RECORD "\"kernel\":\"90\",\"form\":\"unrolled\",\"cycles\":0.25,\"low\":0.24,\"high\":0.26,"
           "\"verdict\":\"within\",\"clock_error\":0.01,\"block\":{\"alias\":\"same\",\"pages\":3,\"walks\":true,"
           "\"notes\":\"crosses\"}}\n"
           "{\"record\":\"meas"); // a run was killed here
    assert_true(open_file(f, &request));
    expect_next(f, "90", 1, VALUE_STABLE);
    expect_next(f, "cc", 0, VALUE_MISSING);
    struct corpus_value value;
    assert_true(measured_next(f->measured, &f->arena, &value, &f->fail));
    assert_true(value.cycles == 0.25 && value.form == PROGRAM_UNROLLED);
    assert_true(value.low < 0.239 && value.low > 0.23 && value.high > 0.261 &&
                value.high < 0.27); // with the clock's error
    assert_true(value.has_pages && value.pages == 3 && value.walks);
    assert_string_equal(value.notes, "crosses");
    expect_end(f);
}

// Of a folder whose blocks started with another fill.
static void a_start_of_its_own_is_known(void **state) {
    struct fixture *f = *state;
    const char *const folders[] = {f->folder};
    const struct measured_request request = {.folders = folders, .n_folders = 1};
    struct corpus_value value;
    for (unsigned i = 0; i < 2; i++) {
        write_settings(f, i ? "0x7f" : "");
        write_file(f, "{\"record\":\"host\",\"version\":1}\n" RECORD
                      "\"kernel\":\"90\",\"form\":\"looped\",\"cycles\":1,\"low\":1,\"high\":1,"
                      "\"verdict\":\"within\",\"block\":{\"alias\":\"same\",\"pages\":3}}\n");
        assert_true(open_file(f, &request));
        assert_true(measured_next(f->measured, &f->arena, &value, &f->fail));
        assert_int_equal(value.starts_otherwise, i);
    }
}

static void folders_without_a_corpus(void **state) {
    struct fixture *f = *state;
    const char *const folders[] = {f->folder};
    const struct measured_request request = {.folders = folders, .n_folders = 1};
    assert_false(open_file(f, &request));
    assert_non_null(strstr(f->fail.text, "holds no corpus"));
    write_file(f, "{\"record\":\"host\",\"version\":1}\n{\"record\":\"measurement\",\"samples\":-1}\n");
    assert_false(open_file(f, &request)); // as in a survey's folder
    assert_non_null(strstr(f->fail.text, "holds no corpus"));
    write_settings(f, "");
    assert_false(open_file(f, &request));
    assert_int_equal(f->fail.line, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_of_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(own_files_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(older_titles_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(malformed_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_last_record_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_start_of_its_own_is_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_without_a_corpus, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
