#include "analyzer/views/views.h"

#include <inttypes.h>
#include <math.h>

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

void summary_view_init(struct summary_view *view, const struct block *block, unsigned dispatch_width,
                       struct arena *arena) {
    *view = (struct summary_view){
        .listener = {.self = view, .dispatched = on_dispatched, .retired = on_retired, .cycle_end = on_cycle_end},
        .block = block,
        .dispatch_width = dispatch_width,
        .insns = ARENA_ARRAY(arena, struct insn, block->n_insns),
    };
    view->retired = (struct block){.name = block->name, .insns = view->insns};
}

// Half away from zero, as llvm-mca rounds before it prints.
static double rounded(double value, double steps) {
    return floor(value * steps + 0.5) / steps;
}

void summary_view_print(const struct summary_view *view, double block_rthroughput, FILE *out) {
    uint64_t uops = 0, iterations = view->last_index / view->block->n_insns + 1;
    for (unsigned i = 0; i < view->retired.n_insns; i++)
        uops += view->retired.insns[i].uops;
    uint64_t instructions = view->block->n_insns * iterations;
    uops *= iterations;
    double cycles = (double)view->cycles;
    fprintf(out, "Iterations:        %" PRIu64 "\n", iterations);
    fprintf(out, "Instructions:      %" PRIu64 "\n", instructions);
    fprintf(out, "Total Cycles:      %" PRIu64 "\n", view->cycles);
    fprintf(out, "Total uOps:        %" PRIu64 "\n\n", uops);
    fprintf(out, "Dispatch Width:    %u\n", view->dispatch_width);
    fprintf(out, "uOps Per Cycle:    %.2f\n", rounded((double)uops / cycles, 100));
    fprintf(out, "IPC:               %.2f\n", rounded((double)instructions / cycles, 100));
    fprintf(out, "Block RThroughput: %.1f\n", rounded(block_rthroughput, 10));
}
