#include "survey/selection.h"

#include "survey/carried_over.h"

#include <string.h>

// Whether one of the patterns has the form's name. Marks each pattern that has one.
static bool is_match(const struct form_patterns *patterns, const struct form *form, bool *has_form) {
    bool is_found = false;
    for (size_t i = 0; i < patterns->n; i++) {
        const struct form_patterns one = {&patterns->items[i], 1};
        if ((is_found && has_form[i]) || !form_patterns_match(&one, form))
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
    for (size_t i = 0; i < selection->n_forms && is_good; i++) {
        bool is_wanted = !request->n_patterns || is_match(&patterns, &selection->forms[i], has_form);
        is_wanted &= !own.n || carried_over_has(&own, selection->forms[i].name);
        is_selected[i] = is_wanted && (!request->n_shards || i % request->n_shards == request->shard - 1);
    }
    form_patterns_close(&patterns);
    return is_good && check_patterns(selection, has_form, fail);
}
