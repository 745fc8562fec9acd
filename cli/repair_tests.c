#include "cli/repair_tests.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 120 }; // that a run may take

struct runner {
    const struct repair_tests_request *request;
    const char *overlay; // path of a file
    struct fail *fail;
};

// The triple of a run, which an overlay of the same machine must name: one of 32-bit code, for instance.
static const char *triple_of(const struct mca_test_run *run) {
    for (size_t i = 0; i < run->n_options; i++) {
        const char *word = run->options[i] + strspn(run->options[i], "-");
        if (strncmp(word, "mtriple=", strlen("mtriple=")) == 0)
            return word + strlen("mtriple=");
    }
    return NULL;
}

// Writes the repair to the runner's file, for code of that triple.
static bool write_overlay(const struct runner *runner, struct arena *arena, const char *triple) {
    const char *text = runner->request->overlay, *line = strstr(text, "\ntriple: ");
    if (triple && line) {
        const char *rest = strchr(line + 1, '\n');
        text = arena_printf(arena, "%.*s\ntriple: %s%s", (int)(line - text), text, triple, rest);
    }
    return file_write(runner->overlay, text, strlen(text), runner->fail);
}

// In a process of its own, which LLVM may end.
_Noreturn static void run_mca(struct arena *arena, const struct runner *runner, const struct mca_test_run *run,
                              bool is_repaired, int out, int errors) {
    const struct backend *backend = runner->request->model->backend;
    char **argv = NULL;
    size_t n = 0;
    alarm(MOST_SECONDS);
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(run->has_errors ? out : errors, STDERR_FILENO) < 0)
        _exit(FAIL_WORK);
    *ARENA_ADD(arena, argv, n) = arena_strdup(arena, "mca");
    for (size_t i = 0; i < run->n_options; i++)
        *ARENA_ADD(arena, argv, n) = arena_strdup(arena, run->options[i]);
    *ARENA_ADD(arena, argv, n) = arena_printf(arena, "--llvm=%u", backend->major);
    if (is_repaired) {
        // The last one of several counts. What llvm-mca does not do by itself is not done.
        *ARENA_ADD(arena, argv, n) = arena_printf(arena, "--mcpu=%s", runner->overlay);
        *ARENA_ADD(arena, argv, n) = arena_strdup(arena, "--resource-segments=false");
    }
    *ARENA_ADD(arena, argv, n) = arena_strdup(arena, run->path);
    int status = cmd_mca((int)n, argv);
    fflush(NULL);
    _exit(status);
}

static const char *read_all(struct arena *arena, int file) {
    off_t length = lseek(file, 0, SEEK_END);
    char *text = arena_alloc(arena, (size_t)(length > 0 ? length : 0) + 1);
    if (length > 0 && pread(file, text, (size_t)length, 0) != length)
        text[0] = '\0';
    return text;
}

static const char *first_line(struct arena *arena, const char *text) {
    return arena_copy(arena, text, strcspn(text, "\n"));
}

static bool run_test(void *context, struct arena *arena, const struct mca_test_run *run, bool is_repaired,
                     const char **output) {
    const struct runner *runner = context;
    int status = 0, out = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
    pid_t child = -1;
    *output = "a process cannot be started";
    if (out >= 0 && errors >= 0 && (!is_repaired || write_overlay(runner, arena, triple_of(run)))) {
        fflush(NULL);
        child = fork();
        if (child == 0)
            run_mca(arena, runner, run, is_repaired, out, errors);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    bool is_done = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (is_done)
        *output = read_all(arena, out);
    else if (child > 0)
        *output = arena_printf(arena, "its run with %s fails: %s", is_repaired ? "the repair" : "LLVM's model",
                               WIFEXITED(status) ? first_line(arena, read_all(arena, run->has_errors ? out : errors))
                                                 : strsignal(WTERMSIG(status)));
    if (out >= 0)
        close(out);
    if (errors >= 0)
        close(errors);
    return is_done;
}

bool repair_tests_make(struct arena *arena, const struct repair_tests_request *request, struct mca_tests_result *result,
                       struct fail *fail) {
    char *folder = file_temporary(arena, "cyclops-repair");
    if (!mkdtemp(folder))
        return fail_set(fail, FAIL_WORK, "cannot make a folder '%s': %s", folder, strerror(errno));
    struct runner runner = {request, arena_printf(arena, "%s/repaired.yaml", folder), fail};
    const struct mca_tests_request tests = {
        .folder = request->folder, .cpu = request->model->machine->cpu, .run = run_test, .context = &runner};
    bool is_done = mca_tests_make(arena, &tests, result, fail) && fail->status == FAIL_NONE;
    unlink(runner.overlay);
    rmdir(folder);
    return is_done;
}
