#include "bench/sandbox/fault.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

static struct fault_watch watch; // static for the handler; a child watches once
static struct {
    const uint8_t *start; // start of the running code; null: it has no exit
    size_t exit_offset;
    bool is_sent; // it has been sent to its exit
} running;

#if defined(__x86_64__)
static uintptr_t program_counter(const mcontext_t *machine) {
    return (uintptr_t)machine->gregs[REG_RIP];
}

enum { CODE_SEGMENT = 0xffff, USER_64 = 0x33 }; // bits of REG_CSGSFS, and Linux's segment there

// Continues at `address` in 64-bit code. Clears the direction flag, single steps and alignment checks, which the code
// may have set.
static void go_on_at(mcontext_t *machine, uintptr_t address) {
    enum { TRAP = 1 << 8, DIRECTION = 1 << 10, ALIGNMENT_CHECK = 1 << 18 };
    machine->gregs[REG_RIP] = (greg_t)address;
    machine->gregs[REG_CSGSFS] = (machine->gregs[REG_CSGSFS] & ~(greg_t)CODE_SEGMENT) | USER_64;
    machine->gregs[REG_EFL] &= ~(greg_t)(TRAP | DIRECTION | ALIGNMENT_CHECK);
}

// Whether the code has left 64-bit mode, which only a jump can do.
static bool is_elsewhere(const mcontext_t *machine) {
    return (machine->gregs[REG_CSGSFS] & CODE_SEGMENT) != USER_64;
}

// A stack fault is the general protection fault of addresses from rsp or rbp. Linux sends SIGBUS. Source: Intel SDM
// volume 3, 6.15.
static bool is_stack_fault(const mcontext_t *machine) {
    enum { STACK_FAULT = 12 };
    return machine->gregs[REG_TRAPNO] == STACK_FAULT;
}

static void copy_registers(const mcontext_t *machine, uint64_t registers[32]) {
    static const int numbers[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        registers[i] = (uint64_t)machine->gregs[numbers[i]];
}

// Bit 1 of a page fault's error code: Intel SDM volume 3, 4.7 "Page-Fault Exceptions".
static bool is_write(const mcontext_t *machine) {
    return machine->gregs[REG_ERR] & 2;
}
#elif defined(__aarch64__)
static uintptr_t program_counter(const mcontext_t *machine) {
    return (uintptr_t)machine->pc;
}

static void go_on_at(mcontext_t *machine, uintptr_t address) {
    machine->pc = address;
}

static void copy_registers(const mcontext_t *machine, uint64_t registers[32]) {
    memcpy(registers, machine->regs, sizeof machine->regs);
    registers[31] = machine->sp;
}

static bool is_write(const mcontext_t *machine) {
    (void)machine;
    return false;
}
#elif defined(__arm__)
static uintptr_t program_counter(const mcontext_t *machine) {
    return (uintptr_t)machine->arm_pc;
}

// Continues at `address` in Arm state, even where the code has switched to Thumb.
static void go_on_at(mcontext_t *machine, uintptr_t address) {
    enum { THUMB = 1 << 5 };
    machine->arm_pc = address;
    machine->arm_cpsr &= ~(unsigned long)THUMB;
}

static void copy_registers(const mcontext_t *machine, uint64_t registers[32]) {
    const unsigned long from[] = {machine->arm_r0, machine->arm_r1, machine->arm_r2,  machine->arm_r3,
                                  machine->arm_r4, machine->arm_r5, machine->arm_r6,  machine->arm_r7,
                                  machine->arm_r8, machine->arm_r9, machine->arm_r10, machine->arm_fp,
                                  machine->arm_ip, machine->arm_sp, machine->arm_lr,  machine->arm_pc};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        registers[i] = from[i];
}

static bool is_write(const mcontext_t *machine) {
    (void)machine;
    return false;
}
#elif defined(__riscv)
static uintptr_t program_counter(const mcontext_t *machine) {
    return (uintptr_t)machine->__gregs[REG_PC];
}

static void go_on_at(mcontext_t *machine, uintptr_t address) {
    machine->__gregs[REG_PC] = address;
}

static void copy_registers(const mcontext_t *machine, uint64_t registers[32]) {
    registers[0] = 0; // __gregs[0] is the pc
    for (unsigned i = 1; i < 32; i++)
        registers[i] = machine->__gregs[i];
}

static bool is_write(const mcontext_t *machine) {
    (void)machine;
    return false;
}
#elif defined(__mips__)
static uintptr_t program_counter(const mcontext_t *machine) {
    return (uintptr_t)machine->pc;
}

static void go_on_at(mcontext_t *machine, uintptr_t address) {
    machine->pc = address;
}

static void copy_registers(const mcontext_t *machine, uint64_t registers[32]) {
    for (unsigned i = 0; i < 32; i++)
        registers[i] = machine->gregs[i];
}

static bool is_write(const mcontext_t *machine) {
    (void)machine;
    return false;
}
#endif

#if defined(__x86_64__)
static bool is_one_of(uint8_t byte, const uint8_t *bytes, size_t n) {
    return memchr(bytes, byte, n) != NULL;
}

// Instructions of 0f 01 that fault for their operands' sake: xgetbv, xend, enclu, rdpkru, wrpkru, monitorx, mwaitx.
static bool is_privileged_0f01(uint8_t third) {
    static const uint8_t others[] = {0xd0, 0xd5, 0xd7, 0xee, 0xef, 0xfa, 0xfb};
    return !is_one_of(third, others, sizeof others);
}

// Of 0f c7: xrstors and xsaves.
static bool is_privileged_0fc7(uint8_t third) {
    unsigned reg = third >> 3 & 7;
    return third < 0xc0 && (reg == 3 || reg == 5);
}

// `at`: what follows 0f.
static bool is_privileged_0f(const uint8_t *at, const uint8_t *end) {
    static const uint8_t second[] = {0x00,                    // lldt, ltr; sldt, str
                                     0x06, 0x07, 0x08, 0x09,  // clts, sysret, invd, wbinvd
                                     0x20, 0x21, 0x22, 0x23,  // mov to and from control and debug registers
                                     0x30, 0x32, 0x33, 0x35}; // wrmsr, rdmsr, rdpmc, sysexit
    if (at + 1 < end && at[0] == 0x01)
        return is_privileged_0f01(at[1]); // lgdt, lidt, lmsw, invlpg, swapgs
    if (at + 1 < end && at[0] == 0xc7)
        return is_privileged_0fc7(at[1]);
    if (at + 1 < end && at[0] == 0x38)
        return at[1] >= 0x80 && at[1] <= 0x82; // invept, invvpid, invpcid
    return at < end && is_one_of(*at, second, sizeof second);
}

// A general protection fault has many causes; the instruction shows whether it is this one. Sources: Intel SDM
// volume 3, 5.9 "Privileged Instructions"; volume 1, 19.5.1 for those that need I/O privilege; AMD APM volume 3,
// chapter 4.
static bool is_privileged(const uint8_t *at, const uint8_t *end) {
    static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65};
    static const uint8_t plain[] = {0xfa, 0xfb, 0xf4,                               // cli, sti, hlt
                                    0xe4, 0xe5, 0xe6, 0xe7, 0xec, 0xed, 0xee, 0xef, // in, out
                                    0x6c, 0x6d, 0x6e, 0x6f};                        // ins, outs
    while (at < end && (is_one_of(*at, prefixes, sizeof prefixes) || (*at & 0xf0) == 0x40))
        at++;
    if (at < end && *at != 0x0f)
        return is_one_of(*at, plain, sizeof plain);
    return at < end && is_privileged_0f(at + 1, end);
}
static const enum bench_outcome protection_outcome = BENCH_PROTECTION;
#else
static const enum bench_outcome protection_outcome = BENCH_SIGSEGV;

static bool is_elsewhere(const mcontext_t *machine) {
    (void)machine;
    return false;
}

static bool is_stack_fault(const mcontext_t *machine) {
    (void)machine;
    return false;
}

// On other ISAs, privileged instructions raise SIGILL.
static bool is_privileged(const uint8_t *at, const uint8_t *end) {
    (void)at, (void)end;
    return false;
}
#endif

static bool is_in(uintptr_t address, const uint8_t *start, size_t n_bytes) {
    return address >= (uintptr_t)start && address < (uintptr_t)start + n_bytes;
}

static bool is_in_code(uintptr_t address) {
    return is_in(address, watch.region.start, watch.region.n_bytes);
}

static bool has_address(const siginfo_t *info) {
    return info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
}

// Maps memory where the code touches an address without any. Refuses all other faults.
static enum demand_answer answer(uintptr_t at, const siginfo_t *info) {
    if (!watch.memory || info->si_code != SEGV_MAPERR || !is_in_code(at))
        return DEMAND_REFUSED;
    return demand_memory_answer(watch.memory, (uintptr_t)info->si_addr);
}

static enum bench_outcome segmentation_outcome(uintptr_t at, const siginfo_t *info, enum demand_answer answered) {
    uintptr_t address = (uintptr_t)info->si_addr;
    if (answered == DEMAND_FULL)
        return BENCH_PAGES;
    if (has_address(info) && is_in(address, watch.stack_guard, watch.guard_bytes))
        return BENCH_STACK;
    if (has_address(info) && address == at && !is_in_code(at)) // within, the code stores over itself
        return BENCH_JUMP;
    if (has_address(info) || !is_in_code(at))
        return BENCH_SIGSEGV;
    return is_privileged((const uint8_t *)at, watch.region.start + watch.region.n_bytes) ? BENCH_PRIVILEGED
                                                                                         : protection_outcome;
}

static enum bench_outcome outcome_of(int number, const siginfo_t *info, const mcontext_t *machine,
                                     enum demand_answer answered) {
    uintptr_t at = program_counter(machine);
    if (is_elsewhere(machine))
        return BENCH_JUMP;
    switch (number) {
    case SIGSEGV:
        return segmentation_outcome(at, info, answered);
    case SIGILL:
        return BENCH_SIGILL;
    case SIGFPE:
        return BENCH_SIGFPE;
    case SIGTRAP:
        return BENCH_SIGTRAP;
    default:
        return is_stack_fault(machine) ? protection_outcome : BENCH_SIGBUS;
    }
}

static void take_note(int number, const siginfo_t *info, const mcontext_t *machine, enum demand_answer answered) {
    uintptr_t at = program_counter(machine);
    struct bench_fault fault = {.is_known = running.start != NULL && is_in_code(at)};
    fault.offset = at - (uintptr_t)running.start;
    fault.has_address = number == SIGSEGV && has_address(info);
    fault.address = fault.has_address ? (uintptr_t)info->si_addr : 0;
    fault.is_write = fault.has_address && is_write(machine);
    copy_registers(machine, fault.registers);
    watch.note->fault = fault;
    watch.note->outcome = (int)outcome_of(number, info, machine, answered);
}

// Stray code may run anything. So only a fault in the code itself, or a jump out of it, continues at its exit, and only
// once: the exit faults where the code has taken its own frame from it (x86: wrpkru). Every other instruction faults
// again: the signal is blocked by then, which ends the child.
static void on_fault(int number, siginfo_t *info, void *context) {
    ucontext_t *interrupted = context;
    uintptr_t at = program_counter(&interrupted->uc_mcontext);
    enum demand_answer answered = number == SIGSEGV ? answer(at, info) : DEMAND_REFUSED;
    if (answered == DEMAND_APPEARED)
        return;
    take_note(number, info, &interrupted->uc_mcontext, answered);
    bool is_own = is_in_code(at) || watch.note->outcome == BENCH_JUMP;
    if (running.start && is_own && !running.is_sent) {
        running.is_sent = true;
        go_on_at(&interrupted->uc_mcontext, (uintptr_t)running.start + running.exit_offset);
    } else {
        sigaddset(&interrupted->uc_sigmask, number);
    }
}

// A breakpoint does not fault again, so SIGTRAP has a handler only where code has an exit.
bool fault_watch_start(const struct fault_watch *wanted) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    watch = *wanted;
    fault_watch_code(NULL, NULL);
    stack_t stack = {.ss_sp = watch.handler_stack, .ss_size = FAULT_STACK_BYTES};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGTRAP); // a process that single-steps this one needs it
    bool is_done = sigaltstack(&stack, NULL) == 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults && is_done; i++)
        is_done = (faults[i] == SIGTRAP && !watch.memory) || sigaction(faults[i], &action, NULL) == 0;
    return is_done;
}

void fault_watch_code(const struct bench_code *code, code_function function) {
    bool has_exit = code && bench_code_is_foreign(code);
    running.start = has_exit ? code_start(function) : NULL;
    running.exit_offset = has_exit ? code->foreign.exit_offset : 0;
    running.is_sent = false;
}
