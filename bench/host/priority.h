// The CPU and the scheduling class of the process that measures: nobody else should get the CPU during a sample.
#ifndef BENCH_HOST_PRIORITY_H
#define BENCH_HOST_PRIORITY_H

#include <stdbool.h>

// Binds the calling thread to a CPU. On failure returns false and sets errno.
bool host_pin(int cpu);

// Best last.
enum host_priority {
    HOST_PRIORITY_NORMAL, // no higher one is allowed here
    HOST_PRIORITY_NICE,   // nice -20: few interruptions
    HOST_PRIORITY_FIFO,   // SCHED_FIFO, lowest real-time priority: no interruption by ordinary processes
};
const char *host_priority_name(enum host_priority priority); // "normal", "nice -20", "SCHED_FIFO"

// Raises the calling process as far as it is allowed to, and returns the priority reached. Makes system calls only, so
// it may follow a fork. A real-time process that never blocks can lock up its CPU: after `limit_seconds` of computing
// the process gets SIGXCPU, and SIGKILL a second later (RLIMIT_RTTIME). Its children start as normal processes.
enum host_priority host_priority_raise(double limit_seconds);

// Returns what host_priority_raise would return here. Tries it in a process that ends at once.
enum host_priority host_priority_try(void);

#endif
