#include "bench/fault.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

static struct fault_watch watch; // a handler has no other way to its data; one child watches once

static uintptr_t program_counter(const void *context) {
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    return (uintptr_t)machine->gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)machine->pc;
#elif defined(__arm__)
    return (uintptr_t)machine->arm_pc;
#elif defined(__riscv)
    return (uintptr_t)machine->__gregs[REG_PC];
#elif defined(__mips__)
    return (uintptr_t)machine->pc;
#endif
}

#if defined(__x86_64__)
static bool is_one_of(uint8_t byte, const uint8_t *bytes, size_t n) {
    return memchr(bytes, byte, n) != NULL;
}

// A general protection fault has many causes; here it is known from the instruction. Intel SDM volume 3, 5.9
// "Privileged Instructions", and those that need I/O privilege (volume 1, 19.5.1).
static bool is_privileged(const uint8_t *at, const uint8_t *end) {
    static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65};
    static const uint8_t plain[] = {0xfa, 0xfb, 0xf4,                               // cli, sti, hlt
                                    0xe4, 0xe5, 0xe6, 0xe7, 0xec, 0xed, 0xee, 0xef, // in, out
                                    0x6c, 0x6d, 0x6e, 0x6f};                        // ins, outs
    static const uint8_t behind_0f[] = {0x00, 0x01,              // lldt, ltr, lgdt, lidt, lmsw, invlpg, swapgs
                                        0x06, 0x08, 0x09,        // clts, invd, wbinvd
                                        0x20, 0x21, 0x22, 0x23,  // mov to and from control and debug registers
                                        0x30, 0x32, 0x33, 0x35}; // wrmsr, rdmsr, rdpmc, sysexit
    while (at < end && (is_one_of(*at, prefixes, sizeof prefixes) || (*at & 0xf0) == 0x40))
        at++;
    if (at < end && *at != 0x0f)
        return is_one_of(*at, plain, sizeof plain);
    return at + 1 < end && is_one_of(at[1], behind_0f, sizeof behind_0f);
}
#else
// Elsewhere such instructions are illegal ones: SIGILL.
static bool is_privileged(const uint8_t *at, const uint8_t *end) {
    (void)at, (void)end;
    return false;
}
#endif

static bool is_in(uintptr_t address, const uint8_t *start, size_t n_bytes) {
    return address >= (uintptr_t)start && address < (uintptr_t)start + n_bytes;
}

static void on_fault(int number, siginfo_t *info, void *context) {
    (void)number;
    uintptr_t at = program_counter(context), address = (uintptr_t)info->si_addr;
    bool has_address = info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
    if (has_address && is_in(address, watch.stack_guard, watch.guard_bytes))
        watch.note->outcome = BENCH_STACK;
    else if (has_address && address == at && !is_in(at, watch.code, watch.code_bytes)) // there, it stores over itself
        watch.note->outcome = BENCH_JUMP;
    else if (!has_address && is_in(at, watch.code, watch.code_bytes) &&
             is_privileged((const uint8_t *)at, watch.code + watch.code_bytes))
        watch.note->outcome = BENCH_PRIVILEGED;
}

// SA_RESETHAND: when the handler returns, the instruction faults again, and that ends the child.
bool fault_watch_start(const struct fault_watch *wanted) {
    watch = *wanted;
    stack_t stack = {.ss_sp = watch.handler_stack, .ss_size = FAULT_STACK_BYTES};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND};
    return sigaltstack(&stack, NULL) == 0 && sigaction(SIGSEGV, &action, NULL) == 0;
}
