#include "survey/form_kernels.h"

#include "analyzer/model/vector_forms.h"
#include "base/text.h"
#include "blocks/decoder.h"
#include "survey/experiments/experiments.h"
#include "survey/followups.h"
#include "survey/survey.h"

#include <string.h>
#include <unistd.h>

bool form_kernels_list(struct arena *arena, const struct isa *isa, const char *llvm, struct model *model,
                       const struct form **forms, size_t *n, struct fail *fail) {
    struct decoder_cpu widest = decoder_widest(isa);
    struct backend_options options = {.triple = isa->triple,
                                      .cpu = widest.cpu,
                                      .features = widest.features,
                                      .without_model = true,
                                      .output_syntax = 0};
    return model_open(model, arena, llvm, &options, fail) && model->backend->forms(model->cpu, arena, forms, n, fail);
}

// Whether the set has the kernels that all forms share.
static bool has_scaffold(struct arena *arena, const struct kernel_set *set) {
    for (size_t i = 0; i < set->n_kernels; i++) {
        struct experiment_key key;
        experiment_key_parse(arena, set->kernels[i].name, NULL, &key);
        if (key.kind == EXPERIMENT_PARTNER)
            return true;
    }
    return false;
}

// Fails where no experiment has this name, with those of its form.
static bool check_experiment(struct arena *arena, const struct experiment_list *list, const char *name,
                             const char *form_name, struct fail *fail) {
    struct text others = {.arena = arena};
    for (size_t i = 0; i < list->n; i++) {
        const struct experiment_item *each = &list->items[i];
        if (strcmp(each->kernel.name, name) == 0)
            return true;
        if (each->key.form && strcmp(each->key.form, form_name) == 0)
            text_addf(&others, "%s%s", others.length ? ", " : "", each->kernel.name);
    }
    if (strcmp(name, form_name) == 0)
        return fail_set(fail, FAIL_INPUT,
                        "form %s has no experiment of its plain name: name one of %s; 'cyclops survey %s' runs all",
                        form_name, others.data, form_name);
    return fail_set(fail, FAIL_INPUT, "form %s has no experiment '%s'; it has %s", form_name, name, others.data);
}

bool survey_form_kernels(struct arena *arena, const struct isa *isa, const char *name, struct kernel_set *set,
                         struct fail *fail) {
    struct model model = {0};
    const struct form *forms;
    size_t n, i = 0;
    const char *form_name = arena_copy(arena, name, strcspn(name, "."));
    struct vector_config config;
    bool is_done = form_kernels_list(arena, isa, NULL, &model, &forms, &n, fail);
    if (is_done && vector_config_in_name(form_name, &config))
        vector_forms_add(arena, &model, &config, 1, &forms, &n);
    while (is_done && i < n && strcmp(forms[i].name, form_name) != 0)
        i++;
    if (is_done && i == n && access(name, F_OK) != 0) {
        const char *near = form_near_name(arena, form_name, forms, n);
        is_done = !*near || fail_set(fail, FAIL_INPUT, "there is no kernel and no form '%s'%s", form_name, near);
    }
    if (is_done && i < n) {
        struct shape shape;
        struct experiment_list list = {.arena = arena};
        shape_make(arena, isa, model.machine, &forms[i], &shape);
        is_done =
            !shape.left_out || fail_set(fail, FAIL_INPUT, "form %s cannot be measured: %s", form_name, shape.left_out);
        if (!has_scaffold(arena, set))
            experiments_add_scaffold(isa, &list);
        if (forms[i].vector.sew)
            experiments_add_vector_scaffold(isa, &forms[i].vector, &list);
        if (is_done) {
            experiments_add(isa, &shape, true, &list);
            followups_add_name(isa, &shape, name, &list);
        }
        is_done = is_done && experiment_list_make(&list, 0, arena, "the survey's kernels", isa, set, fail) &&
                  check_experiment(arena, &list, name, form_name, fail);
    }
    model_close(&model);
    return is_done;
}

const char *survey_advice_on_mnemonic(struct arena *arena, const struct isa *isa, const char *name) {
    struct model model = {0};
    struct fail why = {0};
    const struct form *forms, *first = NULL;
    size_t n, n_found = 0;
    if (!form_kernels_list(arena, isa, NULL, &model, &forms, &n, &why))
        n = 0;
    for (size_t i = 0; i < n; i++)
        if (form_has_mnemonic(&forms[i], name) && n_found++ == 0)
            first = &forms[i];
    const char *advice =
        first ? arena_printf(arena,
                             "it is a mnemonic of %zu form%s, such as %s: 'cyclops run FORM' measures one of "
                             "them, 'cyclops survey %s' all, 'cyclops list forms %s' prints them",
                             n_found, n_found == 1 ? "" : "s", first->name, name, name)
              : NULL;
    model_close(&model);
    return advice;
}
