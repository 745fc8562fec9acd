#include "analyzer/views/columns.h"
#include "analyzer/views/views.h"

static void on_dispatched(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers) {
    (void)uops;
    (void)registers;
    ((struct summary_view *)self)->last_index = insn->index;
}

static void on_cycle_end(void *self, uint64_t cycle) {
    (void)cycle;
    ((struct summary_view *)self)->cycles++;
}

static void on_retired(void *self, const struct event_insn *insn, const unsigned *registers) {
    (void)registers;
    struct summary_view *view = self;
    if (insn->index < view->block->n_insns)
        view->insns[view->retired.n_insns++] = *insn->insn;
}

static void on_repeated(void *self, uint64_t times, uint64_t cycles, uint64_t instructions) {
    (void)times;
    struct summary_view *view = self;
    view->cycles += cycles;
    view->last_index += instructions;
}

void summary_view_init(struct summary_view *view, const struct block *block, unsigned dispatch_width,
                       struct arena *arena) {
    *view = (struct summary_view){
        .listener = {.self = view,
                     .dispatched = on_dispatched,
                     .retired = on_retired,
                     .cycle_end = on_cycle_end,
                     .repeated = on_repeated},
        .block = block,
        .dispatch_width = dispatch_width,
        .insns = ARENA_ARRAY(arena, struct insn, block->n_insns),
    };
    view->retired = (struct block){.name = block->name, .insns = view->insns};
}

struct totals {
    uint64_t iterations, instructions, uops;
    double uops_per_cycle, ipc;
};

static struct totals total(const struct summary_view *view) {
    struct totals totals = {.iterations = view->last_index / view->block->n_insns + 1};
    for (unsigned i = 0; i < view->retired.n_insns; i++)
        totals.uops += view->retired.insns[i].cost->uops;
    totals.instructions = view->block->n_insns * totals.iterations;
    totals.uops *= totals.iterations;
    totals.uops_per_cycle = (double)totals.uops / (double)view->cycles;
    totals.ipc = (double)totals.instructions / (double)view->cycles;
    return totals;
}

void summary_view_print(const struct summary_view *view, double block_rthroughput, FILE *out) {
    const struct totals totals = total(view);
    struct columns line = {.out = out};
    columns_add(&line, "Iterations:        ");
    columns_add_count(&line, totals.iterations, 0);
    columns_add(&line, "\nInstructions:      ");
    columns_add_count(&line, totals.instructions, 0);
    columns_add(&line, "\nTotal Cycles:      ");
    columns_add_count(&line, view->cycles, 0);
    columns_add(&line, "\nTotal uOps:        ");
    columns_add_count(&line, totals.uops, 0);
    columns_add(&line, "\n\nDispatch Width:    ");
    columns_add_count(&line, view->dispatch_width, 0);
    columns_add(&line, "\nuOps Per Cycle:    ");
    columns_add_hundredths(&line, columns_rounded(totals.uops_per_cycle, 100));
    columns_add(&line, "\nIPC:               ");
    columns_add_hundredths(&line, columns_rounded(totals.ipc, 100));
    columns_add(&line, "\nBlock RThroughput: ");
    columns_add_tenths(&line, columns_rounded(block_rthroughput, 10));
    columns_add(&line, "\n");
}

void summary_view_json(const struct summary_view *view, double block_rthroughput, struct json_text *json) {
    const struct totals totals = total(view);
    json_open(json, "SummaryView");
    json_put_exact(json, "BlockRThroughput", block_rthroughput);
    json_put_integer(json, "DispatchWidth", view->dispatch_width);
    json_put_exact(json, "IPC", totals.ipc);
    json_put_integer(json, "Instructions", (int64_t)totals.instructions);
    json_put_integer(json, "Iterations", (int64_t)totals.iterations);
    json_put_integer(json, "TotalCycles", (int64_t)view->cycles);
    json_put_integer(json, "TotaluOps", (int64_t)totals.uops);
    json_put_exact(json, "uOpsPerCycle", totals.uops_per_cycle);
    json_close(json);
}
