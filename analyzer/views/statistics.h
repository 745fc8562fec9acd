// What the parts of the simulated CPU did, counted: dispatch, schedulers, retirement, register files. Layouts are
// llvm-mca's (llvm/tools/llvm-mca/Views of LLVM 19).
//
// Use: init, hand &view->listener to mca_core_run, print. What a view allocates lives in the arena it was given.
#ifndef ANALYZER_VIEWS_STATISTICS_H
#define ANALYZER_VIEWS_STATISTICS_H

#include "analyzer/sched/machine.h"
#include "analyzer/sim/event.h"
#include "analyzer/views/tally.h"
#include "base/arena.h"
#include "base/json_text.h"

#include <stdint.h>
#include <stdio.h>

// Dynamic Dispatch Stall Cycles:
// RAT     - Register unavailable:                      0
// RCU     - Retire tokens unavailable:                 7  (2.3%)
// ...
// Dispatch Logic - number of cycles where we saw N micro opcodes dispatched:
// [# dispatched], [# cycles]
//  0,              24  (3.9%)
//  2,              314  (51.5%)
struct dispatch_view {
    struct event_listener listener;
    struct tally stalls; // by enum event_stall
    struct tally widths; // histogram: uops dispatched in a cycle
    unsigned dispatched; // in this cycle
};

void dispatch_view_init(struct dispatch_view *view, struct arena *arena);
void dispatch_view_print(const struct dispatch_view *view, FILE *out);
void dispatch_view_json(const struct dispatch_view *view, struct json_text *json);

// Schedulers - number of cycles where we saw N micro opcodes issued:
// [# issued], [# cycles]
//  0,          7  (1.1%)
// ...
// Scheduler's queue usage:
//  [1]            [2]        [3]        [4]
// JALU01           0          0          20
struct scheduler_view {
    struct event_listener listener;
    const struct machine *machine;
    struct tally widths;            // histogram: uops of the instructions issued in a cycle
    struct level *buffers;          // by resource
    unsigned issued;                // in this cycle
    uint64_t last_load, last_store; // dispatched most recently: their index + 1; a wide one is told of several times
};

void scheduler_view_init(struct scheduler_view *view, const struct machine *machine, struct arena *arena);
void scheduler_view_print(const struct scheduler_view *view, FILE *out);

// Retire Control Unit - number of cycles where we saw N instructions retired:
// [# retired], [# cycles]
//  0,           109  (17.9%)
// ...
// Total ROB Entries:                64
// Max Used ROB Entries:             35  ( 54.7% )
// Average Used ROB Entries per cy:  32  ( 50.0% )
struct retire_view {
    struct event_listener listener;
    const struct machine *machine;
    struct tally widths; // histogram: instructions retired in a cycle
    struct level entries;
    unsigned retired; // in this cycle
};

void retire_view_init(struct retire_view *view, const struct machine *machine, struct arena *arena);
void retire_view_print(const struct retire_view *view, FILE *out);

// Register File statistics:
// Total number of mappings created:    900
// Max number of mappings used:         35
//
// *  Register File #1 -- JFpuPRF:
//    Number of physical registers:     72
//    Total number of mappings created: 900
//    Max number of mappings used:      35
struct register_file_view {
    struct event_listener listener;
    const struct machine *machine;
    struct tally mappings, candidates, eliminated, zero; // by register file
    struct level *used;                                  // by register file
    unsigned *eliminated_now, *most_eliminated;          // in this cycle, in one cycle; by register file
};

void register_file_view_init(struct register_file_view *view, const struct machine *machine, struct arena *arena);
void register_file_view_print(const struct register_file_view *view, FILE *out);

#endif
