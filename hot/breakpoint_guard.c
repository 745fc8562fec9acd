#include "hot/breakpoint_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BREAKPOINTS = 1024 };

// In memory of both processes.
struct noted {
    uint64_t address;
    uint8_t byte;
    atomic_bool is_set;
};

struct breakpoint_guard {
    struct noted *list;
    pid_t pid;
    int end; // of a pipe: the guard sees when it is closed, also by our death
};

// Our files are closed before the traced process goes on.
static _Noreturn void guard(const struct noted *list, int memory, int end) {
    char byte;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    // All else that is open is somebody's pipe, which would not end.
    for (int i = 0; i < (int)sysconf(_SC_OPEN_MAX) && i < (1 << 16); i++)
        if (i != memory && i != end)
            close(i);
    while (read(end, &byte, 1) < 0 && errno == EINTR)
        continue;
    for (size_t i = 0; i < MOST_BREAKPOINTS; i++)
        if (atomic_load(&list[i].is_set) && pwrite(memory, &list[i].byte, 1, (off_t)list[i].address) != 1)
            break; // it has ended
    _exit(0);
}

struct breakpoint_guard *breakpoint_guard_begin(struct arena *arena, pid_t pid) {
    int ends[2];
    const int memory = open(arena_printf(arena, "/proc/%d/mem", (int)pid), O_RDWR | O_CLOEXEC);
    struct noted *list =
        mmap(NULL, MOST_BREAKPOINTS * sizeof *list, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool is_open = memory >= 0 && list != MAP_FAILED && pipe2(ends, O_CLOEXEC) == 0;
    const pid_t child = is_open ? fork() : -1;
    if (child == 0) {
        close(ends[1]);
        guard(list, memory, ends[0]);
    }
    if (memory >= 0)
        close(memory);
    if (is_open)
        close(ends[0]);
    if (child < 0) {
        if (is_open)
            close(ends[1]);
        if (list != MAP_FAILED)
            munmap(list, MOST_BREAKPOINTS * sizeof *list);
        return NULL;
    }
    struct breakpoint_guard *guard = ARENA_NEW(arena, struct breakpoint_guard);
    *guard = (struct breakpoint_guard){list, child, ends[1]};
    return guard;
}

void breakpoint_guard_note(struct breakpoint_guard *guard, uint64_t address, uint8_t byte, bool is_set) {
    for (size_t i = 0; guard && i < MOST_BREAKPOINTS; i++) {
        struct noted *noted = &guard->list[i];
        if (noted->address && noted->address != address)
            continue;
        noted->address = address;
        noted->byte = byte;
        atomic_store(&noted->is_set, is_set);
        return;
    }
}

void breakpoint_guard_end(struct breakpoint_guard *guard) {
    int status;
    if (!guard)
        return;
    close(guard->end);
    while (waitpid(guard->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    munmap(guard->list, MOST_BREAKPOINTS * sizeof *guard->list);
}
