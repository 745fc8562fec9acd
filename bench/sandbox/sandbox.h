// Runs a function in a child process of its own and says how the child ended. The child cannot outlive its time,
// its parent, or this call. Nothing comes back but the exit status and what the function wrote to shared memory.
// What is guaranteed against foreign code, and what is not: docs/sandbox.md.
#ifndef BENCH_SANDBOX_SANDBOX_H
#define BENCH_SANDBOX_SANDBOX_H

#include "base/fail.h"
#include "bench/bench.h"
#include "bench/sandbox/code_room.h"

#include <stdbool.h>

// What the child runs on.
struct sandbox {
    struct fault_watch watch; // all but the code's place
};

// Runs in the child, on a stack of its own between two guard pages. After fork: it must not allocate, use stdio, or
// take a lock. Its result, 0 to 255, is the child's exit status.
typedef int (*sandbox_body)(struct sandbox *sandbox, void *context);

// What is to run, and for how long. What is pointed to lies in memory shared with children.
struct sandbox_job {
    sandbox_body body;
    void *context;
    struct fault_note *note; // null: nothing foreign runs
    bool is_in_nursery;      // all that the body looks at lies in memory from nursery_alloc
    double timeout_seconds;
    // Null; or the body counts it up, each time within about `step_seconds`: else that is a time-out as well. Then all
    // times are of computing, as a child may have to wait for a CPU that others want; but with no step in
    // `patience_seconds` it is BENCH_STARVED.
    const volatile unsigned *n_steps;
    double step_seconds; // at most timeout_seconds
    double patience_seconds;
};

// The same as sandbox_run in two steps: between them, the caller may do something else. Each child that was started
// must be finished; its time counts from then on.
struct sandbox_child {
    int pid, pidfd;
};
bool sandbox_start(const struct sandbox_job *job, struct sandbox_child *child, struct fail *fail);
bool sandbox_finish(const struct sandbox_job *job, const struct sandbox_child *child, enum bench_outcome *outcome,
                    int *status, struct fail *fail);

// `outcome` is BENCH_OK if the body returned, and then `status` holds its result. False only when there could be no
// child.
bool sandbox_run(const struct sandbox_job *job, enum bench_outcome *outcome, int *status, struct fail *fail);

// What a waitpid status says of a process that a body started and sealed.
enum bench_outcome sandbox_outcome(int wait_status, const struct fault_note *note);

// For the body, just before it runs foreign code: from now on faults are told apart and answered, and system calls
// forbidden but for a few (syscall_filter.h; not where the kernel has no filters). False: errno says why, and nothing
// may be run.
bool sandbox_seal(struct sandbox *sandbox, struct code_room *room);

#endif
