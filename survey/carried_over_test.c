// What a run with other patterns keeps of a survey's folder.
#include "survey/carried_over.h"

#include "base/file.h"

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
    char folder[64];
    const char *kernels;
};

static int set_up(void **state) {
    struct fixture *f = test_calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/cyclops-carried-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->kernels = folder_file(&f->arena, f->folder, "kernels.yaml");
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    unlink(folder_file(&f->arena, f->folder, "forms.jsonl"));
    unlink(f->kernels);
    rmdir(f->folder);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

static void write_folder(struct fixture *f) {
    static const char kernels[] = "isa: x86_64\nkernels:\n"
                                  "  - {name: CHAIN.xor, about: survey}\n"
                                  "  - {name: B, about: survey}\n"
                                  "  - {name: B.chain, about: survey}\n"
                                  "  - {name: BB, about: survey}\n"
                                  "  - {name: A.o1-o0.xor, about: survey}\n";
    static const struct folder_form forms[] = {
        {"C", "c", "WriteC", NULL}, {"B", "b", "WriteB", NULL}, {"A", "a", "WriteA", "illegal instruction"}};
    assert_true(folder_write_forms(&f->arena, f->folder, forms, 3, &f->fail));
    assert_true(file_write(f->kernels, kernels, strlen(kernels), &f->fail));
}

static void others_are_kept(void **state) {
    struct fixture *f = *state;
    const char *measured[] = {"D", "C"};
    struct carried_over carried;
    struct text text = {.arena = &f->arena};
    write_folder(f);
    assert_true(carried_over_read(&f->arena, f->folder, measured, 2, &carried, &f->fail));
    assert_int_equal(carried.n, 2);
    assert_string_equal(carried.forms[0].form, "A");
    assert_string_equal(carried.forms[0].left_out, "illegal instruction");
    assert_string_equal(carried.forms[1].form, "B");
    assert_string_equal(carried.forms[1].sched_class, "WriteB");
    assert_true(carried_over_add_kernels(&carried, f->kernels, &text, &f->fail));
    assert_string_equal(text.data, "  - {name: B, about: survey}\n"
                                   "  - {name: B.chain, about: survey}\n"
                                   "  - {name: A.o1-o0.xor, about: survey}\n");
}

static void there_may_be_nothing(void **state) {
    struct fixture *f = *state;
    const char *measured[] = {"A", "B", "C"};
    struct carried_over carried;
    struct text text = {.arena = &f->arena};
    assert_true(carried_over_read(&f->arena, f->folder, measured, 3, &carried, &f->fail)); // no file
    assert_int_equal(carried.n, 0);
    write_folder(f);
    assert_true(carried_over_read(&f->arena, f->folder, measured, 3, &carried, &f->fail));
    assert_int_equal(carried.n, 0);
    assert_true(carried_over_add_kernels(&carried, f->kernels, &text, &f->fail));
    assert_int_equal(text.length, 0);
    assert_true(carried_over_read(&f->arena, f->folder, NULL, 0, &carried, &f->fail));
    assert_int_equal(carried.n, 3);
    assert_true(carried_over_add_kernels(&carried, folder_file(&f->arena, f->folder, "none.yaml"), &text, &f->fail));
    assert_int_equal(text.length, 0);
}

static void damage_is_reported(void **state) {
    struct fixture *f = *state;
    struct carried_over carried;
    assert_true(file_write(folder_file(&f->arena, f->folder, "forms.jsonl"), "nonsense\n", 9, &f->fail));
    assert_false(carried_over_read(&f->arena, f->folder, NULL, 0, &carried, &f->fail));
    assert_int_equal(f->fail.status, FAIL_INPUT);
    assert_non_null(strstr(f->fail.file, "forms.jsonl"));
    assert_int_equal(f->fail.line, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(others_are_kept), TEST(there_may_be_nothing), TEST(damage_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
