// What a model says of an execution, with whatever the model has: a CPU file's bounds, the largest of which is the
// prediction; its core, which simulates; or LLVM's core.
#ifndef ANALYZER_PREDICT_MODEL_PREDICTION_H
#define ANALYZER_PREDICT_MODEL_PREDICTION_H

#include "analyzer/model/model.h"
#include "analyzer/predict/bounds.h"
#include "analyzer/predict/prediction.h"

// What to predict. Only bounds ask for more than the execution: LLVM's core knows no bytes and no addresses.
struct prediction_request {
    const struct execution *execution; // its block was described by the model
    struct bounds_request way;         // how it is repeated; `cpu` and `block` are not looked at
};

// Fails where the execution is empty, or cannot be simulated.
bool prediction_by_model(struct arena *arena, const struct model *model, const struct prediction_request *request,
                         struct prediction *prediction, struct fail *fail);
// Only its cycles per pass.
bool prediction_cycles_by_model(const struct model *model, const struct prediction_request *request, double *cycles,
                                struct fail *fail);
// What a prediction by the model's CPU file stands on. The CPU executes the block.
struct bounds_basis prediction_basis(const struct model *model, const struct prediction_request *request);

// The bounds behind a prediction of a model with a CPU file, per pass.
bool prediction_bounds(struct arena *arena, const struct model *model, const struct prediction_request *request,
                       struct bounds *bounds, struct fail *fail);

#endif
