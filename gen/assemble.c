#include "base/file.h"
#include "gen/emit.h"
#include "gen/gen.h"
#include "gen/isa.h"
#include "gen/object.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// One run of an assembler.
struct run {
    struct arena *arena;
    const struct isa *isa;
    const char *assembler;
    const char *object; // path it writes
    int input, messages;
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

static bool spawn(const struct run *run, pid_t *pid) {
    char *arguments[] = {arena_strdup(run->arena, run->assembler), arena_strdup(run->arena, "-o"),
                         arena_strdup(run->arena, run->object), arena_strdup(run->arena, "-"), NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return fail_set(run->fail, FAIL_WORK, "out of memory while starting the assembler");
    posix_spawn_file_actions_adddup2(&actions, run->input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, run->messages, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, run->messages, STDERR_FILENO);
    int error = posix_spawnp(pid, run->assembler, &actions, NULL, arguments, english_environment(run->arena));
    posix_spawn_file_actions_destroy(&actions);
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
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail_assembly(run, read_messages(arena, run->messages), list, places, n_programs);
    char *object;
    size_t n_bytes;
    return file_read(arena, run->object, &object, &n_bytes, run->fail) &&
           object_read(arena, object, n_bytes, programs, places, n_programs, run->fail);
}

// as wants a path to write to: it cannot write an object to a pipe.
static bool with_object_file(struct run *run, struct program *const *programs, size_t n_programs) {
    const char *folder = getenv("TMPDIR");
    char *path = arena_printf(run->arena, "%s/cyclops-XXXXXX", folder && *folder ? folder : "/tmp");
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return fail_set(run->fail, FAIL_WORK, "cannot write %s: %s; set TMPDIR to a folder that can be written", path,
                        strerror(errno));
    close(file);
    run->object = path;
    bool done = assemble(run, programs, n_programs);
    unlink(path);
    return done;
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
    bool done = false;
    if (run.input < 0 || run.messages < 0)
        fail_set(fail, FAIL_WORK, "cannot make a file in memory: %s", strerror(errno));
    else
        done = with_object_file(&run, programs, n_programs);
    if (run.input >= 0)
        close(run.input);
    if (run.messages >= 0)
        close(run.messages);
    return done;
}
