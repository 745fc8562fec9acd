// Measurement against prediction: do they agree, what disagrees, by how much, and what in the model is to blame.
// Knows numbers only, not where they came from.
//     predicted 12.00, measured 5.98: +101 %, "model: Zn4FP01 held for 2 cycles"
#ifndef ANALYZER_PREDICT_VERDICT_H
#define ANALYZER_PREDICT_VERDICT_H

#include "analyzer/predict/prediction.h"

#include <stdbool.h>

enum verdict_kind {
    VERDICT_AGREE,       // the difference is within what the measurement can tell
    VERDICT_LATENCY,     // the time of a dependent chain differs
    VERDICT_RTHROUGHPUT, // the time of independent instructions differs
    VERDICT_BLOCK,       // the time of a whole block differs
    VERDICT_UNSURE,      // the measurement is unstable
    VERDICT_UNMODELLED,  // the model has no prediction
};

// The measured side, in cycles per iteration of the same block.
struct verdict_measured {
    double cycles, low, high; // median and interval
    double clock_error;       // relative
    bool is_stable;
    enum verdict_kind about; // VERDICT_LATENCY, VERDICT_RTHROUGHPUT or VERDICT_BLOCK: what was measured
};

struct verdict {
    enum verdict_kind kind;
    double difference; // (predicted - measured) / measured
    const char *blame; // "model: Zn4FP01 held for 2 cycles"; "" where they agree
};

void verdict_make(struct arena *arena, const struct verdict_measured *measured, const struct prediction *prediction,
                  struct verdict *verdict);

#endif
