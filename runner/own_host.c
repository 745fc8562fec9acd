#include "runner/own_host.h"

#include "bench/counters/event_name.h"
#include "bench/host/choose.h"
#include "bench/host/files.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

// Counts CPUs and cores without hwloc: a core counts at the first of its threads.
static void count_cores(struct arena *arena, struct host *host) {
    long n_cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < n_cpus; cpu++) {
        double first;
        if (!host_number(arena, &first, "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu))
            continue; // offline or unknown
        const char *threads = host_line(arena, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
        host->n_cpus++;
        host->n_cores += !threads || atoi(threads) == cpu;
    }
    if (host->n_cpus == 0)
        host->n_cpus = host->n_cores = n_cpus > 0 ? (unsigned)n_cpus : 1;
    host->smt = host->n_cpus > host->n_cores;
}

bool runner_read_host(struct arena *arena, int cpu, struct host *host, struct fail *fail) {
    *host = (struct host){.cpu = cpu};
    struct fail no_proc = {0};
    if (!host_choose_cpu(arena, cpu, &host->cpu, fail))
        return false;
    if (!host_read_cpuinfo(arena, host, &no_proc)) {
        static const char *const none[] = {NULL};
        host->cpu_name = host->vendor = "unknown (no /proc here)";
        host->flags = none;
    }
    struct utsname system;
    if (uname(&system) == 0)
        host->kernel = arena_strdup(arena, system.release);
    count_cores(arena, host);
    host_read_hypervisor(arena, host);
    host_read_frequency(arena, host);
    host_read_pmu(arena, host);
    host_read_identity(arena, host);
    return true;
}

// Returns how fast a core is, relative to the others: its capacity by the kernel (Arm, RISC-V), or its highest
// frequency. 0: unknown.
static double strength(struct arena *arena, int cpu) {
    double number = 0;
    if (!host_number(arena, &number, "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu))
        host_number(arena, &number, "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq", cpu);
    return number;
}

// Chooses without hwloc: the last one of the fastest CPUs that this process may use. CPU 0 has most of the system's
// work.
bool host_choose_cpu(struct arena *arena, int wanted, int *cpu, struct fail *fail) {
    double best = 0;
    cpu_set_t set;
    CPU_ZERO(&set);
    *cpu = wanted;
    if (wanted >= 0)
        return true; // pinning fails where it does not exist
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot find out which CPUs there are; choose one with --cpu");
    for (int i = 0; i < CPU_SETSIZE; i++) {
        double now = CPU_ISSET((unsigned)i, &set) ? strength(arena, i) : -1;
        if (now < best)
            continue;
        best = now;
        *cpu = i;
    }
    return true;
}

// Always fails: a static program cannot load libpfm4.
bool event_encode_by_library(struct arena *arena, const char *name, unsigned pmu_type,
                             struct perf_event_attr *attributes, const char **why) {
    (void)arena;
    (void)name;
    (void)pmu_type;
    (void)attributes;
    *why = "a runner knows only the events that the kernel lists; give the raw number";
    return false;
}
