#include "library/internal.h"

#include "analyzer/predict/prediction.h"
#include "analyzer/sim/mca/mca.h"

// A pipeline is kept for the number of iterations that was asked for last: it has its memory already.
static struct pipeline *pipeline_for(struct cyclops_machine *machine, uint64_t iterations) {
    if (machine->pipeline != NULL && machine->iterations == iterations)
        return machine->pipeline;
    if (machine->pipeline != NULL)
        pipeline_close(machine->pipeline);
    const struct pipeline_options options = {.iterations = iterations, .as_llvm_mca = true};
    machine->pipeline = mca_core_open(machine->model, &options);
    machine->iterations = iterations;
    return machine->pipeline;
}

bool cyclops_simulate(const struct cyclops_block *block, uint64_t iterations, struct cyclops_totals *totals,
                      struct cyclops_error *error) {
    enum { LLVM_MCA_DEFAULT = 100 };
    struct fail fail = {0};
    struct pipeline_result result;
    iterations = iterations != 0 ? iterations : LLVM_MCA_DEFAULT;
    if (!pipeline_simulate(pipeline_for(block->machine, iterations), EXECUTION_OF(&block->block), NULL, &result,
                           &fail)) {
        library_tell(&fail, error);
        return false;
    }
    *totals = (struct cyclops_totals){
        .iterations = iterations,
        .cycles = result.cycles,
        .instructions = result.instructions,
        .uops = result.uops,
    };
    return true;
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
    case BOTTLENECK_FRONT_END: // of CPU files only, which the library does not read
    case BOTTLENECK_MEMORY:
    case BOTTLENECK_INTERACTION:
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
    if (!prediction_make(&arena, block->machine->model, EXECUTION_OF(&block->block), &made, &fail)) {
        library_tell(&fail, error);
        arena_free(&arena);
        return NULL;
    }
    owned->public = (struct cyclops_prediction){
        .cycles = made.cycles,
        .ipc = made.ipc,
        .uops = made.uops,
        .bottleneck = public_kind(made.kind),
        .bottleneck_name = made.bottleneck,
        .pressure = made.pressure + 1, // without the model's entry 0, which is no resource
        .n_pressure = block->machine->model->n_resources - 1,
    };
    owned->arena = arena;
    return &owned->public;
}

void cyclops_prediction_free(struct cyclops_prediction *prediction) {
    if (prediction == NULL)
        return;
    struct arena arena = ((struct owned_prediction *)prediction)->arena;
    arena_free(&arena);
}
