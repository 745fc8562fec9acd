// Private to this folder.
// Reads a counter of this thread without a system call, from the page that perf maps for it. Header-only: between two
// reads there must be the same few instructions each time. Sources: the comments of struct perf_event_mmap_page in
// linux/perf_event.h; Intel SDM volume 2, "RDPMC"; AMD APM volume 3, "RDPMC"; Arm ARM, "PMCCNTR_EL0" and
// "PMEVCNTR<n>_EL0"; Documentation/arch/arm64/perf.rst of Linux.
#ifndef BENCH_COUNTERS_USER_READ_H
#define BENCH_COUNTERS_USER_READ_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
enum { USER_READ_IS_KNOWN = true };

// Bit 30 of the index selects the fixed counters; the kernel sets it.
static inline uint64_t user_read_register(uint32_t index) {
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index) : "memory");
    return (uint64_t)high << 32 | low;
}

// Orders RDPMC with the instructions around it: see timer_read.
static inline void user_read_wait(void) {
    __asm__ volatile("lfence" : : : "memory");
}

#elif defined(__aarch64__)
enum { USER_READ_IS_KNOWN = true, USER_READ_CYCLE_COUNTER = 31 };

// The number of the register is part of the instruction, so each register has an instruction.
#define USER_READ_CASE(n)                                                                                              \
    case n:                                                                                                            \
        __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value) : : "memory");                                     \
        break
static inline uint64_t user_read_register(uint32_t index) {
    uint64_t value = 0;
    switch (index) {
        USER_READ_CASE(0);
        USER_READ_CASE(1);
        USER_READ_CASE(2);
        USER_READ_CASE(3);
        USER_READ_CASE(4);
        USER_READ_CASE(5);
        USER_READ_CASE(6);
        USER_READ_CASE(7);
    case USER_READ_CYCLE_COUNTER:
        __asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value) : : "memory");
        break;
    default: // user_read_is_possible refuses the others
        break;
    }
    return value;
}
#undef USER_READ_CASE

static inline void user_read_wait(void) {
    __asm__ volatile("isb" : : : "memory");
}

#else
enum { USER_READ_IS_KNOWN = false };
static inline uint64_t user_read_register(uint32_t index) {
    (void)index;
    return 0;
}
static inline void user_read_wait(void) {
}
#endif

// Whether the counter is on the hardware now, and user space may read it. `index` is the register's number plus 1.
static inline bool user_read_is_possible(const struct perf_event_mmap_page *page) {
    if (!USER_READ_IS_KNOWN || !page->cap_user_rdpmc || page->index == 0)
        return false;
#if defined(__aarch64__)
    return page->index <= 8 || page->index == USER_READ_CYCLE_COUNTER + 1;
#else
    return true;
#endif
}

// Reads the counter. Returns false where it is not on the hardware, or was not all the time since it was enabled.
static inline bool user_read(const volatile struct perf_event_mmap_page *page, uint64_t *value) {
    uint32_t lock, index;
    uint64_t count, enabled, running;
    unsigned unused_bits;
    do {
        lock = page->lock;
        __asm__ volatile("" : : : "memory");
        index = page->index;
        enabled = page->time_enabled;
        running = page->time_running;
        count = (uint64_t)page->offset;
        unused_bits = 64u - page->pmc_width;
        if (index != 0) // a counter has fewer than 64 bits; `offset` has the rest of the count
            count += (uint64_t)((int64_t)(user_read_register(index - 1) << unused_bits) >> unused_bits);
        __asm__ volatile("" : : : "memory");
    } while (page->lock != lock);
    *value = count;
    return index != 0 && enabled == running;
}

#endif
