#include "analyzer/predict/bound_trace.h"

#include <math.h>

struct bound_trace *bound_trace_open(struct arena *arena, unsigned n_units) {
    struct bound_trace *trace = ARENA_NEW(arena, struct bound_trace);
    *trace = (struct bound_trace){
        .arena = arena, .oldest = TRACE_NONE, .serial = TRACE_NONE, .stored = TRACE_NONE, .end = TRACE_NONE};
    trace->makers = ARENA_ARRAY(arena, int, n_units);
    for (unsigned i = 0; i < n_units; i++)
        trace->makers[i] = TRACE_NONE;
    for (unsigned i = 0; i < TRACE_STORES; i++)
        trace->stores[i] = (struct trace_store){TRACE_NONE, TRACE_NONE, TRACE_NONE, 0};
    return trace;
}

void bound_trace_add(struct bound_trace *trace, const struct bound_event *event) {
    struct bound_event *added = ARENA_ADD(trace->arena, trace->events, trace->n_events);
    *added = *event;
    added->step = trace->n_steps - 1;
}

void bound_trace_step(struct bound_trace *trace, const struct bound_event *event) {
    trace->step = trace->n_events;
    trace->n_steps++;
    bound_trace_add(trace, event);
}

static unsigned insn_of(const struct bound_trace *trace, int event, unsigned n) {
    return trace->events[event].step % n;
}

// Events on the way back from the end, the newest first.
static unsigned walk_back(const struct bound_trace *trace, int *path) {
    unsigned n = 0;
    for (int at = trace->end; at != TRACE_NONE; at = trace->events[at].before)
        path[n++] = at;
    return n;
}

// Whether the way from path[m] to path[k], both of one instruction, takes `cycles` a turn.
static bool is_cycle(const struct bound_trace *trace, const int *path, unsigned k, unsigned m, unsigned n,
                     double cycles) {
    enum { PERCENT = 100 };
    const struct bound_event *newer = &trace->events[path[k]], *older = &trace->events[path[m]];
    unsigned turns = (newer->step - older->step) / n;
    bool is_same = insn_of(trace, path[k], n) == insn_of(trace, path[m], n) && newer->way == older->way &&
                   newer->unit == older->unit;
    return is_same && turns > 0 && fabs((newer->in - older->in) / turns - cycles) <= cycles / PERCENT;
}

// The place of the first instruction of the block in path[k + 1] to path[m]: a reader begins there.
static unsigned first_of(const struct bound_trace *trace, const int *path, unsigned k, unsigned m, unsigned n) {
    unsigned first = m;
    for (unsigned i = m; i > k; i--)
        first = insn_of(trace, path[i], n) < insn_of(trace, path[first], n) ? i : first;
    return first;
}

static void take_cycle(const struct bound_trace *trace, const int *path, unsigned k, unsigned m, unsigned n,
                       struct bounds_explained *explained) {
    struct bound_link *chain = ARENA_ARRAY(trace->arena, struct bound_link, m - k);
    unsigned first = first_of(trace, path, k, m, n);
    for (unsigned i = m; i > k; i--) {
        const struct bound_event *event = &trace->events[path[i]], *next = &trace->events[path[i - 1]];
        chain[(m - i + m - k - (m - first)) % (m - k)] = (struct bound_link){
            .insn = insn_of(trace, path[i], n), .way = event->way, .unit = event->unit, .cycles = next->in - event->in};
    }
    explained->chain = chain;
    explained->n_chain = m - k;
    explained->chain_turns = (trace->events[path[k]].step - trace->events[path[m]].step) / n;
}

void bound_trace_chain(const struct bound_trace *trace, unsigned n, double cycles, struct bounds_explained *explained) {
    int *path = ARENA_ARRAY(trace->arena, int, trace->n_events + 1);
    unsigned n_path = walk_back(trace, path);
    for (unsigned k = 0; k < n_path && cycles > 0; k++)
        for (unsigned m = k + 1; m < n_path; m++)
            if (is_cycle(trace, path, k, m, n, cycles)) {
                take_cycle(trace, path, k, m, n, explained);
                return;
            }
}
