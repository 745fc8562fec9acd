// The choice of the CPU to measure on.
#ifndef BENCH_HOST_CHOOSE_H
#define BENCH_HOST_CHOOSE_H

#include "bench/host/host.h"

struct hwloc_topology;

// Sets `cpu` to the requested CPU, or to the best one of the requested type; judge_cpu in choose.c defines the best.
// Fails where this process may use no such CPU (FAIL_INPUT, FAIL_UNAVAILABLE).
bool host_choose_by_request(struct arena *arena, struct hwloc_topology *topology, const struct host_request *request,
                            int *cpu, struct fail *fail);

// Sets `cpu` to `wanted`, unchecked; where that is -1, to a quiet CPU. Fails where the topology cannot be read.
bool host_choose_cpu(struct arena *arena, int wanted, int *cpu, struct fail *fail);

#endif
