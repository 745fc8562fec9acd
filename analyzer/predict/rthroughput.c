#include "analyzer/predict/rthroughput.h"

#include <assert.h>

enum {
    MAX_RESOURCES = 64, // bits of a mask
    MAX_UNITED = 10,    // resources of which all unions are tried; with more, each alone and all together
};

// What one instruction asks of one resource.
struct demand {
    uint64_t pipes; // bits of the pipes it may go to
    unsigned cycles;
    unsigned resource;
    unsigned reserves_cycles; // the group is held as a whole
};

struct demands {
    struct demand items[MAX_RESOURCES];
    unsigned n;
    unsigned pipe_units[MAX_RESOURCES]; // of equal pipes, by bit
};

static unsigned top_bit(uint64_t mask) {
    assert(mask != 0);
    return 63 - (unsigned)__builtin_clzll(mask);
}

static unsigned resource_of(const struct machine *machine, uint64_t mask) {
    const struct resource *resource = machine_resource_of_mask(machine, mask);
    return resource ? (unsigned)(resource - machine->resources) : 0;
}

static unsigned segment(const struct sched_use *use) {
    return use->release > use->acquire ? use->release - use->acquire : 0;
}

static struct demand *demand_for(struct demands *demands, const struct machine *machine, uint64_t mask) {
    unsigned resource = resource_of(machine, mask);
    for (unsigned i = 0; i < demands->n; i++)
        if (demands->items[i].resource == resource)
            return &demands->items[i];
    assert(demands->n < MAX_RESOURCES);
    demands->items[demands->n] = (struct demand){.pipes = resource_pipes(mask), .resource = resource};
    return &demands->items[demands->n++];
}

static void collect(struct demands *demands, const struct machine *machine, const struct insn *insn) {
    demands->n = 0;
    for (unsigned i = 1; i < machine->n_resources; i++)
        if (machine->resources[i].mask != 0 && !machine->resources[i].is_group)
            demands->pipe_units[top_bit(machine->resources[i].mask)] = machine->resources[i].units;
    for (unsigned i = 0; i < insn->cost->n_uses; i++) {
        const struct sched_use *use = &insn->cost->uses[i];
        struct demand *demand = demand_for(demands, machine, use->mask);
        if (use->reserved)
            demand->reserves_cycles += segment(use);
        else
            demand->cycles += segment(use);
    }
}

// Pipes in a set. Groups nested in a group have bits in its mask, but no units of their own.
static unsigned units_in(const struct demands *demands, uint64_t pipes) {
    unsigned units = 0;
    for (; pipes != 0; pipes &= pipes - 1)
        units += demands->pipe_units[__builtin_ctzll(pipes)];
    return units;
}

static void consider(const struct demands *demands, uint64_t pipes, unsigned resource, struct rthroughput *worst) {
    unsigned cycles = 0, units = units_in(demands, pipes);
    for (unsigned i = 0; i < demands->n; i++)
        if ((demands->items[i].pipes & ~pipes) == 0)
            cycles += demands->items[i].cycles;
    double bound = units != 0 ? (double)cycles / units : 0;
    if (bound > worst->cycles)
        *worst = (struct rthroughput){.cycles = bound, .resource = resource};
}

static void consider_union(const struct demands *demands, uint64_t chosen, struct rthroughput *worst) {
    uint64_t pipes = 0;
    for (unsigned i = 0; i < demands->n; i++)
        pipes |= chosen >> i & 1 ? demands->items[i].pipes : 0;
    consider(demands, pipes, demands->items[__builtin_ctzll(chosen)].resource, worst);
}

struct rthroughput insn_rthroughput(const struct machine *machine, const struct insn *insn) {
    struct demands demands = {.n = 0};
    struct rthroughput worst = {0};
    collect(&demands, machine, insn);
    for (unsigned i = 0; i < demands.n; i++) {
        const struct demand *demand = &demands.items[i];
        consider(&demands, demand->pipes, demand->resource, &worst);
        if (demand->reserves_cycles > worst.cycles)
            worst = (struct rthroughput){.cycles = demand->reserves_cycles, .resource = demand->resource};
    }
    if (demands.n > MAX_UNITED)
        consider_union(&demands, ~0ULL >> (MAX_RESOURCES - demands.n), &worst);
    for (uint64_t chosen = 1; demands.n <= MAX_UNITED && chosen < 1ULL << demands.n; chosen++)
        consider_union(&demands, chosen, &worst);
    return worst;
}

double block_rthroughput(const struct machine *machine, const struct block *block, unsigned dispatch_width) {
    uint64_t cycles[MAX_RESOURCES] = {0}; // by highest bit of the mask
    uint64_t uops = 0;
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        uops += insn->cost->uops;
        for (unsigned u = 0; u < insn->cost->n_uses; u++)
            cycles[top_bit(insn->cost->uses[u].mask)] += insn->cost->uses[u].release;
    }
    double worst = (double)uops / (dispatch_width != 0 ? dispatch_width : machine->dispatch_width);
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *resource = &machine->resources[r];
        if (resource->mask == 0 || cycles[top_bit(resource->mask)] == 0)
            continue;
        double bound = (double)cycles[top_bit(resource->mask)] / resource->units;
        worst = bound > worst ? bound : worst;
    }
    return worst;
}
