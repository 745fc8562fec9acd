#include "analyzer/sim/core/front_end.h"

void front_end_open(struct front_end *front, const struct core_plan *plan, uint64_t total) {
    enum { DEFAULT_QUEUE = 64 };
    double queue = cpu_value(plan->cpu, CPU_DECODE_QUEUE);
    *front = (struct front_end){.plan = plan, .total = total, .queue = queue > 0 ? (uint64_t)queue : DEFAULT_QUEUE};
}

static bool deliver(struct front_end *front, unsigned which, int64_t cycle, uint64_t taken) {
    const struct core_supply *supply = &front->plan->supplies[which];
    struct front_end_part *part = &front->parts[which];
    const uint64_t available = which ? front->parts[which - 1].delivered : front->total;
    const uint64_t before = part->delivered;
    while (gate_is_open(&part->gate, cycle) && part->delivered < front->total &&
           part->delivered - taken < front->queue) {
        const struct core_supply_step *step = &supply->steps[part->step];
        uint64_t wanted = part->delivered + step->n_insns;
        wanted = wanted < front->total ? wanted : front->total;
        if (wanted > available)
            break;
        part->delivered = wanted;
        gate_take(&part->gate, cycle, 0, step->ticks);
        part->step = part->step + 1 == supply->n_steps ? supply->repeats_from : part->step + 1;
    }
    return part->delivered != before;
}

bool front_end_cycle(struct front_end *front, int64_t cycle, uint64_t next) {
    bool has_moved = false;
    for (unsigned i = 0; i < front->plan->n_supplies; i++) {
        bool is_last = i + 1 == front->plan->n_supplies;
        has_moved |= deliver(front, i, cycle, is_last ? next : front->parts[i + 1].delivered);
    }
    return has_moved;
}

uint64_t front_end_delivered(const struct front_end *front) {
    return front->plan->n_supplies ? front->parts[front->plan->n_supplies - 1].delivered : front->total;
}

uint64_t front_end_entered(const struct front_end *front) {
    return front->plan->n_supplies ? front->parts[0].delivered : 0;
}

void front_end_put(const struct front_end *front, struct coder *coder) {
    for (unsigned i = 0; i < front->plan->n_supplies; i++) {
        put_ticks(coder, front->parts[i].gate.busy_until, 0);
        coder_put(coder, front->parts[i].step);
        coder_put(coder, front->parts[i].delivered - coder->next);
    }
}
