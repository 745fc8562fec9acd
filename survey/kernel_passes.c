#include "survey/kernel_passes.h"

#include "base/text.h"
#include "survey/experiments/kernel_plan.h"

#include <stdlib.h>
#include <string.h>

bool kernel_passes_count_uops(struct kernel_passes *passes, struct fail *fail) {
    const struct lab_listener *listener = campaign_listener(&passes->campaign);
    struct option_list *events = &passes->campaign.options.events;
    const struct lab_options options = lab_without_models(&passes->campaign.options);
    const char *why;
    if (events->n_items)
        return true;
    if (!lab_find_uop_events(passes->campaign.arena, &options, events, &why, fail))
        return false;
    if (events->n_items)
        lab_say(listener, LAB_NOTE, "%zu events count uops, in all and by pipe", events->n_items);
    else if (why)
        lab_say(listener, LAB_NOTE, "uops are not counted: %s", why);
    return true;
}

static void add_state(struct kernel_passes *passes, const struct experiment_key *key) {
    *ARENA_ADD(passes->campaign.arena, passes->states, passes->n) = (struct kernel_state){.key = *key};
}

bool kernel_passes_add(struct kernel_passes *passes, const struct experiment_list *list, size_t first,
                       struct fail *fail) {
    static const char origin[] = "the survey's kernels";
    if (!experiment_list_make(list, first, passes->campaign.arena, origin, passes->campaign.options.isa, &passes->set,
                              fail))
        return false;
    for (size_t i = first; i < list->n; i++)
        add_state(passes, &list->items[i].key);
    return true;
}

bool kernel_passes_add_text(struct kernel_passes *passes, const char *path, const char *text, struct fail *fail) {
    struct arena *arena = passes->campaign.arena;
    if (!kernel_load_text(arena, path, text, passes->campaign.options.isa, &passes->set, fail))
        return false;
    while (passes->n < passes->set.n_kernels) {
        struct experiment_key key;
        experiment_key_parse(arena, passes->set.kernels[passes->n].name, NULL, &key);
        add_state(passes, &key);
    }
    return true;
}

// Whether a value is to be measured again. Of slots, the median of processes that are apart suffices
// (survey/table/table_slots.c).
static bool is_unstable(const struct experiment *experiment, const struct experiment_key *key) {
    const struct bench_measurement *m = &experiment->measurement;
    bool is_enough = m->look == LOOK_SPREAD && key->kind == EXPERIMENT_SLOTS;
    return experiment->is_done && m->verdict == MEASURED_UNSTABLE && !is_enough;
}

// Whether the value is another one in each process, or one of two. On a Golden Cove, unrolled code of many vector forms
// with loads is of that kind, and a loop has one speed.
static bool is_uneven(const struct experiment *experiment) {
    const struct bench_measurement *m = &experiment->measurement;
    return experiment->is_done && (bench_look_is_uneven(m->look) || measured_has_two_speeds(m));
}

static struct kernel_extras extras_of(const struct kernel_passes *passes, size_t number) {
    const struct kernel_state *state = &passes->states[number];
    const struct experiment_key *key = &state->key;
    bool is_plain = passes->has_extras && key->kind == EXPERIMENT_PLAIN && !key->has_slow_values;
    bool is_first = is_plain && number < passes->n_first, can_loop = is_plain || key->kind == EXPERIMENT_FILLED;
    return (struct kernel_extras){.has_loop = is_first || (can_loop && state->wants_loop), .has_half = is_first};
}

// What is next: the chosen kernels, as far as the measurement file does not hold them yet.
static bool next(void *context, struct campaign_pass *pass, struct fail *fail) {
    struct kernel_passes *passes = context;
    (void)fail;
    pass->files.known = &passes->measurements;
    // Counts that nobody asked for are an extra: a survey without them is not measured again.
    pass->files.events = &passes->campaign.request->lab->events;
    pass->plan.assembled = &passes->assembled;
    for (size_t i = 0; i < passes->n; i++)
        if (passes->states[i].is_next)
            kernel_plan_add(&pass->arena, &pass->plan, &passes->set.kernels[i], &passes->states[i].key,
                            extras_of(passes, i));
    return true;
}

// Says which kernels were refused, once: an assembler may be older than a form.
static void say_refused(const struct kernel_passes *passes, const struct campaign_pass *pass, const bool *are_new) {
    enum { MOST_NAMED = 8 };
    struct text forms = {.arena = passes->campaign.arena};
    const char *last = "";
    size_t n = 0, n_forms = 0;
    for (size_t i = 0; i < passes->n; i++) {
        const char *form = passes->states[i].key.form;
        if (!are_new[i])
            continue;
        n++;
        if (strcmp(form, last) != 0 && n_forms++ < MOST_NAMED)
            text_addf(&forms, "%s%s", forms.length ? ", " : "", form);
        last = form;
    }
    if (n)
        lab_say(campaign_listener(&passes->campaign), LAB_WARNING, "%s cannot be made, of the forms %s%s: %s",
                text_count(passes->campaign.arena, n, "kernel"), forms.data, n_forms > MOST_NAMED ? ", ..." : "",
                pass->plan.refused[pass->plan.n_refused - 1].text);
}

// Here are its values. The plan has experiments in the order of kernels, without those that were refused.
static void take(void *context, struct campaign_pass *pass) {
    struct kernel_passes *passes = context;
    struct experiment *const *experiment = pass->plan.experiments, *const *end = experiment + pass->plan.n_experiments;
    struct arena scratch = {0};
    bool *are_new = ARENA_ARRAY(&scratch, bool, passes->n + 1);
    for (size_t i = 0; i < passes->n; i++) {
        struct kernel_state *state = &passes->states[i];
        if (!state->is_next)
            continue;
        state->n_unstable = 0;
        are_new[i] = pass->plan.n_refused && !state->is_refused &&
                     (experiment == end || strcmp((*experiment)->program.kernel, passes->set.kernels[i].name) != 0);
        state->is_refused |= are_new[i];
        for (; experiment < end && strcmp((*experiment)->program.kernel, passes->set.kernels[i].name) == 0;
             experiment++) {
            state->n_unstable += pass->is_skipped || is_unstable(*experiment, &state->key);
            state->wants_loop |= is_uneven(*experiment);
        }
    }
    say_refused(passes, pass, are_new);
    arena_free(&scratch);
}

const struct campaign_client kernel_passes_client = {.work = "survey", .holds = "a survey", .next = next, .take = take};

size_t kernel_passes_count_unstable(const struct kernel_passes *passes) {
    size_t n = 0;
    for (size_t i = 0; i < passes->n; i++)
        n += passes->states[i].n_unstable;
    return n;
}

bool kernel_passes_run_from(struct kernel_passes *passes, size_t first, const struct pass_effort *effort,
                            struct fail *fail) {
    for (size_t i = 0; i < passes->n; i++)
        passes->states[i].is_next = i >= first;
    return campaign_pass(&passes->campaign, effort, fail);
}

bool kernel_passes_run_named(struct kernel_passes *passes, const char **names, size_t n, bool wants_loop,
                             const struct pass_effort *effort, struct fail *fail) {
    for (size_t i = 0; i < passes->n && n; i++) {
        struct kernel_state *state = &passes->states[i];
        state->is_next = bsearch(&passes->set.kernels[i].name, names, n, sizeof *names, text_compare);
        state->wants_loop |= wants_loop && state->is_next;
    }
    return !n || campaign_pass(&passes->campaign, effort, fail);
}

bool kernel_passes_read_table(struct kernel_passes *passes, struct arena *arena, struct survey_table *table,
                              struct fail *fail) {
    return table_read_on(arena, passes->campaign.request->folder, &passes->measurements, table, fail);
}
