// Private to this folder.
// The CPU time that a program has taken, with all that it has started. Two runs of a program do the same after the same
// CPU time, also where one of them had to wait for its CPU.
#ifndef HOT_CPU_TIME_H
#define HOT_CPU_TIME_H

#include <sys/resource.h>
#include <sys/types.h>

// By an event of the kernel's. Where these are forbidden, by the process's own clock: of a program that runs it may be
// behind by a tick of the kernel, and it knows children only when they have ended.
struct cpu_time {
    pid_t pid;
    int event;      // -1: none
    double highest; // that was read
    int faults;     // event; -1: none
};

enum cpu_time_start {
    CPU_TIME_FROM_PROGRAM, // from the next program on that the process begins
    CPU_TIME_FROM_NOW,
};

void cpu_time_open(struct cpu_time *time, pid_t pid, enum cpu_time_start start);
double cpu_time_read(struct cpu_time *time); // s, never less than before
// Faults of pages that it has had meanwhile, where no disk is read. Each takes some of its CPU time.
double cpu_time_faults(const struct cpu_time *time);
void cpu_time_close(struct cpu_time *time);

// What a process takes to write to a page for the first time since it was forked, s: measured here.
double cpu_time_of_shared_page(void);

static inline double cpu_time_seconds(const struct timeval *time) {
    return (double)time->tv_sec + (double)time->tv_usec * 1e-6;
}
static inline double cpu_time_of(const struct rusage *usage) {
    return cpu_time_seconds(&usage->ru_utime) + cpu_time_seconds(&usage->ru_stime);
}

#endif
