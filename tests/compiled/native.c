// Times a function of the program that it is linked into, with nothing of Cyclops in it; and walks through one call of
// it.
//   PROGRAM time OFFSET REPEATS ARGUMENT...    prints the cycles of a call: median, lowest and highest quarter
//   PROGRAM vary OFFSET REPEATS ARGUMENT... STEP...
//                                              prints that for arguments less 0 to 7 steps each, on average 3.5
//   PROGRAM callers OFFSET REPEATS ARGUMENT... prints that for calls from each of some places
//   PROGRAM walk OFFSET ARGUMENT...            prints how often each instruction of the program ran: offset, count
//   PROGRAM state OFFSET AT ARGUMENT...        prints the registers when the instruction at AT is first reached, and
//                                              words of memory around rsp and rbp, where these are addresses of a stack
// OFFSETs are hexadecimal and count from main(). Arguments are up to six whole numbers, and so are steps. Memory around
// 0x2324000 holds what Cyclops puts there, and denormals count as zero, as there. Time is that of rdtsc; its unit is a
// chain of adds.
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_ARGUMENTS = 6,
    VARIANTS = 8,
    ORDER = 1024,
    ROUNDS = 25,
    TRIES = 60,
    BATCH_CYCLES = 16000,
    CHAIN_ADDS = 16000
};
static const uintptr_t memory_start = 0x2320000, memory_bytes = 0x200000;
static const uint64_t fill = 0x2438200;

typedef long function(long, long, long, long, long, long);
struct call {
    function *function;
    long arguments[MOST_ARGUMENTS];
};
int main(int argc, char **argv);

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static void make_memory(void) {
    uint64_t *memory = mmap((void *)memory_start, memory_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != (void *)memory_start)
        fail("memory");
    for (size_t i = 0; i < memory_bytes / sizeof *memory; i++)
        memory[i] = fill;
}

static void call_once(const struct call *call) {
    const long *a = call->arguments;
    call->function(a[0], a[1], a[2], a[3], a[4], a[5]);
}

static uint64_t now(void) {
    uint32_t low, high;
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

static void call_in_a_loop(const struct call *call, long n) {
    for (long i = 0; i < n; i++)
        call_once(call);
}

// Loops that call it, too, so many bytes from the start of a cache line: what is called may be faster from one place
// than from another, by how its branches are predicted. They take the arguments from memory, all six of them; or from
// registers, those that there are: calls that overlap do so more where less stands between them.
typedef void caller(const struct call *, long n);
#define CALLER_AT(kind, bytes, get_arguments)                                                                          \
    void caller_##kind##_##bytes(const struct call *call, long n);                                                     \
    __asm__(".text; .balign 64; .rept " #bytes "; nop; .endr; caller_" #kind "_" #bytes ":"                            \
            "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; sub $8, %rsp; mov %rsi, %rbp;"          \
            "mov %rdi, %rbx; mov 8(%rbx), %r12; mov 16(%rbx), %r13; mov 24(%rbx), %r14; mov 32(%rbx), %r15;"           \
            "1:" get_arguments " call *(%rbx); dec %rbp; jnz 1b; add $8, %rsp;"                                        \
            "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret");
#define CALLERS(kind, get_arguments)                                                                                   \
    CALLER_AT(kind, 0, get_arguments)                                                                                  \
    CALLER_AT(kind, 8, get_arguments)                                                                                  \
    CALLER_AT(kind, 16, get_arguments)                                                                                 \
    CALLER_AT(kind, 24, get_arguments)                                                                                 \
    CALLER_AT(kind, 32, get_arguments)                                                                                 \
    CALLER_AT(kind, 40, get_arguments)                                                                                 \
    CALLER_AT(kind, 48, get_arguments)                                                                                 \
    CALLER_AT(kind, 56, get_arguments)
#define CALLERS_OF(kind)                                                                                               \
    {                                                                                                                  \
        caller_##kind##_0, caller_##kind##_8, caller_##kind##_16, caller_##kind##_24, caller_##kind##_32,              \
            caller_##kind##_40, caller_##kind##_48, caller_##kind##_56                                                 \
    }
#define ONE "mov %r12, %rdi;"
#define TWO ONE "mov %r13, %rsi;"
#define THREE TWO "mov %r14, %rdx;"
#define FOUR THREE "mov %r15, %rcx;"
CALLERS(memory, "mov 8(%rbx), %rdi; mov 16(%rbx), %rsi; mov 24(%rbx), %rdx; mov 32(%rbx), %rcx; mov 40(%rbx), %r8;"
                "mov 48(%rbx), %r9;")
CALLERS(one, ONE)
CALLERS(two, TWO)
CALLERS(three, THREE)
CALLERS(four, FOUR)
enum { MOST_IN_REGISTERS = 4, PLACES = 8 };
// By the number of arguments; and those by memory, for none.
static caller *const callers[1 + MOST_IN_REGISTERS][PLACES] = {CALLERS_OF(memory), CALLERS_OF(one), CALLERS_OF(two),
                                                               CALLERS_OF(three), CALLERS_OF(four)};
static caller *call_many = call_in_a_loop;

// Calls that differ in their arguments, in an order that no CPU foresees: so each call mispredicts the end of its loop,
// and the calls of a longer loop do no more so than those of a shorter one. Each eight calls have all arguments.
static uint8_t order[ORDER];
static size_t next_in_order;
static long calls_at_a_time = 1;

static void shuffle_order(void) {
    uint32_t random = 1;
    for (size_t i = 0; i < ORDER; i++)
        order[i] = (uint8_t)(i % VARIANTS);
    for (size_t i = ORDER; i-- > 0;) {
        random = random * 1664525 + 1013904223;
        size_t first = i / VARIANTS * VARIANTS, other = first + (random >> 16) % (i - first + 1);
        uint8_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

// A call waits for the one before it: a chain of few turns would go on behind the next call's beginning, and more of a
// short one than of a long one.
static void call_in_order(const struct call *calls, long n) {
    for (long i = 0; i < n; i++) {
        call_once(&calls[order[next_in_order++ % ORDER]]);
        __asm__ volatile("lfence" ::: "memory");
    }
}

static uint64_t time_calls(const struct call *call, long n) {
    uint64_t start = now();
    call_many(call, n);
    return now() - start;
}

static uint64_t time_chain(long n) {
    uint64_t start = now(), value = start;
    for (long i = 0; i < n; i += 20)
        __asm__ volatile(".rept 20; add %1, %0; .endr" : "+r"(value) : "r"(n));
    return now() - start;
}

static double least(double a, double b) {
    return a < b ? a : b;
}

// Cycles of a call: a batch and one twice as long, each at its fastest; and a chain of adds likewise.
static double round_of(const struct call *call, long n) {
    double one = 1e18, two = 1e18, chain_one = 1e18, chain_two = 1e18;
    for (int i = 0; i < TRIES; i++) {
        chain_one = least(chain_one, (double)time_chain(CHAIN_ADDS));
        one = least(one, (double)time_calls(call, n));
        two = least(two, (double)time_calls(call, 2 * n));
        chain_two = least(chain_two, (double)time_chain(2L * CHAIN_ADDS));
    }
    return (two - one) / (chain_two - chain_one) * CHAIN_ADDS / (double)n;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_time(const struct call *call) {
    double cycles[ROUNDS];
    long n =
        (long)(BATCH_CYCLES / (round_of(call, VARIANTS) + 1)) / calls_at_a_time * calls_at_a_time + calls_at_a_time;
    for (int i = 0; i < ROUNDS; i++)
        cycles[i] = round_of(call, n);
    qsort(cycles, ROUNDS, sizeof *cycles, compare);
    printf("%.4f %.4f %.4f\n", cycles[ROUNDS / 2], cycles[ROUNDS / 4], cycles[3 * ROUNDS / 4]);
}

static void print_times_of_variants(const struct call *call, const long *steps, long repeats) {
    struct call calls[VARIANTS];
    shuffle_order();
    call_many = call_in_order;
    calls_at_a_time = VARIANTS;
    for (int i = 0; i < VARIANTS; i++) {
        calls[i] = *call;
        for (int k = 0; k < MOST_ARGUMENTS; k++)
            calls[i].arguments[k] -= i * steps[k];
    }
    for (long i = 0; i < repeats; i++)
        print_time(calls);
}

static void print_times_by_place(const struct call *call, caller *const *places, long repeats) {
    for (size_t i = 0; i < PLACES; i++) {
        call_many = places[i];
        for (long k = 0; k < repeats; k++)
            print_time(call);
    }
}

static void print_times_by_caller(const struct call *call, int n_arguments, long repeats) {
    print_times_by_place(call, callers[0], repeats);
    if (n_arguments > 0 && n_arguments <= MOST_IN_REGISTERS)
        print_times_by_place(call, callers[n_arguments], repeats);
}

// Starts a child that stops before the call.
static pid_t start_stopped(const struct call *call) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(1);
        raise(SIGSTOP);
        call_once(call);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        fail("a child that can be traced");
    return child;
}

// Executes one instruction of the child. Returns false where it has ended.
static int step(pid_t child, struct user_regs_struct *registers) {
    int status;
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        return 0;
    if (WSTOPSIG(status) != SIGTRAP || ptrace(PTRACE_GETREGS, child, NULL, registers) != 0)
        fail("a step");
    return 1;
}

static void print_counts(const struct call *call) {
    enum { REACH = 1 << 20 };
    static unsigned counts[2 * REACH];
    struct user_regs_struct registers;
    pid_t child = start_stopped(call);
    while (step(child, &registers)) {
        long offset = (long)registers.rip - (long)&main;
        if (offset >= -REACH && offset < REACH)
            counts[offset + REACH]++;
    }
    for (long i = 0; i < 2L * REACH; i++)
        if (counts[i])
            printf("%s%lx %u\n", i < REACH ? "-" : "", labs(i - REACH), counts[i]);
}

// Parts of a saved state (XSAVE), and their size for a register; Intel's manual, volume 1, 13.4 and 13.5.
enum part {
    PART_XMM = 1,
    PART_YMM_HIGH = 2,
    PART_MASKS = 5,
    PART_ZMM_HIGH = 6, // of zmm0 to zmm15
    PART_ZMM16 = 7,
    N_PARTS
};
enum { XMM_AT = 160, HAS_AT = 512, WORD = 8, MOST_STATE = 1 << 16 };

// Where a part is; 0: this CPU, or the child, does not have it.
static size_t place_of(const uint8_t *state, enum part part) {
    uint64_t has;
    memcpy(&has, state + HAS_AT, sizeof has);
    unsigned size, at = 0, c, d;
    if (part == PART_XMM)
        return XMM_AT;
    if (!(has >> part & 1) || !__get_cpuid_count(0xd, part, &size, &at, &c, &d) || !size)
        return 0;
    return at;
}

// Prints words of a register, the last one first.
static void print_words(const uint8_t *at, size_t n) {
    for (size_t i = n; i-- > 0;) {
        uint64_t word;
        memcpy(&word, at + i * WORD, sizeof word);
        printf("%016" PRIx64, word);
    }
}

// A part that the child does not have holds zeros.
static void print_vector(const uint8_t *state, size_t i) {
    static const uint8_t zeros[4 * WORD];
    enum { XMM_WORDS = 2, YMM_WORDS = 4, ALL_WORDS = 8 };
    size_t xmm = place_of(state, PART_XMM), ymm = place_of(state, PART_YMM_HIGH), zmm = place_of(state, PART_ZMM_HIGH),
           more = place_of(state, PART_ZMM16);
    if (i >= 16 && more) {
        printf("zmm%zu ", i);
        print_words(state + more + (i - 16) * ALL_WORDS * WORD, ALL_WORDS);
    } else if (i < 16) {
        printf("%cmm%zu ", zmm ? 'z' : ymm ? 'y' : 'x', i);
        if (zmm)
            print_words(state + zmm + i * YMM_WORDS * WORD, YMM_WORDS);
        if (zmm || ymm)
            print_words(ymm ? state + ymm + i * XMM_WORDS * WORD : zeros, XMM_WORDS);
        print_words(state + xmm + i * XMM_WORDS * WORD, XMM_WORDS);
    }
    printf("\n");
}

static void print_vectors(pid_t child) {
    enum { NT_STATE = 0x202, VECTORS = 32, MASKS = 8 };
    static uint8_t state[MOST_STATE];
    struct iovec all = {state, sizeof state};
    if (ptrace(PTRACE_GETREGSET, child, (void *)NT_STATE, &all) != 0)
        fail("vector registers");
    for (size_t i = 0; i < VECTORS; i++)
        print_vector(state, i);
    size_t masks = place_of(state, PART_MASKS);
    for (size_t i = 1; masks && i < MASKS; i++) {
        printf("k%zu ", i);
        print_words(state + masks + i * WORD, 1);
        printf("\n");
    }
}

// What a function may keep on its stack, by its distance from a register.
static void print_memory(pid_t child, const char *name, unsigned long long from) {
    enum { BEFORE = -512, BEHIND = 512 };
    for (int i = BEFORE; i < BEHIND; i += WORD) {
        errno = 0;
        long word = ptrace(PTRACE_PEEKDATA, child, (void *)(from + (unsigned long long)i), NULL);
        if (!errno)
            printf("%s%+d %lx\n", name, i, (unsigned long)word);
    }
}

static void print_state(const struct call *call, long at) {
    struct user_regs_struct r;
    pid_t child = start_stopped(call);
    while (step(child, &r))
        if ((long)r.rip == (long)&main + at) {
            printf("rax %llx\nrbx %llx\nrcx %llx\nrdx %llx\nrsi %llx\nrdi %llx\nrbp %llx\n", r.rax, r.rbx, r.rcx, r.rdx,
                   r.rsi, r.rdi, r.rbp);
            printf("r8 %llx\nr9 %llx\nr10 %llx\nr11 %llx\nr12 %llx\nr13 %llx\nr14 %llx\nr15 %llx\n", r.r8, r.r9, r.r10,
                   r.r11, r.r12, r.r13, r.r14, r.r15);
            print_vectors(child);
            print_memory(child, "rsp", r.rsp);
            print_memory(child, "rbp", r.rbp);
            kill(child, SIGKILL);
            return;
        }
}

int main(int argc, char **argv) {
    int first = argc > 1 && strcmp(argv[1], "walk") == 0 ? 3 : 4;
    bool is_varied = argc > 1 && strcmp(argv[1], "vary") == 0;
    int n_arguments = (argc - first) / (1 + is_varied);
    long steps[MOST_ARGUMENTS] = {0};
    if (argc < first || n_arguments > MOST_ARGUMENTS) {
        fprintf(stderr, "usage: time|callers OFFSET REPEATS ARGUMENT... | vary OFFSET REPEATS ARGUMENT... STEP...\n"
                        "       walk OFFSET ARGUMENT... | state OFFSET AT ARGUMENT...\n");
        return 2;
    }
    make_memory();
    struct call call = {(function *)((char *)&main + strtol(argv[2], NULL, 16)), {0}};
    for (int i = 0; i < n_arguments; i++)
        call.arguments[i] = (long)strtoull(argv[first + i], NULL, 0);
    for (int i = 0; is_varied && i < n_arguments; i++)
        steps[i] = (long)strtoull(argv[first + n_arguments + i], NULL, 0);
    __builtin_ia32_ldmxcsr(0x9fc0); // exceptions masked, denormals are zero
    if (strcmp(argv[1], "walk") == 0)
        print_counts(&call);
    else if (strcmp(argv[1], "state") == 0)
        print_state(&call, strtol(argv[3], NULL, 16));
    else if (is_varied)
        print_times_of_variants(&call, steps, atol(argv[3]));
    else if (strcmp(argv[1], "callers") == 0)
        print_times_by_caller(&call, n_arguments, atol(argv[3]));
    else
        for (long i = 0; i < atol(argv[3]); i++)
            print_time(&call);
    return 0;
}
