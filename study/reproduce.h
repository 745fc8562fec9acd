// What `cyclops reproduce` finds out about one published experiment: predictions, and measurements on this machine.
#ifndef STUDY_REPRODUCE_H
#define STUDY_REPRODUCE_H

#include "analyzer/model/model.h"
#include "lab/experiment.h"
#include "lab/lab.h"
#include "study/reference.h"

// The reason for no measurement where none was requested.
#define REPRODUCE_NOT_ASKED "not asked for"

// One published value, or a sweep's.
struct reproduced_value {
    const struct reference_value *reference;
    double *predicted;                        // as many as published; null: see `no_prediction`
    double *repaired;                         // predictions by the reference's overlay; null: it names none
    double *measured;                         // null: see `not_measured`. NaN: did not run
    double *predicted_other, *measured_other; // the same for a sweep's other form, where that is known
    const char *not_measured;                 // reason, one clause
    bool *are_unstable, *are_unstable_other;  // of a sweep: which measured ones are not to be trusted; null as these
    bool is_unstable;                         // any measured one is not to be trusted
    bool matches;                             // the model's prediction is within the tolerance
    bool is_repaired;                         // only the overlay's prediction is
};

struct reproduction {
    const struct reference *reference;
    struct reproduced_value *values; // as many as the reference has
    unsigned llvm;                   // major version that predicts; 0: there is no LLVM
    const char *no_prediction;       // reason why there is no prediction; null: there is one
    // Experiments to measure: none; one; latency and reciprocal throughput; or a sweep's rows, all of one form, then
    // all of the other.
    struct plan plan;
};

// Plans the measurements of experiments of this machine's ISA; others get a reason in `not_measured`. Generates the
// programs of sweeps of any ISA: predictions need their bytes.
bool reproduce_plan(struct arena *arena, const struct isa *native, struct reproduction *reproduction,
                    struct fail *fail);

// Whether every value agrees, by the model or by the overlay that the reference names.
bool reproduce_agrees(const struct reproduction *reproduction);

// Predicts, once the programs are assembled; anew by another version of LLVM (`llvm`: as in backend_load). Sets
// `no_prediction` where that is not possible.
void reproduce_predict(struct arena *arena, const char *llvm, struct reproduction *reproduction);

// Measures the plans of all `n`, in an open lab without models. False only when Cyclops itself failed.
bool reproduce_measure(struct lab *lab, struct reproduction *all, size_t n, struct fail *fail);

#endif
