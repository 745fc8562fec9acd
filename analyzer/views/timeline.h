// When each instruction of the first iterations was dispatched (D), issued (e), executed (E) and retired (R), and how
// long instructions waited on average (llvm/tools/llvm-mca/Views/TimelineView.cpp of LLVM 19):
//
//     Timeline view:
//                         012345
//     Index     0123456789
//
//     [0,0]     DeeER.    .    .   vmulps	%xmm0, %xmm1, %xmm2
//     [0,1]     D==eeeeER .    .   vhaddps	%xmm2, %xmm2, %xmm3
//
// The iterations shown must be walked by the pipeline: pipeline_options.walk_iterations.
#ifndef ANALYZER_VIEWS_TIMELINE_H
#define ANALYZER_VIEWS_TIMELINE_H

#include "analyzer/sim/event.h"
#include "base/arena.h"
#include "base/json_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Cycles; 0 for what did not happen. 32 bits, and differences modulo that, as in llvm-mca: where the pipeline leaves
// out an event, both show the same.
struct timeline_entry {
    uint32_t dispatched, ready, issued, executed, retired;
    bool was_dispatched;
};

struct timeline_waits {
    uint32_t queued, queued_ready, executed; // cycles: to issue; ready, to issue; executed, to retirement
};

struct timeline_view {
    struct event_listener listener;
    const struct block *block;
    unsigned iterations;
    uint32_t max_cycles;
    uint32_t cycle, last_cycle;     // now; last one in which something happened to be shown
    struct timeline_entry *entries; // of all iterations
    struct timeline_waits *waits;   // by position
};

// `iterations`: shown, at most those simulated. `max_cycles`: shown; 0: all.
void timeline_view_init(struct timeline_view *view, const struct block *block, unsigned iterations, unsigned max_cycles,
                        struct arena *arena);
void timeline_view_print(const struct timeline_view *view, FILE *out);
void timeline_view_json(const struct timeline_view *view, struct json_text *json);

#endif
