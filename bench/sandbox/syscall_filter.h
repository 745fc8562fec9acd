// What a child that runs foreign code may still ask of the kernel: what the rounds need, and none of it from within
// the code under test. The second half is why this is not made with libseccomp: its rules cannot look at where the call
// comes from, so that even an exit would have to be allowed to everybody.
#ifndef BENCH_SANDBOX_SYSCALL_FILTER_H
#define BENCH_SANDBOX_SYSCALL_FILTER_H

#include "bench/sandbox/code_memory.h"

#include <stdbool.h>

// From here on this thread, and all it may ever start, lives by the filter; a forbidden call ends the process with
// SIGSYS. `region`: where the code under test lies. `memory_file`: of which memory may still be mapped, where nothing
// is yet (demand_memory.h); -1: none may. Makes system calls only. False, with errno, where the kernel has no such
// filters, as under qemu-user, or refuses this one.
bool syscall_filter_install(struct code_region region, int memory_file);

// Whether this kernel has such filters: only where it says that it has none, there are none. Makes system calls only.
bool syscall_filter_exists(void);

#endif
