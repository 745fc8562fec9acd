// Samples with a timer: each time, the threads that run are stopped for a moment, and go on. Signals and stops of the
// process stay its own.
#include "hot/process_threads.h"
#include "hot/sampler.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct ptraced {
    pid_t *threads;
    size_t n_threads;
    sigset_t old_mask;
};

static bool seize(struct sampler *sampler, struct ptraced *ptraced, pid_t thread) {
    if (ptrace(PTRACE_SEIZE, thread, NULL, (void *)PTRACE_O_TRACECLONE) != 0)
        return false;
    *ARENA_ADD(sampler->spaces->gather->arena, ptraced->threads, ptraced->n_threads) = thread;
    return true;
}

bool sampler_ptrace_open(struct sampler *sampler, const char **why) {
    struct arena *arena = sampler->spaces->gather->arena;
    struct ptraced *ptraced = ARENA_NEW(arena, struct ptraced);
    sampler->state = ptraced;
    sampler->faults.arena = arena;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD); // wakes the timer
    sigprocmask(SIG_BLOCK, &child, &ptraced->old_mask);
    pid_t *tids;
    const size_t n = process_threads(arena, sampler->pid, &tids);
    bool is_open = n > 0;
    for (size_t i = 0; i < n && is_open; i++)
        is_open = seize(sampler, ptraced, tids[i]);
    if (!is_open)
        *why = arena_printf(arena, "it cannot be traced: %s", strerror(errno));
    if (!is_open)
        sampler_ptrace_close(sampler);
    return is_open;
}

static void drop(struct ptraced *ptraced, pid_t thread) {
    size_t n = 0;
    for (size_t i = 0; i < ptraced->n_threads; i++)
        if (ptraced->threads[i] != thread)
            ptraced->threads[n++] = ptraced->threads[i];
    ptraced->n_threads = n;
}

// Lets a thread go on from a stop that is not ours. Returns false where it was stopped for a sample.
static bool pass_on(struct sampler *sampler, struct ptraced *ptraced, pid_t thread, int status) {
    const int event = status >> 16, signal = WSTOPSIG(status);
    unsigned long message;
    if (event == PTRACE_EVENT_STOP && signal == SIGTRAP)
        return false;
    if (event == PTRACE_EVENT_STOP) { // a stop of the whole process, until SIGCONT
        ptrace(PTRACE_LISTEN, thread, NULL, NULL);
        return true;
    }
    if (event == PTRACE_EVENT_CLONE && ptrace(PTRACE_GETEVENTMSG, thread, NULL, &message) == 0)
        *ARENA_ADD(sampler->spaces->gather->arena, ptraced->threads, ptraced->n_threads) = (pid_t)message;
    ptrace(PTRACE_CONT, thread, NULL, (void *)(event ? 0L : (long)signal));
    return true;
}

// Takes what has happened to a thread. Returns whether it is stopped for a sample. `flags`: WNOHANG, or 0: waits.
static bool take_event(struct sampler *sampler, struct ptraced *ptraced, pid_t thread, int flags,
                       struct sampler_end *end) {
    for (;;) {
        int status;
        struct rusage usage;
        pid_t got = wait4(thread, &status, flags | __WALL, &usage);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != thread) {
            if (got < 0)
                drop(ptraced, thread);
            return false;
        }
        if (!WIFSTOPPED(status)) {
            drop(ptraced, thread);
            if (thread == sampler->pid)
                *end = (struct sampler_end){status, usage, true};
            return false;
        }
        if (!pass_on(sampler, ptraced, thread, status))
            return true;
    }
}

static bool is_running(const struct sampler *sampler, pid_t thread) {
    char path[64], line[512] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", sampler->pid, thread);
    FILE *in = fopen(path, "re");
    if (in && !fgets(line, sizeof line, in))
        *line = '\0';
    if (in)
        fclose(in);
    const char *end = strrchr(line, ')');
    return end && strncmp(end, ") R", 3) == 0;
}

static void add_sample(struct sampler *sampler, uint64_t address) {
    struct hot_place place;
    if (!spaces_find(sampler->spaces, sampler->pid, address, &place)) {
        spaces_exec(sampler->spaces, sampler->pid);
        spaces_read(sampler->spaces, sampler->pid);
        if (!spaces_find(sampler->spaces, sampler->pid, address, &place)) {
            sampler->spaces->gather->unknown += 1;
            return;
        }
    }
    const double cpu = cpu_time_read(sampler->cpu_time);
    gather_timed_sample(sampler->spaces->gather, place, cpu);
    course_note(&sampler->faults, cpu, cpu_time_faults(sampler->cpu_time));
}

#if defined __x86_64__
// The address of the next instruction; false: the thread is in the kernel.
static bool read_address(pid_t thread, uint64_t *address) {
    struct user_regs_struct registers;
    struct iovec area = {&registers, sizeof registers};
    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &area) != 0 || (long)registers.orig_rax >= 0)
        return false;
    *address = registers.rip;
    return true;
}
#else
static bool read_address(pid_t thread, uint64_t *address) {
    (void)thread;
    (void)address;
    return false;
}
#endif

// Takes what has happened to all threads but one (0: to all), and lets them go on.
static void take_events(struct sampler *sampler, struct ptraced *ptraced, pid_t but, struct sampler_end *end) {
    for (size_t i = ptraced->n_threads; i-- > 0;)
        if (ptraced->threads[i] != but && take_event(sampler, ptraced, ptraced->threads[i], WNOHANG, end))
            ptrace(PTRACE_CONT, ptraced->threads[i], NULL, NULL); // a new thread, or back from a stop
}

static bool is_traced(const struct ptraced *ptraced, pid_t thread) {
    for (size_t i = 0; i < ptraced->n_threads; i++)
        if (ptraced->threads[i] == thread)
            return true;
    return false;
}

// Waits until a thread that was interrupted stops. Returns false where it ended. The kernel tells the end of the first
// thread only once the ends of all others are taken: so these are, meanwhile.
static bool await_stop(struct sampler *sampler, struct ptraced *ptraced, pid_t thread, struct sampler_end *end) {
    static const struct timespec a_while = {.tv_nsec = 1000000};
    sigset_t child;
    if (thread != sampler->pid)
        return take_event(sampler, ptraced, thread, 0, end);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (!take_event(sampler, ptraced, thread, WNOHANG, end)) {
        if (!is_traced(ptraced, thread))
            return false;
        sigtimedwait(&child, NULL, &a_while);
        take_events(sampler, ptraced, thread, end);
    }
    return true;
}

static void sample_thread(struct sampler *sampler, struct ptraced *ptraced, pid_t thread, struct sampler_end *end) {
    uint64_t address;
    if (!is_running(sampler, thread) || ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0)
        return;
    if (!await_stop(sampler, ptraced, thread, end))
        return;
    if (read_address(thread, &address))
        add_sample(sampler, address);
    ptrace(PTRACE_CONT, thread, NULL, NULL);
}

// Takes events until the time has come.
static void wait_until(struct sampler *sampler, struct ptraced *ptraced, const struct timespec *time,
                       struct sampler_end *end) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (!end->has_ended) {
        take_events(sampler, ptraced, 0, end);
        struct timespec present;
        clock_gettime(CLOCK_MONOTONIC, &present);
        int64_t rest = (int64_t)(time->tv_sec - present.tv_sec) * 1000000000 + (time->tv_nsec - present.tv_nsec);
        if (rest <= 0)
            return;
        struct timespec timeout = {rest / 1000000000, rest % 1000000000};
        if (sigtimedwait(&child, NULL, &timeout) < 0 && errno == EAGAIN)
            return;
    }
}

void sampler_ptrace_run(struct sampler *sampler, double seconds, struct sampler_end *end) {
    struct ptraced *ptraced = sampler->state;
    struct timespec next;
    const long distance = (long)(1e9 / sampler->hertz);
    double left = seconds;
    *end = (struct sampler_end){0};
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (!end->has_ended && ptraced->n_threads && (sampler->is_ours || left > 0)) {
        next.tv_nsec += distance;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        left -= (double)distance * 1e-9;
        wait_until(sampler, ptraced, &next, end);
        for (size_t i = ptraced->n_threads; i-- > 0 && !end->has_ended;)
            if (i < ptraced->n_threads)
                sample_thread(sampler, ptraced, ptraced->threads[i], end);
    }
}

void sampler_ptrace_close(struct sampler *sampler) {
    struct ptraced *ptraced = sampler->state;
    struct sampler_end end = {0};
    for (size_t i = ptraced->n_threads; i-- > 0;) { // a thread can be let go only while it is stopped
        if (i >= ptraced->n_threads || ptrace(PTRACE_INTERRUPT, ptraced->threads[i], NULL, NULL) != 0)
            continue;
        if (await_stop(sampler, ptraced, ptraced->threads[i], &end))
            ptrace(PTRACE_DETACH, ptraced->threads[i], NULL, NULL);
    }
    sigprocmask(SIG_SETMASK, &ptraced->old_mask, NULL);
}
