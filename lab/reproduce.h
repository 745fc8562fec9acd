// What `cyclops reproduce` finds out about one published experiment: predictions, what this machine does, and how
// it is shown.
#ifndef LAB_REPRODUCE_H
#define LAB_REPRODUCE_H

#include "analyzer/model/model.h"
#include "lab/experiment.h"
#include "lab/lab.h"
#include "lab/reference.h"

// Why nothing was measured where nobody wanted it.
#define REPRODUCE_NOT_ASKED "not asked for"

// One published value, or a sweep's.
struct reproduced_value {
    const struct reference_value *reference;
    double *predicted;                        // as many as published; null: `no_prediction` says why
    double *repaired;                         // by the overlay that the reference names; null: it names none
    double *measured;                         // null: `not_measured` says why, in one clause. NaN: did not run
    double *predicted_other, *measured_other; // a sweep's in its other form, where that is known
    const char *not_measured;
    bool is_unstable; // some of the measured are not to be trusted
    bool matches;     // the model's prediction, within the tolerance
    bool is_repaired; // it does not, but the overlay's does
};

struct reproduction {
    const struct reference *reference;
    struct reproduced_value *values; // as many as the reference has
    const char *no_prediction;       // null: there is one
    // What is to be measured: none; one; latency and reciprocal throughput; a sweep's rows, all of one form, then all
    // of the other.
    struct plan plan;
};

// Plans what is to be measured here, for experiments of this machine's ISA; others say why not. Programs of sweeps of
// any ISA are generated: predictions need their bytes.
bool reproduce_plan(struct arena *arena, const struct isa *native, struct reproduction *reproduction,
                    struct fail *fail);

// Every value agrees, be it by the overlay that the reference names.
bool reproduce_agrees(const struct reproduction *reproduction);

// Predicts, once the programs are assembled. What cannot be predicted is said in the reproduction.
void reproduce_predict(struct arena *arena, const char *llvm, struct reproduction *reproduction);

// Measures what is planned for all of them, in an open lab without models. False only when Cyclops itself failed.
bool reproduce_measure(struct lab *lab, struct reproduction *all, size_t n, struct fail *fail);

#endif
