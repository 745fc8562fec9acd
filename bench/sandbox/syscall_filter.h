// The filter of system calls in a child that runs foreign code. It allows what the rounds need, and nothing from within
// the code under test. libseccomp cannot do the latter: its rules do not see where a call comes from.
#ifndef BENCH_SANDBOX_SYSCALL_FILTER_H
#define BENCH_SANDBOX_SYSCALL_FILTER_H

#include "bench/sandbox/code_memory.h"

#include <stdbool.h>

// Installs the filter for this thread and all that it starts. A forbidden call ends the process with SIGSYS. Makes
// system calls only.
//  - `region`: memory of the code under test
//  - `memory_file`: file that may still be mapped at free addresses (demand_memory.h); -1: no mapping is allowed
// Returns false and sets errno where the kernel has no such filters, as under qemu-user, or refuses this one.
bool syscall_filter_install(struct code_region region, int memory_file);

// Whether this kernel has such filters. False only where the kernel reports that. Makes system calls only.
bool syscall_filter_exists(void);

#endif
