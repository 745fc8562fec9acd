// Private to this folder.
// Code that another CPU runs while something is measured: a child process of its own, which runs its code in chunks of
// some µs while it is told to, and else waits with `pause`. Both processes talk through shared memory; none calls the
// kernel while the other is timed.
#ifndef BENCH_TARGETS_NATIVE_BESIDE_H
#define BENCH_TARGETS_NATIVE_BESIDE_H

#include "bench/sandbox/sandbox.h"
#include "bench/target.h"

enum native_beside_order { BESIDE_WAIT, BESIDE_RUN, BESIDE_END };

// Shared by the three: parent, the child that measures, the child beside.
struct native_beside {
    uint64_t canary; // the parent's; a random number, and again at the end
    struct fault_note note;
    const struct bench_code *code;
    int cpu;
    double limit_seconds;                        // of computing, after which it is ended whoever else still runs
    unsigned order __attribute__((aligned(64))); // enum native_beside_order, of the child that measures
    unsigned doing;                              // what the child beside does
    // On a cache line of their own, so that who reads them does not slow the other's look at its order.
    unsigned sequence __attribute__((aligned(64))); // odd while the next two are written
    volatile uint64_t chunks;                       // that have ended since the child began
    volatile uint64_t ticks;                        // of the timer, when the last of them ended
    volatile double between;                        // ticks that stand between two chunks: reading the timer, telling
    volatile double bodies;                         // in a chunk
    volatile bool was_disturbed;                    // the last time it ran: others had the CPU, or the like
    volatile int error_number;
    uint64_t canary_behind;
};

struct native_beside_progress {
    uint64_t chunks, ticks;
};

// What is told of its rate is as much as this off, relative, where chunks end in other places than they did alone.
#define NATIVE_BESIDE_ERROR 0.01

// For sandbox_run: the child beside, a struct native_beside.
int native_beside_run(struct sandbox *sandbox, void *context);

// For the child that measures. Sets the child beside going, and returns once it runs. False where it does not come (its
// CPU is taken by others, it has ended): it is not asked again, then.
bool native_beside_go(struct native_beside *beside, struct native_beside_progress *start);
// Makes it wait again, and says what it did since native_beside_go.
void native_beside_pause(struct native_beside *beside, const struct native_beside_progress *start,
                         struct target_beside *done);

#endif
