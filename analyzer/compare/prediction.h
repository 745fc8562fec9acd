// What a model says of a block: simulated cycles per iteration in the steady state, and what limits them.
#ifndef ANALYZER_COMPARE_PREDICTION_H
#define ANALYZER_COMPARE_PREDICTION_H

#include "analyzer/model/insn.h"
#include "analyzer/model/machine.h"
#include "analyzer/pipeline/pipeline.h"
#include "base/arena.h"
#include "base/fail.h"

#include <stdint.h>

enum bottleneck { BOTTLENECK_RESOURCE, BOTTLENECK_DISPATCH, BOTTLENECK_DEPENDENCY, BOTTLENECK_UNKNOWN };

struct prediction {
    const char *model;        // the machine's id, "llvm-19/znver4"
    double cycles;            // per iteration of the block, in steady state
    double ipc;               // instructions per cycle, in steady state
    double uops;              // per iteration
    double *pressure;         // cycles per iteration on each of the machine's resources, by index
    double block_rthroughput; // llvm-mca's closed form: widest of dispatch and resources
    enum bottleneck kind;
    unsigned resource;      // index, where the kind is BOTTLENECK_RESOURCE
    unsigned holds_cycles;  // how long the worst instruction holds it
    const char *bottleneck; // for people and files: "Zn4FP01", "dispatch width", "dependency chain"
};

// Simulates `block` until its time per iteration is steady.
bool prediction_make(struct arena *arena, const struct machine *machine, const struct block *block,
                     struct prediction *prediction, struct fail *fail);

#endif
