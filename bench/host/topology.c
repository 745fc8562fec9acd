// Cores, threads and core types, through hwloc.
#include "bench/host/topology.h"

#include <errno.h>
#include <string.h>

bool host_topology_load(hwloc_topology_t *topology, struct fail *fail) {
    if (hwloc_topology_init(topology) != 0)
        return fail_set(fail, FAIL_WORK, "hwloc cannot start: %s", strerror(errno));
    if (hwloc_topology_load(*topology) == 0)
        return true;
    int error = errno;
    hwloc_topology_destroy(*topology);
    return fail_set(fail, FAIL_WORK, "hwloc cannot read this machine's topology: %s", strerror(error));
}

hwloc_bitmap_t host_topology_core(hwloc_topology_t topology, int cpu) {
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t core = unit ? hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit) : NULL;
    if (!core)
        core = unit;
    return core ? hwloc_bitmap_dup(core->cpuset) : hwloc_bitmap_alloc();
}

int host_topology_kind(hwloc_topology_t topology, int cpu) {
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_only(set, (unsigned)cpu);
    int kind = hwloc_cpukinds_get_by_cpuset(topology, set, 0);
    hwloc_bitmap_free(set);
    return kind;
}

// hwloc ranks the kinds of cores by the speeds that the system states.
const char *host_topology_type(hwloc_topology_t topology, int cpu) {
    int n_kinds = hwloc_cpukinds_get_nr(topology, 0), kind = host_topology_kind(topology, cpu), efficiency = -1;
    if (n_kinds < 2 || kind < 0)
        return NULL;
    if (hwloc_cpukinds_get_info(topology, (unsigned)kind, NULL, &efficiency, NULL, NULL, 0) != 0 || efficiency < 0)
        return "unknown";
    return kind == n_kinds - 1 ? "performance" : kind == 0 ? "efficiency" : "middle";
}

static void note_siblings(hwloc_topology_t topology, struct host *host) {
    hwloc_bitmap_t core = host_topology_core(topology, host->cpu);
    for (int cpu = hwloc_bitmap_first(core); cpu >= 0; cpu = hwloc_bitmap_next(core, cpu))
        if (cpu != host->cpu && host->n_siblings < HOST_MAX_SIBLINGS)
            host->siblings[host->n_siblings++] = cpu;
    hwloc_bitmap_free(core);
}

void host_read_topology(hwloc_topology_t topology, struct host *host) {
    int n_cpus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    int n_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    host->n_cpus = n_cpus > 0 ? (unsigned)n_cpus : 0;
    host->n_cores = n_cores > 0 ? (unsigned)n_cores : host->n_cpus;
    host->smt = host->n_cpus > host->n_cores;
    host->core_type = host_topology_type(topology, host->cpu);
    note_siblings(topology, host);
}
