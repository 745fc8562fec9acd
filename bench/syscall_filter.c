#include "bench/syscall_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE_ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__mips__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined(__mips64)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_MIPSEL
#elif defined(__mips__) && !defined(__mips64)
#define NATIVE_ARCHITECTURE AUDIT_ARCH_MIPS
#else
#error "Which AUDIT_ARCH_ of linux/audit.h is this?"
#endif

// SECCOMP_RET_ALLOW: the rounds' own calls (getrusage, clocks, counters by read), the return from the handler of
// faults, and the end.
static const uint32_t allowed[] = {
    SYS_exit_group,      SYS_getrusage, SYS_read, SYS_rt_sigreturn, SYS_getcpu,
#ifdef SYS_clock_gettime
    SYS_clock_gettime,
#endif
#ifdef SYS_clock_gettime64
    SYS_clock_gettime64,
#endif
};
enum { N_ALLOWED = sizeof allowed / sizeof *allowed, MOST_STEPS = 32 };

struct filter {
    struct sock_filter steps[MOST_STEPS]; // arch 3, range 11, number 1, allowed, 2 ends
    unsigned short n;
};

static void step(struct filter *filter, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false) {
    filter->steps[filter->n++] = (struct sock_filter)BPF_JUMP(code, k, if_true, if_false);
}

static void load(struct filter *filter, size_t offset) {
    step(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void end_with(struct filter *filter, uint32_t action) {
    step(filter, BPF_RET | BPF_K, action, 0, 0);
}

// Words of the instruction pointer as the filter sees it: 32 bits at a time, in the byte order of the machine.
static const size_t pointer_low = offsetof(struct seccomp_data, instruction_pointer) +
                                  (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0),
                    pointer_high = offsetof(struct seccomp_data, instruction_pointer) +
                                   (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0 : 4);

// Ends the process where first <= pointer <= last. (The pointer stands behind the instruction that calls.) 64 bits are
// compared 32 at a time; the numbers are how many steps to jump over.
static void forbid_from(struct filter *filter, uint64_t first, uint64_t last) {
    load(filter, pointer_high);
    step(filter, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)(first >> 32), 3, 0); // above the first: to the last's half
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(first >> 32), 0, 8); // below it: out
    load(filter, pointer_low);
    step(filter, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)first, 0, 6); // below it: out
    load(filter, pointer_high);
    step(filter, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)(last >> 32), 4, 0); // above the last: out
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(last >> 32), 0, 2); // below it: in
    load(filter, pointer_low);
    step(filter, BPF_JMP | BPF_JGT | BPF_K, (uint32_t)last, 1, 0); // above the last: out
    end_with(filter, SECCOMP_RET_KILL_PROCESS);
}

static void make(struct filter *filter, uint64_t first, uint64_t last) {
    load(filter, offsetof(struct seccomp_data, arch));
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0); // int 0x80 on x86-64 is another one
    end_with(filter, SECCOMP_RET_KILL_PROCESS);
    forbid_from(filter, first, last);
    load(filter, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < N_ALLOWED; i++)
        step(filter, BPF_JMP | BPF_JEQ | BPF_K, allowed[i], (uint8_t)(N_ALLOWED - i), 0);
    end_with(filter, SECCOMP_RET_KILL_PROCESS);
    end_with(filter, SECCOMP_RET_ALLOW);
}

bool syscall_filter_install(const void *code, size_t n_bytes) {
    struct filter filter = {.n = 0};
    make(&filter, (uint64_t)(uintptr_t)code, (uint64_t)(uintptr_t)code + n_bytes);
    struct sock_fprog program = {.len = filter.n, .filter = filter.steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    // Before Linux 5.16 a filter also switched speculative store bypass off, which changes what loads after stores
    // cost, unless this flag (4.17) is given.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

// A kernel that has filters looks for the program, and there is none (EFAULT); one without does not get as far: ENOSYS
// before Linux 3.17, EINVAL where it was built without them (seccomp(2), "ERRORS").
bool syscall_filter_exists(void) {
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
    return result == 0 || (errno != ENOSYS && errno != EINVAL);
}
