#include "analyzer/predict/resource_bound.h"

#include <stdbool.h>

// A group's pipes are those of its members.
static unsigned pipe_count(const struct machine *machine, const struct resource *resource) {
    unsigned n = resource->is_group ? 0 : resource->units;
    for (unsigned i = 0; resource->is_group && i < resource->units; i++)
        n += pipe_count(machine, &machine->resources[resource->members[i]]);
    return n != 0 ? n : 1;
}

// A use takes one pipe, however many have to be free; one that reserves the group keeps all others from it.
static struct resource_bound bound_of(const struct machine *machine, unsigned index,
                                      const struct execution *execution) {
    const struct resource *resource = &machine->resources[index];
    struct resource_bound bound = {.resource = index};
    uint64_t pipes = resource_pipes(resource->mask);
    double shared_cycles = 0, reserved_cycles = 0;
    const unsigned n = execution_length(execution);
    for (unsigned i = 0; i < n; i++) {
        const struct insn *insn = execution_insn(execution, i);
        for (unsigned j = 0; j < insn->cost->n_uses; j++) {
            const struct sched_use *use = &insn->cost->uses[j];
            bool is_inside = use->mask != 0 && (resource_pipes(use->mask) & ~pipes) == 0;
            if (!is_inside || (use->reserved && use->mask != resource->mask))
                continue;
            unsigned held = use->release - use->acquire;
            *(use->reserved ? &reserved_cycles : &shared_cycles) += held;
            if (held > bound.holds_cycles)
                bound.holds_cycles = held;
        }
    }
    shared_cycles /= pipe_count(machine, resource);
    bound.cycles = shared_cycles > reserved_cycles ? shared_cycles : reserved_cycles;
    return bound;
}

// Of equal bounds, the one of the fewest pipes says most.
static bool is_worse(const struct machine *machine, const struct resource_bound *a, const struct resource_bound *b) {
    if (a->cycles != b->cycles || a->cycles == 0)
        return a->cycles > b->cycles;
    return machine->resources[a->resource].units < machine->resources[b->resource].units;
}

struct resource_bound resource_bound_of(const struct machine *machine, const struct execution *execution) {
    struct resource_bound worst = {0};
    for (unsigned i = 1; i < machine->n_resources; i++) {
        if (machine->resources[i].mask == 0)
            continue;
        struct resource_bound bound = bound_of(machine, i, execution);
        if (is_worse(machine, &bound, &worst))
            worst = bound;
    }
    return worst;
}
