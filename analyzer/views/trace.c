#include "analyzer/views/trace.h"

#include "analyzer/views/trace_formats.h"

void trace_view_open(struct trace_view *view, enum trace_format format, const struct machine *machine, FILE *out,
                     struct arena *arena) {
    *view = (struct trace_view){.machine = machine, .out = out, .arena = arena, .format = format};
    if (format == TRACE_KONATA)
        konata_open(view);
    else
        perfetto_open(view);
    view->listener.self = view;
}

void trace_view_begin_block(struct trace_view *view, const struct block *block) {
    // The cycle after the last one of the block before, so that the two do not touch.
    if (view->block != NULL)
        view->first_cycle = view->now + 1;
    view->now = view->first_cycle;
    view->first_index = view->next_index;
    view->block = block;
    if (view->format == TRACE_PERFETTO)
        perfetto_begin_block(view);
}

void trace_on_cycle(void *self, uint64_t cycle) {
    struct trace_view *view = self;
    view->now = view->first_cycle + cycle;
}

void trace_view_close(struct trace_view *view) {
    if (view->format == TRACE_PERFETTO)
        perfetto_close(view);
}
