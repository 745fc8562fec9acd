// Runs a block on the core of a CPU file, for those who listen to it. How long it takes in the steady state:
// core_plan.h.
#ifndef ANALYZER_PREDICT_CORE_SIMULATION_H
#define ANALYZER_PREDICT_CORE_SIMULATION_H

#include "analyzer/predict/bounds.h"
#include "analyzer/sim/pipeline.h"

struct core_simulation {
    uint64_t iterations;      // 0: 100
    uint64_t walk_iterations; // as in pipeline_options
    uint64_t max_cycles;      // likewise
    bool walk_all;            // likewise
    unsigned relaxed;         // likewise
    // By instruction: cycles of its load, where the file's do not count; 0: these. Null: all are the file's.
    const unsigned *load_latencies;
    struct event_listener *const *listeners; // null-terminated; null for none
};

// result->uops are slots of rename and dispatch, without those of the stack engine. Fails where the block is empty,
// the CPU lacks what an instruction needs, and as pipeline_simulate does.
bool core_simulate(const struct bounds_request *request, const struct core_simulation *simulation,
                   struct pipeline_result *result, struct fail *fail);

#endif
