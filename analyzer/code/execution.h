// What ran: a block, the order in which its instructions ran, the way of each branch and, where a run recorded them,
// the addresses of its memory accesses. What simulates or bounds code takes an execution, and repeats it without end.
// Knows no time.
#ifndef ANALYZER_CODE_EXECUTION_H
#define ANALYZER_CODE_EXECUTION_H

#include "analyzer/code/block.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// One access to memory of one step.
struct memory_access {
    uint64_t address; // of its first byte, where it is known
    uint16_t bytes;   // 0: unknown
    bool is_store;    // false: a load. What updates memory has an access of each kind
    bool is_known;    // false: it took place, at an address that was not recorded
};

// One instruction that ran.
struct execution_step {
    unsigned insn;        // index in the block
    bool is_taken;        // a branch, call or return that went elsewhere than to the instruction behind it
    bool is_mispredicted; // a branch, call or return that went where it was not expected to
    bool has_accesses;    // its accesses were recorded: all that it has are listed. False: nothing is known of them
    unsigned char n_accesses;
    const struct memory_access *accesses; // in the order of the instruction's operands; loads first
};

struct execution {
    const struct block *block;
    // In the order in which they ran, over all passes. Null: a straight execution, each instruction of the block once
    // and in its order, of whose accesses nothing is known. A branch at its end leads back to its start.
    const struct execution_step *steps;
    unsigned n_steps;  // 0 where straight
    unsigned n_passes; // executions of the block that the steps are; 0: one
};

// The straight execution of a block; lives as long as a local variable there.
#define EXECUTION_OF(block_) (&(const struct execution){.block = (block_)})

static inline unsigned execution_length(const struct execution *execution) {
    return execution->steps != NULL ? execution->n_steps : execution->block->n_insns;
}

static inline unsigned execution_passes(const struct execution *execution) {
    return execution->n_passes != 0 ? execution->n_passes : 1;
}

// The instruction of step `i`.
static inline const struct insn *execution_insn(const struct execution *execution, unsigned i) {
    return &execution->block->insns[execution->steps != NULL ? execution->steps[i].insn : i];
}

// Whether an instruction was a taken branch, call or return. `came_behind`: the next step is of the instruction behind
// it; so a conditional branch to there counts as not taken, and a call that was stepped over as taken.
bool execution_is_way_taken(const struct insn *insn, bool came_behind);

// Step `i`, also of a straight execution.
struct execution_step execution_step_at(const struct execution *execution, unsigned i);

// Returns a block of the instructions in the order in which they ran, for reports: instruction i is that of step i, and
// branches have no labels. The block itself, where the execution is straight; else a copy.
struct block execution_lay_out(struct arena *arena, const struct execution *execution);

#endif
