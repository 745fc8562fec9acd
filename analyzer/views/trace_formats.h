// Private to this folder.
// The two formats behind trace.h. Private to views/trace*.c.
#ifndef ANALYZER_VIEWS_TRACE_FORMATS_H
#define ANALYZER_VIEWS_TRACE_FORMATS_H

#include "analyzer/views/trace.h"

void konata_open(struct trace_view *view);

void perfetto_open(struct trace_view *view);
void perfetto_begin_block(struct trace_view *view);
void perfetto_close(struct trace_view *view);

// The instruction's number over all blocks.
static inline uint64_t trace_number(const struct trace_view *view, const struct event_insn *insn) {
    return view->first_index + insn->index;
}

// Of the times that an instruction is dispatched (its uops may need several cycles) only the first counts.
static inline bool trace_dispatched_before(struct trace_view *view, uint64_t number) {
    if (number < view->next_index)
        return true;
    view->next_index = number + 1;
    return false;
}

// What both listeners do when a cycle begins.
void trace_on_cycle(void *self, uint64_t cycle);

#endif
