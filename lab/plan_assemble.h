// Assembles a plan's programs, and the clock's, in one call of the assembler. A bad program does not stop the others.
#ifndef LAB_PLAN_ASSEMBLE_H
#define LAB_PLAN_ASSEMBLE_H

#include "lab/chains.h"
#include "lab/experiment.h"

// Takes experiments with a mistake out of the plan, and adds the mistake to its `refused`. False where nothing is left
// to measure, or where the mistake is in the clock's programs or in the co-runner.
bool plan_assemble(struct arena *arena, struct program *const chains[N_CHAINS], struct plan *plan, struct fail *fail);

#endif
