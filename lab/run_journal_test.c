// The measurement file of a run: what a later run takes from it, and what not.
#include "lab/testing.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char skylake[] = "sim:skylake,noise=none";

struct fixture {
    struct arena arena;
    char folder[64];
    const char *path;
};

static int set_up(void **state) {
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/cyclops-run-journal-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->path = arena_printf(&f->arena, "%s/run.jsonl", f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    unlink(f->path);
    rmdir(f->folder);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

// The latencies of two kernels, with that file.
static void start(struct testing_run *run, const struct fixture *f, const char *target, bool is_resumed) {
    static const struct plan_options latency = {.has_mode = true, .mode = PROGRAM_LATENCY};
    testing_run_start(run, target);
    testing_run_add(run, "add-r64", &latency);
    testing_run_add(run, "imul-r64", &latency);
    assert_int_equal(run->plan.n_experiments, 2);
    run->files.path = f->path;
    run->files.is_resumed = is_resumed;
}

static void go(struct testing_run *run) {
    testing_run_go(run);
    assert_true(run->is_done);
}

static void assert_all_done(const struct testing_run *run) {
    assert_int_equal(run->status, 0);
    for (size_t i = 0; i < run->plan.n_experiments; i++)
        assert_true(run->plan.experiments[i]->is_done);
}

static void run_once(const struct fixture *f, const char *target) {
    struct testing_run run;
    start(&run, f, target, false);
    go(&run);
    assert_all_done(&run);
    testing_run_end(&run);
}

static char *contents(struct fixture *f, size_t *length) {
    struct fail fail = {0};
    char *data;
    assert_true(file_read(&f->arena, f->path, &data, length, &fail));
    return data;
}

static unsigned count(const char *text, const char *part) {
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

static const char measurement[] = "\"record\":\"measurement\"", header[] = "\"record\":\"host\"";

// Whatever a second run still measured would be stopped: its values can only be the file's.
static void a_second_run_takes_all_from_the_file(void **state) {
    struct fixture *f = *state;
    size_t length, length_then;
    run_once(f, skylake);
    const char *first = contents(f, &length_then);
    assert_int_equal(count(first, header), 1);
    assert_int_equal(count(first, measurement), 2);
    struct testing_run run;
    start(&run, f, skylake, true);
    run.heard.stops_at_start = true;
    go(&run);
    assert_all_done(&run);
    assert_int_equal(run.heard.n_started, 1);
    assert_true(testing_has(&run.heard.notes, "2 of 2 measurements are taken from '"));
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(run.plan.experiments[i]->verdicts[0].kind, VERDICT_AGREE);
    const char *second = contents(f, &length);
    assert_int_equal(length, length_then);
    assert_memory_equal(first, second, length);
    testing_run_end(&run);
}

static void without_resume_all_is_measured_again(void **state) {
    struct fixture *f = *state;
    size_t length;
    run_once(f, skylake);
    run_once(f, skylake);
    assert_int_equal(count(contents(f, &length), measurement), 4);
}

static void a_line_cut_short_is_left_out_with_a_note(void **state) {
    struct fixture *f = *state;
    size_t length;
    run_once(f, skylake);
    contents(f, &length);
    assert_int_equal(truncate(f->path, (off_t)length - 5), 0);
    struct testing_run run;
    start(&run, f, skylake, true);
    go(&run);
    assert_all_done(&run);
    assert_true(
        testing_has(&run.heard.notes, ".jsonl:3: the line was cut short when its run was ended; it is left out"));
    assert_true(testing_has(&run.heard.notes, "1 of 2 measurements are taken from '"));
    testing_run_end(&run);
    start(&run, f, skylake, true); // now it is whole
    run.heard.stops_at_start = true;
    go(&run);
    assert_all_done(&run);
    assert_true(testing_has(&run.heard.notes, "2 of 2 measurements are taken from '"));
    testing_run_end(&run);
}

static void values_of_another_target_are_not_taken(void **state) {
    struct fixture *f = *state;
    size_t length;
    run_once(f, skylake);
    struct testing_run run;
    start(&run, f, "sim:znver4,noise=none", true);
    go(&run);
    assert_all_done(&run);
    assert_true(testing_has(&run.heard.notes, "0 of 2 measurements are taken from '"));
    assert_true(testing_has(&run.heard.notes, "2 measurements in '"));
    assert_true(testing_has(&run.heard.notes, "are of another host, target, model or clock, and are not taken"));
    testing_run_end(&run);
    assert_int_equal(count(contents(f, &length), measurement), 4);
}

// What is no measurement file is not written to, either, where it was to be gone on with.
static void what_is_no_such_file_is_refused(void **state) {
    struct fixture *f = *state;
    static const char shopping[] = "eggs\nbutter\nmilk\n";
    struct testing_run run;
    size_t length;
    struct fail fail = {0};
    assert_true(file_write(f->path, shopping, sizeof shopping - 1, &fail));
    start(&run, f, skylake, true);
    testing_run_go(&run);
    assert_false(run.is_done);
    assert_int_equal(run.fail.status, FAIL_INPUT);
    assert_string_equal(run.fail.file, f->path);
    assert_int_equal(run.fail.line, 1);
    assert_int_equal(run.heard.n_started, 0);
    assert_string_equal(contents(f, &length), shopping);
    testing_run_end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_second_run_takes_all_from_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_resume_all_is_measured_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_cut_short_is_left_out_with_a_note, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_of_another_target_are_not_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_such_file_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
