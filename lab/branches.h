// Predicting code with branches inside: which instructions it executes is recorded from a run, and that run is what is
// simulated. Branches are thus taken as predicted perfectly.
#ifndef LAB_BRANCHES_H
#define LAB_BRANCHES_H

#include "analyzer/compare/prediction.h"
#include "analyzer/model/model.h"
#include "bench/bench.h"
#include "gen/program.h"

// What was recorded of a program; once, for all models.
struct followed {
    const uint32_t *offsets; // from the loop's start, of each instruction executed
    size_t n;
    double bodies;       // executions of the body in them
    double instructions; // in one of these; set by follow_predict
};

bool follow_record(struct arena *arena, const struct program *program, const struct bench_code *code,
                   struct followed *followed, struct fail *fail);

// What a run executed, by the indices of a block's instructions. One that repeats itself (x86: rep movsb) takes a step
// each time, and is one.
struct follow_order {
    const unsigned *insns;
    size_t n;
    uint32_t lost; // where that failed: the offset at which no instruction begins
};

// `first`: the offset of the block's first instruction. False where none begins at one of the offsets.
bool follow_order(struct arena *arena, const struct block *block, size_t first, const uint32_t *offsets,
                  size_t n_offsets, struct follow_order *order);

// Per execution of the body.
bool follow_predict(struct arena *arena, const struct model *model, const struct program *program,
                    struct followed *followed, struct prediction *prediction, struct fail *fail);

#endif
