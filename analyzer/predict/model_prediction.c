#include "analyzer/predict/model_prediction.h"

#include "analyzer/cpu/pipes.h"
#include "analyzer/predict/bounds_words.h"
#include "analyzer/predict/core_plan.h"
#include "base/text.h"

#include <assert.h>

// Instructions in the order in which they ran stand for the block: bounds take no other order.
static struct block laid_out(struct arena *arena, const struct execution *execution) {
    return execution->steps ? execution_lay_out(arena, execution) : *execution->block;
}

// What is asked of the model's CPU file.
static struct bounds_request asked_of(const struct model *model, const struct prediction_request *request,
                                      const struct block *block) {
    struct bounds_request asked = request->way;
    assert(model->own);
    asked.cpu = model->own;
    asked.block = block;
    return asked;
}

static bool find_bounds(const struct model *model, const struct prediction_request *request, const struct block *block,
                        struct bounds *bounds, struct fail *fail) {
    const struct bounds_request asked = asked_of(model, request, block);
    if (!bounds_find(&asked, bounds, fail))
        return false;
    const unsigned n_passes = execution_passes(request->execution);
    for (unsigned i = 0; i < BOUND_N; i++)
        bounds->cycles[i] /= n_passes;
    bounds->slots /= n_passes;
    bounds->vector_slots /= n_passes;
    bounds->most /= n_passes;
    return true;
}

bool prediction_bounds(struct arena *arena, const struct model *model, const struct prediction_request *request,
                       struct bounds *bounds, struct fail *fail) {
    const struct block block = laid_out(arena, request->execution);
    return find_bounds(model, request, &block, bounds, fail);
}

static enum bottleneck bottleneck_of(const struct bounds *bounds) {
    static const enum bottleneck kinds[BOUND_N] = {
        [BOUND_DISPATCH] = BOTTLENECK_DISPATCH, [BOUND_PREDECODE] = BOTTLENECK_FRONT_END,
        [BOUND_DECODE] = BOTTLENECK_FRONT_END,  [BOUND_CACHE] = BOTTLENECK_FRONT_END,
        [BOUND_PORTS] = BOTTLENECK_RESOURCE,    [BOUND_LOADS] = BOTTLENECK_MEMORY,
        [BOUND_STORES] = BOTTLENECK_MEMORY,     [BOUND_LATENCY] = BOTTLENECK_DEPENDENCY,
        [BOUND_RETIRE] = BOTTLENECK_RETIRE,     [BOUND_BUFFER] = BOTTLENECK_DEPENDENCY,
    };
    return bounds->most > 0 ? kinds[bounds->largest] : BOTTLENECK_UNKNOWN;
}

// In the words that LLVM's core has for the same.
static const char *name_of(struct arena *arena, const struct cpu *cpu, const struct bounds *bounds) {
    static const char *const names[BOUND_N] = {
        [BOUND_DISPATCH] = "dispatch width",  [BOUND_PREDECODE] = "predecode",   [BOUND_DECODE] = "decoders",
        [BOUND_CACHE] = "op cache",           [BOUND_LOADS] = "loads per cycle", [BOUND_STORES] = "stores per cycle",
        [BOUND_LATENCY] = "dependency chain", [BOUND_RETIRE] = "retire width",   [BOUND_BUFFER] = "reorder buffer",
    };
    if (bounds->most <= 0)
        return "";
    return bounds->largest == BOUND_PORTS ? cpu_pipes_name(arena, cpu, bounds->pipes) : names[bounds->largest];
}

// The longest that one instruction holds one of the pipes, cycles.
static unsigned held_for(const struct cpu *cpu, const struct block *block, uint64_t pipes) {
    struct arena scratch = {0};
    const struct cpu_recipe *recipes = cpu_recipes(&scratch, cpu, block);
    double longest = 0;
    for (unsigned i = 0; i < block->n_insns; i++)
        for (unsigned u = 0; u < recipes[i].n_uses; u++)
            if (!(recipes[i].uses[u].pipes & ~pipes) && recipes[i].uses[u].cycles > longest)
                longest = recipes[i].uses[u].cycles;
    arena_free(&scratch);
    return (unsigned)longest;
}

// Cycles per pass, whether or not the model is to be simulated.
static bool find_core_cycles(struct arena *arena, const struct model *model, const struct prediction_request *request,
                             double *cycles, struct fail *fail) {
    const struct block block = laid_out(arena, request->execution);
    const struct bounds_request asked = asked_of(model, request, &block);
    bool is_done = core_cycles_find(&asked, 0, cycles, fail);
    *cycles /= execution_passes(request->execution);
    return is_done;
}

// What is simulated takes longer than its bounds: they do not explain it.
static bool take_core_cycles(struct arena *arena, const struct model *model, const struct prediction_request *request,
                             struct prediction *prediction, struct fail *fail) {
    static const double EXPLAINS = 0.98;
    double cycles;
    if (!find_core_cycles(arena, model, request, &cycles, fail))
        return false;
    if (prediction->cycles < EXPLAINS * cycles) {
        prediction->kind = BOTTLENECK_INTERACTION;
        prediction->bottleneck = arena_printf(arena, "interaction with %s", prediction->bottleneck);
    }
    prediction->ipc = cycles > 0 ? prediction->ipc * prediction->cycles / cycles : 0;
    prediction->cycles = cycles;
    return true;
}

// Of the instructions that ran, each once: the execution may have many passes.
struct bounds_basis prediction_basis(const struct model *model, const struct prediction_request *request) {
    const struct execution *execution = request->execution;
    const unsigned n = execution->block->n_insns;
    struct arena scratch = {0};
    const struct cpu_recipe *all = cpu_recipes(&scratch, model->own, execution->block);
    struct cpu_recipe *ran = ARENA_ARRAY(&scratch, struct cpu_recipe, n + 1);
    bool *has_run = ARENA_ARRAY(&scratch, bool, n + 1);
    unsigned n_ran = 0;
    for (unsigned i = 0; i < execution_length(execution); i++)
        has_run[execution->steps ? execution->steps[i].insn : i] = true;
    for (unsigned i = 0; i < n; i++)
        if (has_run[i])
            ran[n_ran++] = all[i];
    const struct bounds_basis basis = bounds_basis_of(ran, n_ran);
    arena_free(&scratch);
    return basis;
}

static void state_basis(struct arena *arena, const struct model *model, const struct prediction_request *request,
                        struct prediction *prediction) {
    const struct bounds_basis basis = prediction_basis(model, request);
    prediction->n_insns = basis.n_insns;
    prediction->n_by_llvm = basis.n_by_base;
    for (unsigned d = 0; d < BOUNDS_N_DOUBTS; d++)
        if (basis.n_doubtful[d])
            *ARENA_ADD(arena, prediction->notes, prediction->n_notes) =
                arena_printf(arena, "%s: %s", text_count(arena, basis.n_doubtful[d], "instruction"),
                             bounds_doubt_sentence((enum bounds_doubt)d));
}

static bool predict_by_bounds(struct arena *arena, const struct model *model, const struct prediction_request *request,
                              struct prediction *prediction, struct fail *fail) {
    const struct block block = laid_out(arena, request->execution);
    const unsigned n_passes = execution_passes(request->execution);
    struct bounds bounds;
    if (!find_bounds(model, request, &block, &bounds, fail))
        return false;
    *prediction = (struct prediction){
        .model = model->title,
        .cycles = bounds.most,
        .ipc = bounds.most > 0 ? block.n_insns / (bounds.most * n_passes) : 0,
        .uops = bounds.slots,
        .are_slots = true,
        .dispatch_width = (unsigned)cpu_value(model->own, CPU_DISPATCH_WIDTH),
        .kind = bottleneck_of(&bounds),
        .bottleneck = name_of(arena, model->own, &bounds),
    };
    state_basis(arena, model, request, prediction);
    if (!model->own->is_x86 && bounds.n_unfollowed)
        *ARENA_ADD(arena, prediction->notes, prediction->n_notes) = bounds_note_apart;
    if (prediction->kind == BOTTLENECK_RESOURCE)
        prediction->holds_cycles = held_for(model->own, &block, bounds.pipes);
    return !model->is_simulated || take_core_cycles(arena, model, request, prediction, fail);
}

bool prediction_by_model(struct arena *arena, const struct model *model, const struct prediction_request *request,
                         struct prediction *prediction, struct fail *fail) {
    return model->own ? predict_by_bounds(arena, model, request, prediction, fail)
                      : prediction_make(arena, model->machine, request->execution, prediction, fail);
}

bool prediction_cycles_by_model(const struct model *model, const struct prediction_request *request, double *cycles,
                                struct fail *fail) {
    if (!model->own)
        return prediction_cycles(model->machine, request->execution, cycles, fail);
    struct arena scratch = {0};
    struct bounds bounds = {0};
    bool is_done = false;
    if (model->is_simulated) {
        is_done = find_core_cycles(&scratch, model, request, cycles, fail);
    } else {
        is_done = prediction_bounds(&scratch, model, request, &bounds, fail);
        *cycles = bounds.most;
    }
    if (!is_done)
        *cycles = 0;
    arena_free(&scratch);
    return is_done;
}
