// How busy the CPUs are, from /proc/stat and /proc/interrupts (below CYCLOPS_FSROOT): for the choice of a quiet one,
// and for watching the other threads of the core we measure on. Says nothing of what a hypervisor does not show: a VM's
// neighbour on the same physical core is not in these files.
#ifndef BENCH_HOST_LOAD_H
#define BENCH_HOST_LOAD_H

#include "base/arena.h"
#include "bench/host/host.h"

#include <stdbool.h>

// What a CPU has done since the machine started. Source: proc(5).
struct host_work {
    double busy_seconds; // everything but idle and waiting for devices; steal counts as busy. In steps of 10 ms
    double idle_seconds;
    double interrupts; // of devices: without timer and inter-processor interrupts, which come with any work
};

// A reading of all CPUs. Zero it, and set `arena`.
struct host_load {
    struct arena *arena;
    const char *stat, *interrupts; // the files' text; null: no such file
};
void host_load_read(struct host_load *load);
bool host_load_work(const struct host_load *load, int cpu, struct host_work *work); // false: nothing is known of it

// Share of time, 0 to 1, that `cpu` was busy between two readings; from the start of the machine to `after` where
// nothing moved in between. Negative: unknown.
double host_load_busy(const struct host_load *before, const struct host_load *after, int cpu);

// The other threads of the core we measure on, asked for between batches of rounds. At most once in HOST_WATCH_SECONDS
// there is an answer, since time is counted in steps of 10 ms.
#define HOST_WATCH_SECONDS 0.05
struct host_watch {
    int siblings[HOST_MAX_SIBLINGS]; // logical CPUs
    unsigned n_siblings;
    double since_seconds; // when the next two were read, by CLOCK_MONOTONIC
    double busy_seconds;  // of all siblings together
    double own_seconds;   // this process' computing: it may run there while nothing is measured
};
void host_watch_start(struct host_watch *watch, int cpu);

// Share of time that the siblings were busy since the last answer (1: one of them all the time); negative: no answer
// now. Above HOST_WATCH_BUSY the samples taken since the last answer are not to be trusted.
#define HOST_WATCH_BUSY 0.1
double host_watch_busy(struct host_watch *watch);

#endif
