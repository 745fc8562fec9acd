// LLVM's tests of llvm-mca, on reports that are made up.
#include "check/mca_tests.h"

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
    char *folder;
    const char *path;
    const char *plain[2], *repaired[2]; // reports without and with the option -other
    struct mca_tests_result result;
    struct fail fail;
};

static bool report(void *context, struct arena *arena, const struct mca_test_run *run, bool is_repaired,
                   const char **output) {
    const struct fixture *f = context;
    bool is_other = false;
    (void)arena;
    for (size_t i = 0; i < run->n_options; i++)
        is_other |= strcmp(run->options[i], "-other") == 0;
    *output = (is_repaired ? f->repaired : f->plain)[is_other];
    return true;
}

static int set_up(void **state) {
    struct fixture *f = test_calloc(1, sizeof *f);
    f->folder = file_temporary(&f->arena, "cyclops-mca-tests");
    f->path = mkdtemp(f->folder) ? arena_printf(&f->arena, "%s/a.s", f->folder) : "";
    *state = f;
    return *f->path ? 0 : -1;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    unlink(f->path);
    rmdir(f->folder);
    arena_free(&f->arena);
    test_free(f);
    return 0;
}

static bool make(struct fixture *f, const char *test) {
    const struct mca_tests_request request = {.folder = f->folder, .cpu = "cpu1", .run = report, .context = f};
    f->fail = (struct fail){0};
    assert_true(file_write(f->path, test, strlen(test), &f->fail));
    return mca_tests_make(&f->arena, &request, &f->result, &f->fail);
}

#define TWO_RUNS                                                                                                       \
    "# RUN: llvm-mca -mcpu=cpu1 < %s | FileCheck %s -check-prefixes=ALL,ONE\n"                                         \
    "# RUN: llvm-mca -mcpu=cpu1 -other %s 2>&1 | FileCheck %s -check-prefixes=ALL,OTHER\n"                             \
    "nop\n"                                                                                                            \
    "# ALL:        Cycles:\n"                                                                                          \
    "# ONE-NEXT:    1  nop\n"                                                                                          \
    "# OTHER-NEXT:  2  nop\n"                                                                                          \
    "# ALL-NEXT:    9  end\n"

// A line that two runs share changes with both, and each run's own one alone. Blanks behind the colon stay.
static void two_runs_share_lines(void **state) {
    struct fixture *f = *state;
    f->plain[0] = "Cycles:\n 1\tnop\n 9  end\n";
    f->plain[1] = "Cycles:\n 2 nop\n 9  end\n";
    f->repaired[0] = "Cycles:\n 1\tnop\n 8  end\n";
    f->repaired[1] = "Cycles:\n 3 nop\n 8  end\n";
    assert_true(make(f, TWO_RUNS));
    assert_int_equal(f->result.n_changed, 1);
    assert_int_equal(f->result.n_lines, 2);
    assert_non_null(strstr(f->result.diff, "-# OTHER-NEXT:  2  nop\n-# ALL-NEXT:    9  end\n"
                                           "+# OTHER-NEXT:  3 nop\n+# ALL-NEXT:    8  end\n"));
    f->repaired[1] = f->plain[1];
    assert_true(make(f, TWO_RUNS));
    assert_int_equal(f->result.n_left, 1);
    assert_string_equal(f->result.left->why, "line 7 is of several runs, which differ now");
    assert_string_equal(f->result.left->path, "a.s");
    assert_string_equal(f->result.diff, "");
}

#define ONE_RUN "# RUN: llvm-mca --mcpu cpu1 \\\n# RUN:   %s | FileCheck %s\n"

// A paragraph of a report that has another number of lines is written as a whole, where all of it is checked.
static void paragraphs_grow(void **state) {
    struct fixture *f = *state;
    f->plain[0] = "Head:\n01\n\nTail:\n5\n";
    f->repaired[0] = "Head:\n   01\n0123\n\nTail:\n6\n";
    assert_true(make(f, ONE_RUN "# CHECK:      Head:\n# CHECK-NEXT: 01\n\n# CHECK:      Tail:\n# CHECK-NEXT: 5\n"));
    assert_non_null(strstr(f->result.diff, " # CHECK:      Head:\n-# CHECK-NEXT: 01\n+# CHECK-NEXT:    01\n"
                                           "+# CHECK-NEXT: 0123\n \n # CHECK:      Tail:\n-# CHECK-NEXT: 5\n"
                                           "+# CHECK-NEXT: 6\n"));
    assert_true(make(f, ONE_RUN "# CHECK: 01\n# CHECK-EMPTY:\n# CHECK-NEXT: Tail:\n# CHECK-NEXT: 5\n"));
    assert_string_equal(f->result.left->why, "line 3 begins checks of some of 2 lines, which are 3 now");
    f->repaired[0] = "Head:\n01\n";
    assert_true(make(f, ONE_RUN "# CHECK: Head:\n"));
    assert_string_equal(f->result.left->why, "the report has 1 paragraphs, not 2");
}

static void other_text_is_left_alone(void **state) {
    struct fixture *f = *state;
    f->plain[0] = f->repaired[0] = "A 1\nB\n";
    assert_true(make(f, ONE_RUN "# CHECK: A 1\n# CHECK-NEXT: C\n"));
    assert_true(f->result.left->is_not_reproduced);
    assert_string_equal(f->result.left->why, "line 4 is not what LLVM's model prints");
    assert_true(make(f, ONE_RUN "# CHECK: A {{[0-9]}}\n"));
    assert_string_equal(f->result.left->why, "line 3 is a check of a kind that is not regenerated");
    assert_true(make(f, ONE_RUN "# OTHER: A 1\n"));
    assert_string_equal(f->result.left->why, "it has no lines to check");
    assert_true(make(f, ONE_RUN "# CHECK:   A   1\n# CHECK-NEXT: B\n"));
    assert_int_equal(f->result.n_same, 1);
    assert_false(make(f, "# RUN: llvm-mca -mcpu=cpu12 %s | FileCheck %s\n# CHECK: A 1\n"));
    assert_int_equal(f->fail.status, FAIL_INPUT);
}

// No such command is run, as it would write the file.
static bool refuse(void *context, struct arena *arena, const struct mca_test_run *run, bool is_repaired,
                   const char **output) {
    (void)context, (void)arena, (void)run, (void)is_repaired, (void)output;
    fail_msg("a command that writes a file was run");
    return false;
}

static void files_are_not_written(void **state) {
    static const char *const options[] = {"-o", "-o=x", "--o", "--output=x", "-output", "-info-output-file=x", "@x"};
    struct fixture *f = *state;
    const struct mca_tests_request request = {.folder = f->folder, .cpu = "cpu1", .run = refuse, .context = f};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *test =
            arena_printf(&f->arena, "# RUN: llvm-mca -mcpu=cpu1 %s x %%s | FileCheck %%s\n# CHECK: A 1\n", options[i]);
        assert_true(file_write(f->path, test, strlen(test), &f->fail));
        assert_true(mca_tests_make(&f->arena, &request, &f->result, &f->fail));
        assert_int_equal(f->result.n_left, 1);
        assert_string_equal(f->result.left->why,
                            arena_printf(&f->arena, "its RUN line writes a file: '%s'", options[i]));
    }
    f->plain[0] = f->repaired[0] = "A 1\n";
    assert_true(make(f, "# RUN: llvm-mca -mcpu=cpu1 -output-asm-variant=1 %s | FileCheck %s\n# CHECK: A 1\n"));
    assert_int_equal(f->result.n_same, 1);
}

static void links_are_not_followed_and_tabs_are_blanks(void **state) {
    struct fixture *f = *state;
    const char *link = arena_printf(&f->arena, "%s/b.s", f->folder), *loop = arena_printf(&f->arena, "%s/c", f->folder);
    f->plain[0] = f->repaired[0] = "A 1\n";
    assert_int_equal(symlink("a.s", link), 0);
    assert_int_equal(symlink(".", loop), 0);
    bool is_made = make(f, "# RUN:\tllvm-mca\t-mcpu\tcpu1\t%s\t|\tFileCheck\t%s\n# CHECK: A 1\n");
    unlink(link);
    unlink(loop);
    assert_true(is_made);
    assert_int_equal(f->result.n_same, 1);
    assert_int_equal(f->result.n_left, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_runs_share_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(paragraphs_grow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_text_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_are_not_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_are_not_followed_and_tabs_are_blanks, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
