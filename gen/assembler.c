#include "gen/assembler.h"

#include "base/file.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// A relocatable installation has an assembler of its own, so that nothing else needs to be installed.
static const char *choose_assembler(struct arena *arena, const struct isa *isa) {
    const char *chosen = getenv("CYCLOPS_AS");
    if (chosen && *chosen)
        return chosen;
    const char *usual = isa == isa_native() ? "as" : isa->assembler;
    const char *own = file_installed(arena, arena_printf(arena, "lib/cyclops/tools/%s", usual));
    return access(own, X_OK) == 0 ? own : usual;
}

// Returns an environment for English messages, in which "Error:" can be found.
static char **english_environment(struct arena *arena) {
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **copy = ARENA_ARRAY(arena, char *, n + 2);
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LC_", 3) != 0 && strncmp(environ[i], "LANGUAGE=", 9) != 0)
            copy[kept++] = environ[i];
    copy[kept] = arena_strdup(arena, "LC_ALL=C");
    return copy;
}

static bool fail_missing(const struct assembler *run, int error, struct fail *fail) {
    const char *chosen = getenv("CYCLOPS_AS");
    if (error != ENOENT)
        return fail_set(fail, FAIL_WORK, "cannot start the assembler '%s': %s", run->name, strerror(error));
    if (chosen && *chosen)
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "there is no assembler '%s', which environment variable CYCLOPS_AS names", chosen);
    const char *package = run->isa == isa_native() ? "binutils" : run->isa->assembler_package;
    return fail_set(fail, FAIL_UNAVAILABLE, "the assembler '%s' is not here: install package %s (apt install %s)",
                    run->name, package, package);
}

// Limits time and memory: a short text (".rept 1000000000") can use any amount.
__attribute__((no_sanitize_address)) static void limit_child(void) {
    const struct rlimit seconds = {120, 120}, bytes = {4ULL << 30, 4ULL << 30}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &bytes);
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // it must not outlive us
}

// The object goes to a file in memory, by its name below /proc: as writes to paths only. So no file can remain.
static char **make_arguments(const struct assembler *run) {
    char **arguments = ARENA_ARRAY(run->arena, char *, 5);
    arguments[0] = arena_strdup(run->arena, run->name);
    arguments[1] = arena_strdup(run->arena, "-o");
    arguments[2] = arena_printf(run->arena, "/proc/self/fd/%d", run->object);
    arguments[3] = arena_strdup(run->arena, "-");
    return arguments;
}

struct child {
    const struct assembler *run;
    char *const *arguments, *const *environment;
    int error; // errno where the assembler did not start; else 0
};

// Runs in the memory of the parent, which waits: so it changes none of it but `error`. What a sanitizer marks on its
// stack would stay marked, as it never returns.
__attribute__((no_sanitize_address)) static int become_assembler(void *argument) {
    struct child *child = argument;
    const struct assembler *run = child->run;
    limit_child();
    if (dup2(run->input, STDIN_FILENO) >= 0 && dup2(run->messages, STDOUT_FILENO) >= 0 &&
        dup2(run->messages, STDERR_FILENO) >= 0)
        execvpe(run->name, child->arguments, child->environment);
    child->error = errno;
    _exit(127);
}

// A copy of a survey's memory, of gigabytes, would take longer than the assembler. So the child borrows it, and has
// only its own stack.
static bool spawn(struct assembler *run, struct fail *fail) {
    enum { STACK_BYTES = 1 << 16, STACK_ALIGNMENT = 64 };
    struct child child = {run, make_arguments(run), english_environment(run->arena), 0};
    char *stack = ARENA_ARRAY(run->arena, char, STACK_BYTES);
    char *top = stack + STACK_BYTES - (uintptr_t)(stack + STACK_BYTES) % STACK_ALIGNMENT;
    run->pid = clone(become_assembler, top, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    if (run->pid < 0)
        child.error = errno;
    else if (child.error)
        waitpid(run->pid, NULL, 0);
    return child.error ? fail_missing(run, child.error, fail) : true;
}

static bool write_input(int file, const struct text *text) {
    for (size_t done = 0; done < text->length;) {
        ssize_t n = write(file, text->data + done, text->length - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

static const char *read_messages(struct arena *arena, int file) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    char buffer[4096];
    ssize_t n;
    for (off_t at = 0; (n = pread(file, buffer, sizeof buffer, at)) > 0; at += n)
        text_append(&text, buffer, (size_t)n);
    return text.data;
}

static void close_files(const struct assembler *run) {
    const int files[] = {run->input, run->messages, run->object};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
}

bool assembler_start(struct arena *arena, const struct isa *isa, const struct text *text, struct assembler *assembler,
                     struct fail *fail) {
    *assembler = (struct assembler){arena, isa, .name = choose_assembler(arena, isa)};
    assembler->input = memfd_create("cyclops-assembly", MFD_CLOEXEC);
    assembler->messages = memfd_create("cyclops-messages", MFD_CLOEXEC);
    assembler->object = memfd_create("cyclops-object", 0); // the assembler inherits it
    bool is_started;
    if (assembler->input < 0 || assembler->messages < 0 || assembler->object < 0)
        is_started = fail_set(fail, FAIL_WORK, "cannot make a file in memory: %s", strerror(errno));
    else if (!write_input(assembler->input, text))
        is_started = fail_set(fail, FAIL_WORK, "cannot hand the text to the assembler: %s", strerror(errno));
    else
        is_started = spawn(assembler, fail);
    if (!is_started)
        close_files(assembler);
    return is_started;
}

// Waits for the process, and reads what it wrote.
static bool collect(const struct assembler *run, struct assembler_result *result, struct fail *fail) {
    int status = 0;
    while (waitpid(run->pid, &status, 0) < 0)
        if (errno != EINTR)
            return fail_set(fail, FAIL_WORK, "lost the assembler '%s': %s", run->name, strerror(errno));
    if (WIFSIGNALED(status))
        return fail_set(fail, FAIL_WORK,
                        "the assembler '%s' was ended by signal %d; its limits are 2 minutes and 4 GiB", run->name,
                        WTERMSIG(status));
    *result = (struct assembler_result){.is_assembled = WEXITSTATUS(status) == 0,
                                        .name = run->name,
                                        .messages = read_messages(run->arena, run->messages)};
    if (!result->is_assembled)
        return true;
    off_t n_bytes = lseek(run->object, 0, SEEK_END);
    char *object = arena_alloc(run->arena, n_bytes > 0 ? (size_t)n_bytes : 0);
    if (n_bytes < 0 || pread(run->object, object, (size_t)n_bytes, 0) != n_bytes)
        return fail_set(fail, FAIL_WORK, "cannot read what the assembler wrote: %s", strerror(errno));
    result->object = object;
    result->n_object = (size_t)n_bytes;
    return true;
}

bool assembler_finish(struct assembler *assembler, struct assembler_result *result, struct fail *fail) {
    bool is_done = collect(assembler, result, fail);
    close_files(assembler);
    return is_done;
}
