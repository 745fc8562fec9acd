#include "corpus/predict.h"

#include "analyzer/sim/mca/mca.h"
#include "base/bytes.h"
#include "base/chunks.h"
#include "blocks/code_uses.h"
#include "corpus/addresses.h"
#include "corpus/as_measured.h"

#include <stdlib.h>
#include <string.h>

enum { MCA_ITERATIONS = 100 }; // llvm-mca's default

struct chunk {
    struct arena arena;
    struct predicted items[PREDICT_CHUNK];
    size_t n;
};

struct scoring {
    const struct score_request *request;
    struct measured *measured;
    struct addresses *addresses; // null: no block runs
    size_t n_read;
    void *context;
    bool (*take)(void *context, const struct predicted *predicted, struct fail *fail);
};

// What one thread works with.
struct worker {
    const struct score_request *request;
    struct arena arena;
    struct model_set models;
    struct code_uses uses;
    struct pipeline *pipelines[MODEL_SET_MOST]; // for llvm-mca's number; else null
};

static void *new_chunk(void *context) {
    (void)context;
    struct chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk)
        abort(); // as arenas do
    return chunk;
}

static void free_chunk(void *item) {
    struct chunk *chunk = item;
    arena_free(&chunk->arena);
    free(chunk);
}

static bool read_chunk(void *context, void *item, struct fail *fail) {
    struct scoring *run = context;
    struct chunk *chunk = item;
    size_t most = run->request->most;
    arena_reset(&chunk->arena);
    for (chunk->n = 0; chunk->n < PREDICT_CHUNK && (!most || run->n_read < most); chunk->n++, run->n_read++) {
        struct predicted *predicted = &chunk->items[chunk->n];
        *predicted = (struct predicted){0};
        if (!measured_next(run->measured, &chunk->arena, &predicted->value, fail))
            break;
    }
    if (run->addresses)
        addresses_record(run->addresses, &chunk->arena, chunk->items, chunk->n);
    return fail->status == FAIL_NONE && chunk->n > 0;
}

static bool take_chunk(void *context, void *item, struct fail *fail) {
    struct scoring *run = context;
    const struct chunk *chunk = item;
    for (size_t i = 0; i < chunk->n; i++)
        if (!run->take(run->context, &chunk->items[i], fail))
            return false;
    return true;
}

static void close_worker(void *self) {
    struct worker *worker = self;
    for (unsigned i = 0; i < MODEL_SET_MOST; i++)
        if (worker->pipelines[i])
            pipeline_close(worker->pipelines[i]);
    code_uses_close(&worker->uses);
    model_set_close(&worker->models);
    arena_free(&worker->arena);
    free(worker);
}

static void *open_worker(void *context, bool is_alone, struct fail *fail) {
    const struct scoring *run = context;
    const struct score_request *request = run->request;
    struct worker *worker = calloc(1, sizeof *worker);
    (void)is_alone;
    if (!worker)
        abort(); // as arenas do
    worker->request = request;
    if (!model_set_open(&worker->models, &worker->arena, &request->models, fail)) {
        close_worker(worker);
        return NULL;
    }
    code_uses_open(&worker->uses, &worker->arena, request->isa, option_list_first(&request->models.llvms));
    const struct pipeline_options as_llvm_mca = {.iterations = MCA_ITERATIONS, .as_llvm_mca = true};
    for (unsigned i = 0; i < worker->models.n_judged && request->is_as_llvm_mca; i++)
        if (!worker->models.judged[i].missing && !worker->models.judged[i].own)
            worker->pipelines[i] = mca_core_open(worker->models.judged[i].machine, &as_llvm_mca);
    return worker;
}

static void list_classes(struct arena *arena, const struct block *block, struct predicted_model *model) {
    struct predicted_insn *list = ARENA_ARRAY(arena, struct predicted_insn, block->n_insns);
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        unsigned n = 0;
        while (n < model->n_insns && list[n].sched_class != insn->cost->sched_class)
            n++;
        const char *name = insn->cost->sched_class_name ? insn->cost->sched_class_name : insn->opcode;
        if (n == model->n_insns)
            list[model->n_insns++] = (struct predicted_insn){insn->cost->sched_class, arena_strdup(arena, name),
                                                             arena_strdup(arena, insn->opcode)};
    }
    model->insns = list;
}

static bool predict_cycles(const struct worker *worker, unsigned model, const struct block *block,
                           const struct predicted *predicted, struct predicted_model *to, struct fail *fail) {
    struct pipeline_result result;
    struct prediction_request request = predict_as_measured(EXECUTION_OF(block), &predicted->value);
    request.way.run = predicted->run;
    if (!worker->pipelines[model]) {
        const struct model *opened = &worker->models.judged[model];
        bool is_done = prediction_cycles_by_model(opened, &request, &to->cycles, fail);
        if (is_done && opened->own)
            to->basis = prediction_basis(opened, &request);
        return is_done;
    }
    if (!pipeline_simulate(worker->pipelines[model], EXECUTION_OF(block), NULL, &result, fail))
        return false;
    to->cycles = (double)result.cycles / MCA_ITERATIONS;
    return true;
}

static void predict_one(const struct worker *worker, struct arena *arena, unsigned model, const uint8_t *bytes,
                        size_t n_bytes, struct predicted *predicted) {
    struct predicted_model *result = &predicted->models[model];
    const struct model *opened = &worker->models.judged[model];
    struct arena scratch = {0};
    struct block block;
    struct fail why;
    fail_clear(&why);
    if (opened->missing) {
        result->refusal = opened->missing;
        return;
    }
    if (model_describe_bytes(opened, &scratch, bytes, n_bytes, &block, &why)) {
        predicted->has_branches |= block_has_inner_branch(&block, predicted->value.form == PROGRAM_LOOPED);
        result->is_done = !predicted->has_branches && predict_cycles(worker, model, &block, predicted, result, &why);
    }
    if (result->is_done)
        list_classes(arena, &block, result);
    else
        result->refusal = arena_strdup(arena, predicted->has_branches ? "branches inside" : why.text);
    arena_free(&scratch);
}

// Counts the instructions and uses of the block alone, without a loop's own.
static void look_at(const struct worker *worker, struct arena *arena, struct predicted *predicted) {
    size_t n_bytes = strlen(predicted->value.hex) / 2;
    uint8_t *bytes = arena_alloc(arena, n_bytes + 1);
    struct bench_code code = {.body = bytes, .n_body_bytes = n_bytes};
    struct fail ignored;
    fail_clear(&ignored);
    bytes_from_digits(predicted->value.hex, 2 * n_bytes, bytes);
    code_uses_find(&worker->uses, &code);
    predicted->uses = code.uses;
    if (worker->uses.cpu)
        predicted->instructions =
            (unsigned)worker->uses.backend->count_insns(worker->uses.cpu, bytes, n_bytes, &ignored);
}

static void work(void *self, void *item) {
    const struct worker *worker = self;
    struct chunk *chunk = item;
    for (size_t i = 0; i < chunk->n; i++) {
        struct predicted *predicted = &chunk->items[i];
        size_t n_bytes = strlen(predicted->value.code) / 2;
        uint8_t *bytes = arena_alloc(&chunk->arena, n_bytes + 1);
        if (predicted->value.kind == VALUE_MISSING)
            continue;
        bytes_from_digits(predicted->value.code, 2 * n_bytes, bytes);
        look_at(worker, &chunk->arena, predicted);
        for (unsigned m = 0; m < worker->models.n_judged; m++) {
            predict_one(worker, &chunk->arena, m, bytes, n_bytes, predicted);
            predicted->is_by_own |= worker->models.judged[m].own && predicted->models[m].is_done;
        }
    }
}

bool predict_all(const struct score_request *request, const struct model_set *models, struct measured *measured,
                 void *context, bool (*take)(void *context, const struct predicted *predicted, struct fail *fail),
                 struct fail *fail) {
    struct scoring run = {.request = request, .measured = measured, .context = context, .take = take};
    struct arena arena = {0};
    struct addresses addresses = {.arena = &arena};
    if (request->runs_blocks)
        addresses_open(&addresses, &arena, request, models);
    run.addresses = request->runs_blocks ? &addresses : NULL;
    const struct chunks chunks = {&run, read_chunk, open_worker, work, close_worker, take_chunk, new_chunk, free_chunk};
    bool is_done = chunks_run(&chunks, request->n_jobs ? request->n_jobs : chunks_usual_jobs(), fail);
    addresses_close(&addresses);
    arena_free(&arena);
    return is_done;
}
