// Private to this folder.
// The machine's topology by hwloc, for the files that read the host. hwloc's own variables (HWLOC_XMLFILE,
// HWLOC_FSROOT) show it another machine.
#ifndef BENCH_HOST_TOPOLOGY_H
#define BENCH_HOST_TOPOLOGY_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/host/host.h"

#include <hwloc.h>
#include <stdbool.h>

// To be destroyed by hwloc_topology_destroy.
bool host_topology_load(hwloc_topology_t *topology, struct fail *fail);

// The CPUs that share a core with `cpu`, itself included; to be released.
hwloc_bitmap_t host_topology_core(hwloc_topology_t topology, int cpu);

// hwloc's number of the kind of core, 0 the slowest; -1: unknown, or all are the same.
int host_topology_kind(hwloc_topology_t topology, int cpu);
// "performance", "middle", "efficiency", or "unknown" where the kinds have no order; null: all cores are the same.
const char *host_topology_type(hwloc_topology_t topology, int cpu);

// Fills what it says of the machine and of host->cpu, which is chosen already.
void host_read_topology(hwloc_topology_t topology, struct host *host);

#endif
