// A process, the nursery, that starts the children of sandboxes. The cost of a fork grows with the memory of the
// process that forks. The nursery is forked early and stays small. Without it (not opened, or a kernel without clone3),
// sandboxes fork this process: slower, but otherwise the same.
//
// A child of the nursery does not see what this process has done since nursery_open: its body may only read memory from
// nursery_alloc.
#ifndef BENCH_SANDBOX_NURSERY_H
#define BENCH_SANDBOX_NURSERY_H

#include "bench/bench.h"

#include <stddef.h>
#include <sys/types.h>

// Starts the nursery; call it early in the program. It may fail: then children are forked from this process.
void nursery_open(void);
void nursery_close(void);

// Allocates memory that this process shares with its children; null without memory. It is not zeroed. The nursery's
// children see it as long as its 64 MiB suffice. nursery_free_all frees all of it at once.
void *nursery_alloc(size_t n_bytes);
void nursery_free_all(void);

// Returns a copy of the code in that memory; null without memory.
const struct bench_code *nursery_copy_code(const struct bench_code *code);

// Starts a child of this process, which calls `run` with a copy of the argument and ends. All signals are blocked, with
// default handlers. `argument_bytes`: size of the argument, at most NURSERY_MOST_ARGUMENT. Returns the child's id, and
// sets `pidfd`. Returns -1 where there is no nursery, it cannot start a child, or it does not see all allocated memory.
enum { NURSERY_MOST_ARGUMENT = 256 };
pid_t nursery_start(void (*run)(void *argument), const void *argument, size_t argument_bytes, int *pidfd);

#endif
