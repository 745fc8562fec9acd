// A plan's programs, and the clock's, through the assembler at once. What it refuses of some costs those alone.
#ifndef CLI_PLAN_ASSEMBLE_H
#define CLI_PLAN_ASSEMBLE_H

#include "cli/chains.h"
#include "cli/experiment.h"

// Reports every mistake, takes the experiments that have one out of the plan, and makes `status` FAIL_INPUT. False
// where nothing is left to measure, or the mistake is in the clock's programs or in what runs beside all.
bool plan_assemble(struct arena *arena, struct program *const chains[N_CHAINS], struct plan *plan, int *status,
                   struct fail *fail);

#endif
