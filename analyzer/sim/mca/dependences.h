// Private to this folder.
// What depends on what within a block that is repeated.
#ifndef ANALYZER_SIM_MCA_DEPENDENCES_H
#define ANALYZER_SIM_MCA_DEPENDENCES_H

#include "analyzer/sim/mca/plan.h"

// Finds each instruction's dependences, where they are known beforehand. Sets plan->is_fixed.
void plan_dependences(struct simulation_plan *plan, struct plan_insn *insns, struct stash *stash);

#endif
