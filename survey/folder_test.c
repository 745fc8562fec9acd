// The files of a survey's folder.
#include "survey/folder.h"

#include "base/compressed.h"
#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct fail fail;
    char folder[64];
};

static int set_up(void **state) {
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/cyclops-folder-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    unlink(folder_file(&f->arena, f->folder, "forms.jsonl"));
    unlink(folder_file(&f->arena, f->folder, "measurements.jsonl"));
    unlink(folder_file(&f->arena, f->folder, "lock"));
    rmdir(f->folder);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

static void assert_equal_or_null(const char *a, const char *b) {
    if (!a || !b)
        assert_true(!a && !b);
    else
        assert_string_equal(a, b);
}

static void forms_come_back(void **state) {
    struct fixture *f = *state;
    static const struct folder_form forms[] = {
        {"ADD64rr", "addq %rcx, %rax", "WriteALU", NULL},
        {"VADDPSZrrk", "vaddps %zmm2, %zmm1, %zmm0 {%k1}", NULL, "it \"quotes\", {braces} and \\"},
        {"PSEUDO", NULL, NULL, "pseudo"},
    };
    enum { N = sizeof forms / sizeof *forms };
    const struct folder_form *found;
    size_t n;
    assert_true(folder_write_forms(&f->arena, f->folder, forms, N, &f->fail));
    assert_true(folder_read_forms(&f->arena, f->folder, &found, &n, &f->fail));
    assert_int_equal(n, N);
    for (size_t i = 0; i < N; i++) {
        assert_string_equal(found[i].form, forms[i].form);
        assert_equal_or_null(found[i].example, forms[i].example);
        assert_equal_or_null(found[i].sched_class, forms[i].sched_class);
        assert_equal_or_null(found[i].left_out, forms[i].left_out);
    }
    assert_true(folder_write_forms(&f->arena, f->folder, NULL, 0, &f->fail));
    assert_true(folder_read_forms(&f->arena, f->folder, &found, &n, &f->fail));
    assert_int_equal(n, 0);
}

static void without_a_file(void **state) {
    struct fixture *f = *state;
    const struct folder_form *found;
    size_t n = 1;
    assert_true(folder_read_forms(&f->arena, f->folder, &found, &n, &f->fail));
    assert_int_equal(n, 0);
}

static void wrong_lines(void **state) {
    struct fixture *f = *state;
    static const char *const lines[] = {"nonsense",  "{\"example\":\"nop\"}", "{\"form\":1}", "[]", "\"form\"",
                                        "{\"form\":"};
    const struct folder_form *found;
    size_t n;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *text = arena_printf(&f->arena, "{\"form\":\"A\"}\n\n%s\n", lines[i]);
        f->fail = (struct fail){0};
        assert_true(file_write(folder_file(&f->arena, f->folder, "forms.jsonl"), text, strlen(text), &f->fail));
        assert_false(folder_read_forms(&f->arena, f->folder, &found, &n, &f->fail));
        assert_int_equal(f->fail.status, FAIL_INPUT);
        if (f->fail.line != 3 || !strstr(f->fail.file, "/forms.jsonl"))
            fail_msg("%s: %s:%u: %s", lines[i], f->fail.file, f->fail.line, f->fail.text);
    }
}

// Returns the status of the failure of another process that wants the folder.
static int lock_elsewhere(const struct fixture *f) {
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct arena arena = {0};
        struct fail fail = {0};
        file_lock_folder(&arena, f->folder, "survey", &fail);
        _exit((int)fail.status);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void one_survey_at_a_time(void **state) {
    struct fixture *f = *state;
    assert_int_equal(lock_elsewhere(f), FAIL_NONE); // and its end frees the folder
    assert_true(file_lock_folder(&f->arena, f->folder, "survey", &f->fail));
    assert_int_equal(lock_elsewhere(f), FAIL_INPUT);
}

static void folders_that_cannot_be_made(void **state) {
    struct fixture *f = *state;
    assert_false(file_lock_folder(&f->arena, "/proc/none/here", "survey", &f->fail));
    assert_int_equal(f->fail.status, FAIL_INPUT);
    assert_non_null(strstr(f->fail.text, "cannot make the folder '/proc/none/here'"));
}

// Measurements, which are large here, and the forms.
static void large_files_are_packed_and_small_ones_stay(void **state) {
    struct fixture *f = *state;
    const struct isa *isa = isa_find("x86_64");
    const char *measurements = folder_file(&f->arena, f->folder, "measurements.jsonl"),
               *forms = folder_file(&f->arena, f->folder, "forms.jsonl");
    size_t length = FOLDER_MOST_PLAIN + 1;
    char *text = memset(arena_alloc(&f->arena, length), '\n', length);
    assert_true(file_write(measurements, text, length, &f->fail));
    assert_true(file_write(forms, text, FOLDER_MOST_PLAIN, &f->fail));
    assert_true(folder_pack(&f->arena, f->folder, isa, &f->fail));
    assert_string_equal(compressed_find(&f->arena, measurements),
                        folder_file(&f->arena, f->folder, "measurements.jsonl.zst"));
    assert_string_equal(compressed_find(&f->arena, forms), forms);
    assert_true(folder_unpack(&f->arena, f->folder, isa, &f->fail));
    assert_string_equal(compressed_find(&f->arena, measurements), measurements);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(forms_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_survey_at_a_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_that_cannot_be_made, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_files_are_packed_and_small_ones_stay, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
