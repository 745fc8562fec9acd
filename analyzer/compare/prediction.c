#include "analyzer/compare/prediction.h"

#include "analyzer/bounds/resource_bound.h"
#include "analyzer/compare/steady.h"

#include <string.h>

// A bound explains the simulated time when it comes this close to it.
static const double EXPLAINS = 0.98;

static double uops_of(const struct block *block) {
    double uops = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        uops += block->insns[i].uops;
    return uops;
}

// The same block with nothing waiting for a register.
static struct block without_dependences(struct arena *arena, const struct block *block) {
    struct insn *insns = ARENA_ARRAY(arena, struct insn, block->n_insns);
    memcpy(insns, block->insns, block->n_insns * sizeof *insns);
    for (unsigned i = 0; i < block->n_insns; i++)
        insns[i].n_reads = 0;
    return (struct block){.name = block->name, .insns = insns, .n_insns = block->n_insns};
}

static void blame(struct prediction *prediction, enum bottleneck kind, const char *name) {
    prediction->kind = kind;
    prediction->bottleneck = name;
}

// What limits the block: a resource, the dispatch width, or its dependences. The first two are closed forms that
// must explain the simulated time; dependences are found guilty when the block runs faster without them.
static bool find_bottleneck(struct arena *arena, const struct machine *machine, const struct block *block,
                            struct prediction *prediction, struct fail *fail) {
    struct resource_bound bound = resource_bound_of_block(machine, block);
    double dispatch_cycles = prediction->uops / machine->dispatch_width;
    prediction->resource_cycles = bound.cycles;
    prediction->resource = bound.resource;
    prediction->holds_cycles = bound.holds_cycles;
    const char *resource_name = bound.resource ? machine_pipes_name(arena, machine, bound.resource) : "";
    if (bound.cycles >= EXPLAINS * prediction->cycles && bound.cycles >= dispatch_cycles) {
        blame(prediction, BOTTLENECK_RESOURCE, resource_name);
        return true;
    }
    if (dispatch_cycles >= EXPLAINS * prediction->cycles) {
        blame(prediction, BOTTLENECK_DISPATCH, "dispatch width");
        return true;
    }
    struct block freed = without_dependences(arena, block);
    struct steady steady;
    if (!steady_find(arena, machine, &freed, &steady, fail))
        return false;
    if (steady.cycles < EXPLAINS * prediction->cycles)
        blame(prediction, BOTTLENECK_DEPENDENCY, "dependency chain");
    else if (bound.resource)
        blame(prediction, BOTTLENECK_UNEVEN, resource_name);
    else
        blame(prediction, BOTTLENECK_UNKNOWN, "");
    return true;
}

bool prediction_make(struct arena *arena, const struct machine *machine, const struct block *block,
                     struct prediction *prediction, struct fail *fail) {
    if (block->n_insns == 0)
        return fail_set(fail, FAIL_INPUT, "there are no instructions to predict");
    struct steady steady;
    if (!steady_find(arena, machine, block, &steady, fail))
        return false;
    *prediction = (struct prediction){
        .model = machine->id,
        .cycles = steady.cycles,
        .ipc = steady.cycles > 0 ? block->n_insns / steady.cycles : 0,
        .uops = uops_of(block),
        .dispatch_width = machine->dispatch_width,
        .pressure = steady.pressure,
    };
    return find_bottleneck(arena, machine, block, prediction, fail);
}
