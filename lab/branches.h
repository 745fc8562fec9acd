// Predicts code with branches inside: records which instructions a run executes, and simulates that run. All branches
// count as predicted rightly.
#ifndef LAB_BRANCHES_H
#define LAB_BRANCHES_H

#include "analyzer/model/model.h"
#include "analyzer/predict/prediction.h"
#include "bench/bench.h"
#include "gen/program.h"

// The recorded run of a program; the same for all models.
struct followed {
    // Offset of each executed instruction from the loop's start, bytes; of functions that it calls, modulo 2^32.
    const uint32_t *offsets;
    size_t n;
    double bodies;           // executions of the body in the run
    double instructions;     // instructions of one body; set by follow_predict, as are the next ones
    unsigned n_ran, n_insns; // instructions of the block that ran at all, and all; without those that do nothing
    bool has_idle_loop;      // a loop inside did not run
    size_t idle_loop;        // offset of its first instruction in the block, bytes
    double longest_loop;     // turns at a time of the loop inside that makes most, on average; 0: none turns
};

bool follow_record(struct arena *arena, const struct program *program, const struct bench_code *code,
                   struct followed *followed, struct fail *fail);

// Instructions outside of the block, in functions that it calls.
struct follow_outside {
    const uint32_t *offsets; // in ascending order
    size_t n;
};

// Order of execution. An instruction that repeats itself (x86: rep movsb) is recorded at each step, and counts once.
struct follow_order {
    const unsigned *insns; // indices of the block's instructions; behind them those outside
    size_t n;
    uint32_t lost; // on failure: the offset at which no instruction begins, bytes
};

// `first`: the offset of the block's first instruction; `outside`: null: none ran there. False where none begins at one
// of the offsets.
bool follow_order(struct arena *arena, const struct block *block, size_t first, const struct follow_outside *outside,
                  const uint32_t *offsets, size_t n_offsets, struct follow_order *order);

// The prediction is per execution of the body.
bool follow_predict(struct arena *arena, const struct model *model, const struct program *program,
                    struct followed *followed, struct prediction *prediction, struct fail *fail);

#endif
