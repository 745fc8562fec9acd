// The first instructions of a runner check that its file is whole. A copy that ended too early is common, and the
// kernel kills a process whose code or data are beyond the end of the file, without a message. So this check runs
// before libc, is at the start of the file (start.ld), and uses only its own code. pack_find checks the pack after the
// runner. ISAs that are not below begin with libc's start.
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

// ENTRY: calls cyclops_check_file with the stack from the kernel, and continues at libc's start with the same
// registers. call_kernel: makes a system call with up to three arguments; a negative result is an error.
#if defined(__x86_64__)
#define ENTRY "mov %rdx, %rbx; mov %rsp, %rdi; call cyclops_check_file; mov %rbx, %rdx; jmp _start"
enum { CALL_OPENAT = 257, CALL_CLOSE = 3, CALL_SEEK = 8, CALL_WRITE = 1, CALL_EXIT = 231 };

static inline __attribute__((always_inline)) long call_kernel(long number, long a, long b, long c) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
#define ENTRY "mov x19, x0; mov x0, sp; bl cyclops_check_file; mov x0, x19; b _start"
enum { CALL_OPENAT = 56, CALL_CLOSE = 57, CALL_SEEK = 62, CALL_WRITE = 64, CALL_EXIT = 94 };

static inline __attribute__((always_inline)) long call_kernel(long number, long a, long b, long c) {
    register long result __asm__("x0") = a, second __asm__("x1") = b, third __asm__("x2") = c,
                         which __asm__("x8") = number;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(second), "r"(third), "r"(which) : "memory");
    return result;
}
#elif defined(__arm__)
#define ENTRY "mov r4, r0; mov r0, sp; bl cyclops_check_file; mov r0, r4; b _start"
enum { CALL_OPENAT = 322, CALL_CLOSE = 6, CALL_SEEK = 19, CALL_WRITE = 4, CALL_EXIT = 248 };

static inline __attribute__((always_inline)) long call_kernel(long number, long a, long b, long c) {
    register long result __asm__("r0") = a, second __asm__("r1") = b, third __asm__("r2") = c,
                         which __asm__("r7") = number;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(second), "r"(third), "r"(which) : "memory");
    return result;
}
#elif defined(__riscv) && __riscv_xlen == 64
#define ENTRY "mv s0, a0; mv a0, sp; call cyclops_check_file; mv a0, s0; tail _start"
enum { CALL_OPENAT = 56, CALL_CLOSE = 57, CALL_SEEK = 62, CALL_WRITE = 64, CALL_EXIT = 94 };

static inline __attribute__((always_inline)) long call_kernel(long number, long a, long b, long c) {
    register long result __asm__("a0") = a, second __asm__("a1") = b, third __asm__("a2") = c,
                         which __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(result) : "r"(second), "r"(third), "r"(which) : "memory");
    return result;
}
#endif

#ifdef ENTRY
#define IN_FRONT ".cyclops_start"
#define BEHIND ".cyclops_table"
#define HIDDEN __attribute__((visibility("hidden")))
__asm__(".pushsection " IN_FRONT ", \"ax\", %progbits\n"
        "cyclops_own_file: .asciz \"/proc/self/exe\"\n"
        "cyclops_cut: .ascii \"cyclops: error: the end of this file is missing: fetch it again, as binary data\\n\"\n"
        "cyclops_cut_end: .balign 16\n"
        ".globl cyclops_start\n.type cyclops_start, %function\n"
        "cyclops_start: " ENTRY "\n"
        ".popsection\n");
// Hidden symbols need no table of addresses, which may be beyond the end of the file.
extern const char cyclops_own_file[] HIDDEN, cyclops_cut[] HIDDEN, cyclops_cut_end[] HIDDEN;

// Place after this code in the file, to which scripts/build-runner moves the table of segments. So the kernel refuses a
// file that lacks even this code, because it has no table.
__asm__(".pushsection " BEHIND ", \"a\", %progbits\n"
        ".balign 16\n"
        ".ascii \"cyclops-segments\"\n"
        ".space 1024\n"
        ".popsection\n");

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Phdr elf_segment;
#else
typedef Elf32_Phdr elf_segment;
#endif

// Returns a value of the auxiliary vector, which the kernel puts after arguments and environment on the stack; 0: none.
static inline __attribute__((always_inline)) unsigned long told(const unsigned long *stack, unsigned long type) {
    const unsigned long *at = stack + 1 + stack[0] + 1;
    while (*at++)
        ;
    for (; at[0] != AT_NULL; at += 2)
        if (at[0] == type)
            return at[1];
    return 0;
}

// Returns the bytes that the file must have for its segments.
static inline __attribute__((always_inline)) unsigned long needed(const unsigned long *stack) {
    const elf_segment *segments = (const elf_segment *)told(stack, AT_PHDR);
    unsigned long most = 0;
    for (unsigned long i = 0; segments && i < told(stack, AT_PHNUM); i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_offset + segments[i].p_filesz > most)
            most = segments[i].p_offset + segments[i].p_filesz;
    return most;
}

// ENTRY calls this. Exits where the file is too short. Does nothing where the file cannot be examined.
void cyclops_check_file(const unsigned long *stack);
__attribute__((section(IN_FRONT), used)) void cyclops_check_file(const unsigned long *stack) {
    long file = call_kernel(CALL_OPENAT, AT_FDCWD, (long)cyclops_own_file, O_RDONLY);
    if (file < 0)
        file = call_kernel(CALL_OPENAT, AT_FDCWD, (long)told(stack, AT_EXECFN), O_RDONLY);
    long length = file < 0 ? -1 : call_kernel(CALL_SEEK, file, 0, SEEK_END);
    if (length >= 0 && (unsigned long)length < needed(stack)) {
        call_kernel(CALL_WRITE, STDERR_FILENO, (long)cyclops_cut, cyclops_cut_end - cyclops_cut);
        call_kernel(CALL_EXIT, 2, 0, 0); // FAIL_INPUT
    }
    if (file >= 0)
        call_kernel(CALL_CLOSE, file, 0, 0);
}
#endif
