// Private to this folder.
// The machine as far as a runner looks: its name and its kernel. What the whole program finds out with hwloc (cores,
// siblings, quiet CPUs) is not known here.
#ifndef RUNNER_OWN_HOST_H
#define RUNNER_OWN_HOST_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/host/host.h"

bool runner_read_host(struct arena *arena, int cpu, struct host *host, struct fail *fail);

#endif
