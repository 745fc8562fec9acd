// Whether perf has a core PMU here, and whether we may use it.
#include "base/file.h"
#include "bench/host/files.h"

#include <string.h>

// perf's names for PMUs of cores: cpu, cpu_core, cpu_atom (x86, POWER, …), armv8_pmuv3_0, armv8_cortex_a72,
// apple_firestorm_pmu. Others (msr, uncore_imc_0, arm_cmn_0, …) do not count cycles of a core.
bool host_is_core_pmu(const char *name) {
    return strcmp(name, "cpu") == 0 || strncmp(name, "cpu_", 4) == 0 || strncmp(name, "armv", 4) == 0 ||
           strncmp(name, "apple_", 6) == 0;
}

// Returns the core PMU of `cpu`; null: there is none. A PMU without a list of CPUs counts on all. `n_all`: number of
// core PMUs, those of other CPUs included.
static const char *find_pmu(struct arena *arena, int cpu, unsigned *n_all) {
    const char **names, *found = NULL;
    size_t n_names = file_list(arena, host_path(arena, "/sys/bus/event_source/devices"), "", &names);
    *n_all = 0;
    for (size_t i = 0; i < n_names; i++) {
        if (!host_is_core_pmu(names[i]))
            continue;
        ++*n_all;
        const char *cpus = host_line(arena, "/sys/bus/event_source/devices/%s/cpus", names[i]);
        if (!cpus || host_list_holds(cpus, cpu))
            found = names[i];
    }
    return found;
}

bool host_core_pmu(struct arena *arena, int cpu, struct host_core_pmu *pmu) {
    double type;
    unsigned n_all;
    const char *name = find_pmu(arena, cpu, &n_all);
    *pmu = (struct host_core_pmu){.name = name, .n_all = n_all};
    if (!pmu->name || !host_number(arena, &type, "/sys/bus/event_source/devices/%s/type", pmu->name))
        return false;
    pmu->type = (unsigned)type;
    return true;
}

void host_read_pmu(struct arena *arena, struct host *host) {
    unsigned n_all;
    double paranoid;
    host->perf_paranoid = -99;
    bool has_perf = host_number(arena, &paranoid, "/proc/sys/kernel/perf_event_paranoid");
    if (has_perf)
        host->perf_paranoid = (int)paranoid;
    host->has_pmu = find_pmu(arena, host->cpu, &n_all) != NULL;
    if (!has_perf)
        host->pmu_note = "this kernel is built without perf events";
    else if (!host->has_pmu && host->hypervisor)
        host->pmu_note = "the hypervisor gives this VM no virtual PMU";
    else if (!host->has_pmu)
        host->pmu_note = "no driver for this CPU's counters is loaded";
    else if (host->perf_paranoid > 2)
        host->pmu_note = "only root may count here: set kernel.perf_event_paranoid to 2 or less";
}
