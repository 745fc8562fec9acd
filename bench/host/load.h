// How busy the CPUs are, from /proc/stat and /proc/interrupts (below CYCLOPS_FSROOT): to choose a quiet one, and to
// watch the other threads of the core we measure on. Does not see what a hypervisor hides: a VM's neighbour on the same
// physical core is not in these files.
#ifndef BENCH_HOST_LOAD_H
#define BENCH_HOST_LOAD_H

#include "base/arena.h"
#include "bench/host/host.h"

#include <stdbool.h>

// Work of a CPU since the machine started. Source: proc(5).
struct host_work {
    double busy_seconds; // all but idle and waiting for devices, steal included; in steps of 10 ms
    double idle_seconds;
    double interrupts; // number of interrupts by devices; not those of timers and between CPUs, which any work brings
};

// A reading of all CPUs. The caller zeroes it and sets `arena`.
struct host_load {
    struct arena *arena;
    const char *stat, *interrupts; // text of the files; null: no such file
};
void host_load_read(struct host_load *load);
bool host_load_work(const struct host_load *load, int cpu, struct host_work *work); // false: unknown

// Returns the share of time, 0 to 1, that `cpu` was busy between two readings; negative: unknown. Where its times did
// not advance in between, the share is that from the machine's start to `after`.
double host_load_busy(const struct host_load *before, const struct host_load *after, int cpu);

// Watches the other threads of the core we measure on, between batches of rounds. The kernel counts time in steps of
// 10 ms, so there is at most one answer in HOST_WATCH_SECONDS.
#define HOST_WATCH_SECONDS 0.05
struct host_watch {
    int siblings[HOST_MAX_SIBLINGS]; // logical CPUs
    unsigned n_siblings;
    double since_seconds; // when the next two were read, by timer_seconds
    double busy_seconds;  // busy time of all siblings together
    double own_seconds;   // CPU time of this process, which may run there while nothing is measured
};
void host_watch_start(struct host_watch *watch, int cpu);

// Returns the share of time, 0 to 1, that other processes kept the siblings busy since the last answer (1: one sibling
// or more, all the time); negative: no answer now. Above HOST_WATCH_BUSY, do not trust the samples since the last
// answer.
#define HOST_WATCH_BUSY 0.1
double host_watch_busy(struct host_watch *watch);

#endif
