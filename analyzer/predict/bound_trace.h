// Private to this folder.
// What each step of a walk waited for, and the chain that follows from it.
#ifndef ANALYZER_PREDICT_BOUND_TRACE_H
#define ANALYZER_PREDICT_BOUND_TRACE_H

#include "analyzer/predict/bounds_explain.h"

enum { TRACE_STORES = 64, TRACE_NONE = -1 };

// What one instruction waited for in one turn, or a part of its results.
struct bound_event {
    unsigned step; // instructions before it
    int before;    // the event that it waited for; TRACE_NONE: it waited for nothing
    enum bound_way way;
    uint16_t unit;
    double in;      // when that was there, cycles
    int from_store; // event that has stored what it loads; TRACE_NONE: none
};

struct bound_trace {
    struct arena *arena;
    struct bound_event *events;
    unsigned n_events, n_steps;
    unsigned step;                 // the newest step's first event
    int *makers;                   // by unit: the event that made its newest value
    int oldest, serial, stored;    // that made what is done last: of all, serial ones, data of stores
    struct trace_store {           // of the walk's kept stores
        int data, address, oldest; // events that made its data and its address; and all that is older
        uint16_t address_unit;     // of the register that the address waited for
    } stores[TRACE_STORES];
    int end; // the event that made what grows the most
};

struct bound_trace *bound_trace_open(struct arena *arena, unsigned n_units);
// The next step's first event.
void bound_trace_step(struct bound_trace *trace, const struct bound_event *event);
// Another one of the same step.
void bound_trace_add(struct bound_trace *trace, const struct bound_event *event);
// Finds the chain that takes `cycles` a turn, from the trace's end on backwards. `n`: instructions of a turn.
void bound_trace_chain(const struct bound_trace *trace, unsigned n, double cycles, struct bounds_explained *explained);

#endif
