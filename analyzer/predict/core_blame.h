// What holds a block back on the core of a CPU file: how long it takes with each single limit out of the way.
#ifndef ANALYZER_PREDICT_CORE_BLAME_H
#define ANALYZER_PREDICT_CORE_BLAME_H

#include "analyzer/predict/bounds.h"

enum { CORE_MOST_LIMITS = 8 };

struct core_blame {
    double cycles; // per iteration in the steady state, with all limits
    struct bounds bounds;
    unsigned n;
    struct core_blamed {
        const char *limit; // "reorder buffer"
        double without;    // cycles per iteration where it is not there
    } limits[CORE_MOST_LIMITS];
};

// Fails as core_cycles_find does.
bool core_blame_find(const struct bounds_request *request, struct core_blame *blame, struct fail *fail);

#endif
