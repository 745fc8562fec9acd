// Private to blocks/ and hot/.
// Where one step of a recorded run accessed memory, by the registers before it. x86-64 only.
#ifndef BLOCKS_ACCESSES_H
#define BLOCKS_ACCESSES_H

#include "analyzer/code/execution.h"
#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "bench/sandbox/steps.h"

// Lists the accesses of a step, unless it is one of those of which LLVM says too little: string instructions. `insn`:
// described with its address; `machine`: for the names of its registers. Known are explicit operands of general
// registers, pushes, pops, calls and returns. Not known are the addresses of gathers and of what takes an absolute
// address of 64 bits. An access that a mask suppresses is listed as if it took place.
void accesses_find(struct arena *arena, const struct machine *machine, const struct insn *insn,
                   const struct step_registers *registers, struct execution_step *step);

#endif
