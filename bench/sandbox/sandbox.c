#include "bench/sandbox/sandbox.h"

#include "bench/host/timer.h"
#include "bench/sandbox/nursery.h"
#include "bench/sandbox/syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 17 };

static void limit(__rlimit_resource_t resource, rlim_t value) {
    setrlimit(resource, &(struct rlimit){value, value});
}

// The child must not run our handlers or a sanitizer's: a crash must kill it by the signal itself. Signals are blocked
// since before the fork, so no signal arrives in between.
static void reset_signals(bool are_default) {
    for (int number = 1; number < NSIG && !are_default; number++)
        signal(number, SIG_DFL); // fails for signals that always have the default one
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Like fork, but also resets the handlers of signals (`are_default`) and opens a file descriptor that shows the child's
// end (`pidfd`; -1: not possible). Kernels before 5.5 and emulators need several steps: then `are_default` is false.
static pid_t start_child(bool *are_default, int *pidfd) {
    struct clone_args arguments = {
        .flags = CLONE_CLEAR_SIGHAND | CLONE_PIDFD,
        .pidfd = (uintptr_t)pidfd,
        .exit_signal = SIGCHLD,
    };
    pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    *are_default = pid >= 0;
    if (pid >= 0)
        return pid;
    *pidfd = -1;
    pid = fork();
    if (pid > 0)
        *pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    return pid;
}

static void silence_standard_streams(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (null < 0 || dup2(null, stream) < 0)
            close(stream);
}

// Arguments of the child's first function. Passed by address: makecontext passes integers only.
struct start {
    struct sandbox sandbox;
    sandbox_body body;
    void *context;
    double timeout_seconds;
    pid_t parent;
    bool are_default; // all handlers of signals are the default ones
};

// Without AddressSanitizer: it examines the stack before a call that does not return, with system calls that the filter
// forbids.
__attribute__((no_sanitize_address)) static void run_body(unsigned high, unsigned low) {
    struct start *start = (struct start *)(uintptr_t)((uint64_t)high << 32 | low); // NOLINT(performance-no-int-to-ptr)
    _exit(start->body(&start->sandbox, start->context));
}

// Maps a page without access, the stack, another such page, and the stack of the handler of faults. Runs the body on
// the first stack.
static void run_on_own_stack(struct start *start) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *low = mmap(NULL, 2 * page + STACK_BYTES + FAULT_STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint8_t *stack = low + page;
    ucontext_t new_context;
    if (low == MAP_FAILED || mprotect(low, page, PROT_NONE) != 0 ||
        mprotect(stack + STACK_BYTES, page, PROT_NONE) != 0 || getcontext(&new_context) != 0)
        _exit(255);
    start->sandbox.watch.stack_guard = low;
    start->sandbox.watch.guard_bytes = page;
    start->sandbox.watch.handler_stack = stack + STACK_BYTES + page;
    new_context.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
    new_context.uc_link = NULL;
    uint64_t address = (uintptr_t)start;
    makecontext(&new_context, (void (*)(void))run_body, 2, (unsigned)(address >> 32), (unsigned)address);
    setcontext(&new_context); // never returns; swapcontext would make AddressSanitizer warn
}

// Closes all files but the standard streams and the frames of memory that may appear. close_range: Linux 5.9.
static void close_files(struct code_room *room) {
    int first = STDERR_FILENO + 1;
    if (room->memory.file >= 0)
        room->memory.file = dup2(room->memory.file, first++);
    syscall(SYS_close_range, first, ~0U, 0);
}

bool sandbox_seal(struct sandbox *sandbox, struct code_room *room) {
    sandbox->watch.region = room->region;
    sandbox->watch.memory = room->memory.file >= 0 ? &room->memory : NULL;
    limit(RLIMIT_FSIZE, 0);
    if (!fault_watch_start(&sandbox->watch))
        return false;
    if (syscall_filter_install(room->region, room->memory.file))
        return true;
    int error = errno;
    if (syscall_filter_exists()) { // the kernel has filters, but refused this one
        errno = error;
        return false;
    }
    silence_standard_streams();
    close_files(room);
    return true;
}

static void live(void *argument) {
    struct start *start = argument;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start->parent) // the parent ended before the line above
        _exit(255);
    setpgid(0, 0); // the terminal's Ctrl-C is for the parent to handle
    reset_signals(start->are_default);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, (rlim_t)ceil(start->timeout_seconds) + 1); // acts even where the parent is stopped
    run_on_own_stack(start);
}

// Polls every half millisecond: for kernels before 5.3 and emulators, which have no pidfd.
static bool wait_by_looking(pid_t pid, double deadline) {
    siginfo_t info;
    do {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid)
            return true;
        nanosleep(&(struct timespec){0, 500000}, NULL);
    } while (timer_seconds() < deadline);
    return false;
}

// True once the child has ended, false at the deadline.
static bool wait_until(pid_t pid, int pidfd, double deadline) {
    if (pidfd < 0)
        return wait_by_looking(pid, deadline);
    struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};
    int n_ready;
    double left;
    do {
        left = fmax(0, deadline - timer_seconds());
        n_ready = poll(&poll_fd, 1, (int)ceil(fmin(left, 3600) * 1000));
    } while ((n_ready < 0 && errno == EINTR) || (n_ready == 0 && left > 0));
    return n_ready > 0;
}

// Returns the CPU time of the process, seconds; infinite: unknown.
static double seconds_computed(pid_t pid) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return INFINITY;
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Returns BENCH_OK once the child has ended. Each step has a limit, so that code that never returns does not use up the
// time of many rounds. A step may time out at 0.8 of its limit: each look at the count comes a little late.
static enum bench_outcome wait_for_steps(pid_t pid, int pidfd, const struct sandbox_job *job) {
    static const double forgiven = 0.8;
    double computed_then = 0, then = timer_seconds(); // at the last step seen: CPU time, wall-clock time
    unsigned n_steps = 0;
    while (!wait_until(pid, pidfd, timer_seconds() + job->step_seconds)) {
        double computed = seconds_computed(pid), now = timer_seconds();
        if (n_steps != *job->n_steps) {
            computed_then = computed;
            then = now;
        }
        n_steps = *job->n_steps;
        if (computed - computed_then > forgiven * job->step_seconds || computed > job->timeout_seconds)
            return BENCH_TIMEOUT;
        if (now - then > job->patience_seconds)
            return BENCH_STARVED;
    }
    return BENCH_OK;
}

static enum bench_outcome outcome_of_signal(int number) {
    switch (number) {
    case SIGILL:
        return BENCH_SIGILL;
    case SIGSEGV:
        return BENCH_SIGSEGV;
    case SIGBUS:
        return BENCH_SIGBUS;
    case SIGFPE:
        return BENCH_SIGFPE;
    case SIGTRAP:
        return BENCH_SIGTRAP;
    case SIGXCPU:
        return BENCH_TIMEOUT;
    case SIGSYS:
        return BENCH_SYSCALL;
    default:
        return BENCH_KILLED;
    }
}

// The handler's note distinguishes more than the signal. The code under test may have written it, so it only counts
// after SIGSEGV, and with an outcome that fits.
enum bench_outcome sandbox_outcome(int wait_status, const struct fault_note *note) {
    if (!WIFSIGNALED(wait_status))
        return BENCH_OK;
    int noted = note ? note->outcome : BENCH_OK;
    bool is_fault =
        WTERMSIG(wait_status) == SIGSEGV && (noted == BENCH_STACK || noted == BENCH_JUMP || noted == BENCH_PRIVILEGED ||
                                             noted == BENCH_PAGES || noted == BENCH_PROTECTION);
    return is_fault ? (enum bench_outcome)noted : outcome_of_signal(WTERMSIG(wait_status));
}

// Blocks all signals until the child unblocks them.
static pid_t fork_child(struct start *start, int *pidfd) {
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old);
    pid_t pid = start_child(&start->are_default, pidfd);
    if (pid == 0) {
        live(start);
        _exit(255);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return pid;
}

bool sandbox_start(const struct sandbox_job *job, struct sandbox_child *started, struct fail *fail) {
    struct start start = {
        .sandbox.watch.note = job->note,
        .body = job->body,
        .context = job->context,
        .timeout_seconds = job->timeout_seconds,
        .parent = getpid(),
        .are_default = true,
    };
    _Static_assert(sizeof start <= NURSERY_MOST_ARGUMENT, "it must fit");
    pid_t pid = job->is_in_nursery ? nursery_start(live, &start, sizeof start, &started->pidfd) : -1;
    if (pid < 0)
        pid = fork_child(&start, &started->pidfd);
    if (pid < 0)
        return fail_set(fail, FAIL_WORK, "cannot start a child process to measure in: %s", strerror(errno));
    started->pid = pid;
    return true;
}

bool sandbox_finish(const struct sandbox_job *job, const struct sandbox_child *started, enum bench_outcome *outcome,
                    int *status, struct fail *fail) {
    pid_t pid = started->pid;
    int pidfd = started->pidfd;
    if (job->n_steps)
        *outcome = wait_for_steps(pid, pidfd, job);
    else
        *outcome = wait_until(pid, pidfd, timer_seconds() + job->timeout_seconds) ? BENCH_OK : BENCH_TIMEOUT;
    if (*outcome != BENCH_OK)
        kill(pid, SIGKILL);
    kill(-pid, SIGKILL); // all that it started; waitpid below frees the id
    if (pidfd >= 0)
        close(pidfd);
    int wait_status;
    while (waitpid(pid, &wait_status, 0) < 0)
        if (errno != EINTR)
            return fail_set(fail, FAIL_WORK, "lost the child process that measures: %s", strerror(errno));
    *status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    if (*outcome == BENCH_OK)
        *outcome = sandbox_outcome(wait_status, job->note);
    return true;
}

bool sandbox_run(const struct sandbox_job *job, enum bench_outcome *outcome, int *status, struct fail *fail) {
    struct sandbox_child started = {.pidfd = -1};
    return sandbox_start(job, &started, fail) && sandbox_finish(job, &started, outcome, status, fail);
}

const char *sandbox_map_error(int error) {
    return error == EADDRINUSE
               ? "something else is where the program's memory has to be: link the program with -pie, or "
                 "give its object"
               : strerror(error);
}
