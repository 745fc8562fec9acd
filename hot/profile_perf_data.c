// A file of `perf record`. Its format is perf's own affair, so perf prints it.
#include "hot/profile_readers.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct perf_run {
    FILE *out; // what it prints
    pid_t pid;
    int errors; // file of its messages
};

static bool start_perf(char *const *arguments, struct perf_run *run, struct fail *fail) {
    posix_spawn_file_actions_t actions;
    int ends[2];
    *run = (struct perf_run){.errors = memfd_create("cyclops-perf", MFD_CLOEXEC)};
    if (run->errors < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        if (run->errors >= 0)
            close(run->errors);
        return fail_set(fail, FAIL_WORK, "cannot make a pipe: %s", strerror(errno));
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, run->errors, STDERR_FILENO);
    int error = posix_spawnp(&run->pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        close(run->errors);
        return fail_set(fail, error == ENOENT ? FAIL_UNAVAILABLE : FAIL_WORK,
                        "perf is needed to read a perf.data file, and cannot be started (%s): install it, or give the "
                        "text of 'perf script --show-mmap-events'",
                        strerror(error));
    }
    run->out = fdopen(ends[0], "r");
    return true;
}

// Ends it. Fails with its first message where it failed. `is_read`: all that it printed was read.
static bool end_perf(struct perf_run *run, const char *name, bool is_read, struct fail *fail) {
    int status;
    char message[512] = "";
    if (run->out)
        fclose(run->out);
    while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
        ;
    ssize_t n = pread(run->errors, message, sizeof message - 1, 0);
    message[n > 0 ? n : 0] = '\0';
    close(run->errors);
    if (!is_read || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return is_read;
    message[strcspn(message, "\n")] = '\0';
    return fail_at(fail, name, 0, 0, "perf cannot read it: %s", *message ? message : "it does not say why");
}

// Reads all lines of perf's output, and gives each to `take`.
static bool read_lines(struct profile_input *input, char *const *arguments,
                       void (*take)(struct profile_input *, char *line, void *data), void *data, struct fail *fail) {
    struct perf_run run;
    char *line = NULL;
    size_t room = 0;
    if (!start_perf(arguments, &run, fail))
        return false;
    while (run.out && getline(&line, &room, run.out) > 0)
        take(input, line, data);
    free(line);
    return end_perf(&run, input->name, true, fail);
}

static void find_branches(struct profile_input *input, char *line, void *data) {
    (void)input;
    if (strstr(line, "BRANCH_STACK"))
        *(bool *)data = true;
}

// "702d58cc… /tmp/prog"
static void take_build_id(struct profile_input *input, char *line, void *data) {
    (void)data;
    char *blank = strchr(line, ' ');
    line[strcspn(line, "\n")] = '\0';
    if (!blank || blank[1] != '/')
        return;
    *blank = '\0';
    gather_module(input->gather, blank + 1, line);
}

bool profile_read_perf_data(struct profile_input *input, const char *path, struct fail *fail) {
    struct arena *arena = input->gather->arena;
    char *perf = arena_strdup(arena, "perf"), *in = arena_strdup(arena, "-i"), *file = arena_strdup(arena, path);
    char *const events[] = {perf, arena_strdup(arena, "evlist"), arena_strdup(arena, "-v"), in, file, NULL},
                *const ids[] = {perf, arena_strdup(arena, "buildid-list"), in, file, NULL};
    bool has_branches = false;
    if (!read_lines(input, events, find_branches, &has_branches, fail) ||
        !read_lines(input, ids, take_build_id, NULL, fail))
        return false;
    char *const samples[] = {
        perf,
        arena_strdup(arena, "script"),
        in,
        file,
        arena_strdup(arena, "-G"), // no call chains
        arena_strdup(arena, "--show-mmap-events"),
        arena_strdup(arena, "--show-task-events"),
        arena_strdup(arena, "-F"),
        arena_strdup(arena, has_branches ? "pid,tid,time,period,event,ip,brstack" : "pid,tid,time,period,event,ip"),
        NULL,
    };
    struct perf_run run;
    if (!start_perf(samples, &run, fail))
        return false;
    input->in = run.out;
    bool is_read = run.out && profile_read_perf(input, fail);
    input->in = NULL;
    return end_perf(&run, input->name, is_read, fail);
}
