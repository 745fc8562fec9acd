// Private to this folder.
// The co-runner: a child process on another CPU. It runs its code in chunks of some µs while it is ordered to, and else
// waits with `pause`. Both processes communicate through shared memory. Neither calls the kernel while the other is
// timed.
#ifndef BENCH_TARGETS_NATIVE_CORUNNER_H
#define BENCH_TARGETS_NATIVE_CORUNNER_H

#include "bench/sandbox/sandbox.h"
#include "bench/target.h"

enum native_corunner_order { CORUNNER_WAIT, CORUNNER_RUN, CORUNNER_END };

// Shared by the parent, the child that measures, and the co-runner.
struct native_corunner {
    uint64_t canary; // the parent's; a random number, and again at the end
    struct fault_note note;
    const struct bench_code *code;
    int cpu;
    double limit_seconds;                        // limit of its computing time, s; it ends then, whoever else runs
    unsigned order __attribute__((aligned(64))); // enum native_corunner_order, written by the child that measures
    unsigned doing;                              // the order that the co-runner follows now
    // On a cache line of their own: their reader does not slow the co-runner's look at its order.
    unsigned sequence __attribute__((aligned(64))); // odd while the next two are written
    volatile uint64_t chunks;                       // chunks completed since the child began
    volatile uint64_t ticks;                        // timer at the end of the last chunk
    volatile double between;                        // ticks between two chunks: reading the timer, writing the results
    volatile double bodies;                         // bodies in a chunk
    volatile bool was_disturbed;                    // others had the CPU, or the like, the last time it ran
    volatile int error_number;
    uint64_t canary_behind;
};

struct native_corunner_progress {
    uint64_t chunks, ticks;
};

// Relative error of the co-runner's rate, where chunks end in other places than they did alone.
#define NATIVE_CORUNNER_ERROR 0.01

// For sandbox_run: the co-runner's process. `context`: a struct native_corunner.
int native_corunner_run(struct sandbox *sandbox, void *context);

// For the child that measures. Starts the co-runner, and returns once it runs. False where it does not start, because
// others have its CPU or it has ended: it is not started again, then.
bool native_corunner_go(struct native_corunner *corunner, struct native_corunner_progress *start);
// Makes the co-runner wait again, and returns its work since native_corunner_go.
void native_corunner_pause(struct native_corunner *corunner, const struct native_corunner_progress *start,
                           struct target_corunner *done);

#endif
