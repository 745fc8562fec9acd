// Reports about a simulated block, in llvm-mca's layout byte for byte (llvm/tools/llvm-mca/Views of LLVM 19). A view
// hears the pipeline's events through its listener and prints what it counted; it never looks into a unit.
//
// Use: init, hand &view->listener to pipeline_run, print. What a view allocates lives in the arena it was given.
#ifndef ANALYZER_VIEWS_VIEWS_H
#define ANALYZER_VIEWS_VIEWS_H

#include "analyzer/model/insn.h"
#include "analyzer/model/machine.h"
#include "analyzer/pipeline/event.h"
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>

// Totals: iterations, instructions, cycles, uops, and their ratios.
struct summary_view {
    struct event_listener listener;
    const struct block *block;
    unsigned dispatch_width;
    uint64_t cycles;
    uint64_t last_index;  // of the youngest instruction dispatched
    struct block retired; // instructions of the first iteration that retired; uops are counted by these
    struct insn *insns;   // of `retired`
};

// `dispatch_width`: as simulated.
void summary_view_init(struct summary_view *view, const struct block *block, unsigned dispatch_width,
                       struct arena *arena);
// `block_rthroughput`: what bounds/ says of view->retired.
void summary_view_print(const struct summary_view *view, double block_rthroughput, FILE *out);

// What the model says of each instruction. Needs no events.
void instruction_info_print(const struct block *block, FILE *out);

// Cycles that each pipe is held, per iteration and by instruction.
struct resource_pressure_view {
    struct event_listener listener;
    const struct machine *machine;
    const struct block *block;
    const unsigned *first_column; // by resource: column of its unit 0
    unsigned n_columns;           // one per unit of each resource that is no group
    uint64_t *cycles;             // held, by instruction and column; the last row is the sum
    uint64_t last_index;
};

void resource_pressure_view_init(struct resource_pressure_view *view, const struct machine *machine,
                                 const struct block *block, struct arena *arena);
void resource_pressure_view_print(const struct resource_pressure_view *view, FILE *out);

#endif
