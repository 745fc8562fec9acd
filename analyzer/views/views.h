// Reports about a simulated block, in llvm-mca's layout byte for byte (llvm/tools/llvm-mca/Views of LLVM 19). A view
// hears the pipeline's events through its listener and prints what it counted; it never looks into a unit. Here are
// those that are printed by default; the others: statistics.h, timeline.h, bottleneck.h. Those that llvm-mca also
// prints as JSON add a member to the object that is open in `json`.
//
// Use: init, hand &view->listener to mca_core_run, print. What a view allocates lives in the arena it was given.
#ifndef ANALYZER_VIEWS_VIEWS_H
#define ANALYZER_VIEWS_VIEWS_H

#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sched/mca_rules.h"
#include "analyzer/sim/event.h"
#include "base/arena.h"
#include "base/json_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// Totals:
//
//     Iterations:        300
//     Instructions:      900
//     Total Cycles:      611
//     ...
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
void summary_view_json(const struct summary_view *view, double block_rthroughput, struct json_text *json);

// What the model says of each instruction. Needs no events. Encodings and barriers are further columns:
//
//     [1]    [2]    [3]    [4]    [5]    [6]    Instructions:
//      1      2     1.00                        vmulps	%xmm0, %xmm1, %xmm2
struct instruction_info {
    const struct machine *machine;
    const struct mca_rules *rules;
    bool encodings, barriers;
    bool full; // with resources, opcodes and comments: instructions have their `tables`
};

void instruction_info_print(const struct instruction_info *info, const struct block *block, FILE *out);
void instruction_info_json(const struct block *block, struct json_text *json);

// The texts of the instructions; JSON only.
void instructions_json(const struct block *block, struct json_text *json);

// Cycles that each pipe is held, per iteration and by instruction:
//
//     [0]    [1]    [2]    Instructions:
//      -     0.50   0.50   vmulps	%xmm0, %xmm1, %xmm2
struct resource_pressure_view {
    struct event_listener listener;
    const struct machine *machine;
    const struct block *block;
    const unsigned *first_column; // by resource: column of its unit 0
    unsigned n_columns;           // one per unit of each resource that is no group
    uint64_t *held, *marked;      // cycles × `parts`, by instruction and column; the last row is the sum
    uint64_t parts;               // of a cycle
    uint64_t last_index;
};

void resource_pressure_view_init(struct resource_pressure_view *view, const struct machine *machine,
                                 const struct block *block, struct arena *arena);
// Instead of listening: each instruction once, spread evenly over all units it might be issued to (llvm-mca's
// instruction tables).
void resource_pressure_view_spread(struct resource_pressure_view *view);
void resource_pressure_view_print(const struct resource_pressure_view *view, FILE *out);
void resource_pressure_view_json(const struct resource_pressure_view *view, struct json_text *json);

#endif
