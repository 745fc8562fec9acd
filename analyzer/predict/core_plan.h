// What the core of a CPU file simulates of a block: its recipes, what its accesses meet, and what the front end
// delivers, by the very rules of the bounds.
#ifndef ANALYZER_PREDICT_CORE_PLAN_H
#define ANALYZER_PREDICT_CORE_PLAN_H

#include "analyzer/predict/bounds.h"
#include "analyzer/sim/core/plan.h"

// Also finds the bounds. Lives as long as the arena. Null and a failure where the block is empty, or the CPU lacks what
// an instruction needs.
struct core_plan *core_plan_find(struct arena *arena, const struct bounds_request *request, struct bounds *bounds,
                                 struct fail *fail);

// Cycles of an iteration in the steady state, with what `relaxed` has taken out of the way (bits of cpu_core's knobs).
bool core_cycles_find(const struct bounds_request *request, unsigned relaxed, double *cycles, struct fail *fail);

#endif
