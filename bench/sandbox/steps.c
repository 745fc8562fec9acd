// There are three processes: this one only waits, a child in the sandbox watches, and the child's child runs the code.
// So a time-out, or the end of a process, ends those below it, as in every other run.
#include "bench/sandbox/steps.h"

#include "bench/sandbox/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__aarch64__)
#include <elf.h>
enum { CAN_STEP = true };
#else
enum { CAN_STEP = false };
#endif
#if defined(__x86_64__)
enum { HAS_REGISTERS = true };
#else
enum { HAS_REGISTERS = false };
#endif

enum { TRAP_FLAG = 1 << 8 }; // of x86's flags: each instruction traps
enum { STACK_POINTER = 4 };  // its number in encodings of x86

// Exit status of the watching child.
enum watch_status { WATCH_DONE, WATCH_CANNOT_MAP, WATCH_CANNOT_TRACE, WATCH_TOO_LONG, WATCH_ENOUGH };

// Results in shared memory: the children write, this process reads. Registers, where asked for, are behind them.
struct watch_results {
    struct fault_note note;
    int error_number;
    int wait_status;    // waitpid status of the process that ran the code
    size_t n, bodies;   // number of steps noted, and of bodies that ended in them
    uint32_t offsets[]; // room for request->most
};

struct watch {
    const struct steps_request *request;
    struct watch_results *results;
    struct step_registers *registers; // room for request->most, in the same memory; null: nobody asks for them
    code_function code;
    struct code_room room;
    size_t copy; // copy of the body that the last step was in, from 1; 0: no step yet
};

#if defined(__x86_64__) || defined(__aarch64__)
static bool move_registers(pid_t pid, bool is_written, struct user_regs_struct *registers) {
    struct iovec where = {registers, sizeof *registers};
    return ptrace(is_written ? PTRACE_SETREGSET : PTRACE_GETREGSET, pid,
                  (void *)NT_PRSTATUS, // NOLINT(performance-no-int-to-ptr)
                  &where) == 0;
}

// Reads the process's registers; where they are not x86-64's, only the counter. Takes back a trap flag.
static bool read_registers(pid_t pid, struct step_registers *to) {
    struct user_regs_struct from;
    if (!move_registers(pid, false, &from))
        return false;
#if defined(__x86_64__)
    *to = (struct step_registers){.general = {from.rax, from.rcx, from.rdx, from.rbx, from.rsp, from.rbp, from.rsi,
                                              from.rdi, from.r8, from.r9, from.r10, from.r11, from.r12, from.r13,
                                              from.r14, from.r15},
                                  .counter = from.rip,
                                  .fs = from.fs_base,
                                  .gs = from.gs_base};
    bool has_flag = from.eflags & TRAP_FLAG;
    from.eflags &= ~(unsigned long long)TRAP_FLAG;
    return !has_flag || move_registers(pid, true, &from);
#else
    *to = (struct step_registers){.counter = from.pc};
    return true;
#endif
}
#else
static bool read_registers(pid_t pid, struct step_registers *to) {
    (void)pid;
    *to = (struct step_registers){.counter = 0};
    return false;
}
#endif

// Stepping costs thousands of cycles each time, so our own code runs without it where a CPU can trap by itself: with
// the trap flag of x86, the process stops at the instruction behind. It is not there while a handler of signals runs.
#if defined(__x86_64__)
static void trap_from_here(void) {
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
}

// Sets the flag behind the handler of a signal that is delivered now.
static bool trap_behind_handler(pid_t pid) {
    struct user_regs_struct registers;
    if (!move_registers(pid, false, &registers))
        return false;
    registers.eflags |= TRAP_FLAG;
    return move_registers(pid, true, &registers);
}
#else
static void trap_from_here(void) {
}

static bool trap_behind_handler(pid_t pid) {
    (void)pid;
    return false;
}
#endif

// Runs the code. The result becomes the exit status of its process.
static int run_code(struct sandbox *sandbox, struct watch *watch) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return WATCH_CANNOT_TRACE;
    code_room_clean(&watch->room, watch->request->code); // before stepping begins
    raise(SIGSTOP);
    if (!sandbox_seal(sandbox, &watch->room))
        return WATCH_CANNOT_TRACE;
    code_room_enter(&watch->room, watch->request->code, watch->code);
    trap_from_here();
    watch->code(watch->request->iterations, watch->room.buffer);
    return WATCH_DONE;
}

// Returns the signal to deliver to a process that has stopped; 0: it stopped after a step.
//  - A step through a system call looks like a breakpoint.
//  - So outside of the code, and back from there (the handler of faults), every stop is a step.
//  - The offset n_bytes is within: a breakpoint at the end of the code stops there.
static int signal_of(const struct watch *watch, pid_t pid, int wait_status, size_t last, size_t offset) {
    siginfo_t info;
    int number = WSTOPSIG(wait_status);
    if (number == SIGSTOP)
        return 0;
    if (number != SIGTRAP || ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) != 0)
        return number;
    size_t n_bytes = watch->request->code->n_bytes;
    return info.si_code == TRAP_TRACE || offset > n_bytes || last > n_bytes ? 0 : number;
}

// Whether a body ended before this step. The loop's own instructions, behind the last copy, belong to that copy.
static bool has_ended(struct watch *watch, size_t offset) {
    const struct steps_request *request = watch->request;
    const struct watch_results *results = watch->results;
    if (!request->body_bytes)
        return false;
    if (request->is_own_loop) // an instruction that repeats itself is no turn
        return offset == request->first && results->n && results->offsets[results->n - 1] > offset;
    size_t copy = 1 + (offset - request->first) / request->body_bytes, before = watch->copy;
    bool is_behind = copy > request->copies, is_other = copy != before;
    watch->copy = copy;
    return before && !is_behind && is_other;
}

// Whether an instruction is in a segment of the code's: a function that it calls.
static bool is_in_segment(const struct watch *watch, size_t offset) {
    const struct steps_request *request = watch->request;
    uintptr_t address = (uintptr_t)code_start(watch->code) + offset;
    for (unsigned i = 0; request->has_segments && i < request->code->n_segments; i++) {
        const struct segment *segment = &request->code->segments[i];
        if (segment->is_executable && address - segment->address < segment->size)
            return true;
    }
    return false;
}

// Returns WATCH_DONE where stepping goes on.
static enum watch_status note_step(struct watch *watch, size_t offset, const struct step_registers *registers) {
    const struct steps_request *request = watch->request;
    struct watch_results *results = watch->results;
    bool is_inside = offset >= request->first && offset < request->end;
    if (!is_inside && !is_in_segment(watch, offset))
        return WATCH_DONE;
    if (is_inside && has_ended(watch, offset)) {
        results->bodies++;
        if (results->n >= request->enough)
            return WATCH_ENOUGH;
    }
    if (results->n == request->most)
        return WATCH_TOO_LONG;
    if (watch->registers)
        watch->registers[results->n] = *registers;
    results->offsets[results->n++] = (uint32_t)offset;
    return WATCH_DONE;
}

// Whether the process stops by itself behind what it does now: on its way to the code, or in the handler of a fault of
// the code.
static bool stops_by_itself(const struct watch *watch, pid_t pid, int wait_status, int number, size_t offset) {
    if (HAS_REGISTERS && WSTOPSIG(wait_status) == SIGSTOP)
        return true;
    return number != 0 && offset < watch->request->code->n_bytes && trap_behind_handler(pid);
}

static int watch_child(struct watch *watch, pid_t pid) {
    struct watch_results *results = watch->results;
    size_t last = SIZE_MAX, n_noted = 0;
    struct step_registers registers = {.counter = 0};
    while (waitpid(pid, &results->wait_status, 0) == pid && WIFSTOPPED(results->wait_status)) {
        bool is_stepping = read_registers(pid, &registers);
        size_t offset = registers.counter - (uintptr_t)code_start(watch->code); // beyond n_bytes: outside of the code
        int number = is_stepping ? signal_of(watch, pid, results->wait_status, last, offset) : 0;
        if (watch->registers && results->n > n_noted) // the step before this stop
            watch->registers[results->n - 1].stack_behind = registers.general[STACK_POINTER];
        n_noted = results->n;
        last = offset;
        enum watch_status status = number == 0 && is_stepping ? note_step(watch, offset, &registers) : WATCH_DONE;
        if (status != WATCH_DONE)
            return (int)status; // the kernel then ends the stepped process
        bool runs = is_stepping && stops_by_itself(watch, pid, results->wait_status, number, offset);
        if (!is_stepping || ptrace(runs ? PTRACE_CONT : PTRACE_SINGLESTEP, pid, NULL,
                                   (void *)(intptr_t)number) != 0) { // NOLINT(performance-no-int-to-ptr)
            results->error_number = errno;
            return WATCH_CANNOT_TRACE;
        }
    }
    bool has_failed = WIFEXITED(results->wait_status) && WEXITSTATUS(results->wait_status) != WATCH_DONE;
    return has_failed ? WATCH_CANNOT_TRACE : WATCH_DONE;
}

static int watch_run(struct sandbox *sandbox, void *context) {
    struct watch *watch = context;
    if (!code_room_open(&watch->room, &watch->request->code, 1, &watch->code, &watch->results->note))
        return WATCH_CANNOT_MAP;
    pid_t pid = _Fork(); // other threads of the caller may have held locks, which fork would wait for
    if (pid == 0)
        return run_code(sandbox, watch);
    if (pid < 0) {
        watch->results->error_number = errno;
        return WATCH_CANNOT_TRACE;
    }
    return watch_child(watch, pid);
}

static bool explain(const struct steps_request *request, const struct watch_results *results, int status,
                    struct fail *fail) {
    switch ((enum watch_status)status) {
    case WATCH_DONE:
    case WATCH_ENOUGH:
        return true;
    case WATCH_TOO_LONG:
        return fail_set(
            fail, FAIL_WORK,
            "the code executes more than %zu instructions, too many to step through: give its loops fewer turns",
            request->most);
    case WATCH_CANNOT_MAP:
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot make memory executable here");
    case WATCH_CANNOT_TRACE:
        break;
    }
    return fail_set(fail, FAIL_UNAVAILABLE, "cannot step through code here: %s",
                    results->error_number ? strerror(results->error_number) : "ptrace is not allowed");
}

// Where the registers are in the shared memory, bytes.
static size_t registers_at(const struct steps_request *request) {
    size_t align = sizeof(uint64_t);
    return (sizeof(struct watch_results) + request->most * sizeof(uint32_t) + align - 1) / align * align;
}

// Copies the results; the code may have overwritten them.
static void take_results(struct arena *arena, const struct watch *watch, struct steps *steps) {
    const struct watch_results *results = watch->results;
    size_t n = results->n <= watch->request->most ? results->n : 0;
    uint32_t *offsets = ARENA_ARRAY(arena, uint32_t, n + 1);
    memcpy(offsets, results->offsets, n * sizeof *offsets);
    steps->offsets = offsets;
    steps->n = n;
    steps->registers = NULL;
    if (!watch->registers)
        return;
    struct step_registers *registers = ARENA_ARRAY(arena, struct step_registers, n + 1);
    memcpy(registers, watch->registers, n * sizeof *registers);
    steps->registers = registers;
}

bool steps_record(struct arena *arena, const struct steps_request *request, struct steps *steps, struct fail *fail) {
    if (!CAN_STEP)
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot step through code of this ISA");
    bool has_registers = request->has_registers && HAS_REGISTERS;
    size_t size = registers_at(request) + (has_registers ? request->most * sizeof(struct step_registers) : 0);
    struct watch_results *results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED)
        return fail_set(fail, FAIL_WORK, "no memory for %zu steps: %s", request->most, strerror(errno));
    struct watch watch = {.request = request, .results = results};
    if (has_registers)
        watch.registers = (struct step_registers *)((char *)results + registers_at(request));
    double timeout_seconds = request->timeout_seconds > 0 ? request->timeout_seconds : 2;
    int status = 0;
    struct sandbox_job job = {
        .body = watch_run, .context = &watch, .note = &results->note, .timeout_seconds = timeout_seconds};
    bool is_done = sandbox_run(&job, &steps->outcome, &status, fail);
    if (is_done && steps->outcome == BENCH_OK)
        is_done = explain(request, results, status, fail);
    bool has_returned = status != WATCH_ENOUGH;
    if (is_done && steps->outcome == BENCH_OK && has_returned)
        steps->outcome = sandbox_outcome(results->wait_status, &results->note);
    if (is_done && steps->outcome == BENCH_OK && results->note.outcome != BENCH_OK) // the handler of faults ended it
        steps->outcome = (enum bench_outcome)results->note.outcome;
    take_results(arena, &watch, steps);
    steps->bodies = results->bodies + (has_returned && request->body_bytes && steps->n); // the last body's end
    munmap(results, size);
    return is_done;
}
