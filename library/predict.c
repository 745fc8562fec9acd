#include "library/internal.h"

#include "analyzer/predict/model_prediction.h"
#include "analyzer/sim/mca/mca.h"

// A pipeline is kept for the number of iterations that was asked for last: it has its memory already.
static struct pipeline *pipeline_for(struct cyclops_machine *machine, uint64_t iterations) {
    if (machine->pipeline != NULL && machine->iterations == iterations)
        return machine->pipeline;
    if (machine->pipeline != NULL)
        pipeline_close(machine->pipeline);
    const struct pipeline_options options = {.iterations = iterations, .as_llvm_mca = true};
    machine->pipeline = mca_core_open(machine->model.machine, &options);
    machine->iterations = iterations;
    return machine->pipeline;
}

bool cyclops_simulate(const struct cyclops_block *block, uint64_t iterations, struct cyclops_totals *totals,
                      struct cyclops_error *error) {
    enum { LLVM_MCA_DEFAULT = 100 };
    struct fail fail = {0};
    iterations = iterations != 0 ? iterations : LLVM_MCA_DEFAULT;
    struct pipeline_result result;
    bool is_done = block->machine->model.own != NULL
                       ? own_simulate(block, iterations, &result, &fail)
                       : pipeline_simulate(pipeline_for(block->machine, iterations), EXECUTION_OF(&block->block), NULL,
                                           &result, &fail);
    if (is_done)
        *totals = (struct cyclops_totals){
            .iterations = iterations,
            .cycles = result.cycles,
            .instructions = result.instructions,
            .uops = result.uops,
        };
    else
        library_tell(&fail, error);
    return is_done;
}

bool cyclops_cycles(const struct cyclops_block *block, double *cycles, struct cyclops_error *error) {
    struct fail fail = {0};
    const struct prediction_request request = {.execution = EXECUTION_OF(&block->block), .way = own_way(block)};
    bool is_done = prediction_cycles_by_model(&block->machine->model, &request, cycles, &fail);
    if (!is_done)
        library_tell(&fail, error);
    return is_done;
}

// The public struct comes first, so that one pointer stands for both.
struct owned_prediction {
    struct cyclops_prediction public;
    struct arena arena;
};

static enum cyclops_bottleneck public_kind(enum bottleneck kind) {
    switch (kind) {
    case BOTTLENECK_RESOURCE:
        return CYCLOPS_BY_RESOURCE;
    case BOTTLENECK_DISPATCH:
        return CYCLOPS_BY_DISPATCH;
    case BOTTLENECK_DEPENDENCY:
        return CYCLOPS_BY_DEPENDENCY;
    case BOTTLENECK_BUFFER:
        return CYCLOPS_BY_BUFFER;
    case BOTTLENECK_RETIRE:
        return CYCLOPS_BY_RETIRE;
    case BOTTLENECK_UNEVEN:
        return CYCLOPS_BY_SPREAD;
    case BOTTLENECK_FRONT_END:
        return CYCLOPS_BY_FRONT_END;
    case BOTTLENECK_MEMORY:
        return CYCLOPS_BY_MEMORY;
    case BOTTLENECK_INTERACTION:
        return CYCLOPS_BY_INTERACTION;
    case BOTTLENECK_UNKNOWN:
        break;
    }
    return CYCLOPS_BY_UNKNOWN;
}

struct cyclops_prediction *cyclops_predict(const struct cyclops_block *block, struct cyclops_error *error) {
    struct fail fail = {0};
    struct prediction made;
    struct arena arena = {0};
    struct owned_prediction *owned = ARENA_NEW(&arena, struct owned_prediction);
    const struct model *model = &block->machine->model;
    const struct prediction_request request = {.execution = EXECUTION_OF(&block->block), .way = own_way(block)};
    bool is_done = prediction_by_model(&arena, model, &request, &made, &fail);
    if (is_done)
        owned->public = (struct cyclops_prediction){
            .cycles = made.cycles,
            .ipc = made.ipc,
            .uops = made.uops,
            .bottleneck = public_kind(made.kind),
            .bottleneck_name = made.bottleneck,
            .limit = "",
            .next_limit = "",
        };
    if (is_done && model->own != NULL) {
        is_done = own_explain(&arena, block, &owned->public, &fail);
        owned->public.n_by_llvm = made.n_by_llvm;
    } else if (is_done) {
        owned->public.pressure = made.pressure + 1; // without the model's entry 0, which is no resource
        owned->public.n_pressure = model->machine->n_resources - 1;
    }
    if (!is_done) {
        library_tell(&fail, error);
        arena_free(&arena);
        return NULL;
    }
    owned->arena = arena;
    return &owned->public;
}

void cyclops_prediction_free(struct cyclops_prediction *prediction) {
    if (prediction == NULL)
        return;
    struct arena arena = ((struct owned_prediction *)prediction)->arena;
    arena_free(&arena);
}
