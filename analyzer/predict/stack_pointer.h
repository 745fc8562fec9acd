// Where the stack pointer is after a block.
#ifndef ANALYZER_PREDICT_STACK_POINTER_H
#define ANALYZER_PREDICT_STACK_POINTER_H

#include "analyzer/code/block.h"
#include "analyzer/cpu/cpu.h"
#include "base/arena.h"

// Whether it is where it was before, as far as the values of registers are followed: push and pop, and add, sub, lea,
// mov and leave of it, may cancel each other. The block is described by the CPU's base.
bool stack_pointer_returns(struct arena *arena, const struct cpu *cpu, const struct block *block);

#endif
