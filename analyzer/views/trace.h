// The course of a simulation for viewers of pipelines: what each instruction does in each cycle.
//
// Konata: its log, version 0004 (github.com/shioyadan/Konata, docs/kanata-log-format.md). Stages: Ds dispatched and
// waiting for operands, Rd ready and waiting for a pipe, Ex executing, Cm complete and waiting to retire. Arrows go
// from the instruction whose result was waited for.
// Perfetto: trace-event JSON (the "JSON Array Format" of the Trace Event Format, 2016), for ui.perfetto.dev and
// chrome://tracing; a cycle is shown as a microsecond. One track per pipe, and tracks on which instructions in flight
// lie side by side, each with its stages.
//
// Use: open once, then for each block: begin_block, and mca_core_run or core_simulate with walk_all set (time left out
// cannot be traced) and the listener; close at the end. Several blocks follow one another in time.
#ifndef ANALYZER_VIEWS_TRACE_H
#define ANALYZER_VIEWS_TRACE_H

#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sim/event.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum trace_format { TRACE_KONATA, TRACE_PERFETTO };

struct trace_view {
    struct event_listener listener;
    const struct machine *machine;
    const struct block *block;
    // By instruction of the next block: what a label has of its costs. Null: its uops and latency in LLVM's model.
    const char *const *costs;
    FILE *out;
    struct arena *arena;
    enum trace_format format;
    uint64_t first_cycle, first_index; // of the current block, over all blocks
    uint64_t now;                      // cycle
    uint64_t next_index;               // of the first instruction not dispatched yet
    // Konata
    uint64_t told_cycle; // that the log stands at
    uint64_t n_retired;
    bool has_begun;
    const char **stages; // that instructions in flight are in; a ring
    // Perfetto
    const char **names;           // of the block's instructions, as JSON strings
    const unsigned *first_track;  // by resource: track of its unit 0
    struct trace_insn *in_flight; // a ring
    unsigned *lanes;              // free ones, the lowest last
    unsigned n_free_lanes, n_lanes;
};

void trace_view_open(struct trace_view *view, enum trace_format format, const struct machine *machine, FILE *out,
                     struct arena *arena);
void trace_view_begin_block(struct trace_view *view, const struct block *block);
void trace_view_close(struct trace_view *view);

#endif
