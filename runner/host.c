#include "runner/host.h"

#include "bench/event_name.h"
#include "bench/host_files.h"

#include <sched.h>

bool runner_read_host(struct arena *arena, int cpu, struct host *host, struct fail *fail) {
    *host = (struct host){.cpu = cpu};
    if (!host_choose_cpu(arena, cpu, &host->cpu, fail) || !host_read_cpuinfo(arena, host, fail))
        return false;
    host->kernel = host_line(arena, "/proc/sys/kernel/osrelease");
    host_read_hypervisor(arena, host);
    host_read_pmu(arena, host);
    return true;
}

// In the place of hwloc's choice: the last CPU this process may use. CPU 0 has most of the system's own work.
bool host_choose_cpu(struct arena *arena, int wanted, int *cpu, struct fail *fail) {
    (void)arena;
    cpu_set_t set;
    CPU_ZERO(&set);
    *cpu = wanted;
    if (wanted >= 0)
        return true; // pinning tells whether it exists
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot find out which CPUs there are; choose one");
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((unsigned)i, &set))
            *cpu = i;
    return true;
}

// A static program cannot load libpfm4.
bool event_encode_by_library(struct arena *arena, const char *name, unsigned pmu_type,
                             struct perf_event_attr *attributes, const char **why) {
    (void)arena;
    (void)name;
    (void)pmu_type;
    (void)attributes;
    *why = "a runner knows no names of events but those that the kernel lists; give its raw number";
    return false;
}
