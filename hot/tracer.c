#include "hot/tracer.h"

#include "bench/host/timer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <sys/user.h>

enum { BREAKPOINT = 0xcc };
enum { EVENT_SHIFT = 8 };

static void *as_pointer(uint64_t number) {
    return (void *)(uintptr_t)number;
}

static unsigned event_of(int wait_status) {
    return (unsigned)wait_status >> (2 * EVENT_SHIFT);
}

// ---- memory

size_t tracer_read(const struct tracer *tracer, uint64_t address, uint8_t *bytes, size_t n_bytes) {
    ssize_t n = pread(tracer->memory, bytes, n_bytes, (off_t)address);
    if (n < 0 && n_bytes > 1) { // it may end within
        uint64_t page = (address | 4095) + 1;
        if (page - address < n_bytes)
            n = pread(tracer->memory, bytes, (size_t)(page - address), (off_t)address);
    }
    for (size_t i = 0; i < tracer->n_breakpoints && n > 0; i++) {
        const struct tracer_breakpoint *breakpoint = &tracer->breakpoints[i];
        if (breakpoint->is_set && breakpoint->address - address < (uint64_t)n)
            bytes[breakpoint->address - address] = breakpoint->byte;
    }
    return n > 0 ? (size_t)n : 0;
}

// By POKE, which also writes to code that is not writable.
static bool write_byte(pid_t tid, uint64_t address, uint8_t byte) {
    uint64_t place = address / sizeof(long) * sizeof(long);
    errno = 0;
    long word = ptrace(PTRACE_PEEKDATA, tid, as_pointer(place), NULL);
    if (errno)
        return false;
    memcpy((uint8_t *)&word + (address - place), &byte, 1);
    return ptrace(PTRACE_POKEDATA, tid, as_pointer(place), word) == 0;
}

// A thread of the program's memory that is stopped; null: none is.
static struct tracer_thread *find_stopped(struct tracer *tracer) {
    for (size_t i = 0; i < tracer->n_threads; i++)
        if (!tracer->threads[i].is_running)
            return &tracer->threads[i];
    return NULL;
}

static void set_breakpoint(struct tracer *tracer, struct tracer_breakpoint *breakpoint, bool is_set) {
    struct tracer_thread *thread = find_stopped(tracer);
    if (breakpoint->is_set == is_set || !thread)
        return;
    if (write_byte(thread->tid, breakpoint->address, is_set ? BREAKPOINT : breakpoint->byte))
        breakpoint->is_set = is_set;
}

static struct tracer_breakpoint *find_breakpoint(const struct tracer *tracer, uint64_t address) {
    for (size_t i = 0; i < tracer->n_breakpoints; i++)
        if (tracer->breakpoints[i].address == address)
            return &tracer->breakpoints[i];
    return NULL;
}

bool tracer_break_at(struct tracer *tracer, uint64_t address) {
    struct tracer_breakpoint *breakpoint = find_breakpoint(tracer, address);
    uint8_t byte;
    if (!breakpoint) {
        if (tracer_read(tracer, address, &byte, 1) != 1)
            return false;
        breakpoint = ARENA_ADD(tracer->arena, tracer->breakpoints, tracer->n_breakpoints);
        *breakpoint = (struct tracer_breakpoint){.address = address, .byte = byte};
    }
    breakpoint->is_wanted = true;
    set_breakpoint(tracer, breakpoint, true);
    return breakpoint->is_set;
}

void tracer_drop_breakpoint(struct tracer *tracer, uint64_t address) {
    struct tracer_breakpoint *breakpoint = find_breakpoint(tracer, address);
    if (!breakpoint)
        return;
    breakpoint->is_wanted = false;
    set_breakpoint(tracer, breakpoint, false);
}

// ---- threads

static struct tracer_thread *find_thread(const struct tracer *tracer, pid_t tid) {
    for (size_t i = 0; i < tracer->n_threads; i++)
        if (tracer->threads[i].tid == tid)
            return &tracer->threads[i];
    return NULL;
}

static void add_thread(struct tracer *tracer, pid_t tid, bool is_vforked) {
    if (!find_thread(tracer, tid))
        *ARENA_ADD(tracer->arena, tracer->threads, tracer->n_threads) =
            (struct tracer_thread){.tid = tid, .is_running = true, .is_vforked = is_vforked};
}

static void remove_thread(struct tracer *tracer, const struct tracer_thread *thread) {
    size_t at = (size_t)(thread - tracer->threads);
    memmove(&tracer->threads[at], &tracer->threads[at + 1], (tracer->n_threads - at - 1) * sizeof *tracer->threads);
    tracer->n_threads--;
}

// Notes what waitpid has returned of a thread. False: it is gone.
static bool note(struct tracer *tracer, struct tracer_thread *thread, int wait_status, const struct rusage *usage) {
    if (WIFSTOPPED(wait_status)) {
        thread->is_running = false;
        thread->is_unanswered = true;
        thread->wait_status = wait_status;
        return true;
    }
    if (thread->tid == tracer->pid) {
        tracer->has_ended = true;
        tracer->end_status = wait_status;
        tracer->usage = *usage;
    }
    remove_thread(tracer, thread);
    return false;
}

static int wait_for(pid_t tid, int *wait_status, int flags, struct rusage *usage) {
    pid_t result;
    do
        result = wait4(tid, wait_status, flags | __WALL, usage);
    while (result < 0 && errno == EINTR);
    return result;
}

// Looks whether a running thread has stopped, and notes that. True: something has happened.
static bool poll_threads(struct tracer *tracer) {
    bool is_some = false;
    for (size_t i = 0; i < tracer->n_threads;) {
        struct tracer_thread *thread = &tracer->threads[i];
        int wait_status;
        struct rusage usage;
        int result = thread->is_running ? wait_for(thread->tid, &wait_status, WNOHANG, &usage) : 0;
        bool is_there = true;
        if (result > 0)
            is_there = note(tracer, thread, wait_status, &usage);
        else if (result < 0) { // another thread has executed a program, and this one is no more
            remove_thread(tracer, thread);
            is_there = false;
        }
        is_some |= result != 0;
        i += is_there;
    }
    return is_some;
}

static bool read_user(pid_t tid, struct user_regs_struct *registers) {
    return ptrace(PTRACE_GETREGS, tid, NULL, registers) == 0;
}

// A thread that has run onto a breakpoint, by the address behind it; 0: it has not.
static uint64_t breakpoint_hit(const struct tracer *tracer, const struct tracer_thread *thread) {
    struct user_regs_struct registers;
    siginfo_t info;
    if (WSTOPSIG(thread->wait_status) != SIGTRAP || event_of(thread->wait_status) ||
        ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0 || info.si_code != SI_KERNEL ||
        !read_user(thread->tid, &registers))
        return 0;
    return find_breakpoint(tracer, registers.rip - 1) ? registers.rip - 1 : 0;
}

static void go_back_to(pid_t tid, uint64_t address) {
    struct user_regs_struct registers;
    if (!read_user(tid, &registers))
        return;
    registers.rip = address;
    ptrace(PTRACE_SETREGS, tid, NULL, &registers);
}

// The file of a program's memory is that of the program that ran when it was opened.
static void open_memory(struct tracer *tracer) {
    if (tracer->memory >= 0)
        close(tracer->memory);
    tracer->memory = open(arena_printf(tracer->arena, "/proc/%d/mem", (int)tracer->pid), O_RDONLY | O_CLOEXEC);
}

static bool has_memory(const struct tracer *tracer, struct fail *fail) {
    return tracer->memory >= 0 ||
           fail_set(fail, FAIL_UNAVAILABLE, "cannot read the memory of process %d: is /proc there?", (int)tracer->pid);
}

// A child with memory of its own gets it without breakpoints, and is left alone.
static void release_child(const struct tracer *tracer, pid_t child) {
    int wait_status;
    struct rusage usage;
    if (wait_for(child, &wait_status, 0, &usage) != child || !WIFSTOPPED(wait_status))
        return;
    for (size_t i = 0; i < tracer->n_breakpoints; i++) // also those that were taken out since it was forked
        write_byte(child, tracer->breakpoints[i].address, tracer->breakpoints[i].byte);
    ptrace(PTRACE_DETACH, child, NULL, NULL);
}

static bool is_job_control(int number) {
    return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static void go_on(struct tracer_thread *thread) {
    int number = thread->signal;
    bool stays = event_of(thread->wait_status) == PTRACE_EVENT_STOP && is_job_control(WSTOPSIG(thread->wait_status));
    thread->signal = 0;
    thread->is_running = true;
    thread->is_unanswered = false;
    ptrace(stays ? PTRACE_LISTEN : PTRACE_CONT, thread->tid, NULL, as_pointer((uint64_t)number));
}

// Answers a stop that is no event of ours: `signal` is what the thread gets. True: it is one, see `event`.
static bool answer(struct tracer *tracer, struct tracer_thread *thread, enum tracer_event *event) {
    unsigned kind = event_of(thread->wait_status);
    unsigned long message = 0;
    thread->is_unanswered = false;
    if (!kind) {
        uint64_t address = breakpoint_hit(tracer, thread);
        thread->signal = address ? 0 : WSTOPSIG(thread->wait_status);
        if (address)
            go_back_to(thread->tid, address);
        *event = TRACER_HIT;
        struct tracer_breakpoint *breakpoint = address ? find_breakpoint(tracer, address) : NULL;
        if (breakpoint && thread->is_vforked) { // its parent waits, and cannot be stopped
            set_breakpoint(tracer, breakpoint, false);
            tracer_step(tracer, thread);
            return false;
        }
        return breakpoint && breakpoint->is_wanted;
    }
    ptrace(PTRACE_GETEVENTMSG, thread->tid, NULL, &message);
    pid_t tid = thread->tid;
    if (kind == PTRACE_EVENT_CLONE || kind == PTRACE_EVENT_VFORK)
        add_thread(tracer, (pid_t)message, kind == PTRACE_EVENT_VFORK);
    else if (kind == PTRACE_EVENT_FORK)
        release_child(tracer, (pid_t)message);
    else if (kind == PTRACE_EVENT_EXEC && tid == tracer->pid) {
        tracer->n_breakpoints = 0;
        open_memory(tracer);
        *event = TRACER_PROGRAM;
        return true;
    } else if (kind == PTRACE_EVENT_EXEC) { // a vforked child
        ptrace(PTRACE_DETACH, tid, NULL, NULL);
        remove_thread(tracer, thread);
        return false;
    }
    return false;
}

bool tracer_place(const struct tracer_thread *thread, uint64_t *address) {
    struct user_regs_struct registers;
    bool is_there = thread && read_user(thread->tid, &registers);
    *address = is_there ? registers.rip : 0;
    return is_there;
}

static void sleep_until(double deadline, unsigned n_idle) {
    enum { SPINS = 50 };
    static const double most = 0.0005, nanoseconds = 1e9;
    double left = deadline - timer_seconds();
    double wanted = left < most ? left : most;
    if (n_idle < SPINS || wanted <= 0)
        return;
    nanosleep(&(struct timespec){0, (long)(wanted * nanoseconds)}, NULL);
}

static void set_wanted(struct tracer *tracer) {
    for (size_t i = 0; i < tracer->n_breakpoints; i++)
        set_breakpoint(tracer, &tracer->breakpoints[i], tracer->breakpoints[i].is_wanted);
}

// Answers one stop that was not answered. True: it is an event.
static bool answer_next(struct tracer *tracer, struct tracer_thread **thread, enum tracer_event *event) {
    for (size_t i = 0; i < tracer->n_threads; i++) {
        pid_t tid = tracer->threads[i].tid;
        if (!tracer->threads[i].is_unanswered)
            continue;
        bool is_event = answer(tracer, &tracer->threads[i], event);
        *thread = find_thread(tracer, tid); // the list may have grown
        if (is_event)
            return true;
        i = SIZE_MAX;
    }
    return false;
}

enum tracer_event tracer_next(struct tracer *tracer, double deadline, struct tracer_thread **thread) {
    enum tracer_event event = TRACER_END;
    unsigned n_idle = 0;
    *thread = NULL;
    for (;;) {
        if (answer_next(tracer, thread, &event))
            return event;
        if (tracer->has_ended || !tracer->n_threads)
            return TRACER_END;
        set_wanted(tracer);
        for (size_t i = 0; i < tracer->n_threads; i++)
            if (!tracer->threads[i].is_running)
                go_on(&tracer->threads[i]);
        while (!poll_threads(tracer)) {
            if (timer_seconds() >= deadline)
                return TRACER_TIME;
            sleep_until(deadline, n_idle++);
        }
        n_idle = 0;
    }
}

static bool is_stoppable(const struct tracer_thread *thread) {
    return thread->is_running && !thread->is_vforked;
}

static bool are_all_stopped(const struct tracer *tracer) {
    for (size_t i = 0; i < tracer->n_threads; i++)
        if (is_stoppable(&tracer->threads[i]))
            return false;
    return true;
}

static bool has_vforked(const struct tracer *tracer) {
    for (size_t i = 0; i < tracer->n_threads; i++)
        if (tracer->threads[i].is_vforked)
            return true;
    return false;
}

// Stops all threads. What they were stopped by stays to be answered. On a busy machine, a thread may not get its CPU
// for long; one that waits in the kernel for a vforked child does not stop, and runs no code of the program either.
static bool stop_all(struct tracer *tracer) {
    static const double patience = 5, patience_with_vfork = 0.1;
    double deadline = timer_seconds() + (has_vforked(tracer) ? patience_with_vfork : patience);
    for (size_t i = 0; i < tracer->n_threads; i++)
        if (is_stoppable(&tracer->threads[i]))
            ptrace(PTRACE_INTERRUPT, tracer->threads[i].tid, NULL, NULL);
    for (unsigned n_idle = 0; !are_all_stopped(tracer) && timer_seconds() < deadline; n_idle++)
        if (!poll_threads(tracer))
            sleep_until(deadline, n_idle);
    return are_all_stopped(tracer);
}

bool tracer_quiet(struct tracer *tracer) {
    bool is_quiet = stop_all(tracer);
    for (size_t i = 0; i < tracer->n_breakpoints; i++)
        set_breakpoint(tracer, &tracer->breakpoints[i], false);
    return is_quiet;
}

bool tracer_step(struct tracer *tracer, struct tracer_thread *thread) {
    int wait_status;
    struct rusage usage;
    if (ptrace(PTRACE_SINGLESTEP, thread->tid, NULL, NULL) != 0)
        return false;
    if (wait_for(thread->tid, &wait_status, 0, &usage) <= 0 || !note(tracer, thread, wait_status, &usage))
        return false;
    siginfo_t info;
    if (WSTOPSIG(wait_status) != SIGTRAP || event_of(wait_status) ||
        ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0 || info.si_code != TRAP_TRACE)
        return false;
    thread->is_unanswered = false;
    return true;
}

// ---- copies

enum { SYSCALL_BYTES = 2 };

static bool write_bytes(pid_t tid, uint64_t address, const uint8_t *bytes, size_t n_bytes) {
    bool is_done = true;
    for (size_t i = 0; i < n_bytes; i++)
        is_done = write_byte(tid, address + i, bytes[i]) && is_done;
    return is_done;
}

// Whether a filter may end the process when it calls the system in an unusual way.
static bool has_filter(const struct tracer *tracer) {
    char line[256];
    FILE *file = fopen(arena_printf(tracer->arena, "/proc/%d/status", (int)tracer->pid), "r");
    bool has = !file;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "Seccomp:", 8) == 0)
            has = strtol(line + 8, NULL, 10) != 0;
    if (file)
        fclose(file);
    return has;
}

// Lets a thread call clone where it is, and go back there. Returns the child; 0: there is none.
static pid_t call_clone(pid_t tid, const struct user_regs_struct *registers) {
    struct user_regs_struct call = *registers;
    unsigned long child = 0;
    int wait_status = 0;
    struct rusage usage;
    call.rax = SYS_clone;
    call.rdi = CLONE_PARENT; // a child of ours, of which the program knows nothing
    call.rsi = call.rdx = call.r10 = call.r8 = 0;
    call.orig_rax = UINT64_MAX;
    if (ptrace(PTRACE_SETREGS, tid, NULL, &call) != 0)
        return 0;
    for (bool is_over = false; !is_over;) {
        if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) != 0 || wait_for(tid, &wait_status, 0, &usage) != tid ||
            !WIFSTOPPED(wait_status))
            break;
        is_over = event_of(wait_status) != PTRACE_EVENT_CLONE && event_of(wait_status) != PTRACE_EVENT_FORK;
        if (!is_over)
            ptrace(PTRACE_GETEVENTMSG, tid, NULL, &child);
    }
    ptrace(PTRACE_SETREGS, tid, NULL, registers);
    return (pid_t)child;
}

bool tracer_copy(struct tracer *tracer, struct tracer_thread *thread, struct tracer *copy) {
    static const uint8_t call[SYSCALL_BYTES] = {0x0f, 0x05};
    uint8_t there[SYSCALL_BYTES];
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}; // which cannot be held back
    uint64_t mask, all = UINT64_MAX;
    struct user_regs_struct registers;
    struct rusage usage;
    int wait_status;
    pid_t tid = thread->tid;
    if (!tracer->is_own || !are_all_stopped(tracer) || has_filter(tracer) || !read_user(tid, &registers) ||
        tracer_read(tracer, registers.rip, there, sizeof there) != sizeof there ||
        ptrace(PTRACE_GETSIGMASK, tid, as_pointer(sizeof mask), &mask) != 0)
        return false;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        all &= ~(UINT64_C(1) << (faults[i] - 1));
    ptrace(PTRACE_SETSIGMASK, tid, as_pointer(sizeof all), &all);
    registers.orig_rax = UINT64_MAX; // no call of the system is to be made again
    pid_t child = write_bytes(tid, registers.rip, call, sizeof call) ? call_clone(tid, &registers) : 0;
    write_bytes(tid, registers.rip, there, sizeof there);
    ptrace(PTRACE_SETSIGMASK, tid, as_pointer(sizeof mask), &mask);
    if (!child || wait_for(child, &wait_status, 0, &usage) != child || !WIFSTOPPED(wait_status))
        return false;
    *copy = (struct tracer){.arena = tracer->arena, .pid = child, .memory = -1};
    setpriority(PRIO_PROCESS, (id_t)child, 19); // the program goes before it
    add_thread(copy, child, false);
    copy->threads->is_running = false;
    open_memory(copy);
    if (write_bytes(child, registers.rip, there, sizeof there) &&
        ptrace(PTRACE_SETREGS, child, NULL, &registers) == 0 && copy->memory >= 0)
        return true;
    tracer_end_copy(copy);
    return false;
}

void tracer_end_copy(struct tracer *copy) {
    int wait_status;
    struct rusage usage;
    kill(copy->pid, SIGKILL);
    while (wait_for(copy->pid, &wait_status, 0, &usage) == copy->pid && WIFSTOPPED(wait_status))
        continue;
    if (copy->memory >= 0)
        close(copy->memory);
    copy->memory = -1;
}

void tracer_step_over(struct tracer *tracer, struct tracer_thread *thread) {
    pid_t tid = thread->tid;
    tracer_quiet(tracer);
    thread = find_thread(tracer, tid);
    if (thread)
        tracer_step(tracer, thread);
}

// Whether a thread that is stopped has run onto a breakpoint and will be told so: a request to stop goes before the
// signal of the trap.
static bool has_trap_before_it(pid_t tid) {
    enum { MOST = 64 };
    struct __ptrace_peeksiginfo_args request = {.off = 0, .flags = 0, .nr = MOST};
    siginfo_t signals[MOST];
    long n = ptrace(PTRACE_PEEKSIGINFO, tid, &request, signals);
    for (long i = 0; i < n; i++)
        if (signals[i].si_signo == SIGTRAP && signals[i].si_code == SI_KERNEL)
            return true;
    return false;
}

// Detaches the threads that are stopped. One with a trap before it comes to that first, which is then to be answered:
// alone, the trap would end the program.
static void let_go(struct tracer *tracer) {
    for (size_t i = 0; i < tracer->n_threads;) {
        struct tracer_thread *thread = &tracer->threads[i];
        if (thread->is_running || thread->is_unanswered) {
            i++;
            continue;
        }
        if (has_trap_before_it(thread->tid)) {
            int wait_status;
            struct rusage usage;
            go_on(thread);
            i += wait_for(thread->tid, &wait_status, 0, &usage) <= 0 || note(tracer, thread, wait_status, &usage);
            continue;
        }
        ptrace(PTRACE_DETACH, thread->tid, NULL, as_pointer((uint64_t)thread->signal));
        remove_thread(tracer, thread);
    }
}

void tracer_detach(struct tracer *tracer) {
    static const double patience = 5;
    double deadline = timer_seconds() + patience;
    for (size_t i = 0; i < tracer->n_breakpoints; i++)
        tracer->breakpoints[i].is_wanted = false;
    tracer_quiet(tracer);
    while (tracer->n_threads && !tracer->has_ended && timer_seconds() < deadline) {
        struct tracer_thread *thread;
        enum tracer_event event;
        while (answer_next(tracer, &thread, &event)) // none is of ours now, but another program's start
            continue;
        let_go(tracer);
        if (tracer->n_threads)
            tracer_quiet(tracer);
    }
    tracer->n_threads = 0;
    if (tracer->memory >= 0)
        close(tracer->memory);
    tracer->memory = -1;
}

void tracer_wait_end(struct tracer *tracer) {
    if (tracer->is_own && !tracer->has_ended &&
        wait_for(tracer->pid, &tracer->end_status, 0, &tracer->usage) == tracer->pid)
        tracer->has_ended = true;
}

// ---- start

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

static bool can_trace(struct arena *arena, const char *name, struct fail *fail) {
    char *path = find_program(arena, name);
    struct stat about;
    if (!path || stat(path, &about) != 0)
        return fail_set(fail, FAIL_INPUT, "cannot find the program %s, or it is not executable", name);
    if (about.st_mode & (S_ISUID | S_ISGID))
        return fail_set(fail, FAIL_UNAVAILABLE, "%s runs as another user, so it cannot be traced", name);
    return true;
}

static bool fail_start(const char *name, pid_t pid, int error, struct fail *fail) {
    int wait_status;
    kill(pid, SIGKILL);
    waitpid(pid, &wait_status, 0);
    return fail_set(fail, FAIL_UNAVAILABLE, "cannot trace %s: %s", name, strerror(error));
}

bool tracer_start(struct tracer *tracer, struct arena *arena, char *const *argv, struct fail *fail) {
    int go[2], back[2], error = 0;
    *tracer = (struct tracer){.arena = arena, .is_own = true, .memory = -1};
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
    add_thread(tracer, pid, false);
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

// Seizes the threads that are there; those that begin meanwhile come with the next look.
static bool seize_all(struct tracer *tracer, struct fail *fail) {
    const char *path = arena_printf(tracer->arena, "/proc/%d/task", (int)tracer->pid);
    bool is_new = true;
    while (is_new) {
        DIR *folder = opendir(path);
        is_new = false;
        if (!folder)
            return fail_set(fail, FAIL_INPUT, "there is no process %d", (int)tracer->pid);
        for (struct dirent *entry; (entry = readdir(folder));) {
            pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
            if (tid <= 0 || find_thread(tracer, tid))
                continue;
            if (ptrace(PTRACE_SEIZE, tid, NULL, own_options) != 0) {
                int error = errno;
                if (error == ESRCH)
                    continue;
                closedir(folder);
                return fail_set(fail, FAIL_UNAVAILABLE,
                                "cannot trace process %d: %s; trace your own processes, as root or with "
                                "/proc/sys/kernel/yama/ptrace_scope 0",
                                (int)tracer->pid, strerror(error));
            }
            add_thread(tracer, tid, false);
            is_new = true;
        }
        closedir(folder);
    }
    return true;
}

bool tracer_attach(struct tracer *tracer, struct arena *arena, pid_t pid, struct fail *fail) {
    *tracer = (struct tracer){.arena = arena, .pid = pid, .memory = -1};
    open_memory(tracer);
    bool is_traced = seize_all(tracer, fail) && has_memory(tracer, fail);
    if (is_traced)
        stop_all(tracer);
    else
        tracer_detach(tracer);
    return is_traced;
}
#endif
