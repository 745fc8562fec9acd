#include "hot/testing_targets.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)

// The linker defines it, at the first byte of the program in memory.
extern const uint8_t first_byte[] __asm__("__executable_start");

// A function uint64_t target_NAME(void *memory, uint64_t n, uint64_t value), whose loop begins at target_NAME_head and
// ends at target_NAME_end.
#define LOOP(name, before, body)                                                                                       \
    extern const uint8_t target_##name##_head[], target_##name##_end[];                                                \
    uint64_t target_##name(void *memory, uint64_t n, uint64_t value);                                                  \
    __asm__(".text\n.p2align 6\n.globl target_" #name "\n.hidden target_" #name "\n.hidden target_" #name              \
            "_head\n.hidden target_" #name "_end\n.type target_" #name ",@function\ntarget_" #name                     \
            ":\n\t.intel_syntax noprefix\n" before ".globl target_" #name "_head, target_" #name "_end\ntarget_" #name \
            "_head:\n" body "target_" #name "_end:\n\tret\n\t.att_syntax\n.size target_" #name ", .-target_" #name)

// 1 cycle a turn: a chain of adds.
LOOP(adds, "mov rax, rdx\n", "1: add rax, rdx\n dec rsi\n jne 1b\n");
// 3 cycles a turn on all CPUs of today: a chain of multiplications.
LOOP(multiply, "mov rax, rdx\n", "1: imul rax, rdx\n dec rsi\n jne 1b\n");
// A sum of n words.
LOOP(sum, "xor eax, eax\nlea rsi, [rdi + rsi * 8]\n", "1: add rax, [rdi]\n add rdi, 8\n cmp rdi, rsi\n jne 1b\n");
// Adds a number to n words in place, by an index that counts up.
LOOP(store, "xor eax, eax\n", "1: add qword ptr [rdi + rax * 8], rdx\n inc rax\n cmp rax, rsi\n jne 1b\n");
// n divisions, each of the result of the last one and a constant.
LOOP(divide, "mov rcx, rdx\nmov rax, -1\n", "1: xor edx, edx\n div rcx\n or rax, rdi\n dec rsi\n jne 1b\n");
// A sum of n words, from the last one on: the register that counts is a part of the address.
LOOP(down, "xor eax, eax\n", "1: add rax, [rdi + rsi * 8 - 8]\n dec rsi\n jne 1b\n");
// A walk from word to word: each holds the address of the next one.
LOOP(walk, "mov rax, rdi\n", "1: mov rax, [rax]\n dec rsi\n jne 1b\n");
// Branches by the lowest bits of n words.
LOOP(random, "xor eax, eax\nlea rsi, [rdi + rsi * 8]\n",
     "1: test byte ptr [rdi], 1\n je 2f\n add rax, 3\n 2: add rdi, 8\n cmp rdi, rsi\n jne 1b\n");
// A chain of additions of floating-point numbers.
LOOP(double, "movq xmm0, rdx\nmovq xmm1, rdx\n", "1: addsd xmm0, xmm1\n dec rsi\n jne 1b\n");
// Adds to one word in memory: each load waits for the store before it.
LOOP(forward, "", "1: add qword ptr [rdi], rdx\n dec rsi\n jne 1b\n");
// Each load's address depends on the number that was loaded last.
LOOP(table, "xor eax, eax\n", "1: mov rax, [rdi + rax * 8]\n and eax, 1023\n dec rsi\n jne 1b\n");
// The largest of n words, without a branch.
LOOP(select, "xor eax, eax\nlea rsi, [rdi + rsi * 8]\n",
     "1: mov rcx, [rdi]\n cmp rcx, rax\n cmovg rax, rcx\n add rdi, 8\n cmp rdi, rsi\n jne 1b\n");
// A loop of eight adds in each turn.
LOOP(nested, "mov rax, rdx\n", "1: mov ecx, 8\n 2: add rax, rdx\n dec ecx\n jne 2b\n dec rsi\n jne 1b\n");
// A call of a function in each turn: two multiplications.
LOOP(calls, "mov rax, rdx\n", "1: call 2f\n dec rsi\n jne 1b\n jmp 3f\n 2: imul rax, rdx\n imul rax, rdx\n ret\n 3:\n");
// Gathers of eight words, each on a page of its own; 16 bytes further on in each turn. The first words are the indices.
LOOP(gather, "vmovdqu ymm1, [rdi]\nmov eax, 4\nvmovd xmm3, eax\nvpbroadcastd ymm3, xmm3\nvpxor xmm4, xmm4, xmm4\n",
     "1: vpcmpeqd ymm2, ymm2, ymm2\n vpgatherdd ymm0, dword ptr [rdi + ymm1 * 4], ymm2\n vpaddd ymm4, ymm4, ymm0\n"
     " vpaddd ymm1, ymm1, ymm3\n dec rsi\n jne 1b\n vmovd eax, xmm4\n vzeroupper\n");
// A call of the system (getppid) in each turn.
LOOP(system, "", "1: mov eax, 110\n syscall\n dec rsi\n jne 1b\n");
// A look at the kernel's clock in each turn: at the memory where it has the time for programs.
LOOP(clock, "", "1: mov rax, [rdi]\n mov rax, [rax]\n dec rsi\n jne 1b\n");

typedef uint64_t (*loop_function)(void *memory, uint64_t n, uint64_t value);

enum { WORDS = 1 << 11 };

static void fill_numbers(uint64_t *words, size_t n) {
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        words[i] = state >> 33;
    }
}

// The address of that memory; their own, where there is none.
static void fill_clock(uint64_t *words, size_t n) {
    char line[256];
    FILE *file = fopen("/proc/self/maps", "r");
    (void)n;
    words[0] = (uintptr_t)words;
    while (file && fgets(line, sizeof line, file))
        if (strstr(line, "[vvar]"))
            words[0] = strtoull(line, NULL, 16);
    if (file)
        fclose(file);
}

// A ring of addresses in an order that no prefetcher finds, one in each line.
static void fill_ring(uint64_t *words, size_t n) {
    enum { LINE_WORDS = 8 };
    size_t n_lines = n / LINE_WORDS, step = (n_lines / 8 * 5) | 1;
    for (size_t i = 0, at = 0; i < n_lines; i++) {
        size_t next = (at + step) % n_lines;
        words[at * LINE_WORDS] = (uintptr_t)&words[next * LINE_WORDS];
        at = next;
    }
}

// Of which one in eight is odd.
static void fill_rare(uint64_t *words, size_t n) {
    fill_numbers(words, n);
    for (size_t i = 0; i < n; i++)
        words[i] = words[i] % 8 == 0;
}

static void fill_pages(uint64_t *words, size_t n) {
    enum { PAGE_INTS = 1024, ELEMENTS = 8 };
    int32_t indices[ELEMENTS];
    fill_numbers(words, n);
    for (int32_t i = 0; i < ELEMENTS; i++)
        indices[i] = (2 * i + 1) * PAGE_INTS;
    memcpy(words, indices, sizeof indices);
}

static const struct entry {
    const char *name;
    loop_function run;
    const uint8_t *head, *end;
    size_t n_words;
    uint64_t turns, value;
    void (*fill)(uint64_t *words, size_t n);
} entries[] = {
    {"adds", target_adds, target_adds_head, target_adds_end, 1, 5000, 3, NULL},
    {"multiply", target_multiply, target_multiply_head, target_multiply_end, 1, 5000, 3, NULL},
    {"sum", target_sum, target_sum_head, target_sum_end, WORDS, WORDS, 0, fill_numbers},
    {"store", target_store, target_store_head, target_store_end, WORDS, WORDS, 5, fill_numbers},
    {"down", target_down, target_down_head, target_down_end, 1 << 15, 1 << 15, 0, fill_numbers},
    {"divide-7", target_divide, target_divide_head, target_divide_end, 1, 2000, 7, NULL},
    {"divide-large", target_divide, target_divide_head, target_divide_end, 1, 2000, UINT64_C(1) << 60, NULL},
    {"walk", target_walk, target_walk_head, target_walk_end, WORDS, 2000, 0, fill_ring},
    {"walk-1M", target_walk, target_walk_head, target_walk_end, 1 << 17, 6000, 0, fill_ring},
    {"walk-64M", target_walk, target_walk_head, target_walk_end, 1 << 23, 6000, 0, fill_ring},
    {"random", target_random, target_random_head, target_random_end, WORDS, WORDS, 0, fill_numbers},
    {"random-1M", target_random, target_random_head, target_random_end, 1 << 17, 1 << 17, 0, fill_numbers},
    {"random-8", target_random, target_random_head, target_random_end, 1 << 17, 1 << 17, 0, fill_rare},
    {"sum-1M", target_sum, target_sum_head, target_sum_end, 1 << 17, 1 << 17, 0, fill_numbers},
    {"double", target_double, target_double_head, target_double_end, 1, 5000, UINT64_C(0x3ff0000000000000), NULL},
    {"forward", target_forward, target_forward_head, target_forward_end, 8, 5000, 3, fill_numbers},
    {"table", target_table, target_table_head, target_table_end, 1 << 10, 5000, 0, fill_numbers},
    {"select", target_select, target_select_head, target_select_end, WORDS, WORDS, 0, fill_numbers},
    {"nested", target_nested, target_nested_head, target_nested_end, 1, 2000, 3, NULL},
    {"calls", target_calls, target_calls_head, target_calls_end, 1, 3000, 3, NULL},
    {"gather", target_gather, target_gather_head, target_gather_end, (size_t)WORDS * 8, 100, 0, fill_pages},
    {"system", target_system, target_system_head, target_system_end, 1, 3000, 0, NULL},
    {"clock", target_clock, target_clock_head, target_clock_end, 1, 3000, 0, fill_clock},
};

static const struct entry *find(const char *name) {
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

// When all before it is done, stores too.
static uint64_t read_time(void) {
    __builtin_ia32_mfence();
    __builtin_ia32_lfence();
    const uint64_t time = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return time;
}

static int compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// The median of many: cycles of a turn, where a turn of the chain of adds takes one. Both by the difference of a long
// run and a short one, so that calls and ends do not count.
static double measure(const struct entry *entry, uint64_t *words) {
    enum { TIMES = 301, ADDS = 5000 };
    static double ratios[TIMES];
    void *memory = entry->fill ? words : NULL;
    const uint64_t n_half = entry->turns / 2, n_more = entry->turns - n_half;
    for (unsigned i = 0; i < TIMES; i++) {
        uint64_t times[5];
        times[0] = read_time();
        target_adds(NULL, ADDS, 1);
        times[1] = read_time();
        target_adds(NULL, UINT64_C(2) * ADDS, 1);
        times[2] = read_time();
        entry->run(memory, n_half, entry->value);
        times[3] = read_time();
        entry->run(memory, entry->turns, entry->value);
        times[4] = read_time();
        double adds = (double)(times[2] - times[1]) - (double)(times[1] - times[0]),
               turns = (double)(times[4] - times[3]) - (double)(times[3] - times[2]);
        ratios[i] = turns / (double)n_more / (adds / ADDS);
    }
    qsort(ratios, TIMES, sizeof *ratios, compare);
    return ratios[TIMES / 2];
}

static void *run_again(void *context) {
    const struct entry *entry = context;
    uint64_t *words = calloc(entry->n_words, sizeof *words), sum = 0;
    if (!words)
        return NULL;
    if (entry->fill)
        entry->fill(words, entry->n_words);
    for (unsigned i = 0; i < 200; i++)
        sum += entry->run(entry->fill ? words : NULL, entry->turns, entry->value);
    free(words);
    return (void *)(uintptr_t)sum; // NOLINT(performance-no-int-to-ptr)
}

static void ignore(int number) {
    (void)number;
}

// With a timer's signals, several threads and a child.
static uint64_t run_busily(const struct entry *entry) {
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    uint64_t sum = 0;
    signal(SIGALRM, ignore);
    ualarm(1000, 1000);
    pid_t child = fork();
    if (child == 0)
        _exit((int)((uintptr_t)run_again((void *)(uintptr_t)entry) & 1));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run_again, (void *)(uintptr_t)entry);
    for (unsigned i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (uintptr_t)result;
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        continue;
    return sum + (unsigned)status;
}

// In a child, which has no child of its own that it would see. Returns whether all is as it should be.
static bool run_in_child(const struct entry *entry) {
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        printf("%llu\n", (unsigned long long)(uintptr_t)run_again((void *)(uintptr_t)entry)); // NOLINT
        fflush(stdout);
        _exit(waitpid(-1, &status, 0) >= 0);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

// Two halves of 0.03 s of CPU time each: the second one with the next value. Waits before each, now and then.
static void run_in_phases(const struct entry *entry, uint64_t *words) {
    enum { PHASES = 2, WAITS = 4 };
    static const double seconds = 0.03;
    for (unsigned i = 0; i < PHASES * WAITS; i++) {
        usleep(10000);
        while ((double)clock() / CLOCKS_PER_SEC < (i + 1) * seconds / WAITS)
            entry->run(words, entry->turns, entry->value + i / WAITS);
    }
}

static unsigned n_times(const char *mode) {
    return strcmp(mode, "long") == 0 ? 500000 : strcmp(mode, "some") == 0 ? 50000 : 100;
}

int testing_targets_main(int argc, char **argv) {
    if (argc < 4 || strcmp(argv[1], "--target") != 0)
        return -1;
    const struct entry *entry = find(argv[2]);
    if (!entry)
        return 9;
    if (strcmp(argv[3], "busy") == 0) {
        printf("%llu\n", (unsigned long long)run_busily(entry));
        return 3;
    }
    if (strcmp(argv[3], "late") == 0)
        usleep(300000);
    if (strcmp(argv[3], "child") == 0)
        return run_in_child(entry) ? 3 : 7;
    size_t size = entry->n_words * sizeof(uint64_t);
    int kind = strcmp(argv[3], "shared") == 0 ? MAP_SHARED : MAP_PRIVATE;
    uint64_t *words = mmap(NULL, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0), sum = 0;
    if (words == MAP_FAILED)
        return 8;
    if (entry->fill)
        entry->fill(words, entry->n_words);
    if (strcmp(argv[3], "time") == 0)
        printf("%.4f\n", measure(entry, words));
    else if (strcmp(argv[3], "phases") == 0)
        run_in_phases(entry, entry->fill ? words : NULL);
    else
        for (unsigned i = 0; i < n_times(argv[3]); i++)
            sum += entry->run(entry->fill ? words : NULL, entry->turns, entry->value);
    for (size_t i = 0; i < entry->n_words && entry->fill != fill_ring; i++)
        sum = 3 * sum + words[i];
    munmap(words, size);
    if (strcmp(argv[3], "time") != 0)
        printf("%llu\n", (unsigned long long)sum);
    return 3;
}

void testing_target_open(struct testing_target *target, const char *name) {
    static char self[4096], option[] = "--target", once[] = "once";
    const struct entry *entry = find(name);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert(entry && length > 0);
    (void)length;
    uint64_t head = (uint64_t)(entry->head - first_byte), end = (uint64_t)(entry->end - first_byte);
    *target = (struct testing_target){
        .module = {.path = self, .kind = HOT_FILE},
        .range = {head, end},
        .loop = {.function = name, .is_loop = true, .head = head, .n_ranges = 1, .parent = SIZE_MAX},
        .argv = {self, option, strdup(name), once}, // lives as long as the test
    };
}

#endif
