#include "hot/tracer_copy.h"

#include "hot/tracer_parts.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)

enum { SYSCALL_BYTES = 2 };

static bool write_bytes(pid_t tid, uint64_t address, const uint8_t *bytes, size_t n_bytes) {
    bool is_done = true;
    for (size_t i = 0; i < n_bytes; i++)
        is_done = tracer_write_byte(tid, address + i, bytes[i]) && is_done;
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

// Lets a thread call clone where it is, and go back there. Returns the child; 0: it failed. The child is ours, and
// the program knows nothing of it. That of a process whose parent is in the program is the process's own: a child that
// ends without a signal, which waiting does not see unless it asks for such children.
static pid_t call_clone(pid_t tid, bool is_ours, const struct user_regs_struct *registers) {
    struct user_regs_struct call = *registers;
    unsigned long child = 0;
    int wait_status = 0;
    struct rusage usage;
    call.rax = SYS_clone;
    call.rdi = is_ours ? CLONE_PARENT : 0;
    call.rsi = call.rdx = call.r10 = call.r8 = 0;
    call.orig_rax = UINT64_MAX;
    if (ptrace(PTRACE_SETREGS, tid, NULL, &call) != 0)
        return 0;
    for (bool is_over = false; !is_over;) {
        if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) != 0 || tracer_wait_for(tid, &wait_status, 0, &usage) != tid ||
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
    uint64_t mask;
    struct user_regs_struct registers;
    struct rusage usage;
    int wait_status;
    pid_t tid = thread->tid;
    if (tracer->kin == TRACER_FOREIGN || !tracer_are_all_stopped(tracer) || has_filter(tracer) ||
        !tracer_get_registers(tid, &registers) ||
        tracer_read(tracer, registers.rip, there, sizeof there) != sizeof there || !tracer_hold_signals(tid, &mask))
        return false;
    registers.orig_rax = UINT64_MAX; // no call of the system is to be made again
    pid_t child =
        write_bytes(tid, registers.rip, call, sizeof call) ? call_clone(tid, tracer->kin == TRACER_OWN, &registers) : 0;
    write_bytes(tid, registers.rip, there, sizeof there);
    ptrace(PTRACE_SETSIGMASK, tid, as_pointer(sizeof mask), &mask);
    if (!child || tracer_wait_for(child, &wait_status, 0, &usage) != child || !WIFSTOPPED(wait_status))
        return false;
    *copy = (struct tracer){.arena = tracer->arena, .pid = child, .memory = -1};
    setpriority(PRIO_PROCESS, (id_t)child, 19); // the program goes before it
    tracer_add_thread(copy, child, false);
    copy->threads->is_running = false;
    tracer_open_memory(copy);
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
    while (tracer_wait_for(copy->pid, &wait_status, 0, &usage) == copy->pid && WIFSTOPPED(wait_status))
        continue;
    if (copy->memory >= 0)
        close(copy->memory);
    copy->memory = -1;
}
#endif
