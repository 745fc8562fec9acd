#include "analyzer/views/columns.h"
#include "analyzer/views/statistics.h"

#include <inttypes.h>

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)insn;
    (void)registers;
    ((struct dispatch_view *)self)->dispatched += uops;
}

static void on_stalled(void *self, const struct event_insn *insn, enum event_stall kind) {
    (void)insn;
    tally_add(&((struct dispatch_view *)self)->stalls, kind, 1);
}

static void on_cycle_end(void *self, uint64_t cycle) {
    (void)cycle;
    struct dispatch_view *view = self;
    tally_add(&view->widths, view->dispatched, 1);
    view->dispatched = 0;
}

static void on_marked(void *self) {
    struct dispatch_view *view = self;
    tally_mark(&view->stalls);
    tally_mark(&view->widths);
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)cycles;
    (void)instructions;
    struct dispatch_view *view = self;
    tally_repeat(&view->stalls, times);
    tally_repeat(&view->widths, times);
}

void dispatch_view_init(struct dispatch_view *view, struct arena *arena) {
    *view = (struct dispatch_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .stalled = on_stalled,
                     .cycle_end = on_cycle_end,
                     .marked = on_marked,
                     .repeated = on_repeated},
        .stalls.arena = arena,
        .widths.arena = arena,
    };
}

// In the order of the report.
static const struct {
    enum event_stall kind;
    const char *title;
} kinds[] = {
    {STALL_REGISTER_FILE, "RAT     - Register unavailable:                      "},
    {STALL_REORDER_BUFFER, "RCU     - Retire tokens unavailable:                 "},
    {STALL_SCHEDULER, "SCHEDQ  - Scheduler full:                            "},
    {STALL_LOAD_QUEUE, "LQ      - Load queue full:                           "},
    {STALL_STORE_QUEUE, "SQ      - Store queue full:                          "},
    {STALL_DISPATCH_GROUP, "GROUP   - Static restrictions on the dispatch group: "},
    {STALL_CUSTOM, "USH     - Uncategorised Structural Hazard:           "},
};

static double percent(uint64_t count, uint64_t cycles) {
    return columns_rounded((double)count / (double)cycles * 100.0, 10);
}

void dispatch_view_print(const struct dispatch_view *view, FILE *out) {
    const uint64_t cycles = tally_sum(&view->widths);
    fputs("\n\nDynamic Dispatch Stall Cycles:\n", out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t count = tally_get(&view->stalls, kinds[i].kind);
        fprintf(out, "%s%" PRIu64, kinds[i].title, count);
        if (count != 0)
            fprintf(out, "  (%.1f%%)", percent(count, cycles));
        fputc('\n', out);
    }
    fputs("\n\nDispatch Logic - number of cycles where we saw N micro opcodes dispatched:\n"
          "[# dispatched], [# cycles]\n",
          out);
    for (size_t i = 0; i < view->widths.n; i++) {
        uint64_t count = view->widths.counts[i];
        if (count != 0)
            fprintf(out, " %zu,              %" PRIu64 "  (%.1f%%)\n", i, count, percent(count, cycles));
    }
}

void dispatch_view_json(const struct dispatch_view *view, struct json_text *json) {
    static const struct {
        const char *name;
        enum event_stall kind;
    } members[] = {{"GROUP", STALL_DISPATCH_GROUP},
                   {"LQ", STALL_LOAD_QUEUE},
                   {"RAT", STALL_REGISTER_FILE},
                   {"RCU", STALL_REORDER_BUFFER},
                   {"SCHEDQ", STALL_SCHEDULER},
                   {"SQ", STALL_STORE_QUEUE},
                   {"USH", STALL_CUSTOM}};
    json_open(json, "DispatchStatistics");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_put_integer(json, members[i].name, (int64_t)tally_get(&view->stalls, members[i].kind));
    json_close(json);
}
