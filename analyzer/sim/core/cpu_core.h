// The core that simulates a CPU file: out of order, with a front end, renaming, pipes, memory and finite windows, as
// far as the file has them. pipeline_options.plan is what it simulates. Stages of a cycle, back to front: retire and
// commit, execute, dispatch, deliver.
#ifndef ANALYZER_SIM_CORE_CPU_CORE_H
#define ANALYZER_SIM_CORE_CPU_CORE_H

#include "analyzer/sim/core.h"
#include "analyzer/sim/core/plan.h"

extern const struct core_ops cpu_core;

#endif
