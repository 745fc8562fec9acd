// What the core of a CPU file did in a run, counted: slots dispatched, uops issued and instructions retired in a cycle,
// what kept dispatch from going on, what renaming did away with, and which pipes were held. Reports of our own, as
// tables; llvm-mca has other ones (views.h, statistics.h).
//
// Use: init, hand &view->listener to core_simulate, print. What a view allocates lives in the arena it was given.
#ifndef ANALYZER_VIEWS_CORE_COUNTS_H
#define ANALYZER_VIEWS_CORE_COUNTS_H

#include "analyzer/code/block.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sim/event.h"
#include "analyzer/views/tally.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct core_counts_view {
    struct event_listener listener;
    const struct machine *pipes;
    const struct block *block;
    struct arena *arena;
    struct tally slots, uops, retired;       // histograms: of what was done in a cycle
    struct tally stalls;                     // cycles by enum event_stall
    struct tally eliminated, met;            // instructions by enum event_elimination; loads by enum event_meeting
    struct tally held;                       // EVENT_PARTS of a cycle, by instruction and pipe
    unsigned slots_now, uops_now, n_retired; // in this cycle
};

// `pipes`: cpu_pipe_machine.
void core_counts_view_init(struct core_counts_view *view, const struct machine *pipes, const struct block *block,
                           struct arena *arena);

// Cycles per iteration that the instruction holds the pipe, or all instructions where `position` is their number.
// `resource`: of `pipes`.
double core_counts_held(const struct core_counts_view *view, unsigned position, unsigned resource);

// "reorder buffer": of a stall that cores of CPU files have; null: they have none such.
const char *core_counts_stall_name(enum event_stall kind);

void core_counts_print_dispatch(const struct core_counts_view *view, FILE *out, bool colour);
void core_counts_print_issue(const struct core_counts_view *view, FILE *out, bool colour);
void core_counts_print_retirement(const struct core_counts_view *view, FILE *out, bool colour);
// Pipes that the block uses; a row for each instruction.
void core_counts_print_pressure(const struct core_counts_view *view, FILE *out, bool colour);

#endif
