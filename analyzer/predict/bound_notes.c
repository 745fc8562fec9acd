// Who makes the latency: notes of a walk, for bound_trace.
#include "analyzer/predict/bound_walk.h"

static void note_read(const struct walk *walk, const struct cpu_read *read, double ready, struct bound_event *event) {
    event->way = read->is_address ? BOUND_BY_ADDRESS : BOUND_BY_REGISTER;
    event->unit = read->unit;
    event->in = ready;
    event->before = walk->code->trace->makers[read->unit];
}

// Of the reads that are address parts, or are not, the one that comes at `time`.
static void note_register(const struct walk *walk, const struct cpu_recipe *recipe, bool is_address, double time,
                          struct bound_event *event) {
    for (unsigned i = 0; i < recipe->n_reads && time > 0; i++) {
        const struct cpu_read *read = &recipe->reads[i];
        double ready = walk_ready_of(walk, recipe, read);
        if (read->is_address != is_address || ready - (is_address ? 0 : read->early) < time)
            continue;
        note_read(walk, read, ready, event);
        return;
    }
}

static void note_store(const struct walk *walk, const struct stored *store, const struct place *from,
                       struct bound_event *event) {
    const struct trace_store *made = &walk->code->trace->stores[store - walk->stores];
    if (!walk_contains(&store->place, from)) {
        event->way = BOUND_BY_OLDER;
        event->in = store->all_done;
        event->before = made->oldest;
    } else if (store->data_ready >= store->address_ready || walk->access.meets == CORE_IS_RENAMED) {
        event->way = BOUND_BY_STORE;
        event->in = store->data_ready;
        event->before = made->data;
    } else {
        event->way = BOUND_BY_STORE_ADDRESS;
        event->unit = made->address_unit;
        event->in = store->address_ready;
        event->before = made->address;
    }
}

// Notes what an instruction waited for, before its own results are there. `loaded`: when its load is done, `alone`:
// when it would be without any store.
void walk_note(struct walk *walk, const struct cpu_recipe *recipe, const struct place *from, double address_ready,
               double begin, double loaded, double alone) {
    struct bound_trace *trace = walk->code->trace;
    struct bound_event event = {.before = TRACE_NONE, .from_store = TRACE_NONE};
    const struct stored *store = recipe->n_loads ? walk_store_of(walk, from) : NULL;
    if (store)
        event.from_store = trace->stores[store - walk->stores].data;
    if (recipe->serial > 0 && walk->serial > 0 && walk->serial >= begin) {
        event.way = BOUND_BY_SERIAL;
        event.in = walk->serial;
        event.before = trace->serial;
    } else if (recipe->n_loads && loaded >= begin && store && loaded != alone) {
        note_store(walk, store, from, &event);
    } else {
        bool is_address = recipe->n_loads && loaded >= begin;
        note_register(walk, recipe, is_address, is_address ? address_ready : begin, &event);
    }
    bound_trace_step(trace, &event);
}

// What waits for a load, waits for what the whole instruction does where that is later than its registers.
void walk_note_part(struct walk *walk, const struct cpu_recipe *recipe, unsigned part, double begin) {
    struct bound_trace *trace = walk->code->trace;
    struct bound_event event = {.before = TRACE_NONE, .from_store = TRACE_NONE};
    if (recipe->part_loads[part] || recipe->serial > 0)
        event = trace->events[trace->step];
    for (unsigned i = 0; i < recipe->n_reads && begin > 0; i++) {
        const struct cpu_read *read = &recipe->reads[i];
        const double ready = walk_ready_of(walk, recipe, read);
        if (read->parts >> part & 1 && ready - read->early >= begin)
            note_read(walk, read, ready, &event);
    }
    bound_trace_add(trace, &event);
}

// Notes who made what is there now. `stored`: the slot of its store; null: it stores nothing.
void walk_note_results(struct walk *walk, const struct cpu_recipe *recipe, double done, const struct stored *stored) {
    struct bound_trace *trace = walk->code->trace;
    struct bound_event address = {.before = TRACE_NONE};
    const int id = (int)trace->step;
    if (stored)
        note_register(walk, recipe, true, stored->address_ready, &address);
    for (unsigned i = 0; i < recipe->n_writes; i++)
        trace->makers[recipe->writes[i].unit] = id + recipe->writes[i].part;
    trace->serial = recipe->serial > 0 ? id : trace->serial;
    trace->oldest = done >= walk->all_done ? id : trace->oldest;
    if (!stored)
        return;
    trace->stored = stored->data_ready >= walk->stored ? id : trace->stored;
    trace->stores[stored - walk->stores] = (struct trace_store){id, address.before, trace->oldest, address.unit};
}

// Notes who made what grows the most.
void walk_note_end(const struct walk *walk, const double *growth, double most) {
    struct bound_trace *trace = walk->code->trace;
    unsigned n = walk->n_written, at = 0;
    while (at + 1 < n + N_FURTHER && growth[at] < most)
        at++;
    const int further[N_FURTHER] = {trace->serial, trace->stored, trace->oldest};
    trace->end = at < n ? trace->makers[walk->written[at]] : further[at - n];
}
