// Private to this folder.
// Two ways to sample a process: the kernel's events (perf_event_open), and a timer with ptrace, which works where
// events are forbidden. Both see user code alone.
#ifndef HOT_SAMPLER_H
#define HOT_SAMPLER_H

#include "hot/course.h"
#include "hot/cpu_time.h"
#include "hot/spaces.h"

struct sampler {
    struct spaces *spaces;
    double hertz;
    int pid;
    bool is_ours;              // a child that waits, and is about to start the program; else a process that runs
    struct cpu_time *cpu_time; // of the process, by which samples are timed
    struct course faults;      // of its pages, by that time
    void *state;               // of the way that is open
};

// Open: false where this way is not possible here. `why`: a clause.
// Run: samples until the child has ended, whose status and rusage are set, or until the time is over.
// Close: the process goes on. Called only where it was opened.
bool sampler_events_open(struct sampler *sampler, const char **why);
bool sampler_ptrace_open(struct sampler *sampler, const char **why);
struct sampler_end {
    int status;
    struct rusage usage;
    bool has_ended;
};
void sampler_events_run(struct sampler *sampler, double seconds, struct sampler_end *end);
void sampler_ptrace_run(struct sampler *sampler, double seconds, struct sampler_end *end);
void sampler_events_close(struct sampler *sampler);
void sampler_ptrace_close(struct sampler *sampler);

#endif
