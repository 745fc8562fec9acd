// LLVM's tests of llvm-mca as they are under a repaired model: what a reviewer wants to see, without building LLVM.
//
// Each run of a test is made twice: with LLVM's model, and with the repaired one. What LLVM's model prints must be what
// the test says; else the test is left alone. Then each line of the test says what the repaired model prints instead.
// It runs nothing itself: the caller does.
#ifndef CHECK_MCA_TESTS_H
#define CHECK_MCA_TESTS_H

#include "base/arena.h"
#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>

// A run of llvm-mca that a test asks for.
struct mca_test_run {
    const char *const *options; // of llvm-mca, without the input
    size_t n_options;
    const char *path; // of the test, which is the input
    bool has_errors;  // what goes to stderr is checked, too
};

struct mca_tests_request {
    const char *folder; // of LLVM's sources: llvm/test/tools/llvm-mca/X86/Znver4; those in it are read, too
    const char *cpu;    // LLVM's name of the repaired one, as in -mcpu: "znver4"
    // Makes a run, and sets `output`, which lives as long as `arena`. False: it failed, and `output` is the reason.
    bool (*run)(void *context, struct arena *arena, const struct mca_test_run *run, bool is_repaired,
                const char **output);
    void *context;
};

// A test that is left alone.
struct mca_test_left {
    const char *path;       // in the folder
    const char *why;        // a clause
    bool is_not_reproduced; // LLVM's model does not print what it says
};

struct mca_tests_result {
    const char *diff;          // unified; "": nothing changes
    size_t n_changed, n_lines; // tests, and lines of them
    size_t n_same;             // tests that stay as they are
    size_t n_others;           // files that do not run llvm-mca for this CPU
    const struct mca_test_left *left;
    size_t n_left;
};

// Fails (FAIL_INPUT) where the folder holds no test for this CPU, as mca_tests_make does after longer work.
bool mca_tests_are_there(const char *folder, const char *cpu, struct fail *fail);

bool mca_tests_make(struct arena *arena, const struct mca_tests_request *request, struct mca_tests_result *result,
                    struct fail *fail);

#endif
