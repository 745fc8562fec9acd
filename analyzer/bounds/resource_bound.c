#include "analyzer/bounds/resource_bound.h"

#include <stdbool.h>

// Units that a mask stands for: a group's highest bit is the group itself (see struct resource).
static uint64_t pipes_of(uint64_t mask) {
    bool is_group = (mask & (mask - 1)) != 0;
    return is_group ? mask & ~(1ULL << (63 - __builtin_clzll(mask))) : mask;
}

static struct resource_bound bound_of(const struct resource *resource, unsigned index, const struct block *block) {
    struct resource_bound bound = {.resource = index};
    uint64_t pipes = pipes_of(resource->mask);
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        for (unsigned j = 0; j < insn->n_uses; j++) {
            const struct insn_use *use = &insn->uses[j];
            if (use->mask == 0 || (pipes_of(use->mask) & ~pipes) != 0)
                continue;
            unsigned held = use->release - use->acquire;
            bound.cycles += held * (use->units ? use->units : 1);
            if (held > bound.holds_cycles)
                bound.holds_cycles = held;
        }
    }
    bound.cycles /= resource->units ? resource->units : 1;
    return bound;
}

// Of equal bounds, the one of the fewest pipes says most.
static bool is_worse(const struct machine *machine, const struct resource_bound *a, const struct resource_bound *b) {
    if (a->cycles != b->cycles || a->cycles == 0)
        return a->cycles > b->cycles;
    return machine->resources[a->resource].units < machine->resources[b->resource].units;
}

struct resource_bound resource_bound_of_block(const struct machine *machine, const struct block *block) {
    struct resource_bound worst = {0};
    for (unsigned i = 1; i < machine->n_resources; i++) {
        if (machine->resources[i].mask == 0)
            continue;
        struct resource_bound bound = bound_of(&machine->resources[i], i, block);
        if (is_worse(machine, &bound, &worst))
            worst = bound;
    }
    return worst;
}
