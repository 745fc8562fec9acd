#include "analyzer/predict/prediction.h"

#include "analyzer/predict/resource_bound.h"
#include "analyzer/predict/steady.h"
#include "analyzer/sim/mca/mca.h"

// A bound explains the simulated time when it comes this close to it.
static const double EXPLAINS = 0.98;

static double uops_of(const struct execution *execution) {
    double uops = 0;
    const unsigned n = execution_length(execution);
    for (unsigned i = 0; i < n; i++)
        uops += execution_insn(execution, i)->cost->uops;
    return uops;
}

static void blame(struct prediction *prediction, enum bottleneck kind, const char *name) {
    prediction->kind = kind;
    prediction->bottleneck = name;
}

// The closed forms explain nothing: tries which part of the core, taken out of the way, makes it faster.
static bool interrogate(struct arena *arena, const struct machine *machine, const struct execution *execution,
                        struct prediction *prediction, struct fail *fail) {
    static const enum bottleneck kinds[] = {
        [LIMIT_DEPENDENCES] = BOTTLENECK_DEPENDENCY,
        [LIMIT_BUFFER] = BOTTLENECK_BUFFER,
        [LIMIT_RETIREMENT] = BOTTLENECK_RETIRE,
    };
    const struct core_ops *core = mca_core_of(machine);
    for (unsigned k = 0; k < core->n_knobs; k++) {
        struct steady steady;
        const struct steady_request request = {.machine = machine, .execution = execution, .relaxed = 1U << k};
        if (!steady_find(arena, &request, &steady, fail))
            return false;
        if (steady.cycles < EXPLAINS * prediction->cycles) {
            blame(prediction, kinds[core->knobs[k].limit], core->knobs[k].name);
            return true;
        }
    }
    return true;
}

// What limits the execution. A resource and the dispatch width are closed forms that must explain the simulated time;
// everything else is found guilty when it runs faster without it.
static bool find_bottleneck(struct arena *arena, const struct machine *machine, const struct execution *execution,
                            struct prediction *prediction, struct fail *fail) {
    struct resource_bound bound = resource_bound_of(machine, execution);
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
    return interrogate(arena, machine, execution, prediction, fail);
}

static void divide(struct prediction *prediction, double *pressure, unsigned n_resources, unsigned passes) {
    for (unsigned i = 0; i < n_resources; i++)
        pressure[i] /= passes;
    prediction->cycles /= passes;
    prediction->uops /= passes;
}

bool prediction_cycles(const struct machine *machine, const struct execution *execution, double *cycles,
                       struct fail *fail) {
    struct arena scratch = {0};
    struct steady steady = {0};
    const struct steady_request request = {.machine = machine, .execution = execution};
    bool is_done = execution_length(execution) > 0 ? steady_find(&scratch, &request, &steady, fail)
                                                   : fail_set(fail, FAIL_INPUT, "there are no instructions to predict");
    *cycles = steady.cycles / execution_passes(execution);
    arena_free(&scratch);
    return is_done;
}

bool prediction_make(struct arena *arena, const struct machine *machine, const struct execution *execution,
                     struct prediction *prediction, struct fail *fail) {
    if (execution_length(execution) == 0)
        return fail_set(fail, FAIL_INPUT, "there are no instructions to predict");
    struct steady steady;
    const struct steady_request request = {.machine = machine, .execution = execution};
    if (!steady_find(arena, &request, &steady, fail))
        return false;
    *prediction = (struct prediction){
        .model = machine->id,
        .cycles = steady.cycles,
        .ipc = steady.cycles > 0 ? execution_length(execution) / steady.cycles : 0,
        .uops = uops_of(execution),
        .dispatch_width = machine->dispatch_width,
        .pressure = steady.pressure,
    };
    if (!find_bottleneck(arena, machine, execution, prediction, fail))
        return false;
    divide(prediction, steady.pressure, machine->n_resources, execution_passes(execution));
    return true;
}
