#include "survey/selection.h"

#include "analyzer/model/vector_forms.h"
#include "survey/carried_over.h"

#include <string.h>

// ---- vector configurations

static void add_config(struct arena *arena, const char *name, struct vector_config **list, size_t *n) {
    struct vector_config config;
    if (vector_config_in_name(name, &config))
        vector_config_add(arena, list, n, &config);
}

bool selection_add_vectors(struct arena *arena, const struct survey_request *request, const struct model *model,
                           const struct form **forms, size_t *n_forms, struct fail *fail) {
    struct vector_config *list = NULL;
    size_t n = 0;
    struct carried_over own = {0};
    if (request->campaign.is_resumed && !carried_over_read(arena, request->campaign.folder, NULL, 0, &own, fail))
        return false;
    for (size_t i = 0; i < request->n_vectors; i++)
        vector_config_add(arena, &list, &n, &request->vectors[i]);
    for (unsigned i = 0; i < VECTOR_N_PAIRS && !request->n_vectors; i++) {
        const struct vector_config pair = vector_config_pair(i);
        vector_config_add(arena, &list, &n, &pair);
    }
    for (size_t i = 0; i < request->n_patterns; i++)
        add_config(arena, request->patterns[i], &list, &n);
    for (size_t i = 0; i < own.n; i++)
        add_config(arena, own.forms[i].form, &list, &n);
    return vector_forms_add(arena, model, list, n, forms, n_forms) || !request->n_vectors ||
           fail_set(fail, FAIL_INPUT, "no instruction of %s has a vector configuration: '--vector' is for RISC-V",
                    model->machine->triple);
}

static bool is_plain(const struct vector_config *config) {
    return !config->keeps_tail && !config->keeps_masked_off && !config->has_mask && !config->length && !config->order;
}

static bool is_listed(const struct survey_request *request, const struct form *form) {
    return vector_config_is_among(request->vectors, request->n_vectors, &form->vector);
}

// Whether it is the one pair of its opcode that the opcode alone stands for.
static bool is_usual(const struct selection *selection, const struct form *form) {
    const struct form *plain = form->index < selection->n_forms ? &selection->forms[form->index] : NULL;
    return form->vector.sew && !form->refused && form->status == FORM_USABLE && is_plain(&form->vector) && plain &&
           plain->n_setup_bytes == form->n_setup_bytes &&
           memcmp(plain->bytes - plain->n_setup_bytes, form->bytes - form->n_setup_bytes, form->n_setup_bytes) == 0;
}

// Marks, without a list, the usual pair of each form, and the first form of each scheduling class with each pair that
// it may have. The class is that of the opcode: LLVM's of the worst pair.
static void select_pairs(const struct selection *selection, bool *is_selected) {
    unsigned *classes = ARENA_ARRAY(selection->arena, unsigned, selection->n_forms);
    struct pair {
        unsigned sched_class;
        struct vector_config config;
    } *taken = NULL;
    size_t n_taken = 0;
    for (size_t i = 0; i < selection->n_forms; i++) // opcodes come first
        if (!selection->forms[i].vector.sew && selection->forms[i].index < selection->n_forms)
            classes[selection->forms[i].index] = selection->forms[i].sched_class;
    for (size_t i = 0; i < selection->n_forms; i++) {
        const struct form *form = &selection->forms[i];
        size_t k = 0;
        is_selected[i] = is_usual(selection, form);
        if (!form->vector.sew || form->refused || form->status != FORM_USABLE || !is_plain(&form->vector))
            continue;
        const struct pair pair = {classes[form->index], form->vector};
        while (k < n_taken &&
               (taken[k].sched_class != pair.sched_class || !vector_config_is_same(&taken[k].config, &pair.config)))
            k++;
        if (k < n_taken)
            continue;
        *ARENA_ADD(selection->arena, taken, n_taken) = pair;
        is_selected[i] = true;
    }
}

// Whether the request's list decides of the form, or the pairs do: a vector form by its opcode alone is only measured
// where a pattern names it.
static bool is_left_to_list(const struct survey_request *request, const struct form *form) {
    return (request->n_vectors || !request->n_patterns) && !form->vector.sew && vector_config_matters(form);
}

// ---- patterns

// One with a vector configuration that the request does not list is only selected by its whole name.
static bool matches(const struct survey_request *request, const struct form_patterns *patterns,
                    const struct form *form) {
    return form->vector.sew && !is_listed(request, form) ? form_patterns_match_name(patterns, form)
                                                         : form_patterns_match(patterns, form);
}

// Whether one of the patterns has the form's name. Marks each pattern that has one.
static bool is_match(const struct survey_request *request, const struct form_patterns *patterns,
                     const struct form *form, bool *has_form) {
    bool is_found = false;
    for (size_t i = 0; i < patterns->n; i++) {
        const struct form_patterns one = {&patterns->items[i], 1};
        if ((is_found && has_form[i]) || !matches(request, &one, form))
            continue;
        is_found = has_form[i] = true;
    }
    return is_found;
}

// A name that is misspelt is no reason to measure the others for minutes.
static bool check_patterns(const struct selection *selection, const bool *has_form, struct fail *fail) {
    enum { MOST_NAMED = 3 };
    const struct survey_request *request = selection->request;
    struct text names = {.arena = selection->arena};
    const char *advice = "";
    size_t n = 0;
    for (size_t i = 0; i < request->n_patterns; i++)
        if (!has_form[i] && n++ < MOST_NAMED) {
            text_addf(&names, "%s'%s'", n > 1 ? ", " : "", request->patterns[i]);
            advice = n > 1
                         ? ""
                         : form_near_name(selection->arena, request->patterns[i], selection->forms, selection->n_forms);
        }
    if (n > MOST_NAMED)
        text_addf(&names, " and %zu more", n - MOST_NAMED);
    return n == 0 || fail_set(fail, FAIL_INPUT,
                              "no opcode or mnemonic has such a name: %s%s; 'cyclops list forms' prints them all",
                              names.data, advice);
}

bool selection_make(const struct selection *selection, bool *is_selected, struct fail *fail) {
    const struct survey_request *request = selection->request;
    struct carried_over own = {0};
    if (request->campaign.is_resumed && !request->n_patterns &&
        !carried_over_read(selection->arena, request->campaign.folder, NULL, 0, &own, fail))
        return false;
    struct form_patterns patterns;
    bool *has_form = ARENA_ARRAY(selection->arena, bool, request->n_patterns);
    bool is_good = form_patterns_open(&patterns, selection->arena, request->patterns, request->n_patterns, fail);
    if (is_good && !request->n_patterns && !request->n_vectors)
        select_pairs(selection, is_selected);
    for (size_t i = 0; i < selection->n_forms && is_good; i++) {
        const struct form *form = &selection->forms[i];
        bool is_wanted = request->n_patterns ? is_match(request, &patterns, form, has_form)
                                             : is_selected[i] || !form->vector.sew || is_listed(request, form);
        is_wanted &= !is_left_to_list(request, form);
        if (own.n)
            is_wanted = carried_over_has(&own, form->name);
        is_selected[i] = is_wanted && (!request->n_shards || i % request->n_shards == request->shard - 1);
    }
    form_patterns_close(&patterns);
    return is_good && check_patterns(selection, has_form, fail);
}
