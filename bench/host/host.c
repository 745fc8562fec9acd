#include "bench/host/host.h"

#include "base/text.h"
#include "bench/host/choose.h"
#include "bench/host/files.h"
#include "bench/host/topology.h"

bool host_read(struct arena *arena, const struct host_request *request, struct host *host, struct fail *fail) {
    *host = (struct host){.cpu = -1};
    hwloc_topology_t topology;
    if (!host_topology_load(&topology, fail))
        return false;
    bool is_chosen = host_choose_by_request(arena, topology, request, &host->cpu, fail);
    if (is_chosen)
        host_read_topology(topology, host);
    hwloc_topology_destroy(topology);
    if (!is_chosen)
        return false;
    host->governor = host_line(arena, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", host->cpu);
    if (!host_read_cpuinfo(arena, host, fail))
        return false;
    host->kernel = host_line(arena, "/proc/sys/kernel/osrelease");
    host_read_hypervisor(arena, host);
    host_read_frequency(arena, host);
    host_read_pmu(arena, host);
    host_read_identity(arena, host);
    return true;
}

const char *host_summary(struct arena *arena, const struct host *host, const char *cpu_model) {
    struct text text = {.arena = arena};
    text_add(&text, host->cpu_name);
    if (cpu_model)
        text_addf(&text, " (%s)", cpu_model);
    if (host->core_type)
        text_addf(&text, ", %s core", host->core_type);
    if (host->hypervisor)
        text_add(&text, ", VM");
    text_add(&text, host->has_pmu ? ", hardware counters" : ", no hardware counters");
    return text.data;
}
