#include "base/file.h"
#include "gen/emit.h"
#include "gen/gen.h"
#include "gen/isa.h"
#include "gen/object.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// One run of an assembler.
struct run {
    struct arena *arena;
    const struct isa *isa;
    const char *assembler;
    int input, object, messages; // files in memory
    struct fail *fail;
};

static const char *choose_assembler(const struct isa *isa) {
    const char *chosen = getenv("CYCLOPS_AS");
    if (chosen && *chosen)
        return chosen;
    return isa == isa_native() ? "as" : isa->assembler;
}

// Its messages in English, so that "Error:" can be found in them.
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

static bool fail_missing(const struct run *run, int error) {
    const char *chosen = getenv("CYCLOPS_AS");
    if (error != ENOENT)
        return fail_set(run->fail, FAIL_WORK, "cannot start the assembler '%s': %s", run->assembler, strerror(error));
    if (chosen && *chosen)
        return fail_set(run->fail, FAIL_UNAVAILABLE,
                        "there is no assembler '%s', which environment variable CYCLOPS_AS names", chosen);
    return fail_set(run->fail, FAIL_UNAVAILABLE, "the assembler '%s' is not here: install package %s (apt install %s)",
                    run->assembler, run->isa == isa_native() ? "binutils" : run->isa->assembler_package,
                    run->isa == isa_native() ? "binutils" : run->isa->assembler_package);
}

// Text of a few bytes (".rept 1000000000") can ask for any amount of time and memory.
static void limit_child(void) {
    const struct rlimit seconds = {120, 120}, bytes = {4ULL << 30, 4ULL << 30}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_AS, &bytes);
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // it must not outlive us
}

// The object goes to a file in memory by its name below /proc: as writes to paths only, and nothing can be left behind.
static void become_assembler(const struct run *run, char *const *environment, int error_pipe) {
    char *arguments[] = {arena_strdup(run->arena, run->assembler), arena_strdup(run->arena, "-o"),
                         arena_printf(run->arena, "/proc/self/fd/%d", run->object), arena_strdup(run->arena, "-"),
                         NULL};
    limit_child();
    if (dup2(run->input, STDIN_FILENO) >= 0 && dup2(run->messages, STDOUT_FILENO) >= 0 &&
        dup2(run->messages, STDERR_FILENO) >= 0)
        execvpe(run->assembler, arguments, environment);
    int error = errno;
    if (write(error_pipe, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

static bool spawn(const struct run *run, pid_t *pid) {
    char **environment = english_environment(run->arena);
    int error_pipe[2], error = 0; // closed by a successful exec; else it tells why there was none
    if (pipe2(error_pipe, O_CLOEXEC) != 0)
        return fail_set(run->fail, FAIL_WORK, "cannot start the assembler '%s': %s", run->assembler, strerror(errno));
    *pid = fork();
    if (*pid == 0)
        become_assembler(run, environment, error_pipe[1]);
    if (*pid < 0)
        error = errno;
    close(error_pipe[1]);
    ssize_t n = *pid < 0 ? 0 : read(error_pipe[0], &error, sizeof error);
    close(error_pipe[0]);
    if (*pid > 0 && n > 0)
        waitpid(*pid, NULL, 0);
    return error ? fail_missing(run, error) : true;
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

// Takes "…:LINE: Error: text" apart.
static bool parse_error(struct slice message, unsigned *line, struct slice *text) {
    static const char *const kinds[] = {": Error: ", ": Fatal error: "};
    for (unsigned i = 0; i < 2; i++) {
        const char *kind = memmem(message.data, message.length, kinds[i], strlen(kinds[i]));
        if (!kind)
            continue;
        const char *digits = kind;
        while (digits > message.data && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        *line = digits < kind ? (unsigned)strtoul(digits, NULL, 10) : 0;
        const char *start = kind + strlen(kinds[i]);
        *text = slice_trim((struct slice){start, (size_t)(message.data + message.length - start)});
        return true;
    }
    return false;
}

// Puts an error of as where the user can find it.
static bool fail_assembly(const struct run *run, const char *messages, const struct program *const *programs,
                          const struct emit_place *places, size_t n_programs) {
    struct slice rest = {messages, strlen(messages)}, message, text = slice_trim(rest);
    unsigned line = 0;
    while (slice_next(&rest, '\n', &message))
        if (parse_error(message, &line, &text))
            break;
    const char *words = arena_copy(run->arena, text.data, text.length);
    for (size_t i = 0; i < n_programs; i++) {
        if (line < places[i].line || line >= places[i].end)
            continue;
        unsigned in_body = line - places[i].body_line; // wraps around above the body
        if (in_body < programs[i]->body_lines)
            return fail_at(run->fail, programs[i]->file, programs[i]->lines[in_body], 0, "as: %s", words);
        return fail_at(run->fail, programs[i]->file, programs[i]->lines[0], 0,
                       "as, about the frame of program '%s': %s", programs[i]->symbol, words);
    }
    return fail_set(run->fail, FAIL_WORK, "the assembler '%s' failed: %s", run->assembler,
                    *words ? words : "it said nothing");
}

static bool wait_for(const struct run *run, pid_t pid, int *status) {
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return fail_set(run->fail, FAIL_WORK, "lost the assembler '%s': %s", run->assembler, strerror(errno));
    return true;
}

static bool assemble(struct run *run, struct program *const *programs, size_t n_programs) {
    struct arena *arena = run->arena;
    const struct program **list = ARENA_ARRAY(arena, const struct program *, n_programs);
    for (size_t i = 0; i < n_programs; i++)
        list[i] = programs[i];
    struct text text = {.arena = arena};
    const struct emit_place *places = emit_programs(arena, list, n_programs, &text);
    pid_t pid = 0;
    int status = 0;
    if (!write_input(run->input, &text))
        return fail_set(run->fail, FAIL_WORK, "cannot hand the text to the assembler: %s", strerror(errno));
    if (!spawn(run, &pid) || !wait_for(run, pid, &status))
        return false;
    if (WIFSIGNALED(status))
        return fail_set(run->fail, FAIL_WORK,
                        "the assembler '%s' was ended by signal %d; it may take 2 minutes and 4 GiB", run->assembler,
                        WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return fail_assembly(run, read_messages(arena, run->messages), list, places, n_programs);
    off_t n_bytes = lseek(run->object, 0, SEEK_END);
    char *object = arena_alloc(arena, n_bytes > 0 ? (size_t)n_bytes : 0);
    if (n_bytes < 0 || pread(run->object, object, (size_t)n_bytes, 0) != n_bytes)
        return fail_set(run->fail, FAIL_WORK, "cannot read what the assembler wrote: %s", strerror(errno));
    return object_read(arena, object, (size_t)n_bytes, programs, places, n_programs, run->fail);
}

bool gen_assemble(struct arena *arena, struct program *const *programs, size_t n_programs, struct fail *fail) {
    if (!n_programs)
        return true;
    struct run run = {.arena = arena, .isa = isa_find(programs[0]->isa), .fail = fail};
    assert(run.isa);
    for (size_t i = 0; i < n_programs; i++)
        assert(strcmp(programs[i]->isa, programs[0]->isa) == 0);
    run.assembler = choose_assembler(run.isa);
    run.input = memfd_create("cyclops-assembly", MFD_CLOEXEC);
    run.messages = memfd_create("cyclops-messages", MFD_CLOEXEC);
    run.object = memfd_create("cyclops-object", 0); // the assembler inherits it
    const int files[] = {run.input, run.messages, run.object};
    bool done = true;
    for (size_t i = 0; i < 3; i++)
        if (files[i] < 0)
            done = fail_set(fail, FAIL_WORK, "cannot make a file in memory: %s", strerror(errno));
    done = done && assemble(&run, programs, n_programs);
    for (size_t i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
    return done;
}
