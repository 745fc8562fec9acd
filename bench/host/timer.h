// The raw timer of the CPU we run on, read in program order. Header-only: a call would add its own time.
// Only differences have a meaning. Their unit is the tick of the timer that TIMER_NAME names.
#ifndef BENCH_HOST_TIMER_H
#define BENCH_HOST_TIMER_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t timer_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline double timer_seconds(void) {
    return (double)timer_clock_ns() * 1e-9;
}

#if defined(__x86_64__)
#define TIMER_NAME "tsc"

// LFENCE waits until all earlier instructions have completed, and later ones wait for it: Intel SDM volume 2, "RDTSC";
// AMD APM volume 3, "LFENCE" (Linux makes it dispatch serialising).
static inline uint64_t timer_read(void) {
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)
#define TIMER_NAME "cntvct"

// Arm ARM, "Generic Timer": a read of the counter may be executed early unless an ISB stands before it.
static inline uint64_t timer_read(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

#else
#define TIMER_NAME "clock_gettime"

static inline uint64_t timer_read(void) {
    return timer_clock_ns();
}
#endif

// timer_ticks_per_second measures for a millisecond on x86-64; elsewhere the rate is known. timer_step returns the
// smallest difference that reads can show, in ticks, at least 1.
double timer_ticks_per_second(void);
uint64_t timer_step(void);

// Returns the step of a clock whose time is rounded to whole units, from the differences of successive reads. Sorts
// them. clock_gettime is such a clock: it rounds to ns, and many boards count in steps of 41.67 ns.
uint64_t timer_step_rounded(uint64_t *differences, size_t n);

#endif
