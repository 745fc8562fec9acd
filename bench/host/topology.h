// Private to this folder.
// The machine's topology by hwloc, for the files that read the host. hwloc's variables HWLOC_XMLFILE and HWLOC_FSROOT
// replace the machine.
#ifndef BENCH_HOST_TOPOLOGY_H
#define BENCH_HOST_TOPOLOGY_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/host/host.h"

#include <hwloc.h>
#include <stdbool.h>

// Loads the topology, which the caller ends with hwloc_topology_destroy. Fails where hwloc cannot read it.
bool host_topology_load(hwloc_topology_t *topology, struct fail *fail);

// Returns the CPUs of the core of `cpu`, itself included; empty: unknown. The caller frees it with hwloc_bitmap_free.
hwloc_bitmap_t host_topology_core(hwloc_topology_t topology, int cpu);

// Returns hwloc's number of the kind of core, 0 the slowest; -1: unknown, or all are the same.
int host_topology_kind(hwloc_topology_t topology, int cpu);
// Returns "performance", "middle", "efficiency", or "unknown" where the kinds have no order; null: all cores are the
// same, or the kind of `cpu` is unknown.
const char *host_topology_type(hwloc_topology_t topology, int cpu);

// Fills the fields of `host` on CPUs, cores and threads. host->cpu must be chosen before.
void host_read_topology(hwloc_topology_t topology, struct host *host);

#endif
