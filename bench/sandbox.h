// Runs a function in a child process of its own and says how the child ended. The child cannot outlive its time,
// its parent, or this call. Nothing comes back but the exit status and what the function wrote to shared memory.
#ifndef BENCH_SANDBOX_H
#define BENCH_SANDBOX_H

#include "base/fail.h"
#include "bench/bench.h"

#include <stdbool.h>

// `body` runs after fork: it must not allocate, use stdio, or take a lock. Its result, 0 to 255, is the child's exit
// status. `outcome` is BENCH_OK if body returned, and then `status` holds its result.
// False only when there could be no child.
bool sandbox_run(int (*body)(void *context), void *context, double timeout_seconds, enum bench_outcome *outcome,
                 int *status, struct fail *fail);

#endif
