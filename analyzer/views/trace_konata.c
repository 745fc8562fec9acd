#include "analyzer/views/trace_formats.h"

#include <inttypes.h>

// Brings the log to the current cycle: its lines are in order of time.
static void catch_up(struct trace_view *view) {
    if (!view->has_begun)
        fprintf(view->out, "C=\t%" PRIu64 "\n", view->now);
    else if (view->told_cycle != view->now)
        fprintf(view->out, "C\t%" PRIu64 "\n", view->now - view->told_cycle);
    view->has_begun = true;
    view->told_cycle = view->now;
}

// Room for more instructions in flight than any reorder buffer holds.
enum { RING = 1 << 15 };

static void end_stage(struct trace_view *view, uint64_t number) {
    const char **stage = &view->stages[number % RING];
    if (*stage != NULL)
        fprintf(view->out, "E\t%" PRIu64 "\t0\t%s\n", number, *stage);
    *stage = NULL;
}

static void begin_stage(struct trace_view *view, uint64_t number, const char *stage) {
    end_stage(view, number);
    view->stages[number % RING] = stage;
    fprintf(view->out, "S\t%" PRIu64 "\t0\t%s\n", number, stage);
}

// Tabs separate the log's columns.
static void print_label(struct trace_view *view, const char *text) {
    for (; *text != '\0'; text++)
        fputc(*text == '\t' || *text == '\n' ? ' ' : *text, view->out);
}

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    struct trace_view *view = self;
    uint64_t number = trace_number(view, insn);
    if (trace_dispatched_before(view, number))
        return;
    catch_up(view);
    uint64_t iteration = insn->index / view->block->n_insns;
    fprintf(view->out, "I\t%" PRIu64 "\t%" PRIu64 "\t0\n", number, insn->index);
    fprintf(view->out, "L\t%" PRIu64 "\t0\t%" PRIu64 ".%u: ", number, iteration, insn->position);
    print_label(view, insn->insn->text);
    fprintf(view->out, "\nL\t%" PRIu64 "\t1\t%s, %u uops, latency %u\n", number, insn->insn->opcode,
            insn->insn->cost->uops, insn->insn->cost->latency);
    view->stages[number % RING] = NULL;
    begin_stage(view, number, "Ds");
}

static void on_ready(void *self, const struct event_insn *insn) {
    catch_up(self);
    begin_stage(self, trace_number(self, insn), "Rd");
}

static void on_critical(void *self, const struct event_insn *insn, const struct event_critical *critical) {
    struct trace_view *view = self;
    catch_up(view);
    const struct event_dependence *const waits[] = {&critical->on_register, &critical->on_memory};
    for (unsigned i = 0; i < 2; i++)
        if (waits[i]->cycles != 0)
            fprintf(view->out, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", trace_number(view, insn),
                    view->first_index + waits[i]->index);
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct trace_view *view = self;
    uint64_t number = trace_number(view, insn);
    catch_up(view);
    begin_stage(view, number, "Ex");
    for (unsigned i = 0; i < n_uses; i++)
        fprintf(view->out, "L\t%" PRIu64 "\t1\t; %s.%u for %u\n", number,
                view->machine->resources[uses[i].resource].name, uses[i].unit, uses[i].cycles);
}

static void on_executed(void *self, const struct event_insn *insn) {
    catch_up(self);
    begin_stage(self, trace_number(self, insn), "Cm");
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct trace_view *view = self;
    uint64_t number = trace_number(view, insn);
    catch_up(view);
    end_stage(view, number);
    fprintf(view->out, "R\t%" PRIu64 "\t%" PRIu64 "\t0\n", number, view->n_retired++);
}

void konata_open(struct trace_view *view) {
    view->listener = (struct event_listener){
        .cycle_begin = trace_on_cycle,
        .dispatched = on_dispatched,
        .ready = on_ready,
        .critical = on_critical,
        .issued = on_issued,
        .executed = on_executed,
        .retired = on_retired,
    };
    view->stages = ARENA_ARRAY(view->arena, const char *, RING);
    fputs("Kanata\t0004\n", view->out);
}
