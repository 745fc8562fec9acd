#include "survey/table/table_models.h"

#include "analyzer/predict/bounds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_costs(const void *a, const void *b) {
    const struct opcode_cost *one = a, *other = b;
    return strcmp(one->opcode, other->opcode);
}

// Sets every `step`-th of the numbers: a row's.
static void add_llvm(struct arena *arena, const struct model *model, const struct survey_table *table,
                     struct table_model *numbers, size_t step) {
    const struct opcode_cost *costs, *vectors = NULL;
    size_t n = model->backend->opcode_costs(model->cpu, arena, &costs), n_vectors = 0;
    for (size_t i = 0; i < table->n_rows && !n_vectors; i++)
        if (vector_config_in_name(table->rows[i].form, NULL))
            n_vectors = model->backend->vector_costs(model->cpu, arena, &vectors);
    struct opcode_cost *sorted = ARENA_ARRAY(arena, struct opcode_cost, n + n_vectors);
    if (n)
        memcpy(sorted, costs, n * sizeof *sorted);
    if (n_vectors)
        memcpy(sorted + n, vectors, n_vectors * sizeof *sorted);
    n += n_vectors;
    if (n)
        qsort(sorted, n, sizeof *sorted, compare_costs);
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct opcode_cost wanted = {.opcode = form_unit(arena, table->rows[i].form)};
        const struct opcode_cost *cost = n ? bsearch(&wanted, sorted, n, sizeof *sorted, compare_costs) : NULL;
        if (cost)
            numbers[i * step] = (struct table_model){true, cost->latency, cost->rthroughput, cost->uops};
    }
}

static int compare_forms(const void *a, const void *b) {
    const struct form *one = *(const struct form *const *)a, *other = *(const struct form *const *)b;
    return strcmp(one->name, other->name);
}

// Cycles between independent copies: a CPU file's pipes, and memory, and what excludes itself.
static bool find_rthroughput(const struct model *model, const struct block *block, const struct cpu_recipe *recipe,
                             double *cycles) {
    const struct bounds_request request = {.cpu = model->own, .block = block};
    struct bounds bounds;
    struct fail unknown = {0};
    if (!bounds_find(&request, &bounds, &unknown))
        return false;
    *cycles = fmax(fmax(bounds.cycles[BOUND_PORTS], recipe->serial),
                   fmax(bounds.cycles[BOUND_LOADS], bounds.cycles[BOUND_STORES]));
    return true;
}

static struct table_model numbers_of(const struct model *model, const struct form *form) {
    struct arena scratch = {0};
    struct block block;
    struct fail unknown = {0};
    struct table_model numbers = {.is_known = false};
    if (form->bytes && model_describe_part(model, &scratch, form->bytes - form->n_setup_bytes, form->n_setup_bytes,
                                           form->n_bytes, &block, &unknown)) {
        struct cpu_recipe recipe;
        cpu_recipe_make(model->own, &block.insns[0], &recipe);
        numbers.latency = recipe.latency + recipe.load_latency;
        numbers.uops = recipe.slots;
        numbers.is_known = find_rthroughput(model, &block, &recipe, &numbers.rthroughput);
    }
    arena_free(&scratch);
    return numbers;
}

static bool add_own(struct arena *arena, const struct model *model, const struct survey_table *table,
                    struct table_model *numbers, size_t step, struct fail *fail) {
    const struct form *forms;
    size_t n;
    if (!model->backend->forms(model->cpu, arena, &forms, &n, fail))
        return false;
    const struct form **sorted = ARENA_ARRAY(arena, const struct form *, n + 1);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &forms[i];
    qsort(sorted, n, sizeof *sorted, compare_forms);
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct form wanted = {.name = table->rows[i].form}, *key = &wanted;
        const struct form *const *found = bsearch(&key, sorted, n, sizeof *sorted, compare_forms);
        if (found)
            numbers[i * step] = numbers_of(model, *found);
    }
    return true;
}

bool table_add_models(struct arena *arena, const struct model *models, size_t n_models, struct table_row *rows,
                      struct survey_table *table, struct fail *fail) {
    const char **names = ARENA_ARRAY(arena, const char *, n_models);
    struct table_model *numbers = ARENA_ARRAY(arena, struct table_model, table->n_rows * n_models);
    for (size_t m = 0; m < n_models; m++) {
        names[m] = models[m].missing ? models[m].identity : model_name(&models[m]);
        if (models[m].own && !add_own(arena, &models[m], table, &numbers[m], n_models, fail))
            return false;
        if (!models[m].missing && !models[m].own)
            add_llvm(arena, &models[m], table, &numbers[m], n_models);
    }
    for (size_t i = 0; i < table->n_rows; i++)
        rows[i].models = &numbers[i * n_models];
    table->models = names;
    table->n_models = n_models;
    return true;
}
