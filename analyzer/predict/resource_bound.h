// The resource bound of a block: cycles per iteration that no schedule can beat, because the instructions that must go
// to some set of pipes keep it busy that long. Sets tried are the machine's resources and groups (Hall's theorem says
// the right set is among unions of what instructions name; a model's groups are such unions).
#ifndef ANALYZER_PREDICT_RESOURCE_BOUND_H
#define ANALYZER_PREDICT_RESOURCE_BOUND_H

#include "analyzer/code/execution.h"
#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"

struct resource_bound {
    double cycles;         // per iteration of the block; 0: no resource is used
    unsigned resource;     // index of the one that sets it; where several do, of the fewest pipes
    unsigned holds_cycles; // the longest that one instruction holds it
};

struct resource_bound resource_bound_of(const struct machine *machine, const struct execution *execution);

#endif
