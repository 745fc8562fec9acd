#include "analyzer/sim/mca/micro_op_queue.h"

#include "analyzer/sim/mca/out_of_order.h"

static unsigned entries_of(const struct micro_op_queue *queue, const struct plan_insn *insn) {
    unsigned entries = insn->uops < queue->size ? insn->uops : queue->size;
    return entries != 0 ? entries : 1;
}

void micro_op_queue_fill(struct out_of_order *sim) {
    struct micro_op_queue *queue = &sim->queue;
    struct core *core = &sim->core;
    uint64_t left = core->total - core->next - core->n_queued;
    for (unsigned n = 0; left > 0 && (queue->throughput == 0 || n < queue->throughput); n++, left--) {
        unsigned entries = entries_of(queue, &sim->units.plan.insns[queue->end_position]);
        if (entries > queue->size - queue->used)
            return;
        queue->used += entries;
        core->n_queued++;
        if (++queue->end_position == sim->units.plan.n_insns)
            queue->end_position = 0;
        core->has_moved = true;
    }
}

void micro_op_queue_leave(struct out_of_order *sim) {
    sim->queue.used -= entries_of(&sim->queue, sim->units.next_plan);
    sim->core.n_queued--;
}
