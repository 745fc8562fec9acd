// Private to this folder.
// The machine as a runner sees it, without hwloc: names, kernel, hypervisor, frequency, PMU, numbers of CPUs and cores.
// Does not find siblings or quiet CPUs.
#ifndef RUNNER_OWN_HOST_H
#define RUNNER_OWN_HOST_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/host/host.h"

bool runner_read_host(struct arena *arena, int cpu, struct host *host, struct fail *fail);

#endif
