// Private to this folder.
// Latencies that are measured with many more steps in the chain (survey: "padded"). Pipes may limit such a chain, and
// the steps hold them as well as the form does. So the cause of a difference may be theirs.
#ifndef CHECK_PADDING_H
#define CHECK_PADDING_H

#include "check/findings.h"
#include "check/predictor.h"

// Gives such a difference the cause that a step's own throughput has, where that is measured and predicted wrong; else
// names the steps, where a pipe limits the prediction.
void padding_blame(struct arena *arena, struct predictor *predictor, const struct check_results *results,
                   const struct predicted *predicted, struct check_difference *difference);

#endif
