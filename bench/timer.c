#include "bench/timer.h"

double timer_ticks_per_second(void) {
#if defined(__aarch64__)
    uint64_t hertz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    return (double)hertz;
#elif defined(__x86_64__)
    const uint64_t wait_ns = 1000000;
    uint64_t start_ns = timer_clock_ns(), start = timer_read(), now_ns;
    do
        now_ns = timer_clock_ns();
    while (now_ns - start_ns < wait_ns);
    return (double)(timer_read() - start) * 1e9 / (double)(now_ns - start_ns);
#else
    return 1e9;
#endif
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// A timer that advances in steps shows only multiples of the step, so the differences' common divisor is the step.
uint64_t timer_step(void) {
    uint64_t step = 0;
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t start = timer_read();
        step = greatest_common_divisor(timer_read() - start, step);
    }
    return step ? step : 1;
}
