// A plan's programs, and the clock's, through the assembler at once. What it refuses of some costs those alone.
#ifndef LAB_PLAN_ASSEMBLE_H
#define LAB_PLAN_ASSEMBLE_H

#include "lab/chains.h"
#include "lab/experiment.h"

// Takes the experiments that have a mistake out of the plan, which then has the mistake among those refused. False
// where nothing is left to measure, or the mistake is in the clock's programs or in what runs beside all.
bool plan_assemble(struct arena *arena, struct program *const chains[N_CHAINS], struct plan *plan, struct fail *fail);

#endif
