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

// One change to machine or block, and whom to blame when the block runs faster with it.
struct suspect {
    enum bottleneck kind;
    const char *name;
    struct machine machine;
    struct block block;
};

// The closed forms explain nothing: tries which part of the model, taken away, makes the block faster.
static bool interrogate(struct arena *arena, const struct machine *machine, const struct block *block,
                        struct prediction *prediction, struct fail *fail) {
    enum { LARGE_BUFFER = 1 << 13 };
    struct suspect suspects[] = {
        {BOTTLENECK_DEPENDENCY, "dependency chain", *machine, without_dependences(arena, block)},
        {BOTTLENECK_BUFFER, "reorder buffer", *machine, *block},
        {BOTTLENECK_BUFFER, "load and store queues", *machine, *block},
        {BOTTLENECK_RETIRE, "retire width", *machine, *block},
    };
    if (!machine->in_order)
        suspects[1].machine.rob_size = LARGE_BUFFER;
    suspects[2].machine.load_queue = suspects[2].machine.store_queue = 0;
    suspects[3].machine.retire_width = 0;
    for (size_t i = 0; i < sizeof suspects / sizeof *suspects; i++) {
        struct steady steady;
        if (!steady_find(arena, &suspects[i].machine, &suspects[i].block, &steady, fail))
            return false;
        if (steady.cycles < EXPLAINS * prediction->cycles) {
            blame(prediction, suspects[i].kind, suspects[i].name);
            return true;
        }
    }
    return true;
}

// What limits the block. A resource and the dispatch width are closed forms that must explain the simulated time;
// everything else is found guilty when the block runs faster without it.
static bool find_bottleneck(struct arena *arena, const struct machine *machine, const struct block *block,
                            struct prediction *prediction, struct fail *fail) {
    struct resource_bound bound = resource_bound_of_block(machine, block);
    double enough = EXPLAINS * prediction->cycles;
    bool is_dispatch = prediction->uops / machine->dispatch_width >= enough;
    const char *resource_name = bound.resource ? machine_pipes_name(arena, machine, bound.resource) : "";
    prediction->holds_cycles = bound.holds_cycles;
    if (bound.cycles >= enough && bound.resource) {
        blame(prediction, BOTTLENECK_RESOURCE,
              is_dispatch ? arena_printf(arena, "%s and dispatch width", resource_name) : resource_name);
        return true;
    }
    if (is_dispatch) {
        blame(prediction, BOTTLENECK_DISPATCH, "dispatch width");
        return true;
    }
    blame(prediction, bound.resource ? BOTTLENECK_UNEVEN : BOTTLENECK_UNKNOWN, resource_name);
    return interrogate(arena, machine, block, prediction, fail);
}

bool prediction_cycles(const struct machine *machine, const struct block *block, double *cycles, struct fail *fail) {
    struct arena scratch = {0};
    struct steady steady = {0};
    bool is_done = block->n_insns > 0 ? steady_find(&scratch, machine, block, &steady, fail)
                                      : fail_set(fail, FAIL_INPUT, "there are no instructions to predict");
    *cycles = steady.cycles;
    arena_free(&scratch);
    return is_done;
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
