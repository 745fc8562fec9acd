#include "bench/host/timer.h"

#include <stdbool.h>
#include <stdlib.h>

#if defined(__x86_64__)
// Reads the raw timer and the time at one moment. Any reading may be interrupted, so this takes the fastest of several
// tries.
static uint64_t read_both(uint64_t *ns) {
    uint64_t ticks = 0, least = UINT64_MAX;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t before = timer_read(), now_ns = timer_clock_ns(), after = timer_read();
        if (after - before >= least)
            continue;
        least = after - before;
        ticks = before + least / 2;
        *ns = now_ns;
    }
    return ticks;
}
#endif

double timer_ticks_per_second(void) {
#if defined(__aarch64__)
    uint64_t hertz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    return (double)hertz;
#elif defined(__x86_64__)
    const uint64_t wait_ns = 1000000;
    uint64_t start_ns, end_ns, start = read_both(&start_ns), end;
    while (timer_clock_ns() - start_ns < wait_ns)
        ;
    end = read_both(&end_ns);
    return (double)(end - start) * 1e9 / (double)(end_ns - start_ns);
#else
    return 1e9;
#endif
}

#if defined(__x86_64__) || defined(__aarch64__)
static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// A timer that advances in steps shows only multiples of the step: the step is the differences' common divisor.
uint64_t timer_step(void) {
    uint64_t step = 0;
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t start = timer_read();
        step = greatest_common_divisor(timer_read() - start, step);
    }
    return step ? step : 1;
}
#else
uint64_t timer_step(void) {
    uint64_t differences[1000];
    enum { N = sizeof differences / sizeof *differences };
    for (unsigned i = 0; i < N; i++) {
        uint64_t start = timer_read();
        differences[i] = timer_read() - start;
    }
    return timer_step_rounded(differences, N);
}
#endif

static int compare_ticks(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Each multiple of the step appears as one number or two successive ones: 41 and 42, 83 and 84, 125. The step is the
// smallest distance between two such groups, or of the first one from zero. Three successive numbers: the step is one.
uint64_t timer_step_rounded(uint64_t *differences, size_t n) {
    uint64_t group = 0, last = 0, step = UINT64_MAX;
    qsort(differences, n, sizeof *differences, compare_ticks);
    for (size_t i = 0; i < n; i++) {
        uint64_t now = differences[i];
        bool is_near = now <= last + 1;
        if (now == last)
            continue;
        if (is_near && now > group + 1)
            return 1;
        if (!is_near || last == 0) {
            step = now - group < step ? now - group : step;
            group = now;
        }
        last = now;
    }
    return step == UINT64_MAX ? 1 : step;
}
