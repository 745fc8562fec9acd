#include "bench/sandbox/syscall_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
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

// Allowed calls: those of the rounds (getrusage, getcpu, clocks, read of counters), the return from the handler of
// faults, and the exit.
static const uint32_t allowed[] = {
    SYS_exit_group,      SYS_getrusage, SYS_read, SYS_rt_sigreturn, SYS_getcpu,
#ifdef SYS_clock_gettime
    SYS_clock_gettime,
#endif
#ifdef SYS_clock_gettime64
    SYS_clock_gettime64,
#endif
};
enum { N_ALLOWED = sizeof allowed / sizeof *allowed, MOST_STEPS = 48 };

#ifdef SYS_mmap2
#define NUMBER_OF_MMAP SYS_mmap2
#else
#define NUMBER_OF_MMAP SYS_mmap
#endif

struct filter {
    struct sock_filter steps[MOST_STEPS]; // arch 3, range 11, number 1, memory 10, allowed, 2 ends
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

// Offsets of the halves of the instruction pointer. The filter reads 32 bits at a time, in the machine's byte order.
static const size_t pointer_low = offsetof(struct seccomp_data, instruction_pointer) +
                                  (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0),
                    pointer_high = offsetof(struct seccomp_data, instruction_pointer) +
                                   (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0 : 4);

// Ends the process where first <= pointer <= last. The pointer is that of the instruction after the call. Compares the
// 64 bits in halves; the last two numbers of a jump are the steps to skip.
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

// Offset of the low 32 bits of an argument.
static size_t argument_low(unsigned number) {
    return offsetof(struct seccomp_data, args) + number * sizeof(uint64_t) +
           (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0);
}

// Allows to map memory for the code: from this file, at a free place, never executable; and to unmap. Expects that the
// number of the call is loaded.
static void allow_memory(struct filter *filter, int file) {
    enum { PROTECTION = 2, FLAGS = 3, FILE_DESCRIPTOR = 4 };
    const struct {
        unsigned argument;
        uint32_t value;
    } wanted[] = {{PROTECTION, PROT_READ | PROT_WRITE},
                  {FLAGS, MAP_SHARED | MAP_POPULATE | MAP_FIXED_NOREPLACE},
                  {FILE_DESCRIPTOR, (uint32_t)file}};
    enum { N_WANTED = sizeof wanted / sizeof *wanted };
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 2 * N_WANTED + 2, 0);     // to where it is allowed
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, NUMBER_OF_MMAP, 0, 2 * N_WANTED + 2); // another call: out
    for (unsigned i = 0; i < N_WANTED; i++) {
        load(filter, argument_low(wanted[i].argument));
        step(filter, BPF_JMP | BPF_JEQ | BPF_K, wanted[i].value, i == N_WANTED - 1, (uint8_t)(2 * (N_WANTED - 1 - i)));
    }
    end_with(filter, SECCOMP_RET_KILL_PROCESS);
    end_with(filter, SECCOMP_RET_ALLOW);
}

static void make(struct filter *filter, const struct code_region *region, int memory_file) {
    uint64_t first = (uint64_t)(uintptr_t)region->start;
    load(filter, offsetof(struct seccomp_data, arch));
    step(filter, BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0); // int 0x80 on x86-64 has another architecture
    end_with(filter, SECCOMP_RET_KILL_PROCESS);
    forbid_from(filter, first, first + region->n_bytes);
    load(filter, offsetof(struct seccomp_data, nr));
    if (memory_file >= 0)
        allow_memory(filter, memory_file);
    for (unsigned i = 0; i < N_ALLOWED; i++)
        step(filter, BPF_JMP | BPF_JEQ | BPF_K, allowed[i], (uint8_t)(N_ALLOWED - i), 0);
    end_with(filter, SECCOMP_RET_KILL_PROCESS);
    end_with(filter, SECCOMP_RET_ALLOW);
}

bool syscall_filter_install(struct code_region region, int memory_file) {
    struct filter filter = {.n = 0};
    make(&filter, &region, memory_file);
    struct sock_fprog program = {.len = filter.n, .filter = filter.steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    // Before Linux 5.16, a filter without this flag (4.17) switched speculative store bypass off. That makes loads
    // after stores slower.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

// Without a program, a kernel that has filters fails with EFAULT. Others fail earlier: with ENOSYS before Linux 3.17,
// with EINVAL where they are built without filters (seccomp(2), "ERRORS").
bool syscall_filter_exists(void) {
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
    return result == 0 || (errno != ENOSYS && errno != EINVAL);
}
