// The choice of the CPU to measure on.
#ifndef BENCH_HOST_CHOOSE_H
#define BENCH_HOST_CHOOSE_H

#include "bench/host/host.h"

struct hwloc_topology;

// The CPU that is wished for, or the best of those that fit the wish; choose.c says which that is.
bool host_choose_by_wish(struct arena *arena, struct hwloc_topology *topology, const struct host_wish *wish, int *cpu,
                         struct fail *fail);

// `wanted` itself, or, if that is -1, a quiet CPU.
bool host_choose_cpu(struct arena *arena, int wanted, int *cpu, struct fail *fail);

#endif
