// Closed forms of reciprocal throughput: cycles per instruction, or per iteration of a block, when nothing is waited
// for but pipes.
//
// For one instruction, over and over: whatever gap the pipes' different timing leaves, it shrinks until the longest
// segment [acquire, release) follows itself without one. So the reciprocal throughput is the longest segment, divided
// by the number of equal pipes. (M. Hsu, "Calculate Throughput with LLVM's Scheduling Model", 2025, derives it.) With
// groups, any union of the instruction's resources bounds it: what must go to these pipes, divided by their number.
#ifndef ANALYZER_PREDICT_RTHROUGHPUT_H
#define ANALYZER_PREDICT_RTHROUGHPUT_H

#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"

struct rthroughput {
    double cycles;     // per instruction; 0: it uses no resource
    unsigned resource; // index of the resource that sets it (one of the union, if it is a union); 0: none
};

// Dispatch is left out: an instruction without resources has the bound 0.
struct rthroughput insn_rthroughput(const struct machine *machine, const struct insn *insn);

// llvm-mca's "Block RThroughput" (mca::computeBlockRThroughput): the largest of uops / dispatch width and, per
// resource, the cycles it is asked for by name / its units. Acquire cycles are not counted. Not a lower bound for
// blocks with overlapping groups; see resource_bound.h. `dispatch_width`: 0 for the machine's.
double block_rthroughput(const struct machine *machine, const struct block *block, unsigned dispatch_width);

#endif
