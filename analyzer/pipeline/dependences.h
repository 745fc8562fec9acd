// Private to this folder.
// What depends on what within a block that is repeated. Private to the pipeline.
#ifndef ANALYZER_PIPELINE_DEPENDENCES_H
#define ANALYZER_PIPELINE_DEPENDENCES_H

#include "analyzer/pipeline/plan.h"

// Finds each instruction's dependences, where they are known beforehand. Sets plan->is_fixed.
void plan_dependences(struct simulation_plan *plan, struct plan_insn *insns, struct stash *stash);

#endif
