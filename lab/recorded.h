// The turns of a block that ran, with where they accessed memory; recorded_turns.h makes them.
#ifndef LAB_RECORDED_H
#define LAB_RECORDED_H

#include "analyzer/code/execution.h"

struct recorded_turns {
    struct execution run;
    const char *refusal; // why there is no run, one clause; null: there is one, or nobody asked
};

#endif
