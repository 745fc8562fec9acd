// The CPU of the process that measures, and its scheduling class: nobody else should get the CPU in the middle of a
// sample.
#ifndef BENCH_HOST_PRIORITY_H
#define BENCH_HOST_PRIORITY_H

#include <stdbool.h>

// Binds the calling thread to a CPU; false: errno says why not.
bool host_pin(int cpu);

// Best last.
enum host_priority {
    HOST_PRIORITY_NORMAL, // nothing is allowed here
    HOST_PRIORITY_NICE,   // nice -20: few interruptions
    HOST_PRIORITY_FIFO,   // SCHED_FIFO, lowest real-time priority: none by ordinary processes
};
const char *host_priority_name(enum host_priority priority); // "normal", "nice -20", "SCHED_FIFO"

// Raises the calling process as far as is allowed, and says how far that was. Only system calls, so it may follow a
// fork. A real-time process that never blocks can lock up its CPU: after `limit_seconds` of computing it gets
// SIGXCPU and then SIGKILL (RLIMIT_RTTIME), whoever else still runs. Its own children start as normal processes.
enum host_priority host_priority_raise(double limit_seconds);

// What host_priority_raise would give here: tried in a process that ends at once.
enum host_priority host_priority_try(void);

#endif
