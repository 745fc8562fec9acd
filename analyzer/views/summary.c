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

void summary_view_init(struct summary_view *view, const struct block *block, unsigned dispatch_width,
                       double block_rthroughput) {
    *view = (struct summary_view){
        .listener = {.self = view, .dispatched = on_dispatched, .cycle_end = on_cycle_end},
        .block = block,
        .dispatch_width = dispatch_width,
        .block_rthroughput = block_rthroughput,
    };
}

// Half away from zero, as llvm-mca rounds before it prints.
static double rounded(double value, double steps) {
    return floor(value * steps + 0.5) / steps;
}

void summary_view_print(const struct summary_view *view, FILE *out) {
    uint64_t uops = 0, iterations = view->last_index / view->block->n_insns + 1;
    for (unsigned i = 0; i < view->block->n_insns; i++)
        uops += view->block->insns[i].uops;
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
    fprintf(out, "Block RThroughput: %.1f\n", rounded(view->block_rthroughput, 10));
}
