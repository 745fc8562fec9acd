// What holds the block back: how often the pressure on the back end grew, on what, and the chain of instructions that
// costs most (llvm/tools/llvm-mca/Views/BottleneckAnalysis.cpp of LLVM 19):
//
//     Cycles with backend pressure increase [ 40.76% ]
//     Throughput Bottlenecks:
//       Resource Pressure       [ 39.34% ]
//       - JFPA  [ 39.34% ]
//     ...
//     Critical sequence based on the simulation:
//
//                   Instruction                                 Dependency Information
//      +----< 2.    vhaddps	%xmm3, %xmm3, %xmm4
//      |    < loop carried >
//      +----> 1.    vhaddps	%xmm2, %xmm2, %xmm3               ## RESOURCE interference:  JFPA [ probability: 73% ]
#ifndef ANALYZER_VIEWS_BOTTLENECK_H
#define ANALYZER_VIEWS_BOTTLENECK_H

#include "analyzer/sched/machine.h"
#include "analyzer/sim/event.h"
#include "analyzer/views/critical_sequence.h"
#include "analyzer/views/tally.h"
#include "base/arena.h"
#include "base/json_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The instruction that a pipe was last issued.
struct bottleneck_user {
    uint64_t index;
    unsigned position, cycles;
    bool is_executing;
};

// Cycles that are counted, besides those of each enum event_pressure.
enum bottleneck_cycles {
    BOTTLENECK_ANY = PRESSURE_MEMORY + 1, // pressure of any kind
    BOTTLENECK_DATA,                      // on registers or memory
    BOTTLENECK_ALL,                       // with and without pressure
};

struct bottleneck_view {
    struct event_listener listener;
    const struct machine *machine;
    const struct block *block;
    uint64_t iterations;
    unsigned resource_of_bit[64];  // whose own bit it is
    const unsigned *first_user;    // by resource: that of its unit 0
    struct bottleneck_user *users; // by pipe
    unsigned n_users;
    uint64_t dispatched;               // index + 1 of the instruction dispatched last
    struct tally cycles;               // by enum event_pressure and enum bottleneck_cycles
    struct tally distribution;         // cycles by resource
    bool pressed[PRESSURE_MEMORY + 1]; // in this cycle
    bool was_stalled;
    struct critical_graph graph;
};

// `iterations`: simulated.
void bottleneck_view_init(struct bottleneck_view *view, const struct machine *machine, const struct block *block,
                          uint64_t iterations, struct arena *arena);
void bottleneck_view_print(const struct bottleneck_view *view, FILE *out);
void bottleneck_view_json(const struct bottleneck_view *view, struct json_text *json); // from LLVM 22 on

#endif
