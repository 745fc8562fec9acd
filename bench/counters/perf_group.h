// Hardware counters of the calling thread as one pinned perf_event group: open, read, close. Runs in forked children,
// so it only makes system calls and computes. counters.h chooses the events and finds groups that fit.
#ifndef BENCH_COUNTERS_PERF_GROUP_H
#define BENCH_COUNTERS_PERF_GROUP_H

#include "bench/target.h"

#include <linux/perf_event.h>
#include <stdbool.h>

// Events to count; [0] is cycles, [1] is instructions.
struct perf_group {
    unsigned n;
    struct perf_event_attr attributes[TARGET_MAX_COUNTERS];
};

// Open counters.
struct perf_group_open {
    unsigned n;
    int fds[TARGET_MAX_COUNTERS]; // fds[0] leads the group
    // Pages for reads from user space; all null: reads use read(2).
    struct perf_event_mmap_page *pages[TARGET_MAX_COUNTERS];
};

// Opens and starts the counters. `by_user`: for reads without system calls; EOPNOTSUPP where the kernel does not offer
// these. Returns 0 or an errno; open->n is then the index of the counter that did not open.
int perf_group_start(const struct perf_group *group, bool by_user, struct perf_group_open *open);
void perf_group_close(struct perf_group_open *open);

// Reads the counts since the start. Returns 0, or EBUSY: a counter was not on the hardware all the time, and the values
// are worthless.
int perf_group_read(const struct perf_group_open *open, uint64_t values[TARGET_MAX_COUNTERS]);

#endif
