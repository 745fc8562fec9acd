#include "gen/testing.h"

#include "base/text.h"
#include "gen/kernel_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

bool testing_load(struct arena *arena, const char *yaml, struct kernel_set *set, struct fail *fail) {
    char path[] = "/tmp/cyclops-test-XXXXXX.yaml";
    int file = mkstemps(path, 5);
    assert_true(file >= 0);
    assert_int_equal(write(file, yaml, strlen(yaml)), strlen(yaml));
    close(file);
    bool done = kernel_read_file(arena, path, NULL, set, fail);
    unlink(path);
    return done;
}

const struct kernel *testing_kernel(struct arena *arena, const char *yaml) {
    struct kernel_set set = {0};
    struct fail fail = {0};
    if (!testing_load(arena, yaml, &set, &fail))
        fail_msg("%u:%u: %s", fail.line, fail.column, fail.text);
    assert_int_equal(set.n_kernels, 1);
    return &set.kernels[0];
}

const struct kernel *testing_kernel_of(struct arena *arena, const char *keys) {
    struct text yaml = {.arena = arena};
    text_add(&yaml, "isa: x86_64\nkernels:\n  - name: k\n");
    struct slice rest = {keys, strlen(keys)}, line;
    while (slice_next(&rest, '\n', &line))
        text_addf(&yaml, "    %.*s\n", (int)line.length, line.data);
    return testing_kernel(arena, yaml.data);
}

static void add_program(struct testing_set *all, const struct kernel *kernel, struct gen_request request) {
    struct fail failure = {0};
    struct program *program = ARENA_NEW(&all->arena, struct program);
    if (!gen_expand(&all->arena, kernel, &request, program, &failure))
        fail_msg("%s: %s", kernel->name, failure.text);
    all->programs = arena_grow(&all->arena, all->programs, all->n_programs, sizeof *all->programs);
    all->programs[all->n_programs++] = program;
}

// Adds programs with all numbers of streams that fit; in unusual placements, only with as many as fit.
static void add_throughputs(struct testing_set *all, const struct kernel *kernel, struct gen_request request) {
    if (kernel_shared_chain(kernel) || !gen_placement_streams(kernel, request.placement, 1))
        return;
    request.streams = 0;
    add_program(all, kernel, request);
    unsigned most = request.placement ? 0 : all->programs[all->n_programs - 1]->streams;
    for (request.streams = 1; request.streams < most; request.streams++)
        add_program(all, kernel, request);
}

static void add_kernel(struct testing_set *all, const struct kernel *kernel) {
    for (int form = PROGRAM_UNROLLED; form <= PROGRAM_LOOPED; form++) {
        struct gen_request request = {.mode = PROGRAM_BLOCK, .form = (enum program_form)form};
        add_program(all, kernel, request);
        request.mode = PROGRAM_THROUGHPUT;
        for (int p = PLACEMENT_NONE; p < (kernel->n_places ? (int)PROGRAM_N_PLACEMENTS : 1); p++) {
            request.placement = (enum program_placement)p;
            add_throughputs(all, kernel, request);
        }
        request.placement = PLACEMENT_NONE;
        request.mode = PROGRAM_LATENCY;
        for (request.arc = 0; request.arc < kernel->n_arcs; request.arc++)
            add_program(all, kernel, request);
    }
}

void testing_expand_all(struct testing_set *all, const char *isa) {
    struct fail failure = {0};
    if (!kernel_load_folder(&all->arena, CYCLOPS_KERNELS, isa, &all->kernels, &failure))
        fail_msg("%s", failure.text);
    if (all->kernels.n_refused)
        fail_msg("%s:%u: %s", all->kernels.refused->file, all->kernels.refused->line, all->kernels.refused->text);
    for (size_t i = 0; i < all->kernels.n_kernels; i++)
        add_kernel(all, &all->kernels.kernels[i]);
}

bool testing_has_tool(const char *name) {
    const char *path = getenv("PATH");
    char candidate[4096];
    struct slice rest = {path ? path : "", path ? strlen(path) : 0}, folder;
    while (slice_next(&rest, ':', &folder)) {
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)folder.length, folder.data, name);
        if (access(candidate, X_OK) == 0)
            return true;
    }
    return false;
}

int testing_run(const char *const *arguments) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char *copy[32] = {strdup(arguments[0])};
        for (int i = 1; i < 31 && arguments[i]; i++)
            copy[i] = strdup(arguments[i]);
        execvp(arguments[0], copy);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool testing_block(struct arena *arena, const struct isa *isa, const char *syntax, const char *name, const char *text,
                   enum program_form form, struct program *program, struct fail *fail) {
    struct block_source source = {.isa = isa, .name = name, .text = text, .syntax = syntax};
    struct block_request request = {.form = form, .start = {.first = TESTING_BLOCK_ADDRESS}};
    return gen_block(arena, &source, &request, program, fail);
}
