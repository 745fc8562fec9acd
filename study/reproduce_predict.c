// Predicts a published experiment with models.
#include "study/reproduce.h"

#include "analyzer/predict/corun_prediction.h"
#include "analyzer/predict/model_prediction.h"
#include "analyzer/predict/rthroughput.h"
#include "analyzer/sim/mca/mca.h"
#include "study/explain.h"

#include <math.h>
#include <string.h>

static double *one_number(struct arena *arena, double value) {
    double *number = ARENA_NEW(arena, double);
    *number = value;
    return number;
}

static bool predict_program(struct arena *arena, const struct model *model, const struct program *program,
                            double *cycles, struct fail *fail) {
    struct program_range range = program_simulated_range(program);
    struct prediction prediction;
    struct block block;
    const struct prediction_request request = {
        .execution = EXECUTION_OF(&block),
        .way = {.is_loop = program->form == PROGRAM_LOOPED, .start = program->line_offset}};
    if (!program->code)
        return fail_set(fail, FAIL_UNAVAILABLE, "the programs are not assembled");
    if (!model_describe_part(model, arena, program->code, range.offset, range.length, &block, fail) ||
        !prediction_by_model(arena, model, &request, &prediction, fail))
        return false;
    *cycles = prediction.cycles;
    return true;
}

// Predicts a sweep; null and a failure where that is not possible. `other`: predicts the form that was not published.
static double *predict_sweep(struct arena *arena, const struct model *model, const struct reproduction *r, bool other,
                             struct fail *fail) {
    size_t n = r->reference->values[0].n;
    double *cycles = ARENA_ARRAY(arena, double, n);
    for (size_t i = 0; i < n; i++)
        if (!predict_program(arena, model, &r->plan.experiments[i + (other ? n : 0)]->program, &cycles[i], fail))
            return NULL;
    return cycles;
}

static bool describe_asm(struct arena *arena, const struct model *model, const struct reference *reference,
                         struct block *block, struct fail *fail) {
    struct backend_source source;
    const char *text = model_in_syntax(arena, model->machine->triple, reference->asm_text);
    if (!model_describe_text(model, arena, reference->name, text, &source, fail))
        return false;
    *block = source.blocks[0];
    return true;
}

static bool predict_block(struct arena *arena, const struct model *model, const struct reference *reference,
                          double *values[], struct fail *fail) {
    struct block block;
    struct prediction prediction;
    const struct prediction_request request = {.execution = EXECUTION_OF(&block)};
    if (!describe_asm(arena, model, reference, &block, fail) ||
        !prediction_by_model(arena, model, &request, &prediction, fail))
        return false;
    for (size_t i = 0; i < reference->n_values; i++)
        values[i] = one_number(arena, prediction.cycles);
    return true;
}

// What only LLVM's core can predict.
static bool is_simulated(const struct model *model, const struct reference *reference, struct fail *fail) {
    return !model->own ||
           fail_set(fail, FAIL_INPUT, "%s: a CPU file bounds blocks and programs; this needs a simulation",
                    reference->name);
}

// Threads with the same code may have different times; the published value is for both.
static bool predict_corun(struct arena *arena, const struct model *model, const struct reference *reference,
                          double *values[], struct fail *fail) {
    struct block block;
    double cycles[CORUN_THREADS];
    if (!is_simulated(model, reference, fail) || !describe_asm(arena, model, reference, &block, fail) ||
        !corun_predict(model->machine, (const struct block *const[]){&block, &block}, cycles, fail))
        return false;
    for (size_t i = 0; i < reference->n_values; i++)
        values[i] = one_number(arena, fmax(cycles[0], cycles[1]));
    return true;
}

static bool predict_report(struct arena *arena, const struct model *model, const struct reference *reference,
                           double *values[], struct fail *fail) {
    struct block block;
    struct pipeline_result result;
    struct pipeline_options options = {.iterations = reference->iterations, .as_llvm_mca = true};
    if (!is_simulated(model, reference, fail) || !describe_asm(arena, model, reference, &block, fail) ||
        !mca_core_run(model->machine, EXECUTION_OF(&block), &options, NULL, &result, fail))
        return false;
    const double cycles = (double)result.cycles;
    const double known[N_QUANTITIES] = {
        [QUANTITY_TOTAL_CYCLES] = cycles,
        [QUANTITY_IPC] = (double)result.instructions / cycles,
        [QUANTITY_UOPS_PER_CYCLE] = (double)result.uops / cycles,
        [QUANTITY_BLOCK_RTHROUGHPUT] = block_rthroughput(model->machine, &block, 0),
    };
    for (size_t i = 0; i < reference->n_values; i++)
        values[i] = one_number(arena, known[reference->values[i].quantity]);
    return true;
}

// Predicts an instruction. The reciprocal throughput is the simulated one.
static bool predict_instruction(struct arena *arena, const struct model *model, const struct reference *reference,
                                double *values[], struct fail *fail) {
    if (!is_simulated(model, reference, fail))
        return false;
    for (size_t i = 0; i < reference->n_values; i++) {
        const struct reference_value *value = &reference->values[i];
        struct explanation e;
        unsigned copies = value->copies ? value->copies : 1;
        if (!explain_insn(arena, model, reference->instruction, copies, &e, fail))
            return false;
        const double known[N_QUANTITIES] = {
            [QUANTITY_CYCLES] = (double)e.steps[e.n_steps - 1].cycles,
            [QUANTITY_LATENCY] = e.insn->cost->latency,
            [QUANTITY_RTHROUGHPUT] = e.steady,
            [QUANTITY_SECOND] = (double)(e.copies.issues[1] - e.copies.issues[0]),
        };
        if (value->copies && e.steps[e.n_steps - 1].n != value->copies)
            return fail_set(fail, FAIL_INPUT, "%s: 'copies' is a power of 2, up to 2048", reference->name);
        values[i] = one_number(arena, known[value->quantity]);
    }
    return true;
}

// Predicts all values with one model; for a sweep, also those of the other form, in `other`.
static bool predict_all(struct arena *arena, const char *llvm, const char *name, const struct reproduction *r,
                        double *values[], double **other, struct fail *fail) {
    const struct reference *reference = r->reference;
    const struct isa *isa = reference->isa ? isa_find(reference->isa) : NULL;
    struct backend_options options = {.triple = isa ? isa->triple : NULL, .cpu = name, .output_syntax = -1};
    struct model model;
    bool is_good = model_open(&model, arena, llvm, &options, fail);
    if (is_good) {
        switch (reference->kind) {
        case REFERENCE_SWEEP:
            values[0] = predict_sweep(arena, &model, r, false, fail);
            *other = values[0] ? predict_sweep(arena, &model, r, true, fail) : NULL;
            is_good = *other != NULL;
            break;
        case REFERENCE_BLOCK:
            is_good = predict_block(arena, &model, reference, values, fail);
            break;
        case REFERENCE_CORUN:
            is_good = predict_corun(arena, &model, reference, values, fail);
            break;
        case REFERENCE_REPORT:
            is_good = predict_report(arena, &model, reference, values, fail);
            break;
        case REFERENCE_INSTRUCTION:
            is_good = predict_instruction(arena, &model, reference, values, fail);
            break;
        }
    }
    model_close(&model);
    return is_good;
}

// Allows for rounding: 4.1 - 4.0 is more than 0.1 in binary.
static bool is_within(const struct reference *reference, const struct reference_value *value, const double *predicted) {
    static const double SLACK = 1e-9;
    for (size_t i = 0; i < value->n; i++)
        if (!(fabs(predicted[i] - value->published[i]) <= reference->tolerance + SLACK))
            return false;
    return true;
}

bool reproduce_agrees(const struct reproduction *reproduction) {
    for (size_t i = 0; i < reproduction->reference->n_values; i++)
        if (reproduction->no_prediction || !(reproduction->values[i].matches || reproduction->values[i].is_repaired))
            return false;
    return true;
}

void reproduce_predict(struct arena *arena, const char *llvm, struct reproduction *reproduction) {
    const struct reference *reference = reproduction->reference;
    double **predicted = ARENA_ARRAY(arena, double *, reference->n_values), *other = NULL;
    double **repaired = ARENA_ARRAY(arena, double *, reference->n_values), *other_repaired;
    struct fail trouble = {0}, no_llvm = {0};
    const struct backend *backend = backend_load(arena, llvm, &no_llvm);
    reproduction->llvm = backend ? backend->major : 0;
    reproduction->no_prediction = NULL;
    if (!predict_all(arena, llvm, reference->model, reproduction, predicted, &other, &trouble) ||
        (reference->repaired_by &&
         !predict_all(arena, llvm, reference->repaired_by, reproduction, repaired, &other_repaired, &trouble))) {
        reproduction->no_prediction = arena_strdup(arena, trouble.text);
        return;
    }
    for (size_t i = 0; i < reference->n_values; i++) {
        struct reproduced_value *value = &reproduction->values[i];
        value->predicted = predicted[i];
        value->repaired = repaired[i];
        value->matches = is_within(reference, value->reference, predicted[i]);
        value->is_repaired = !value->matches && repaired[i] && is_within(reference, value->reference, repaired[i]);
    }
    reproduction->values[0].predicted_other = other;
}
