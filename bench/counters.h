// Hardware counters of this thread, as one pinned perf_event group: cycles first, then instructions, user mode only.
// Encoded by libpfm4 before the fork; opened and read after it (system calls only).
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include "base/arena.h"
#include "bench/target.h"

#include <linux/perf_event.h>
#include <stdbool.h>

enum { COUNTERS_N = 2 };

struct counters {
    struct perf_event_attr attributes[COUNTERS_N];
    int fds[COUNTERS_N]; // once open; fds[0] leads the group
};

// Encodes the events for `cpu` and tries them. Where they do not count, returns false and says why in `note`.
bool counters_prepare(struct arena *arena, int cpu, struct counters *counters, const char **note);

// These three are for the child. open: 0, or an errno.
int counters_open(struct counters *counters);
void counters_close(struct counters *counters);
// 0, or EBUSY: the group was not on the counters all the time, so the values are worthless.
int counters_read(const struct counters *counters, uint64_t values[TARGET_MAX_COUNTERS]);

#endif
