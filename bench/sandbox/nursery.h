// A process that starts the children of sandboxes. What a fork costs grows with the memory of the one who forks, and
// this process is forked while there is little, and stays small. Where there is none (it was not opened, or the kernel
// knows no clone3), children are forked the plain way, which is slower and else the same.
//
// A child of the nursery knows nothing of what this process has done since: all that its body looks at must lie in
// memory from nursery_alloc.
#ifndef BENCH_SANDBOX_NURSERY_H
#define BENCH_SANDBOX_NURSERY_H

#include "bench/bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Early in the program. Not opening it is no failure.
void nursery_open(void);
void nursery_close(void);

// Memory that this process and its children share, from the nursery's where that has room; null without memory. What it
// holds is left over from before. All of it is given back at once.
void *nursery_alloc(size_t n_bytes);
void nursery_free_all(void);

// A copy in that memory; null without memory.
const struct bench_code *nursery_copy_code(const struct bench_code *code);

// Starts a child that calls `run` with that argument, with default handlers of signals, all of them blocked, and ends.
// It is a child of this process. `argument_bytes`: its size, at most NURSERY_MOST_ARGUMENT; it is copied. -1: the
// nursery cannot, or what was allocated is not all its own.
enum { NURSERY_MOST_ARGUMENT = 256 };
pid_t nursery_start(void (*run)(void *argument), const void *argument, size_t argument_bytes, int *pidfd);

#endif
