#include "analyzer/views/occupancy.h"

static void on_cycle_begin(void *self, uint64_t cycle) {
    struct occupancy *occupancy = self;
    occupancy->cycle = cycle;
}

// The use for which a unit was taken: of its resource, or of a group that holds it.
static const struct sched_use *use_of(const struct insn *insn, uint64_t unit_bit) {
    const struct sched_use *found = NULL;
    for (unsigned i = 0; i < insn->cost->n_uses; i++) {
        const struct sched_use *use = &insn->cost->uses[i];
        if (use->mask == unit_bit)
            return use;
        if (!found && (resource_pipes(use->mask) & unit_bit))
            found = use;
    }
    return found;
}

static void on_issued(void *self, const struct event_insn *event, const struct event_use *uses, unsigned n_uses) {
    struct occupancy *occupancy = self;
    const struct insn *insn = event->insn;
    if (occupancy->n_issues == 0)
        occupancy->first = occupancy->cycle;
    uint64_t now = occupancy->cycle - occupancy->first;
    *ARENA_ADD(occupancy->arena, occupancy->issues, occupancy->n_issues) = now;
    if (now + insn->cost->latency > occupancy->end)
        occupancy->end = now + insn->cost->latency;
    for (unsigned i = 0; i < n_uses; i++) {
        uint64_t bit = resource_bit(occupancy->machine->resources[uses[i].resource].mask);
        const struct sched_use *use = use_of(insn, bit);
        unsigned acquire = use ? use->acquire : 0;
        *ARENA_ADD(occupancy->arena, occupancy->items, occupancy->n_items) = (struct occupied){
            event->index, uses[i].resource, uses[i].unit, now + acquire, now + acquire + uses[i].cycles};
    }
}

struct event_listener occupancy_listener(struct occupancy *occupancy) {
    return (struct event_listener){.self = occupancy, .cycle_begin = on_cycle_begin, .issued = on_issued};
}
