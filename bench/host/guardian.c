#include "bench/host/guardian.h"

#include "base/file.h"
#include "bench/host/guardian_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Shared by the guardian, which writes, and the program that started it.
struct report {
    bool is_done;
    struct fail fail;
    struct guarded_setting settings[]; // in the program's order
};

struct guardian {
    pid_t pid;
    int socket; // closed at the end of the program, which the guardian notices
    struct report *report;
    size_t report_bytes;
};

static void keep_line(struct arena *arena, const char *path, char value[GUARDED_VALUE_BYTES]) {
    const char *line = file_first_line(arena, path);
    size_t length = line ? strnlen(line, GUARDED_VALUE_BYTES - 1) : 0;
    memcpy(value, line ? line : "", length);
    value[length] = '\0';
}

static int write_line(struct arena *arena, const char *path, const char *value) {
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0)
        return errno;
    const char *line = arena_printf(arena, "%s\n", value);
    size_t length = strlen(line);
    int error = write(fd, line, length) == (ssize_t)length ? 0 : errno;
    close(fd);
    return error;
}

// Puts the settings back in order. Reads all before it writes any: writing one may change another (boost, the limits).
static void put_back(struct notes *notes) {
    bool *is_ours = ARENA_ARRAY(notes->arena, bool, notes->n_settings);
    char now[GUARDED_VALUE_BYTES];
    for (size_t i = 0; i < notes->n_settings; i++) {
        const struct guarded_setting *setting = &notes->settings[i];
        keep_line(notes->arena, setting->path, now);
        is_ours[i] = *setting->before && (!*setting->after || strcmp(now, setting->after) == 0);
    }
    for (size_t i = 0; i < notes->n_settings; i++) {
        const struct guarded_setting *setting = &notes->settings[i];
        keep_line(notes->arena, setting->path, now);
        if (is_ours[i] && strcmp(now, setting->before) != 0)
            write_line(notes->arena, setting->path, setting->before); // nobody is left to receive an error
    }
    notes->n_settings = 0;
}

static void note(struct notes *notes, const struct guarded_setting *setting) {
    struct guarded_setting *noted = notes_find(notes, setting->path);
    if (!noted) {
        noted = ARENA_ADD(notes->arena, notes->settings, notes->n_settings);
        *noted = (struct guarded_setting){.path = setting->path};
        memcpy(noted->before, setting->before, sizeof noted->before);
    }
    noted->after[0] = '\0'; // unknown until all are written
}

// Notes what the files hold, writes them, and notes what they hold then.
static bool change(struct notes *notes, struct guarded_setting *settings, size_t n_settings, struct fail *fail) {
    for (size_t i = 0; i < n_settings; i++) {
        keep_line(notes->arena, settings[i].path, settings[i].before);
        note(notes, &settings[i]);
    }
    if (!notes_write(notes, fail))
        return false;
    for (size_t i = 0; i < n_settings; i++)
        if (settings[i].wanted && *settings[i].before)
            settings[i].error = write_line(notes->arena, settings[i].path, settings[i].wanted);
    for (size_t i = 0; i < n_settings; i++) {
        keep_line(notes->arena, settings[i].path, settings[i].after);
        memcpy(notes_find(notes, settings[i].path)->after, settings[i].after, sizeof settings[i].after);
    }
    return notes_write(notes, fail);
}

// Opens the notes and changes the settings. First puts back what killed guardians left behind: else `before` would hold
// their changes.
static bool begin(struct notes *notes, struct arena *arena, const char *folder, struct guarded_setting *settings,
                  size_t n_settings, struct fail *fail) {
    if (!notes_open(notes, arena, folder, true, fail))
        return false;
    if (notes_leave(notes))
        put_back(notes);
    notes_enter(notes);
    bool is_done = change(notes, settings, n_settings, fail);
    notes_unlock(notes);
    return is_done;
}

// Puts everything back, also what other guardians have noted meanwhile. Where one of these is still at work, the last
// one does it.
static void end(struct notes *notes) {
    struct fail ignored = {0};
    if (!notes_lock(notes))
        return;
    if (notes_leave(notes) && notes_read(notes, &ignored)) {
        put_back(notes);
        notes_write(notes, &ignored);
    }
    notes_close(notes);
}

// Waits until the program shuts the socket down or ends. Its children may hold the socket open, so we watch the process
// as well.
static void wait_for_end(int socket, pid_t program) {
    enum { LOOK_MS = 100 };
    int pidfd = (int)syscall(SYS_pidfd_open, program, 0); // -1 on kernels before 5.3: then poll getppid
    struct pollfd fds[] = {{.fd = socket, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};
    do
        poll(fds, 2, pidfd < 0 ? LOOK_MS : -1);
    while (!fds[0].revents && !fds[1].revents && getppid() == program);
}

// Protects the guardian from what may end the program: the terminal's signals, signals to its process group, broken
// pipes, the kernel's out-of-memory killer.
static void go_apart(int *socket) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "cyclops-guard");
    int null = open("/dev/null", O_RDWR);
    for (int stream = STDIN_FILENO; null >= 0 && stream <= STDERR_FILENO; stream++)
        dup2(null, stream);
    enum { OUR_SOCKET = STDERR_FILENO + 1 };
    dup2(*socket, OUR_SOCKET);
    closefrom(OUR_SOCKET + 1);
    *socket = OUR_SOCKET;
    int oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (oom >= 0 && write(oom, "-1000", 5) < 0)
        errno = 0; // only root may lower it
    if (oom >= 0)
        close(oom);
}

static _Noreturn void guard(struct report *report, size_t n_settings, const char *folder, int socket, pid_t program) {
    struct arena arena = {0};
    struct notes notes;
    go_apart(&socket);
    report->is_done = begin(&notes, &arena, folder, report->settings, n_settings, &report->fail);
    bool is_heard = send(socket, "", 1, MSG_NOSIGNAL) == 1;
    if (report->is_done && is_heard)
        wait_for_end(socket, program);
    if (notes.folder_fd >= 0)
        end(&notes);
    _exit(0);
}

static bool start(struct guardian *guardian, const char *folder, size_t n_settings, struct fail *fail) {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return fail_set(fail, FAIL_WORK, "cannot start a guardian: %s", strerror(errno));
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old); // no signal ends the guardian before go_apart
    pid_t program = getpid();
    guardian->pid = fork();
    if (guardian->pid == 0)
        guard(guardian->report, n_settings, folder, sockets[1], program);
    int error = errno;
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(sockets[1]);
    guardian->socket = sockets[0];
    if (guardian->pid > 0)
        return true;
    close(sockets[0]);
    return fail_set(fail, FAIL_WORK, "cannot start a guardian: %s", strerror(error));
}

static void forget(struct guardian *guardian) {
    shutdown(guardian->socket, SHUT_RDWR); // ends the guardian's wait, even where a child holds the socket open
    close(guardian->socket);
    while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    munmap(guardian->report, guardian->report_bytes);
}

struct guardian *guardian_start(struct arena *arena, const char *folder, struct guarded_setting *settings,
                                size_t n_settings, struct fail *fail) {
    struct guardian *guardian = ARENA_NEW(arena, struct guardian);
    size_t bytes = n_settings * sizeof *settings;
    guardian->report_bytes = sizeof *guardian->report + bytes;
    guardian->report = mmap(NULL, guardian->report_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (guardian->report == MAP_FAILED) {
        fail_set(fail, FAIL_WORK, "no memory for a guardian: %s", strerror(errno));
        return NULL;
    }
    memcpy(guardian->report->settings, settings, bytes);
    if (!start(guardian, folder, n_settings, fail)) {
        munmap(guardian->report, guardian->report_bytes);
        return NULL;
    }
    char ready;
    ssize_t n_read;
    do
        n_read = recv(guardian->socket, &ready, 1, 0);
    while (n_read < 0 && errno == EINTR);
    if (n_read == 1 && guardian->report->is_done) {
        memcpy(settings, guardian->report->settings, bytes);
        return guardian;
    }
    if (n_read == 1)
        *fail = guardian->report->fail;
    else
        fail_set(fail, FAIL_WORK, "lost the guardian process, which puts back what a run changes");
    forget(guardian);
    return NULL;
}

void guardian_end(struct guardian *guardian) {
    forget(guardian);
}

static bool look(struct notes *notes, struct arena *arena, const char *folder, struct guardian_leftovers *leftovers,
                 struct fail *fail) {
    *leftovers = (struct guardian_leftovers){0};
    if (!notes_open(notes, arena, folder, false, fail))
        return false;
    leftovers->is_in_use = notes->folder_fd >= 0 && !notes_leave(notes);
    leftovers->settings = notes->settings;
    leftovers->n_settings = notes->n_settings;
    return true;
}

bool guardian_look(struct arena *arena, const char *folder, struct guardian_leftovers *leftovers, struct fail *fail) {
    struct notes notes;
    bool is_read = look(&notes, arena, folder, leftovers, fail);
    notes_close(&notes);
    return is_read;
}

bool guardian_mend(struct arena *arena, const char *folder, struct guardian_leftovers *leftovers, struct fail *fail) {
    struct notes notes;
    bool is_done = look(&notes, arena, folder, leftovers, fail);
    if (is_done && notes.n_settings && !leftovers->is_in_use) {
        put_back(&notes);
        is_done = notes_write(&notes, fail);
    }
    notes_close(&notes);
    return is_done;
}
