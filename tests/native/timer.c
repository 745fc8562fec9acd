// Times code as it stands, in a loop of its own, on memory that it shares with nothing. The code is in CASES, which
// tests/native.sh writes: CASE(NAME, "assembly, Intel's syntax"). Prints the cycles of an iteration, by the time of a
// chain of adds. Shares no code with Cyclops.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

enum { MEMORY = 1 << 17, SHORT = 256, LONG = 1280, CALLS = 16, TRIES = 400, CHAIN = 64 };

#ifdef __AVX512F__
#define MASKS "k1",
#else
#define MASKS
#endif

#define CASE(name, text)                                                                                               \
    __attribute__((noinline)) static void run_##name(char *memory, long n) {                                           \
        __asm__ volatile(".intel_syntax noprefix\n.balign 64\n1:" text "\nsub rcx, 1\njnz 1b\n.att_syntax prefix"      \
                         : "+D"(memory), "+c"(n)                                                                       \
                         :                                                                                             \
                         : "rax", "rbx", "rdx", "rsi", "xmm0", "xmm1", "xmm2", "xmm3", MASKS "memory", "cc");          \
    }
#include CASES
#undef CASE

static void run_chain(char *memory, long n) {
    (void)memory;
    __asm__ volatile(".balign 64\n1:.rept 64\nadd %%rdx, %%rdx\n.endr\nsub $1, %0\njnz 1b" : "+c"(n) : : "rdx", "cc");
}

static uint64_t time_calls(void (*run)(char *, long), char *memory, long n) {
    uint64_t start = __rdtsc();
    for (int i = 0; i < CALLS; i++)
        run(memory, n);
    return __rdtsc() - start;
}

// Ticks of one iteration: the least of many differences between long and short runs, each of the two at its best.
static double ticks_of(void (*run)(char *, long), char *memory) {
    uint64_t least_short = UINT64_MAX, least_long = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t ticks_short = time_calls(run, memory, SHORT), ticks_long = time_calls(run, memory, LONG);
        least_short = ticks_short < least_short ? ticks_short : least_short;
        least_long = ticks_long < least_long ? ticks_long : least_long;
    }
    return (double)(least_long - least_short) / CALLS / (LONG - SHORT);
}

int main(void) {
    char *memory = aligned_alloc(1 << 16, MEMORY);
    if (!memory)
        return 1;
    memset(memory, 0, MEMORY);
#define CASE(name, text) printf("%s %.4f\n", #name, CHAIN *ticks_of(run_##name, memory) / ticks_of(run_chain, memory));
#include CASES
    return 0;
}
