// What LLVM's core says of an execution: simulated cycles per pass over its block in the steady state, and what limits
// them. Of any model: model_prediction.h.
#ifndef ANALYZER_PREDICT_PREDICTION_H
#define ANALYZER_PREDICT_PREDICTION_H

#include "analyzer/code/execution.h"
#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sim/pipeline.h"
#include "base/arena.h"
#include "base/fail.h"

// What limits an execution. BUFFER: the machine runs it faster with a larger reorder buffer or longer load and store
// queues. RETIRE: with unlimited retirement. UNEVEN: nothing of these; some resource is the busiest, but the way
// instructions are spread over its pipes, or wait for each other there, costs more than its bound explains. FRONT_END
// and MEMORY, which LLVM's core does not have: what finds and decodes instructions; loads or stores per cycle.
// INTERACTION, of a CPU file's core: it takes longer than each of its bounds.
enum bottleneck {
    BOTTLENECK_RESOURCE,
    BOTTLENECK_DISPATCH,
    BOTTLENECK_DEPENDENCY,
    BOTTLENECK_BUFFER,
    BOTTLENECK_RETIRE,
    BOTTLENECK_UNEVEN,
    BOTTLENECK_FRONT_END,
    BOTTLENECK_MEMORY,
    BOTTLENECK_INTERACTION,
    BOTTLENECK_UNKNOWN
};

struct prediction {
    const char *model;       // the machine's id, "llvm-19/znver4"
    double cycles;           // per pass over the block, in steady state
    double ipc;              // instructions per cycle, in steady state
    double uops;             // per pass
    bool are_slots;          // what is counted in uops here are slots of rename, of a CPU file
    unsigned dispatch_width; // uops a cycle; 0: unknown
    // Cycles per pass on one unit of each of the machine's resources, by index; null: bounds do not share them out.
    const double *pressure;
    enum bottleneck kind;
    const char *bottleneck; // for people and files: "Zn4FPFMul01", "dispatch width", "dependency chain"; "" unknown
    unsigned holds_cycles;  // the longest that one instruction holds it
    // By a CPU file: instructions of the block, and those of them with a number that is LLVM's, as the file states
    // none; 0: by another model.
    unsigned n_insns, n_by_llvm;
    bool are_addresses_run; // those of a run count, and not only what follows from registers
    const char **notes;     // what the file does not know of the block, a sentence each
    size_t n_notes;
};

// Only its cycles per pass, in a fraction of the time.
bool prediction_cycles(const struct machine *machine, const struct execution *execution, double *cycles,
                       struct fail *fail);

// Simulates `execution` until the time that one takes is steady.
bool prediction_make(struct arena *arena, const struct machine *machine, const struct execution *execution,
                     struct prediction *prediction, struct fail *fail);

#endif
