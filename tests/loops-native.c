// The native times of loops-native.s, without Cyclops: cycles of a turn, in units of a dependent add.
//
// A turn: the slope of a call's time over the number of turns, of two lengths. Prints "NAME CYCLES" for each.
#include <stdint.h>
#include <stdio.h>
#include <x86intrin.h>

extern long native_sum(const long *begin, const long *end);
extern double native_dot(const double *a, const double *b, long n);
extern long native_find(const long *a, long n, long wanted);
extern long native_rows(const long *a, long n);
extern long native_lines(const long *begin, const long *end);
extern long native_calls(const long *begin, const long *end);
extern long native_thunk(const long *begin, const long *end);
extern long native_between(const long *begin, const long *end);

_Alignas(64) static long numbers[2048];
static long sink;
static double reals[2][1024];

enum { TRIES = 2000, ADDS = 4000 };

static uint64_t time_adds(void) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        unsigned aux;
        uint64_t start = __rdtscp(&aux);
        long value = 0;
        __asm__ volatile(".rept 4000\n add %1, %0\n .endr" : "+r"(value) : "r"(3L));
        uint64_t ticks = __rdtscp(&aux) - start;
        least = ticks < least ? ticks : least;
    }
    return least;
}

typedef long call(long n);
static long sum(long n) {
    return native_sum(numbers, numbers + n);
}
static long dot(long n) {
    return (long)native_dot(reals[0], reals[1], n);
}
static long find(long n) {
    return native_find(numbers, n, -7);
}
static long rows(long n) {
    return native_rows(numbers, n);
}
static long lines(long n) {
    return native_lines(numbers, numbers + 2 * n);
}
static long calls(long n) {
    return native_calls(numbers, numbers + n);
}
static long thunk(long n) {
    return native_thunk(numbers, numbers + n);
}
static long between(long n) {
    return native_between(numbers, numbers + n);
}
// Ticks of a call, the least of many tries.
static uint64_t time_call(call *called, long n) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        unsigned aux;
        uint64_t start = __rdtscp(&aux);
        sink += called(n);
        uint64_t ticks = __rdtscp(&aux) - start;
        least = ticks < least ? ticks : least;
    }
    return least;
}

int main(void) {
    static const struct {
        const char *name;
        call *called;
        long n; // turns of the shorter call; the longer one makes five times as many
    } loops[] = {{"sum", sum, 200},     {"dot", dot, 200},     {"find", find, 200},   {"rows", rows, 200},
                 {"lines", lines, 200}, {"calls", calls, 200}, {"thunk", thunk, 200}, {"between", between, 200}};
    double cycles_per_tick = ADDS / (double)time_adds();
    for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
        long n = loops[i].n;
        double shorter = (double)time_call(loops[i].called, n), longer = (double)time_call(loops[i].called, 5 * n);
        printf("%s %.3f\n", loops[i].name, (longer - shorter) * cycles_per_tick / (double)(4 * n));
    }
    return 0;
}
