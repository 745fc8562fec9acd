#include "hot/tracer.h"

#include "bench/host/timer.h"
#include "hot/breakpoint_guard.h"
#include "hot/tracer_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { BREAKPOINT = 0xcc };

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
bool tracer_write_byte(pid_t tid, uint64_t address, uint8_t byte) {
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
    if (is_set)
        breakpoint_guard_note(tracer->guard, breakpoint->address, breakpoint->byte, true);
    if (tracer_write_byte(thread->tid, breakpoint->address, is_set ? BREAKPOINT : breakpoint->byte))
        breakpoint->is_set = is_set;
    if (!breakpoint->is_set)
        breakpoint_guard_note(tracer->guard, breakpoint->address, breakpoint->byte, false);
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

bool tracer_hold_signals(pid_t tid, uint64_t *before) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    uint64_t all = UINT64_MAX;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        all &= ~(UINT64_C(1) << (faults[i] - 1));
    return ptrace(PTRACE_GETSIGMASK, tid, as_pointer(sizeof *before), before) == 0 &&
           ptrace(PTRACE_SETSIGMASK, tid, as_pointer(sizeof all), &all) == 0;
}

struct tracer_thread *tracer_find_thread(const struct tracer *tracer, pid_t tid) {
    for (size_t i = 0; i < tracer->n_threads; i++)
        if (tracer->threads[i].tid == tid)
            return &tracer->threads[i];
    return NULL;
}

void tracer_add_thread(struct tracer *tracer, pid_t tid, bool is_vforked) {
    if (!tracer_find_thread(tracer, tid))
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

int tracer_wait_for(pid_t tid, int *wait_status, int flags, struct rusage *usage) {
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
        int result = thread->is_running ? tracer_wait_for(thread->tid, &wait_status, WNOHANG, &usage) : 0;
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

bool tracer_get_registers(pid_t tid, struct user_regs_struct *registers) {
    return ptrace(PTRACE_GETREGS, tid, NULL, registers) == 0;
}

// A thread that has run onto a breakpoint, by the address behind it; 0: it has not.
static uint64_t breakpoint_hit(const struct tracer *tracer, const struct tracer_thread *thread) {
    struct user_regs_struct registers;
    siginfo_t info;
    if (WSTOPSIG(thread->wait_status) != SIGTRAP || event_of(thread->wait_status) ||
        ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0 || info.si_code != SI_KERNEL ||
        !tracer_get_registers(thread->tid, &registers))
        return 0;
    return find_breakpoint(tracer, registers.rip - 1) ? registers.rip - 1 : 0;
}

static void go_back_to(pid_t tid, uint64_t address) {
    struct user_regs_struct registers;
    if (!tracer_get_registers(tid, &registers))
        return;
    registers.rip = address;
    ptrace(PTRACE_SETREGS, tid, NULL, &registers);
}

// The file of a program's memory is that of the program that ran when it was opened.
void tracer_open_memory(struct tracer *tracer) {
    if (tracer->memory >= 0)
        close(tracer->memory);
    tracer->memory = open(arena_printf(tracer->arena, "/proc/%d/mem", (int)tracer->pid), O_RDONLY | O_CLOEXEC);
}

// Waits until a new child is stopped, and gives it its memory without breakpoints. False: it is gone.
static bool clean_child(struct tracer *tracer, int *wait_status) {
    struct rusage usage;
    const pid_t child = tracer->child;
    if (tracer->child_has_program)
        return true;
    if (tracer_wait_for(child, wait_status, 0, &usage) != child || !WIFSTOPPED(*wait_status))
        return false;
    for (size_t i = 0; i < tracer->n_breakpoints; i++) // also those that were taken out since it was forked
        tracer_write_byte(child, tracer->breakpoints[i].address, tracer->breakpoints[i].byte);
    return true;
}

void tracer_release(struct tracer *parent) {
    int wait_status;
    if (clean_child(parent, &wait_status))
        ptrace(PTRACE_DETACH, parent->child, NULL, NULL);
}

bool tracer_adopt(struct tracer *parent, struct tracer *child) {
    int wait_status = 0;
    if (!clean_child(parent, &wait_status))
        return false;
    *child = (struct tracer){.arena = parent->arena, .pid = parent->child, .kin = TRACER_DESCENDANT, .memory = -1};
    tracer_add_thread(child, child->pid, false);
    child->threads->is_running = false;
    child->threads->wait_status = wait_status;
    tracer_open_memory(child);
    return true;
}

// Whether what a thread has begun is a process, with memory of its own. A thread of the process is in its list.
static bool is_process(const struct tracer *tracer, pid_t tid) {
    return access(arena_printf(tracer->arena, "/proc/%d/task/%d", (int)tracer->pid, (int)tid), F_OK) != 0;
}

static bool have_child(struct tracer *tracer, pid_t child, bool has_program, enum tracer_event *event) {
    tracer->child = child;
    tracer->child_has_program = has_program;
    *event = TRACER_CHILD;
    return true;
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
    if (kind == PTRACE_EVENT_FORK || (kind == PTRACE_EVENT_CLONE && is_process(tracer, (pid_t)message)))
        return have_child(tracer, (pid_t)message, false, event);
    if (kind == PTRACE_EVENT_CLONE || kind == PTRACE_EVENT_VFORK)
        tracer_add_thread(tracer, (pid_t)message, kind == PTRACE_EVENT_VFORK);
    else if (kind == PTRACE_EVENT_EXEC && tid == tracer->pid) {
        for (size_t i = 0; i < tracer->n_breakpoints; i++)
            breakpoint_guard_note(tracer->guard, tracer->breakpoints[i].address, 0, false);
        tracer->n_breakpoints = 0;
        tracer_open_memory(tracer);
        *event = TRACER_PROGRAM;
        return true;
    } else if (kind == PTRACE_EVENT_EXEC) { // a vforked child
        remove_thread(tracer, thread);
        return have_child(tracer, tid, true, event);
    }
    return false;
}

bool tracer_place(const struct tracer_thread *thread, uint64_t *address) {
    struct user_regs_struct registers;
    bool is_there = thread && tracer_get_registers(thread->tid, &registers);
    *address = is_there ? registers.rip : 0;
    return is_there;
}

// Stops of threads wake it up: each sends a SIGCHLD.
void tracer_sleep(double deadline, unsigned n_idle) {
    enum { SPINS = 50 };
    static const double most = 0.02, nanoseconds = 1e9;
    sigset_t child;
    double left = deadline - timer_seconds();
    double wanted = left < most ? left : most;
    if (n_idle < SPINS || wanted <= 0)
        return;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigtimedwait(&child, NULL, &(struct timespec){0, (long)(wanted * nanoseconds)});
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
        *thread = tracer_find_thread(tracer, tid); // the list may have grown
        if (is_event)
            return true;
        i = SIZE_MAX;
    }
    return false;
}

enum tracer_event tracer_look(struct tracer *tracer, struct tracer_thread **thread) {
    enum tracer_event event = TRACER_END;
    *thread = NULL;
    do {
        if (answer_next(tracer, thread, &event))
            return event;
        if (tracer->has_ended || !tracer->n_threads)
            return TRACER_END;
        set_wanted(tracer);
        for (size_t i = 0; i < tracer->n_threads; i++)
            if (!tracer->threads[i].is_running)
                go_on(&tracer->threads[i]);
    } while (poll_threads(tracer));
    return TRACER_TIME;
}

enum tracer_event tracer_next(struct tracer *tracer, double deadline, struct tracer_thread **thread) {
    for (unsigned n_idle = 0;; n_idle++) {
        enum tracer_event event = tracer_look(tracer, thread);
        if (event != TRACER_TIME || timer_seconds() >= deadline)
            return event;
        tracer_sleep(deadline, n_idle);
    }
}

static bool is_stoppable(const struct tracer_thread *thread) {
    return thread->is_running && !thread->is_vforked;
}

bool tracer_are_all_stopped(const struct tracer *tracer) {
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
bool tracer_stop_all(struct tracer *tracer) {
    static const double patience = 5, patience_with_vfork = 0.1;
    double deadline = timer_seconds() + (has_vforked(tracer) ? patience_with_vfork : patience);
    for (size_t i = 0; i < tracer->n_threads; i++)
        if (is_stoppable(&tracer->threads[i]))
            ptrace(PTRACE_INTERRUPT, tracer->threads[i].tid, NULL, NULL);
    for (unsigned n_idle = 0; !tracer_are_all_stopped(tracer) && timer_seconds() < deadline; n_idle++)
        if (!poll_threads(tracer))
            tracer_sleep(deadline, n_idle);
    return tracer_are_all_stopped(tracer);
}

bool tracer_quiet(struct tracer *tracer) {
    bool is_quiet = tracer_stop_all(tracer);
    for (size_t i = 0; i < tracer->n_breakpoints; i++)
        set_breakpoint(tracer, &tracer->breakpoints[i], false);
    return is_quiet;
}

bool tracer_step(struct tracer *tracer, struct tracer_thread *thread) {
    int wait_status;
    struct rusage usage;
    if (ptrace(PTRACE_SINGLESTEP, thread->tid, NULL, NULL) != 0)
        return false;
    if (tracer_wait_for(thread->tid, &wait_status, 0, &usage) <= 0 || !note(tracer, thread, wait_status, &usage))
        return false;
    siginfo_t info;
    if (WSTOPSIG(wait_status) != SIGTRAP || event_of(wait_status) ||
        ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info) != 0 || info.si_code != TRAP_TRACE)
        return false;
    thread->is_unanswered = false;
    return true;
}

void tracer_step_over(struct tracer *tracer, struct tracer_thread *thread) {
    pid_t tid = thread->tid;
    tracer_quiet(tracer);
    thread = tracer_find_thread(tracer, tid);
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
            i +=
                tracer_wait_for(thread->tid, &wait_status, 0, &usage) <= 0 || note(tracer, thread, wait_status, &usage);
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
            if (event == TRACER_CHILD)
                tracer_release(tracer);
        let_go(tracer);
        if (tracer->n_threads)
            tracer_quiet(tracer);
    }
    tracer->n_threads = 0;
    breakpoint_guard_end(tracer->guard);
    tracer->guard = NULL;
    if (tracer->memory >= 0)
        close(tracer->memory);
    tracer->memory = -1;
}
#endif
