// When each instruction of the first iterations went through the core of a CPU file, as a picture that fits the screen:
//
//     D dispatched  N done by renaming  = waits for its sources  r waits for a pipe
//     e is executed, from its first uop to its results  - waits to retire  R retired
//                              0         1
//     [0,1] imul rax, rbx      DeeeR
//     [0,2] add rcx, rax       D===eR
//
// The iterations shown must be walked: core_simulation.walk_iterations. llvm-mca's picture is in timeline.h.
#ifndef ANALYZER_VIEWS_CORE_TIMELINE_H
#define ANALYZER_VIEWS_CORE_TIMELINE_H

#include "analyzer/code/block.h"
#include "analyzer/sim/event.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Cycles; NEVER for what did not happen.
struct core_timeline_entry {
    uint64_t dispatched, ready, issued, executed, retired;
    bool is_eliminated;
};
#define CORE_TIMELINE_NEVER UINT64_MAX

struct core_timeline_view {
    struct event_listener listener;
    const struct block *block;
    struct arena *arena;
    unsigned iterations;
    uint64_t max_cycles, cycle;
    struct core_timeline_entry *entries; // of all iterations
};

// `max_cycles`: shown; 0: as many as the screen has columns for.
void core_timeline_view_init(struct core_timeline_view *view, const struct block *block, unsigned iterations,
                             unsigned max_cycles, struct arena *arena);
// The picture, and below it how long instructions waited on the average.
void core_timeline_view_print(const struct core_timeline_view *view, FILE *out, bool colour);

#endif
