#include "analyzer/predict/prediction.h"

#include "analyzer/predict/resource_bound.h"
#include "analyzer/predict/steady.h"
#include "analyzer/sim/mca/mca.h"

// A bound explains the simulated time when it comes this close to it.
static const double EXPLAINS = 0.98;

static double uops_of(const struct block *block) {
    double uops = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        uops += block->insns[i].cost->uops;
    return uops;
}

static void blame(struct prediction *prediction, enum bottleneck kind, const char *name) {
    prediction->kind = kind;
    prediction->bottleneck = name;
}

// The closed forms explain nothing: tries which part of the core, taken out of the way, makes the block faster.
static bool interrogate(struct arena *arena, const struct machine *machine, const struct block *block,
                        struct prediction *prediction, struct fail *fail) {
    static const enum bottleneck kinds[] = {
        [LIMIT_DEPENDENCES] = BOTTLENECK_DEPENDENCY,
        [LIMIT_BUFFER] = BOTTLENECK_BUFFER,
        [LIMIT_RETIREMENT] = BOTTLENECK_RETIRE,
    };
    const struct core_ops *core = mca_core_of(machine);
    for (unsigned k = 0; k < core->n_knobs; k++) {
        struct steady steady;
        if (!steady_find(arena, machine, block, 1U << k, &steady, fail))
            return false;
        if (steady.cycles < EXPLAINS * prediction->cycles) {
            blame(prediction, kinds[core->knobs[k].limit], core->knobs[k].name);
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
    bool is_done = block->n_insns > 0 ? steady_find(&scratch, machine, block, 0, &steady, fail)
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
    if (!steady_find(arena, machine, block, 0, &steady, fail))
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
