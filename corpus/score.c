#include "corpus/score.h"

#include "analyzer/predict/verdict.h"
#include "base/bytes.h"
#include "base/text.h"
#include "blocks/decoder.h"
#include "corpus/as_measured.h"
#include "corpus/predict.h"
#include "corpus/rank.h"
#include "corpus/value_columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double close_error = 0.05;
enum { N_FORMS = 2, LONGEST_OPCODES = 60 };

const char *score_group_name(enum score_group group) {
    static const char *const names[SCORE_N_GROUPS] = {
        [GROUP_SCALAR] = "scalar, no memory",
        [GROUP_SCALAR_MEMORY] = "scalar, memory",
        [GROUP_VECTOR] = "vector, no memory",
        [GROUP_VECTOR_MEMORY] = "vector, memory",
        [GROUP_LOADS] = "loads, no stores",
        [GROUP_STORES] = "stores",
        [GROUP_LENGTH_4] = "1 to 4 instructions",
        [GROUP_LENGTH_9] = "5 to 9 instructions",
        [GROUP_LENGTH_19] = "10 to 19 instructions",
        [GROUP_LENGTH_LONG] = "20 and more instructions",
        [GROUP_PAGES_0] = "no page",
        [GROUP_PAGES_1] = "1 page",
        [GROUP_PAGES_MORE] = "2 to 8 pages",
        [GROUP_WALKS] = "walks over pages",
        [GROUP_NOTED] = "value distorted",
        [GROUP_UNNOTED] = "value not distorted",
        [GROUP_OWN_NUMBERS] = "by the CPU file's numbers alone",
        [GROUP_LLVM_NUMBERS] = "also by LLVM's numbers",
        [GROUP_DOUBTFUL] = "with what the CPU file does not know",
    };
    return names[group];
}

double score_mean(const struct score_errors *errors) {
    return errors->n ? errors->absolute / (double)errors->n : 0;
}

// Collects the values of one model and form. Grows without an arena: a million pairs would leave as much behind.
struct collected {
    struct rank_pair *pairs;
    size_t n, room;
    struct score_class *classes; // by number
    unsigned n_classes;
};

struct scoring {
    struct arena *arena;
    const struct score_request *request;
    struct scores *scores;
    struct model_set models; // for the blame
    struct decoder decoder;
    struct collected collected[MODEL_SET_MOST][N_FORMS];
    FILE *blocks;   // the CSV file; null: not wanted
    struct csv csv; // its line
    bool is_any_noted;
};

static void *grown(void *array, size_t *room, size_t needed, size_t bytes) {
    enum { FIRST = 1024 };
    if (needed <= *room)
        return array;
    *room = *room * 2 > needed ? *room * 2 : needed > FIRST ? needed : FIRST;
    array = realloc(array, *room * bytes);
    if (!array)
        abort(); // as arenas do
    return array;
}

static void add_error(struct score_errors *errors, double error, bool is_within) {
    errors->n++;
    errors->absolute += fabs(error);
    errors->relative += error;
    errors->n_close += fabs(error) <= close_error;
    errors->n_within += is_within;
}

static unsigned groups_of(const struct predicted *predicted) {
    const struct corpus_value *value = &predicted->value;
    bool is_vector = predicted->uses & 1U << USE_VECTOR, loads = predicted->uses & 1U << USE_LOAD,
         stores = predicted->uses & 1U << USE_STORE, touches = loads || stores;
    enum { LENGTH_4 = 4, LENGTH_9 = 9, LENGTH_19 = 19 };
    unsigned n = predicted->instructions, groups = 0;
    enum score_group kind = is_vector ? touches ? GROUP_VECTOR_MEMORY : GROUP_VECTOR
                            : touches ? GROUP_SCALAR_MEMORY
                                      : GROUP_SCALAR;
    groups |= 1U << kind;
    if (touches)
        groups |= 1U << (stores ? GROUP_STORES : GROUP_LOADS);
    groups |= 1U << (n <= LENGTH_4    ? GROUP_LENGTH_4
                     : n <= LENGTH_9  ? GROUP_LENGTH_9
                     : n <= LENGTH_19 ? GROUP_LENGTH_19
                                      : GROUP_LENGTH_LONG);
    if (value->walks)
        groups |= 1U << GROUP_WALKS;
    else if (value->has_pages)
        groups |= 1U << (value->pages == 0 ? GROUP_PAGES_0 : value->pages == 1 ? GROUP_PAGES_1 : GROUP_PAGES_MORE);
    return groups | 1U << (*value->notes ? GROUP_NOTED : GROUP_UNNOTED);
}

static bool is_doubtful(const struct bounds_basis *basis) {
    for (unsigned d = 0; d < BOUNDS_N_DOUBTS; d++)
        if (basis->n_doubtful[d])
            return true;
    return false;
}

// By what the model itself says of its prediction.
static unsigned groups_by(const struct bounds_basis *basis) {
    if (!basis->n_insns)
        return 0;
    unsigned groups = 1U << (basis->n_by_base ? GROUP_LLVM_NUMBERS : GROUP_OWN_NUMBERS);
    return is_doubtful(basis) ? groups | 1U << GROUP_DOUBTFUL : groups;
}

static void add_class(struct scoring *scoring, struct collected *collected, const struct predicted_insn *insn,
                      double error, bool is_within) {
    if (insn->sched_class >= collected->n_classes) {
        unsigned n = 2 * insn->sched_class + 1;
        struct score_class *classes = ARENA_ARRAY(scoring->arena, struct score_class, n);
        if (collected->n_classes)
            memcpy(classes, collected->classes, collected->n_classes * sizeof *classes);
        collected->classes = classes;
        collected->n_classes = n;
    }
    struct score_class *of_class = &collected->classes[insn->sched_class];
    add_error(&of_class->errors, error, is_within);
    if (!of_class->name) {
        of_class->name = arena_strdup(scoring->arena, insn->class_name);
        of_class->opcodes = arena_strdup(scoring->arena, insn->opcode);
    } else if (strlen(of_class->opcodes) < LONGEST_OPCODES && !strstr(of_class->opcodes, insn->opcode))
        of_class->opcodes = arena_printf(scoring->arena, "%s %s", of_class->opcodes, insn->opcode);
}

// Puts the value among the worst, which are in the order of their errors, if it is one.
static void add_worst(struct scoring *scoring, struct score_form *form, const struct corpus_value *value,
                      double predicted, double error) {
    unsigned most = scoring->request->n_worst;
    size_t place = form->n_worst;
    if (!form->worst)
        form->worst = ARENA_ARRAY(scoring->arena, struct score_worst, most + 1);
    while (place > 0 && fabs(form->worst[place - 1].error) < fabs(error))
        place--;
    if (place >= most)
        return;
    memmove(&form->worst[place + 1], &form->worst[place], (form->n_worst - place) * sizeof *form->worst);
    form->worst[place] = (struct score_worst){.hex = arena_strdup(scoring->arena, value->hex),
                                              .code = arena_strdup(scoring->arena, value->code),
                                              .measured = value->cycles,
                                              .low = value->low,
                                              .high = value->high,
                                              .predicted = predicted,
                                              .error = error,
                                              .is_of_others = value->is_of_others,
                                              .starts_apart = value->starts_apart,
                                              .memory_is_own = value->memory_is_own};
    form->n_worst += form->n_worst < most;
}

// Rounding of numbers in files, relative.
static const double rounding = 1e-4;

static void add_prediction(struct scoring *scoring, const struct predicted *predicted, unsigned model) {
    const struct corpus_value *value = &predicted->value;
    const struct predicted_model *result = &predicted->models[model];
    struct score_form *form = &scoring->scores->models[model].forms[value->form];
    struct collected *collected = &scoring->collected[model][value->form];
    if (!result->is_done) {
        form->n_refused++;
        if (!form->refusal)
            form->refusal = arena_strdup(scoring->arena, result->refusal);
        return;
    }
    double error = (result->cycles - value->cycles) / value->cycles, slack = rounding * value->cycles;
    bool is_within = result->cycles >= value->low - slack && result->cycles <= value->high + slack;
    unsigned groups = groups_of(predicted) | groups_by(&result->basis);
    add_error(&form->all, error, is_within);
    for (unsigned group = 0; group < SCORE_N_GROUPS; group++)
        if (groups & 1U << group)
            add_error(&form->groups[group], error, is_within);
    for (unsigned i = 0; i < result->n_insns; i++)
        add_class(scoring, collected, &result->insns[i], error, is_within);
    collected->pairs = grown(collected->pairs, &collected->room, collected->n + 1, sizeof *collected->pairs);
    collected->pairs[collected->n++] = (struct rank_pair){(float)value->cycles, (float)result->cycles};
    if (scoring->request->n_worst)
        add_worst(scoring, form, value, result->cycles, error);
}

// ---- the CSV file of blocks

static const char *name_of(const struct model *model) {
    return model->missing ? model->title : model_name(model);
}

static bool has_cpu_file(const struct scoring *scoring) {
    bool has = false;
    for (unsigned m = 0; m < scoring->models.n_judged; m++)
        has |= scoring->models.judged[m].own != NULL;
    return has;
}

static bool open_blocks(struct scoring *scoring, struct fail *fail) {
    const char *path = scoring->request->blocks;
    if (!path)
        return true;
    scoring->blocks = fopen(path, "we");
    if (!scoring->blocks)
        return fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(errno));
    struct csv *csv = &scoring->csv;
    csv->line.arena = scoring->arena;
    columns_put_titles(value_columns, VALUES_N_COLUMNS, "", csv);
    for (unsigned m = 0; m < scoring->models.n_judged; m++)
        csv_put(csv, name_of(&scoring->models.judged[m]));
    for (unsigned m = 0; m < scoring->models.n_judged; m++)
        if (scoring->models.judged[m].own) {
            csv_put(csv, arena_printf(scoring->arena, "by_llvm %s", name_of(&scoring->models.judged[m])));
            csv_put(csv, arena_printf(scoring->arena, "notes %s", name_of(&scoring->models.judged[m])));
        }
    if (has_cpu_file(scoring))
        csv_put(csv, "addresses");
    csv_end_line(csv, scoring->blocks);
    return true;
}

static void put_basis(const struct predicted_model *predicted, struct arena *scratch, struct csv *csv) {
    if (!predicted->is_done) {
        csv_put(csv, NULL);
        csv_put(csv, NULL);
        return;
    }
    struct text doubts = {.arena = scratch};
    for (unsigned d = 0; d < BOUNDS_N_DOUBTS; d++)
        if (predicted->basis.n_doubtful[d])
            text_addf(&doubts, "%s%s", doubts.length ? " " : "", bounds_doubt_name((enum bounds_doubt)d));
    csv_put_count(csv, predicted->basis.n_by_base);
    csv_put(csv, doubts.data);
}

static struct value_line line_of(const struct corpus_value *value, struct arena *scratch) {
    // An unstable one may have no number at all: no round of it counts.
    const bool is_missing = value->kind == VALUE_MISSING, is_known = !is_missing && value->cycles > 0,
               adds_walks = value->walks && !strstr(value->notes, "walks");
    struct value_line line = {
        .block = value->hex,
        .form = program_form_name(value->form),
        .cycles = is_known ? value->cycles : NAN,
        .low = is_known ? value->low : NAN,
        .high = is_known ? value->high : NAN,
        .verdict = is_missing                    ? "missing"
                   : value->kind == VALUE_STABLE ? "stable"
                                                 : "unstable",
        .bytes = value->code,
        .pages = value->has_pages ? (int64_t)value->pages : -1,
        .notes = value->notes,
    };
    if (adds_walks)
        line.notes = arena_printf(scratch, "%s%swalks", value->notes, *value->notes ? " " : "");
    if (!value->is_of_others) {
        line.alias = value->starts_apart ? "disjoint" : "same";
        line.memory = value->memory_is_own ? "own" : "shared";
    }
    return line;
}

static void write_block(struct scoring *scoring, const struct predicted *predicted) {
    struct csv *csv = &scoring->csv;
    struct arena scratch = {0};
    struct value_line line = line_of(&predicted->value, &scratch);
    columns_put_cells(value_columns, VALUES_N_COLUMNS, &line, csv);
    for (unsigned m = 0; m < scoring->models.n_judged; m++)
        csv_put_fixed(csv, predicted->models[m].is_done ? predicted->models[m].cycles : NAN, VALUES_DECIMALS);
    for (unsigned m = 0; m < scoring->models.n_judged; m++)
        if (scoring->models.judged[m].own)
            put_basis(&predicted->models[m], &scratch, csv);
    if (has_cpu_file(scoring))
        csv_put(csv, predicted->run ? "run" : predicted->is_by_own ? "static" : NULL);
    csv_end_line(csv, scoring->blocks);
    arena_free(&scratch);
}

static void count_addresses(const struct scoring *scoring, const struct predicted *predicted,
                            struct score_values *values) {
    values->n_run += predicted->run != NULL;
    values->n_unrecorded += predicted->unrecorded != NULL;
    if (predicted->unrecorded && !values->unrecorded)
        values->unrecorded = arena_strdup(scoring->arena, predicted->unrecorded);
}

static bool take(void *context, const struct predicted *predicted, struct fail *fail) {
    struct scoring *scoring = context;
    const struct corpus_value *value = &predicted->value;
    struct score_values *values = &scoring->scores->values[value->form];
    if (scoring->blocks)
        write_block(scoring, predicted);
    if (scoring->blocks && ferror(scoring->blocks))
        return fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", scoring->request->blocks, strerror(errno));
    if (value->kind == VALUE_MISSING) {
        values->n_missing++;
    } else if (value->kind == VALUE_UNSTABLE) {
        values->n_unstable++;
    } else if (predicted->has_branches) {
        values->n_branches++;
    } else if (scoring->request->is_undistorted && *value->notes) {
        values->n_distorted++;
    } else {
        values->n_stable++;
        count_addresses(scoring, predicted, values);
        scoring->is_any_noted |= *value->notes != '\0';
        for (unsigned m = 0; m < scoring->models.n_judged; m++)
            add_prediction(scoring, predicted, m);
    }
    return true;
}

// ---- at the end

static int compare_classes(const void *a, const void *b) {
    const struct score_class *one = a, *other = b;
    return one->errors.absolute > other->errors.absolute ? -1 : one->errors.absolute < other->errors.absolute ? 1 : 0;
}

// Keeps classes of blocks that are worse than the others. `absolute` becomes what they add to the sum of errors, for
// the order, and then the sum again.
static void rank_classes(struct score_form *form, struct collected *collected) {
    enum { FEWEST = 5 };
    double mean = score_mean(&form->all);
    size_t n = 0;
    for (unsigned i = 0; i < collected->n_classes; i++) {
        struct score_class of_class = collected->classes[i];
        if (of_class.errors.n < FEWEST || score_mean(&of_class.errors) <= mean)
            continue;
        of_class.errors.absolute -= mean * (double)of_class.errors.n;
        collected->classes[n++] = of_class;
    }
    if (n)
        qsort(collected->classes, n, sizeof *collected->classes, compare_classes);
    for (size_t i = 0; i < n; i++)
        collected->classes[i].errors.absolute += mean * (double)collected->classes[i].errors.n;
    form->classes = collected->classes;
    form->n_classes = n;
}

static const char *text_of(struct scoring *scoring, const char *hex) {
    size_t n_bytes = strlen(hex) / 2;
    uint8_t *bytes = arena_alloc(scoring->arena, n_bytes + 1);
    struct text text = {.arena = scoring->arena};
    struct block block;
    struct fail ignored;
    fail_clear(&ignored);
    bytes_from_digits(hex, 2 * n_bytes, bytes);
    text_add(&text, "");
    if (decoder_decode(&scoring->decoder, scoring->arena, bytes, n_bytes, &block, &ignored))
        for (unsigned i = 0; i < block.n_insns; i++)
            text_addf(&text, "%s%s", i ? "; " : "", block.insns[i].text);
    return text.data;
}

static const char *blame_of(struct scoring *scoring, unsigned model, enum program_form form,
                            const struct score_worst *worst) {
    const struct model *opened = &scoring->models.judged[model];
    size_t n_bytes = strlen(worst->code) / 2;
    uint8_t *bytes = arena_alloc(scoring->arena, n_bytes + 1);
    struct prediction prediction;
    struct verdict verdict;
    struct block block;
    struct fail ignored;
    fail_clear(&ignored);
    bytes_from_digits(worst->code, 2 * n_bytes, bytes);
    const struct corpus_value value = {.form = form,
                                       .is_of_others = worst->is_of_others,
                                       .starts_apart = worst->starts_apart,
                                       .memory_is_own = worst->memory_is_own};
    const struct prediction_request request = predict_as_measured(EXECUTION_OF(&block), &value);
    if (!model_describe_bytes(opened, scoring->arena, bytes, n_bytes, &block, &ignored) ||
        !prediction_by_model(scoring->arena, opened, &request, &prediction, &ignored))
        return "";
    const struct verdict_measured measured = {worst->measured, worst->low, worst->high, 0, true, VERDICT_BLOCK};
    verdict_make(scoring->arena, &measured, &prediction, &verdict);
    return *verdict.blame ? verdict.blame : prediction.bottleneck;
}

static void finish_form(struct scoring *scoring, unsigned model, unsigned number) {
    struct score_form *form = &scoring->scores->models[model].forms[number];
    struct collected *collected = &scoring->collected[model][number];
    float *errors = malloc((collected->n + 1) * sizeof *errors);
    if (!errors)
        abort(); // as arenas do
    for (size_t i = 0; i < collected->n; i++)
        errors[i] = fabsf(collected->pairs[i].y / collected->pairs[i].x - 1);
    form->median = rank_median(errors, collected->n);
    form->tau = rank_tau(collected->pairs, collected->n);
    free(errors);
    rank_classes(form, collected);
    if (!scoring->is_any_noted)
        form->groups[GROUP_UNNOTED] = (struct score_errors){0};
    for (size_t i = 0; i < form->n_worst; i++) {
        form->worst[i].text = text_of(scoring, form->worst[i].hex);
        form->worst[i].blame = blame_of(scoring, model, (enum program_form)number, &form->worst[i]);
    }
}

static bool has_values(const struct scores *scores) {
    for (unsigned form = 0; form < N_FORMS; form++)
        if (scores->values[form].n_stable)
            return true;
    return false;
}

static bool open_all(struct scoring *scoring, struct fail *fail) {
    const struct score_request *request = scoring->request;
    if (!model_set_open(&scoring->models, scoring->arena, &request->models, fail) ||
        !decoder_open(&scoring->decoder, scoring->arena, request->isa, option_list_first(&request->models.llvms), fail))
        return false;
    scoring->scores->n_models = scoring->models.n_judged;
    for (unsigned m = 0; m < scoring->models.n_judged; m++) {
        scoring->scores->models[m].title = scoring->models.judged[m].title;
        scoring->scores->models[m].missing = scoring->models.judged[m].missing;
        scoring->scores->models[m].name = name_of(&scoring->models.judged[m]);
    }
    return open_blocks(scoring, fail);
}

static bool score_all(struct scoring *scoring, struct fail *fail) {
    struct measured *measured = measured_open(&scoring->request->measured, fail);
    bool is_done = measured && predict_all(scoring->request, &scoring->models, measured, scoring, take, fail);
    scoring->scores->n_malformed = measured ? measured_malformed(measured) : 0;
    measured_close(measured);
    return is_done && (has_values(scoring->scores) || fail_set(fail, FAIL_INPUT, "there is no stable value to score"));
}

bool score_blocks(struct arena *arena, const struct score_request *request, struct scores *scores, struct fail *fail) {
    struct scoring scoring = {.arena = arena, .request = request, .scores = scores};
    *scores = (struct scores){.runs_blocks = request->runs_blocks};
    bool is_done = open_all(&scoring, fail) && score_all(&scoring, fail);
    for (unsigned m = 0; m < MODEL_SET_MOST; m++)
        for (unsigned form = 0; form < N_FORMS; form++) {
            if (is_done)
                finish_form(&scoring, m, form);
            free(scoring.collected[m][form].pairs);
        }
    if (scoring.blocks && fclose(scoring.blocks) != 0)
        is_done = fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", request->blocks, strerror(errno));
    decoder_close(&scoring.decoder);
    model_set_close(&scoring.models);
    return is_done;
}
