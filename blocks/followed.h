// The recorded run of a program, and the execution that it is: which of its instructions ran, which way branches went
// and, on request, where memory was accessed.
#ifndef BLOCKS_FOLLOWED_H
#define BLOCKS_FOLLOWED_H

#include "analyzer/code/execution.h"
#include "analyzer/model/model.h"
#include "bench/bench.h"
#include "bench/sandbox/steps.h"
#include "gen/program.h"

// The recorded run of a program; the same for all models.
struct followed {
    // Offset of each executed instruction from the loop's start, bytes; of functions that it calls, modulo 2^32.
    const uint32_t *offsets;
    const struct step_registers *registers; // before each; null: not asked for, or not x86-64
    size_t n;
    double bodies;       // executions of the body in the run
    double instructions; // instructions of one body; set by branches_predict (branches.h)
};

struct follow_options {
    size_t enough_steps;    // the run ends with the body in which it has made so many
    double timeout_seconds; // 0: 20 s
    bool has_registers;     // notes the registers before each step, so that accesses can be found
};

// Fails where this machine cannot step through code (FAIL_UNAVAILABLE), and where the code does not reach its end.
bool follow_record(struct arena *arena, const struct program *program, const struct bench_code *code,
                   const struct follow_options *options, struct followed *followed, struct fail *fail);

// Instructions outside of the block, in functions that it calls.
struct follow_outside {
    const uint32_t *offsets; // in ascending order
    size_t n;
};

// Lists those that ran, each once. `n_bytes`: those of the bytes that were followed.
struct follow_outside follow_list_outside(struct arena *arena, const struct followed *followed, size_t n_bytes);

// Order of execution. An instruction that repeats itself (x86: rep movsb) is recorded at each step, and counts once.
struct follow_order {
    struct execution_step *steps; // instructions of the block; behind them those outside
    size_t *first, *last;         // of each, the recorded steps that it consists of
    size_t n;
    uint32_t lost; // on failure: the offset at which no instruction begins, bytes
};

// `first`: the offset of the block's first instruction; `outside`: null: none ran there. False where none begins at one
// of the offsets.
bool follow_order(struct arena *arena, const struct block *block, size_t first, const struct follow_outside *outside,
                  const uint32_t *offsets, size_t n_offsets, struct follow_order *order);

// The execution that was recorded, as many passes as bodies. `n_own`: instructions of its block that are the program's
// loop; those of functions that it calls are behind them. Its accesses are known where the recording has registers and
// the model was opened with addresses.
bool follow_execution(struct arena *arena, const struct model *model, const struct program *program,
                      const struct followed *followed, struct execution *execution, unsigned *n_own, struct fail *fail);

// Runs the program for at least so many steps, in whole bodies, and returns that as an execution with its accesses.
// `code`: as for the measurement, placed where the program was linked for. Fails as follow_record does.
bool execution_record(struct arena *arena, const struct model *model, const struct program *program,
                      const struct bench_code *code, size_t enough_steps, struct execution *execution,
                      struct fail *fail);

#endif
