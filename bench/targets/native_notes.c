#include "bench/targets/native_notes.h"

#include "bench/host/timer.h"

#include <sched.h>
#include <time.h>

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void native_notes_take(struct native_notes *notes) {
    getrusage(RUSAGE_THREAD, &notes->usage);
    notes->cpu = sched_getcpu();
    notes->not_running_ns = (int64_t)timer_clock_ns() - clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

// Least time that counts as stolen. The thread's CPU time excludes the time of other threads and, where the kernel
// knows it (CONFIG_PARAVIRT_TIME_ACCOUNTING), of the hypervisor's other guests. The two clocks are read one after the
// other, so their difference is exact to a µs only.
static const int64_t least_stolen_ns = 2000;

void native_notes_compare(const struct native_notes *before, const struct native_notes *after,
                          struct target_round *round) {
    int64_t stolen_ns = after->not_running_ns - before->not_running_ns;
    const struct rusage *used_before = &before->usage, *used_after = &after->usage;
    round->migrations = before->cpu != after->cpu;
    round->switches =
        (unsigned)(used_after->ru_nvcsw - used_before->ru_nvcsw + used_after->ru_nivcsw - used_before->ru_nivcsw);
    round->faults =
        (unsigned)(used_after->ru_minflt - used_before->ru_minflt + used_after->ru_majflt - used_before->ru_majflt);
    round->stolen_ns = stolen_ns > least_stolen_ns ? (uint64_t)stolen_ns : 0;
}
