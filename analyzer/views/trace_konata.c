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

static const char executing[] = "Ex";

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
    fprintf(view->out, "\nL\t%" PRIu64 "\t1\t%s, ", number, insn->insn->opcode);
    if (view->costs)
        fprintf(view->out, "%s\n", view->costs[insn->position]);
    else
        fprintf(view->out, "%u uops, latency %u\n", insn->insn->cost->uops, insn->insn->cost->latency);
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

// Pipes of CPU files have one unit each.
static void print_use(struct trace_view *view, uint64_t number, const struct event_use *use) {
    const char *name = view->machine->resources[use->resource].name;
    if (view->costs)
        fprintf(view->out, "L\t%" PRIu64 "\t1\t; %s for %.4g\n", number, name,
                use->cycles + (double)use->parts / EVENT_PARTS);
    else
        fprintf(view->out, "L\t%" PRIu64 "\t1\t; %s.%u for %u\n", number, name, use->unit, use->cycles);
}

static void on_issued(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses) {
    struct trace_view *view = self;
    uint64_t number = trace_number(view, insn);
    catch_up(view);
    if (view->stages[number % RING] != executing) // else an earlier uop of it was issued
        begin_stage(view, number, executing);
    for (unsigned i = 0; i < n_uses; i++)
        print_use(view, number, &uses[i]);
}

static void on_eliminated(void *self, const struct event_insn *insn, enum event_elimination what) {
    static const char *const words[] = {
        [ELIMINATED_IDIOM] = "an idiom", [ELIMINATED_MOVE] = "a move", [ELIMINATED_NOP] = "a nop"};
    struct trace_view *view = self;
    fprintf(view->out, "L\t%" PRIu64 "\t1\t; renaming does it: %s\n", trace_number(view, insn), words[what]);
}

static void on_met_store(void *self, const struct event_insn *insn, uint64_t store, enum event_meeting what) {
    static const char *const words[] = {[MEETING_FORWARDS] = "its load is forwarded",
                                        [MEETING_RENAMES] = "renaming finds what it loads",
                                        [MEETING_BLOCKS] = "its load waits until a store has retired"};
    struct trace_view *view = self;
    const uint64_t number = trace_number(view, insn);
    fprintf(view->out, "L\t%" PRIu64 "\t1\t; %s\n", number, words[what]);
    fprintf(view->out, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", number, view->first_index + store);
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
        .eliminated = on_eliminated,
        .met_store = on_met_store,
    };
    view->stages = ARENA_ARRAY(view->arena, const char *, RING);
    fputs("Kanata\t0004\n", view->out);
}
