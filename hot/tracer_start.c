#include "hot/tracer_start.h"

#include "bench/host/timer.h"
#include "hot/breakpoint_guard.h"
#include "hot/process_threads.h"
#include "hot/tracer_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Path of the program as execvp finds it; null: it is not found.
static char *find_program(struct arena *arena, const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path)
        return access(name, X_OK) == 0 ? arena_strdup(arena, name) : NULL;
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, ":");
        char *whole = arena_printf(arena, "%.*s/%s", (int)length, length ? at : ".", name);
        struct stat about;
        if (access(whole, X_OK) == 0 && stat(whole, &about) == 0 && S_ISREG(about.st_mode))
            return whole;
        at += length;
        if (!*at)
            return NULL;
    }
}

bool tracer_has_other_user(struct arena *arena, const char *name) {
    const char *path = find_program(arena, name);
    struct stat about;
    return path && stat(path, &about) == 0 && (about.st_mode & (S_ISUID | S_ISGID));
}

#if defined(__x86_64__)

static const long own_options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;

// The child: waits until it is traced, then becomes the program. A failure comes back through `back`.
static void become(char *const *argv, int go, int back) {
    char byte;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    personality(ADDR_NO_RANDOMIZE);
    prctl(PR_SET_PDEATHSIG, SIGTERM); // it does not go on unseen where we end early
    if (read(go, &byte, 1) == 1)
        execvp(argv[0], argv);
    int error = errno;
    if (write(back, &error, sizeof error) < 0)
        _exit(126);
    _exit(127);
}

static bool can_trace(struct arena *arena, const char *name, struct fail *fail) {
    if (!find_program(arena, name))
        return fail_set(fail, FAIL_INPUT, "cannot find the program %s, or it is not executable", name);
    if (tracer_has_other_user(arena, name))
        return fail_set(fail, FAIL_UNAVAILABLE, "%s runs as another user, so it cannot be traced", name);
    return true;
}

static bool fail_start(const char *name, pid_t pid, int error, struct fail *fail) {
    int wait_status;
    kill(pid, SIGKILL);
    waitpid(pid, &wait_status, 0);
    return fail_set(fail, FAIL_UNAVAILABLE, "cannot trace %s: %s", name, strerror(error));
}

static bool has_memory(const struct tracer *tracer, struct fail *fail) {
    return tracer->memory >= 0 ||
           fail_set(fail, FAIL_UNAVAILABLE, "cannot read the memory of process %d: is /proc there?", (int)tracer->pid);
}

bool tracer_start(struct tracer *tracer, struct arena *arena, char *const *argv, struct fail *fail) {
    int go[2], back[2], error = 0;
    *tracer = (struct tracer){.arena = arena, .kin = TRACER_OWN, .memory = -1};
    if (!can_trace(arena, argv[0], fail))
        return false;
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0)
        return fail_set(fail, FAIL_WORK, "cannot start %s: %s", argv[0], strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        become(argv, go[0], back[1]);
    error = pid < 0 ? errno : 0;
    close(go[0]);
    close(back[1]);
    tracer->pid = pid;
    bool is_traced = pid > 0 && ptrace(PTRACE_SEIZE, pid, NULL, own_options | PTRACE_O_EXITKILL) == 0;
    if (!error && !is_traced)
        error = errno;
    if (is_traced && write(go[1], "g", 1) != 1)
        error = errno;
    close(go[1]);
    if (error) {
        close(back[0]);
        return pid > 0 ? fail_start(argv[0], pid, error, fail)
                       : fail_set(fail, FAIL_WORK, "cannot start %s: %s", argv[0], strerror(error));
    }
    tracer_add_thread(tracer, pid, false);
    struct tracer_thread *thread;
    static const double most_seconds = 10;
    enum tracer_event event = tracer_next(tracer, timer_seconds() + most_seconds, &thread);
    if (event != TRACER_PROGRAM) {
        if (read(back[0], &error, sizeof error) != sizeof error)
            error = ETIMEDOUT;
        close(back[0]);
        if (event != TRACER_END)
            return fail_start(argv[0], pid, error, fail);
        return fail_set(fail, FAIL_INPUT, "cannot start %s: %s", argv[0], strerror(error));
    }
    close(back[0]);
    return has_memory(tracer, fail);
}

// Whether its parent has not taken note of its end yet.
static bool has_ended(struct arena *arena, pid_t pid) {
    char state = 0;
    FILE *file = fopen(arena_printf(arena, "/proc/%d/stat", (int)pid), "re");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (file)
        fclose(file);
    return state == 'Z' || state == 'X';
}

// Seizes the threads that are there; those that begin meanwhile come with the next look.
static bool seize_all(struct tracer *tracer, struct fail *fail) {
    bool is_new = true;
    while (is_new) {
        pid_t *tids;
        size_t n = process_threads(tracer->arena, tracer->pid, &tids);
        is_new = false;
        if (!n)
            return fail_set(fail, FAIL_INPUT, "there is no process %d", (int)tracer->pid);
        for (size_t i = 0; i < n; i++) {
            if (tracer_find_thread(tracer, tids[i]))
                continue;
            if (ptrace(PTRACE_SEIZE, tids[i], NULL, own_options) != 0) {
                if (errno == ESRCH)
                    continue;
                if (errno == EPERM && has_ended(tracer->arena, tracer->pid))
                    return fail_set(fail, FAIL_INPUT, "process %d has ended", (int)tracer->pid);
                return fail_set(fail, FAIL_UNAVAILABLE,
                                "cannot trace process %d: %s; trace your own processes, as root or with "
                                "/proc/sys/kernel/yama/ptrace_scope 0",
                                (int)tracer->pid, strerror(errno));
            }
            tracer_add_thread(tracer, tids[i], false);
            is_new = true;
        }
    }
    return true;
}

bool tracer_attach(struct tracer *tracer, struct arena *arena, pid_t pid, struct fail *fail) {
    *tracer = (struct tracer){.arena = arena, .pid = pid, .memory = -1, .guard = breakpoint_guard_begin(arena, pid)};
    tracer_open_memory(tracer);
    bool is_traced = seize_all(tracer, fail) && has_memory(tracer, fail);
    if (is_traced)
        tracer_stop_all(tracer);
    else
        tracer_detach(tracer);
    return is_traced;
}
void tracer_wait_end(struct tracer *tracer) {
    if (tracer->kin == TRACER_OWN && !tracer->has_ended &&
        tracer_wait_for(tracer->pid, &tracer->end_status, 0, &tracer->usage) == tracer->pid)
        tracer->has_ended = true;
}
#endif
