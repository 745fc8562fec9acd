// Private to this folder.
// What disturbed a thread between two moments, as the kernel reports it. For the child of a sandbox: only allowed
// system calls.
#ifndef BENCH_TARGETS_NATIVE_NOTES_H
#define BENCH_TARGETS_NATIVE_NOTES_H

#include "bench/target.h"

#include <sys/resource.h>

// Notes of the calling thread so far.
struct native_notes {
    struct rusage usage;
    int cpu;
    int64_t not_running_ns; // clock time less the thread's own: its changes mean something
};

void native_notes_take(struct native_notes *notes);

// Sets the switches, migrations, faults and stolen time of a round that lasted from `before` to `after`.
void native_notes_compare(const struct native_notes *before, const struct native_notes *after,
                          struct target_round *round);

#endif
