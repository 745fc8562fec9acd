// Private to this folder.
// The steady state of a simulated loop: cycles per iteration once the pipeline has filled.
#ifndef ANALYZER_PREDICT_STEADY_H
#define ANALYZER_PREDICT_STEADY_H

#include "analyzer/code/execution.h"
#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "base/arena.h"
#include "base/fail.h"

struct steady {
    double cycles;    // per iteration of the execution
    bool is_exact;    // its state came again; else it is a mean
    double *pressure; // cycles per iteration on one unit of each resource, by resource index
};

struct steady_request {
    const struct machine *machine;
    const struct execution *execution; // not empty
    unsigned relaxed;                  // as in pipeline_options
    uint64_t most_iterations;          // until the mean is taken where none repeats; 0: very many
    uint64_t first_iterations;         // likewise as in pipeline_options
    double least_cycles;               // likewise
    const struct core_plan *plan;      // of the execution: simulate a CPU file's core; null: LLVM's
};

bool steady_find(struct arena *arena, const struct steady_request *request, struct steady *steady, struct fail *fail);

#endif
