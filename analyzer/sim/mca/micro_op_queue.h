// Private to this folder.
// A queue of decoded instructions before dispatch.
// Behaviour: llvm/lib/MCA/Stages/MicroOpQueueStage.cpp. Instructions enter and leave in the same cycle if they can.
#ifndef ANALYZER_SIM_MCA_MICRO_OP_QUEUE_H
#define ANALYZER_SIM_MCA_MICRO_OP_QUEUE_H

#include "analyzer/sim/mca/plan.h"

#include <stdint.h>

struct out_of_order;

// How many instructions are in it is core.n_queued; the oldest is the next to be dispatched.
struct micro_op_queue {
    unsigned size, used;   // entries; an instruction takes one per uop, at least one and at most all; size 0: no queue
    unsigned throughput;   // instructions that enter a cycle; 0: unlimited
    unsigned end_position; // in the block, of the next instruction to enter it
};

// Lets instructions enter, as many as fit in this cycle.
void micro_op_queue_fill(struct out_of_order *sim);
// The oldest leaves, to be dispatched.
void micro_op_queue_leave(struct out_of_order *sim);

#endif
