// Runs a function in a child process, and returns how the child ended. The child cannot outlive its time, its parent,
// or this call. Only the exit status comes back, and what the function wrote to shared memory.
// docs/how-it-works/sandbox.md lists what this guarantees against foreign code, and what it does not.
#ifndef BENCH_SANDBOX_SANDBOX_H
#define BENCH_SANDBOX_SANDBOX_H

#include "base/fail.h"
#include "bench/bench.h"
#include "bench/sandbox/code_room.h"

#include <stdbool.h>

// The child's part of a sandbox.
struct sandbox {
    struct fault_watch watch; // sandbox_seal sets its region and memory
};

// A function that runs in the child, on a separate stack between two guard pages. It must not allocate, use stdio, or
// take a lock, as after any fork. Its result, 0 to 255, is the child's exit status.
typedef int (*sandbox_body)(struct sandbox *sandbox, void *context);

// What to run, and for how long. `note` and `n_steps` must be in memory shared with the child.
struct sandbox_job {
    sandbox_body body;
    void *context;
    struct fault_note *note; // the child's note of a fault; null: no foreign code runs
    bool is_in_nursery;      // all that the body reads is in memory from nursery_alloc
    double timeout_seconds;
    // Count that the body increments at each step; null: there are no steps, and timeout_seconds is wall-clock time.
    // With steps, timeout_seconds and step_seconds are CPU time: others may keep the CPU from the child.
    const volatile unsigned *n_steps;
    double step_seconds;     // about the longest time of a step, at most timeout_seconds; beyond it: BENCH_TIMEOUT
    double patience_seconds; // longest wall-clock time without a step; beyond it: BENCH_STARVED
};

// The two halves of sandbox_run: the caller may do something else between them. Each child that was started must be
// finished. Wall-clock times count from sandbox_finish on.
struct sandbox_child {
    int pid, pidfd;
};
bool sandbox_start(const struct sandbox_job *job, struct sandbox_child *child, struct fail *fail);
bool sandbox_finish(const struct sandbox_job *job, const struct sandbox_child *child, enum bench_outcome *outcome,
                    int *status, struct fail *fail);

// Runs a job. `outcome` is BENCH_OK where the body returned; `status` is then its result. Fails only where the child
// cannot be started or waited for.
bool sandbox_run(const struct sandbox_job *job, enum bench_outcome *outcome, int *status, struct fail *fail);

// Returns the outcome of a process that a body started and sealed, from its waitpid status and its note (may be null).
enum bench_outcome sandbox_outcome(int wait_status, const struct fault_note *note);

// The body calls this just before it runs foreign code. Installs the handler of faults, and forbids most system calls
// (syscall_filter.h). Where the kernel has no such filters, it closes the files instead. On failure returns false and
// sets errno: the body must not run foreign code.
bool sandbox_seal(struct sandbox *sandbox, struct code_room *room);

// What is wrong, for messages, where a child could not map code, with this errno.
const char *sandbox_map_error(int error);

#endif
