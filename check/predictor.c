#include "check/predictor.h"

#include "analyzer/predict/model_prediction.h"
#include "base/bytes.h"

#include <math.h>
#include <string.h>

enum { MOST_CODE_BYTES = 1 << 16 };

struct predicted_program {
    const char *code; // as predictor_describe takes it
    struct predicted result;
};

static void open_with(struct predictor *predictor, struct arena *arena, const struct model *model,
                      struct overlay *overlay, const struct machine *machine) {
    *predictor = (struct predictor){
        .arena = arena, .model = model, .overlay = overlay, .machine = machine, .index.arena = arena};
}

void predictor_open(struct predictor *predictor, struct arena *arena, const struct model *model) {
    open_with(predictor, arena, model, NULL, model->machine);
}

bool predictor_open_changed(struct predictor *predictor, struct arena *arena, const struct model *model,
                            struct overlay *overlay, struct fail *fail) {
    const struct machine *machine = overlay_machine(overlay, model->machine, fail);
    open_with(predictor, arena, model, overlay, machine);
    return machine;
}

void predictor_ask_limits(struct predictor *predictor) {
    predictor->only_cycles = false;
    predictor->programs = NULL;
    predictor->n_programs = 0;
    predictor->index = (struct index){.arena = predictor->arena};
}

bool predictor_describe(const struct predictor *predictor, struct arena *arena, const char *hex, struct block *block,
                        struct fail *fail) {
    const char *colon = hex ? strchr(hex, ':') : NULL, *body = colon ? colon + 1 : hex;
    size_t before = colon ? (size_t)(colon - hex) / 2 : 0, n = hex ? strlen(body) / 2 : 0;
    uint8_t *bytes = arena_alloc(arena, before + n + 1);
    if (n == 0 || before + n > MOST_CODE_BYTES || strlen(body) % 2 || !bytes_from_hex(hex, before, bytes) ||
        !bytes_from_hex(body, n, bytes + before))
        return fail_set(fail, FAIL_INPUT, "the file does not hold its machine code");
    return model_describe_part(predictor->model, arena, bytes, before, n, block, fail) &&
           (!predictor->overlay || overlay_apply(predictor->overlay, arena, block, fail));
}

const struct insn *predictor_find_form(const struct block *block, const char *form) {
    size_t length = strcspn(form, "-"); // a form of several has a suffix (analyzer/code/form.h)
    for (unsigned i = 0; i < block->n_insns; i++)
        if (strlen(block->insns[i].opcode) == length && strncmp(block->insns[i].opcode, form, length) == 0)
            return &block->insns[i];
    return NULL;
}

static bool has_inner_branch(const struct block *block) {
    return block_has_inner_branch(block, block->n_insns && insn_changes_way(&block->insns[block->n_insns - 1]));
}

static bool predict_block(const struct predictor *predictor, struct arena *scratch, const struct block *block,
                          struct prediction *prediction, struct fail *fail) {
    const bool ends_in_branch = block->n_insns && block->insns[block->n_insns - 1].is_branch;
    const struct prediction_request request = {.execution = EXECUTION_OF(block), .way.is_loop = ends_in_branch};
    struct model changed = *predictor->model;
    changed.machine = predictor->machine;
    *prediction = (struct prediction){.kind = BOTTLENECK_UNKNOWN, .bottleneck = ""};
    return predictor->only_cycles ? prediction_cycles_by_model(&changed, &request, &prediction->cycles, fail)
                                  : prediction_by_model(scratch, &changed, &request, prediction, fail);
}

static struct predicted simulate(const struct predictor *predictor, const char *hex) {
    struct arena scratch = {0};
    struct fail fail = {0};
    struct block block = {0};
    struct prediction prediction;
    struct predicted result = {.resource = ""};
    if (predictor_describe(predictor, &scratch, hex, &block, &fail) && has_inner_branch(&block))
        fail_set(&fail, FAIL_UNAVAILABLE, "it has branches inside, and the file does not state which way they went");
    if (fail.status != FAIL_NONE || !predict_block(predictor, &scratch, &block, &prediction, &fail))
        result.why = arena_strdup(predictor->arena, fail.text);
    else
        result = (struct predicted){.is_known = isfinite(prediction.cycles),
                                    .cycles = prediction.cycles,
                                    .kind = prediction.kind,
                                    .resource = arena_strdup(predictor->arena, prediction.bottleneck),
                                    .holds_cycles = prediction.holds_cycles};
    arena_free(&scratch);
    return result;
}

static const struct predicted *program_of(struct predictor *predictor, const char *hex) {
    uint64_t hash = bytes_hash(hex, strlen(hex));
    for (size_t place = 0, i; (i = index_next(&predictor->index, hash, &place)) != INDEX_END;)
        if (strcmp(predictor->programs[i].code, hex) == 0)
            return &predictor->programs[i].result;
    struct predicted_program program = {hex, simulate(predictor, hex)};
    index_add(&predictor->index, hash, predictor->n_programs);
    struct predicted_program *added = ARENA_ADD(predictor->arena, predictor->programs, predictor->n_programs);
    *added = program;
    return &added->result;
}

// Uops of LLVM's models; slots of rename of a CPU file.
static double slots_of(const struct predictor *predictor, const struct insn *insn) {
    struct cpu_recipe recipe;
    if (!predictor->model->own)
        return insn->cost->uops;
    cpu_recipe_make(predictor->model->own, insn, &recipe);
    return recipe.slots;
}

// The form's uops: of the first instruction of that opcode in the code.
static struct predicted predict_uops(const struct predictor *predictor, const struct check_value *value) {
    struct arena scratch = {0};
    struct fail fail = {0};
    struct block block = {0};
    struct predicted result = {.resource = "", .why = "its code does not hold the form"};
    if (!predictor_describe(predictor, &scratch, value->code, &block, &fail))
        result.why = arena_strdup(predictor->arena, fail.text);
    else {
        const struct insn *insn = predictor_find_form(&block, value->form);
        double slots = insn ? slots_of(predictor, insn) : 0;
        if (insn)
            result = (struct predicted){.is_known = true,
                                        .cycles = slots,
                                        .simulated = slots,
                                        .resource = "",
                                        .are_slots = predictor->model->own};
    }
    arena_free(&scratch);
    return result;
}

struct predicted predictor_predict(struct predictor *predictor, const struct check_value *value) {
    if (value->quantity == CHECK_SLOTS)
        return predict_uops(predictor, value);
    struct predicted sum = {.is_known = value->value.n_parts > 0,
                            .cycles = value->value.constant,
                            .resource = "",
                            .why = value->value.n_parts ? NULL : "it was not measured"};
    for (size_t i = 0; i < value->value.n_parts && sum.is_known; i++) {
        const struct table_part *part = &value->value.parts[i];
        const struct predicted *program = program_of(predictor, part->code ? part->code : "");
        if (!program->is_known)
            return *program;
        sum.cycles += part->factor * program->cycles;
        sum.simulated += fabs(part->factor) * program->cycles;
        if (i == 0) {
            sum.kind = program->kind;
            sum.resource = program->resource;
            sum.holds_cycles = program->holds_cycles;
        }
    }
    return sum;
}
