// Runs blocks of x86-64 machine code once each, from the state that docs/how-it-works describes, and prints what each
// leaves behind. It is the other side of scripts/study-trials: `cyclops try` is right where both agree. So it shares no
// code with Cyclops, and does things in another way where there is one: a process for each block, xrstor and xsave
// around it, and an end by a jump behind the block.
//
//     independent [FILE]     a block a line: HEX, or HEX ADDRESS, both hexadecimal; ADDRESS is that of its first byte
//
// One line of JSON for each. Faults end the process of the block; a page of memory appears where it touches one.
// Linux, x86-64, libc. Runs under qemu-x86_64 as well, but system calls of the block are not caught there.
#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH // Linux 5.11
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

// The start state of docs/how-it-works/blocks.md, `disjoint`.
enum {
    FIRST_REGISTER = 0x2324000,
    DISTANCE = 69 * 1024,
    STACK_POINTER = 4, // its number
    FILL = 0x2438200,
    N_FRAMES = 4,
    PAGE = 4096,
    WORDS = N_FRAMES * PAGE / 8,
    MOST_PAGES = 64,
    LOWEST_ADDRESS = 64 * 1024,
    MXCSR_START = 0x1f80 | 1 << 15 | 1 << 6, // exceptions masked; FTZ, DAZ
};
enum { MOST_BYTES = 1 << 16, XSAVE_BYTES = 8192, VECTOR_BYTES = 64, SECONDS = 2 };
static const uint64_t default_address = UINT64_C(0x200000001080);

// What the process of the block writes for its parent.
struct report {
    const char *outcome; // null: the process ended without one
    bool has_fault;
    uint64_t instruction, address; // of the fault: offset of rip from the block's start, bytes; 0 where there is none
    unsigned n_pages;
    uint64_t pages[MOST_PAGES];
    uint64_t registers[16], flags;
    uint8_t vectors[32][VECTOR_BYTES];
    uint64_t masks[8];
};

static struct report *report;
static uint64_t *frames; // the pages behind all pages
static int frames_file;
static uint64_t block_start, block_end;

// ---- around the block

__attribute__((used)) static uint64_t start_registers[16], end_registers[16], start_flags = 2, end_flags, host_stack;
__attribute__((used)) static uint64_t entry_address;
__attribute__((used)) static uint32_t state_components; // of xsave
__attribute__((used, aligned(64))) static uint8_t start_state[XSAVE_BYTES], end_state[XSAVE_BYTES];

void enter_block(void);
void leave_block(void);
__asm__(".text\n"
        ".globl enter_block, leave_block\n"
        "enter_block:\n"
        "    push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "    mov %rsp, host_stack(%rip)\n"
        "    mov state_components(%rip), %eax\n"
        "    xor %edx, %edx\n"
        "    lea start_state(%rip), %rcx\n"
        "    xrstor64 (%rcx)\n"
        "    lea start_registers(%rip), %rdi\n"
        "    push start_flags(%rip)\n"
        "    popfq\n"
        "    mov 0(%rdi), %rax\n mov 8(%rdi), %rcx\n mov 16(%rdi), %rdx\n mov 24(%rdi), %rbx\n"
        "    mov 32(%rdi), %rsp\n mov 40(%rdi), %rbp\n mov 48(%rdi), %rsi\n"
        "    mov 64(%rdi), %r8\n mov 72(%rdi), %r9\n mov 80(%rdi), %r10\n mov 88(%rdi), %r11\n"
        "    mov 96(%rdi), %r12\n mov 104(%rdi), %r13\n mov 112(%rdi), %r14\n mov 120(%rdi), %r15\n"
        "    mov 56(%rdi), %rdi\n"
        "    jmp *entry_address(%rip)\n"
        "leave_block:\n"
        "    mov %rdi, end_registers+56(%rip)\n"
        "    lea end_registers(%rip), %rdi\n"
        "    mov %rax, 0(%rdi)\n mov %rcx, 8(%rdi)\n mov %rdx, 16(%rdi)\n mov %rbx, 24(%rdi)\n"
        "    mov %rsp, 32(%rdi)\n mov %rbp, 40(%rdi)\n mov %rsi, 48(%rdi)\n"
        "    mov %r8, 64(%rdi)\n mov %r9, 72(%rdi)\n mov %r10, 80(%rdi)\n mov %r11, 88(%rdi)\n"
        "    mov %r12, 96(%rdi)\n mov %r13, 104(%rdi)\n mov %r14, 112(%rdi)\n mov %r15, 120(%rdi)\n"
        "    mov host_stack(%rip), %rsp\n"
        "    pushfq\n"
        "    pop end_flags(%rip)\n"
        "    push $2\n"
        "    popfq\n"
        "    mov state_components(%rip), %eax\n"
        "    xor %edx, %edx\n"
        "    lea end_state(%rip), %rcx\n"
        "    xsave64 (%rcx)\n"
        "    fninit\n"
        "    movl $0x1f80, -8(%rsp)\n"
        "    ldmxcsr -8(%rsp)\n"
        "    pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
        "    ret\n");

// Components that hold registers a block may use: Intel SDM volume 1, 13.1. The rest (keys, tiles) stays as it is.
enum { X87 = 1, SSE = 2, AVX = 4, MASKS = 32, ZMM_HIGH = 64, ZMM_16_31 = 128 };

static void find_components(void) {
    uint32_t low, high;
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) {
        fprintf(stderr, "independent: this CPU has no xsave: it cannot be used\n");
        exit(77);
    }
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    state_components = low & (X87 | SSE | AVX | MASKS | ZMM_HIGH | ZMM_16_31);
}

// Where a component lies in the area: Intel SDM volume 1, 13.4.3.
static const uint8_t *component(unsigned mask) {
    unsigned size, offset, ecx, edx, number = (unsigned)__builtin_ctz(mask);
    __cpuid_count(0xd, number, size, offset, ecx, edx);
    return (state_components & mask) && offset + size <= XSAVE_BYTES ? end_state + offset : NULL;
}

static void take_vectors(void) {
    enum { XMM_OFFSET = 160 };
    const uint8_t *high = component(AVX), *masks = component(MASKS);
    const uint8_t *higher = component(ZMM_HIGH), *further = component(ZMM_16_31);
    for (unsigned i = 0; i < 16; i++) {
        memcpy(report->vectors[i], end_state + XMM_OFFSET + 16 * i, 16);
        if (high)
            memcpy(report->vectors[i] + 16, high + 16 * i, 16);
        if (higher)
            memcpy(report->vectors[i] + 32, higher + 32 * i, 32);
        if (further)
            memcpy(report->vectors[16 + i], further + 64 * i, 64);
    }
    if (masks)
        memcpy(report->masks, masks, sizeof report->masks);
}

// ---- faults. No function of libc with vector code is called here: under qemu 7.2 a signal keeps the low halves only.

static _Noreturn void end_with(const char *outcome) {
    report->outcome = outcome;
    _exit(0);
}

static bool is_in_block(uint64_t address) {
    return address >= block_start && address < block_end;
}

// A page where the block touches one that is not there; else the block ends here.
static void bring_page(uint64_t address) {
    uint64_t number = address / PAGE;
    if (address < LOWEST_ADDRESS)
        end_with("segmentation fault");
    if (report->n_pages == MOST_PAGES)
        end_with("too many pages");
    void *wanted = (void *)(number * PAGE);
    void *page = mmap(wanted, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, frames_file,
                      (off_t)(number % N_FRAMES * PAGE));
    if (page != wanted)
        end_with("segmentation fault");
    report->pages[report->n_pages++] = number * PAGE;
}

static void on_segmentation(const siginfo_t *info, uint64_t at) {
    uint64_t address = (uint64_t)info->si_addr;
    if (!is_in_block(at))
        end_with("jump outside the code");
    if (info->si_code == SEGV_MAPERR) {
        bring_page(address);
        report->has_fault = false;
        return;
    }
    end_with(info->si_code == SEGV_ACCERR ? "segmentation fault" : "general protection");
}

static void on_signal(int number, siginfo_t *info, void *context) {
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    enum { STACK_FAULT = 12 };
    uint64_t at = (uint64_t)registers[REG_RIP];
    report->has_fault = true;
    report->instruction = at - block_start;
    report->address = number == SIGSEGV ? (uint64_t)info->si_addr : 0;
    if (number == SIGSEGV) {
        on_segmentation(info, at);
        return;
    }
    if (number == SIGSYS)
        end_with("system call");
    if (number == SIGTRAP && info->si_code == TRAP_TRACE)
        end_with("trap");
    if (number == SIGTRAP) // it stands behind the breakpoint
        end_with(is_in_block(at - 1) ? "trap" : "jump outside the code");
    if (!is_in_block(at))
        end_with("jump outside the code");
    if (number == SIGBUS)
        end_with(registers[REG_TRAPNO] == STACK_FAULT ? "general protection" : "bus error");
    end_with(number == SIGILL ? "illegal instruction" : "arithmetic exception");
}

static void catch_signals(void) {
    static uint8_t stack[1 << 16];
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    stack_t place = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&place, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

// System calls from anywhere but this program become a signal. Where the kernel cannot (qemu), they happen.
static void catch_system_calls(void) {
    extern const char __executable_start[], etext[];
    static char selector = 1; // block
    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, __executable_start,
          (unsigned long)(etext - __executable_start), &selector);
}

// ---- a block

// Between breakpoints, so that a jump to beside it shows; behind it the jump to the end: through the eight bytes behind
// that, as it may leave no register changed.
static bool place_block(const uint8_t *bytes, size_t n_bytes, uint64_t address) {
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    uint64_t target = (uint64_t)&leave_block, first = address / PAGE * PAGE;
    size_t size = (address - first + n_bytes + sizeof jump + sizeof target + PAGE) / PAGE * PAGE;
    uint8_t *start =
        mmap((void *)first, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (start != (void *)first)
        return false;
    uint8_t *at = start + (address - first);
    memset(start, 0xcc, size);
    memcpy(at, bytes, n_bytes);
    memcpy(at + n_bytes, jump, sizeof jump);
    memcpy(at + n_bytes + sizeof jump, &target, sizeof target);
    block_start = entry_address = address;
    block_end = address + n_bytes;
    return mprotect(start, size, PROT_READ | PROT_EXEC) == 0;
}

static void prepare_state(void) {
    enum { MXCSR_OFFSET = 24, HEADER_OFFSET = 512, MASKS_BYTES = 64 };
    const uint32_t mxcsr = MXCSR_START;
    // All else in the area is zero: every component starts as at reset, the x87 one as after fninit. Masks are all
    // ones.
    memcpy(start_state + MXCSR_OFFSET, &mxcsr, sizeof mxcsr);
    const uint8_t *masks = component(MASKS);
    if (masks) {
        memset(start_state + (masks - end_state), 0xff, MASKS_BYTES);
        start_state[HEADER_OFFSET] |= MASKS;
    }
    for (unsigned i = 0; i < 16; i++)
        start_registers[i] = FIRST_REGISTER + (uint64_t)i * DISTANCE;
    start_registers[STACK_POINTER] &= ~UINT64_C(15);
}

static _Noreturn void run_block(const uint8_t *bytes, size_t n_bytes, uint64_t address) {
    const struct itimerval limit = {.it_value = {.tv_sec = SECONDS}};
    if (!place_block(bytes, n_bytes, address))
        end_with("no place for the code");
    prepare_state();
    catch_signals();
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    catch_system_calls();
    enter_block();
    take_vectors();
    memcpy(report->registers, end_registers, sizeof end_registers);
    report->flags = end_flags;
    end_with("ok");
}

// ---- what came of it

static void print_hex(const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        printf("%02x", bytes[i]);
}

static void print_registers(void) {
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    printf(", \"registers\": {");
    for (unsigned i = 0; i < 16; i++)
        printf("%s\"%s\": \"0x%lx\"", i ? ", " : "", names[i], report->registers[i]);
    printf("}, \"flags\": \"0x%lx\", \"vectors\": {", report->flags);
    for (unsigned i = 0; i < 32; i++) {
        printf("%s\"%u\": \"", i ? ", " : "", i);
        print_hex(report->vectors[i], VECTOR_BYTES);
        printf("\"");
    }
    printf("}, \"masks\": {");
    for (unsigned i = 0; i < 8; i++)
        printf("%s\"%u\": \"0x%lx\"", i ? ", " : "", i, report->masks[i]);
    printf("}");
}

static void print_memory(void) {
    const char *separator = "";
    printf(", \"memory\": [");
    for (size_t i = 0; i < WORDS; i++) {
        if (frames[i] == FILL)
            continue;
        printf("%s{\"at\": %zu, \"word\": \"0x%lx\"}", separator, 8 * i, frames[i]);
        separator = ", ";
    }
    printf("]");
}

static void print_report(const uint8_t *bytes, size_t n_bytes, uint64_t address, int status) {
    const char *outcome = report->outcome;
    if (!outcome)
        outcome = WIFSIGNALED(status) && WTERMSIG(status) == SIGVTALRM ? "time-out" : "killed";
    printf("{\"bytes\": \"");
    print_hex(bytes, n_bytes);
    printf("\", \"code\": \"0x%lx\", \"outcome\": \"%s\", \"pages\": [", address, outcome);
    for (unsigned i = 0; i < report->n_pages; i++)
        printf("%s\"0x%lx\"", i ? ", " : "", report->pages[i]);
    printf("]");
    if (strcmp(outcome, "ok") == 0) {
        print_registers();
        print_memory();
    } else if (report->has_fault) {
        printf(", \"fault\": {\"offset\": %ld, \"address\": \"0x%lx\"}", (long)report->instruction, report->address);
    }
    printf("}\n");
    fflush(stdout);
}

static void run_line(const uint8_t *bytes, size_t n_bytes, uint64_t address) {
    int status = 0;
    memset(report, 0, sizeof *report);
    for (size_t i = 0; i < WORDS; i++)
        frames[i] = FILL;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        run_block(bytes, n_bytes, address);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("independent: no process for a block");
        exit(2);
    }
    print_report(bytes, n_bytes, address, status);
}

// Bytes of a line of hexadecimal digits; `end` is behind them.
static size_t parse_hex(const char *line, uint8_t *bytes, const char **end) {
    size_t n = 0;
    unsigned value;
    int length;
    for (; n < MOST_BYTES && sscanf(line, "%2x%n", &value, &length) == 1 && length == 2; line += 2)
        bytes[n++] = (uint8_t)value;
    *end = line;
    return n;
}

static bool open_memory(void) {
    frames_file = memfd_create("frames", 0);
    if (frames_file < 0 || ftruncate(frames_file, N_FRAMES * PAGE) != 0)
        return false;
    frames = mmap(NULL, N_FRAMES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, frames_file, 0);
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return frames != MAP_FAILED && report != MAP_FAILED;
}

int main(int argc, char **argv) {
    static char line[2 * MOST_BYTES + 64];
    static uint8_t bytes[MOST_BYTES];
    FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!in || !open_memory()) {
        perror("independent");
        return 2;
    }
    find_components();
    while (fgets(line, sizeof line, in)) {
        const char *rest;
        size_t n_bytes = parse_hex(line, bytes, &rest);
        uint64_t address = *rest == ' ' ? strtoull(rest + 1, NULL, 16) : 0;
        if (n_bytes == 0 || !strchr(" \n", *rest)) {
            fprintf(stderr, "independent: this is no block: %s", line);
            return 2;
        }
        run_line(bytes, n_bytes, address ? address : default_address);
    }
    return 0;
}
