#include "analyzer/pipeline/micro_op_queue.h"

#include "analyzer/pipeline/simulation.h"

static unsigned entries_of(const struct micro_op_queue *queue, const struct plan_insn *insn) {
    unsigned entries = insn->uops < queue->size ? insn->uops : queue->size;
    return entries != 0 ? entries : 1;
}

static void fill(struct simulation *sim) {
    struct micro_op_queue *queue = &sim->queue;
    for (unsigned n = 0; queue->end < sim->total && (queue->throughput == 0 || n < queue->throughput); n++) {
        unsigned entries = entries_of(queue, &sim->plan.insns[queue->end_position]);
        if (entries > queue->size - queue->used)
            return;
        queue->used += entries;
        queue->end++;
        if (++queue->end_position == sim->plan.n_insns)
            queue->end_position = 0;
        sim->has_moved = true;
    }
}

void micro_op_queue_cycle(struct simulation *sim) {
    struct micro_op_queue *queue = &sim->queue;
    fill(sim);
    while (sim->next < queue->end && dispatch_can(sim)) {
        queue->used -= entries_of(queue, next_insn(sim));
        dispatch(sim);
    }
}
