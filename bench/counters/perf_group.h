// Hardware counters of the calling thread as one pinned perf_event group: open, read, close. Nothing but system calls
// and arithmetic in here, because it runs in children that were forked from a program of any kind. Which events, and
// whether they fit together, is decided before (counters.h).
#ifndef BENCH_COUNTERS_PERF_GROUP_H
#define BENCH_COUNTERS_PERF_GROUP_H

#include "bench/target.h"

#include <linux/perf_event.h>
#include <stdbool.h>

// What to count. [0] is cycles, [1] is instructions.
struct perf_group {
    unsigned n;
    struct perf_event_attr attributes[TARGET_MAX_COUNTERS];
};

// Counters that are open.
struct perf_group_open {
    unsigned n;
    int fds[TARGET_MAX_COUNTERS]; // fds[0] leads the group
    // By which the thread reads them itself; all null: by read(2).
    struct perf_event_mmap_page *pages[TARGET_MAX_COUNTERS];
};

// Opens and starts them. 0, or an errno; `n` of `open` is then the number of the counter that did not open.
// `by_user`: to be read without system calls; EOPNOTSUPP where the kernel does not offer that.
int perf_group_start(const struct perf_group *group, bool by_user, struct perf_group_open *open);
void perf_group_close(struct perf_group_open *open);

// 0, or EBUSY: a counter was not on the hardware all the time (never, or in turns with others), so that the values
// are worthless.
int perf_group_read(const struct perf_group_open *open, uint64_t values[TARGET_MAX_COUNTERS]);

#endif
