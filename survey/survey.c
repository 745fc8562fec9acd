#include "survey/survey.h"

#include "base/compressed.h"
#include "base/file.h"
#include "bench/host/timer.h"
#include "bench/targets/simulated.h"
#include "lab/budget.h"
#include "survey/carried_over.h"
#include "survey/commands.h"
#include "survey/experiments/experiments.h"
#include "survey/folder.h"
#include "survey/followups.h"
#include "survey/form_kernels.h"
#include "survey/forms/usable.h"
#include "survey/guesses.h"
#include "survey/kernel_passes.h"
#include "survey/mixtures.h"
#include "survey/selection.h"
#include "survey/table/loops.h"
#include "survey/table/mixture_file.h"
#include "survey/table/recheck.h"
#include "survey/table/table.h"
#include "survey/table/table_reader.h"

#include <string.h>
#include <unistd.h>

// A survey while it runs.
struct survey {
    struct arena *arena;
    const struct survey_request *request;
    struct kernel_passes passes;
    const struct isa *isa;
    const struct form *forms; // all of the ISA's
    size_t n_forms;
    struct shape *shapes; // one per form
    const char *slots_file;
    struct carried_over kept;      // what the folder holds of other forms
    const char *kept_slots;        // of these, the kernels that find dispatch slots
    struct experiment_list others; // of other forms than the first ones; their kernels are made after the first table
    struct followups slots;
    unsigned n_mixtures; // random ones to measure, with probes; 0: none but those of the folder
};

static bool is_stopped(const struct survey *survey) {
    return campaign_is_stopped(&survey->passes.campaign);
}

// Whether a real CPU is measured, and not a simulated one.
static bool is_native(const struct survey *survey) {
    return strcmp(survey->request->campaign.lab->target, "native") == 0;
}

// ---- forms

static void make_shapes(struct survey *survey, const struct machine *machine, const bool *is_selected) {
    survey->shapes = ARENA_ARRAY(survey->arena, struct shape, survey->n_forms);
    for (size_t i = 0; i < survey->n_forms; i++)
        if (is_selected[i])
            shape_make(survey->arena, survey->isa, machine, &survey->forms[i], &survey->shapes[i]);
        else
            survey->shapes[i] = (struct shape){.form = &survey->forms[i], .left_out = ""};
}

// A survey of another target has nothing in common with this one: its values, its forms that run, its kernels. `model`:
// of a simulated CPU.
static bool check_target(struct survey *survey, const char *target, const char *model, struct fail *fail) {
    return access(survey->passes.campaign.path, F_OK) != 0 ||
           (record_read_on(survey->passes.campaign.path, &survey->passes.measurements, fail) &&
            record_check_target(survey->passes.campaign.path, &survey->passes.measurements, survey->isa->name, target,
                                model, fail));
}

// Leaves out forms that the target cannot execute.
static bool choose_usable(struct survey *survey, struct fail *fail) {
    struct lab lab;
    struct arena *arena = survey->arena;
    if (survey->request->campaign.collects) // what the other machine executes, it finds out itself
        return check_target(survey, "native", NULL, fail);
    if (is_native(survey))
        return check_target(survey, "native", NULL, fail) && usable_here(arena, survey->shapes, survey->n_forms, fail);
    bool is_open = lab_open(&lab, arena, survey->request->campaign.lab, fail) &&
                   check_target(survey, sim_spec_text(arena, &lab.sim), lab.models.native.identity, fail);
    if (is_open)
        usable_by_model(arena, &lab.models.native, survey->shapes, survey->n_forms);
    lab_close(&lab);
    return is_open;
}

// Writes the forms of this run, and those that the folder holds besides.
static bool write_forms(struct survey *survey, struct fail *fail) {
    struct arena *arena = survey->arena;
    struct folder_form *list = NULL;
    const char **names = ARENA_ARRAY(arena, const char *, survey->n_forms);
    size_t n = 0;
    for (size_t i = 0; i < survey->n_forms; i++) {
        const struct form *form = &survey->forms[i];
        const char *left_out = survey->shapes[i].left_out;
        if (left_out && !*left_out)
            continue;
        names[n] = form->name;
        *ARENA_ADD(arena, list, n) = (struct folder_form){
            form->name, form->text ? text_without_tabs(arena, form->text) : NULL, form->sched_class_name, left_out};
    }
    if (survey->request->campaign.is_resumed &&
        !carried_over_read(arena, survey->request->campaign.folder, names, n, &survey->kept, fail))
        return false;
    for (size_t i = 0; i < survey->kept.n; i++)
        *ARENA_ADD(arena, list, n) = survey->kept.forms[i];
    return folder_write_forms(arena, survey->request->campaign.folder, list, n, fail);
}

// ---- kernels

// Makes the experiments, and the kernels of the first forms. Writes all to a file, for people.
static bool make_experiments(struct survey *survey, struct fail *fail) {
    struct text all = {.arena = survey->arena}, kept_slots = {.arena = survey->arena};
    struct experiment_list first = {.arena = survey->arena};
    const char *folder = campaign_make_kernel_folder(&survey->passes.campaign, isa_family(survey->isa), fail);
    if (!folder)
        return false;
    survey->others.arena = survey->arena;
    experiments_add_scaffold(survey->isa, &first);
    experiments_add_vector_scaffolds(survey->isa, survey->shapes, survey->n_forms, &first);
    experiments_add_forms(survey->isa, survey->shapes, survey->n_forms, &first, &survey->others);
    experiment_list_put_head(survey->isa, &all);
    experiment_list_put(&first, &all);
    experiment_list_put(&survey->others, &all);
    const char *file = folder_file(survey->arena, folder, "survey.yaml");
    survey->slots_file = folder_file(survey->arena, folder, "slots.yaml");
    text_add(&kept_slots, "");
    if (survey->kept.n && survey->request->n_patterns && access(file, F_OK) != 0)
        return fail_set(fail, FAIL_INPUT,
                        "there is no '%s', with the kernels of the folder's other forms: --resume without a pattern "
                        "makes them again",
                        file);
    if (!carried_over_add_kernels(&survey->kept, file, &all, fail) ||
        !carried_over_add_kernels(&survey->kept, survey->slots_file, &kept_slots, fail))
        return false;
    survey->kept_slots = kept_slots.data;
    if (!file_write(file, all.data, all.length, fail) || !kernel_passes_add(&survey->passes, &first, 0, fail))
        return false;
    survey->passes.n_first = survey->passes.n;
    return true;
}

// ---- measuring

// Longest wait for a steady clock, s. A pass without one takes minutes, and all its values are unstable.
enum { STEADY_SECONDS = 60 };

// ---- dispatch slots

static bool write_slots(struct survey *survey, struct fail *fail) {
    struct arena arena = {0};
    struct text text = {.arena = &arena};
    experiment_list_put_head(survey->isa, &text);
    experiment_list_put(&survey->slots.all, &text);
    text_add(&text, survey->kept_slots);
    bool is_done = file_write(survey->slots_file, text.data, text.length, fail);
    arena_free(&arena);
    return is_done;
}

// Measures dispatch slots, in rounds: what was measured decides how many fillers are next.
static bool measure_slots(struct survey *survey, const struct pass_effort *effort, struct fail *fail) {
    enum { MOST_ROUNDS = 8 };
    const struct experiment_list *all = &survey->slots.all;
    bool is_done = true, is_more = true;
    for (unsigned round = 0; round < MOST_ROUNDS && is_done && is_more && !is_stopped(survey); round++) {
        struct arena arena = {0};
        struct survey_table table;
        size_t first = survey->passes.n, n = all->n;
        is_done = kernel_passes_read_table(&survey->passes, &arena, &table, fail);
        if (is_done)
            followups_add(&survey->slots, &table);
        arena_free(&arena);
        is_more = all->n > n;
        is_done =
            is_done && (!is_more || (write_slots(survey, fail) && kernel_passes_add(&survey->passes, all, n, fail) &&
                                     kernel_passes_run_from(&survey->passes, first, effort, fail)));
    }
    return is_done;
}

// Collects the mixtures that may follow from what another machine measures, first ones and next ones: of some forms at
// a time, as the texts of programs with many fillers take much memory.
static bool collect_slots(struct survey *survey, const struct pass_effort *effort, struct fail *fail) {
    enum { FORMS_TOGETHER = 500 };
    struct guesses guesses;
    guesses_open(&guesses, survey->arena, survey->isa, survey->request->campaign.collects);
    for (unsigned is_next = 0; is_next < 2; is_next++)
        for (size_t i = 0; i < survey->n_forms;) {
            struct experiment_list list = {.arena = survey->arena};
            size_t first = survey->passes.n;
            for (size_t end = i + FORMS_TOGETHER; i < survey->n_forms && i < end; i++)
                if (!survey->shapes[i].left_out)
                    guesses_add(&guesses, &survey->shapes[i], is_next, &list);
            if (!kernel_passes_add(&survey->passes, &list, 0, fail) ||
                !kernel_passes_run_from(&survey->passes, first, effort, fail))
                return false;
        }
    survey->request->campaign.collects->cases_of = NULL;
    return true;
}

// ---- mixtures of forms

// Adds the mixtures that the folder has, and draws those that it lacks: they follow from the others' values. Those of
// forms that this run does not measure stay as they are.
static bool add_mixtures(struct survey *survey, struct fail *fail) {
    struct arena arena = {0};
    struct survey_table table;
    struct mixture_file file;
    const char *path = mixture_file_path(survey->arena, survey->request->campaign.folder, survey->isa);
    struct experiment_list drawn = {.arena = survey->arena};
    struct text text = {.arena = survey->arena};
    bool is_done = mixture_file_read(survey->arena, path, &file, fail) &&
                   kernel_passes_read_table(&survey->passes, &arena, &table, fail);
    if (is_done && survey->n_mixtures) {
        const struct mixtures_request request = {.isa = survey->isa,
                                                 .shapes = survey->shapes,
                                                 .n_shapes = survey->n_forms,
                                                 .table = &table,
                                                 .n_random = survey->n_mixtures,
                                                 .shard = survey->request->shard,
                                                 .n_shards = survey->request->n_shards,
                                                 .drawn = file.names,
                                                 .n_drawn = file.n};
        mixtures_draw(&request, &drawn);
    }
    arena_free(&arena);
    if (!is_done)
        return false;
    experiment_list_put_head(survey->isa, &text);
    text_add(&text, file.text);
    if ((file.n && !kernel_passes_add_text(&survey->passes, path, text.data, fail)) ||
        !kernel_passes_add(&survey->passes, &drawn, 0, fail))
        return false;
    experiment_list_put(&drawn, &text);
    return !drawn.n || file_write(path, text.data, text.length, fail);
}

// Measures mixtures at two times.
static bool measure_mixtures(struct survey *survey, const struct pass_effort *first_look,
                             const struct pass_effort *effort, struct fail *fail) {
    size_t first = survey->passes.n;
    if (is_stopped(survey) || !add_mixtures(survey, fail) || survey->passes.n == first)
        return fail->status == FAIL_NONE;
    return kernel_passes_run_from(&survey->passes, first, first_look, fail) &&
           (is_stopped(survey) || kernel_passes_run_from(&survey->passes, first, effort, fail));
}

// ---- what the table shows to be measured again

// Measures loops of which the table shows that they may be faster than unrolled code.
static bool measure_loops(struct survey *survey, const struct pass_effort *effort, struct fail *fail) {
    struct arena arena = {0};
    struct survey_table table;
    size_t n = 0;
    bool is_done = kernel_passes_read_table(&survey->passes, &arena, &table, fail);
    const char **names = is_done ? loops_wanted(&arena, survey->isa, &table, &n) : NULL;
    is_done = is_done && kernel_passes_run_named(&survey->passes, names, n, true, effort, fail);
    arena_free(&arena);
    return is_done;
}

// Measures throughputs again that are a little slower than those of their class, until each was found so three times.
// One that is faster at last must be so once more. A simulated CPU has no such speeds.
static bool measure_slower(struct survey *survey, struct fail *fail) {
    enum { ROUNDS = 3, TIMES = 3 };
    static const struct pass_effort again = {
        .attempt_ms = 10, .steady_seconds = STEADY_SECONDS, .is_hasty = true, .n_stable = TIMES};
    bool is_done = true, is_more = is_native(survey);
    for (unsigned round = 0; round < ROUNDS && is_done && is_more && !is_stopped(survey); round++) {
        struct arena arena = {0};
        struct survey_table table;
        size_t n = 0;
        is_done = kernel_passes_read_table(&survey->passes, &arena, &table, fail);
        const char **names = is_done ? recheck_than_class(&arena, &table, &n) : NULL;
        is_more = n > 0;
        is_done = is_done && kernel_passes_run_named(&survey->passes, names, n, false, &again, fail);
        arena_free(&arena);
    }
    return is_done;
}

// ---- all of it

// Whether the kernel is of a scheduling class's first row: throughput and plain latencies of its first form, or a
// partner's.
static bool is_of_first_table(const struct survey *survey, size_t number) {
    const struct experiment_key *key = &survey->passes.states[number].key;
    bool is_broken = key->kind == EXPERIMENT_BROKEN && !key->copies,
         is_plain = key->kind == EXPERIMENT_PLAIN || key->kind == EXPERIMENT_CHAIN || is_broken ||
                    key->kind == EXPERIMENT_AROUND || key->kind == EXPERIMENT_COPIES;
    return key->kind == EXPERIMENT_PARTNER || (number < survey->passes.n_first && is_plain && !key->has_slow_values);
}

// Takes a first look at the kernels of the first table, or at those of everything else.
static bool glance_at(struct survey *survey, bool is_first_table, const struct pass_effort *glance, struct fail *fail) {
    for (size_t i = 0; i < survey->passes.n; i++)
        survey->passes.states[i].is_next = is_of_first_table(survey, i) == is_first_table;
    return campaign_pass(&survey->passes.campaign, glance, fail);
}

// Takes a first look at everything, a row for each scheduling class first, then a second one. So there is a table after
// seconds, and each value rests on two times. Dispatch slots come last: they follow from the others. These passes are
// hasty: a value that is disturbed now may be easy some seconds later. They wait only for their clock to be steady. A
// first look measures also without one: unstable values are better than no table.
static bool measure_once(struct survey *survey, struct fail *fail) {
    static const struct pass_effort glance = {
        .attempt_ms = 2, .steady_seconds = 5, .is_first_look = true, .is_hasty = true, .least_precision = 0.005};
    static const struct pass_effort second = {.attempt_ms = 10, .steady_seconds = STEADY_SECONDS, .is_hasty = true};
    // Slots need no more: with 24 of them in a mixture, that is a seventh of one.
    static const struct pass_effort coarse = {.attempt_ms = 10,
                                              .steady_seconds = STEADY_SECONDS,
                                              .is_hasty = true,
                                              .most_needed = 3,
                                              .least_precision = 0.006};
    followups_open(&survey->slots, survey->arena, survey->isa, survey->shapes, survey->n_forms);
    if (!glance_at(survey, true, &glance, fail) ||
        (!is_stopped(survey) &&
         (!kernel_passes_add(&survey->passes, &survey->others, 0, fail) || !glance_at(survey, false, &glance, fail))))
        return false;
    survey->passes.has_extras = true;
    for (size_t i = 0; i < survey->passes.n; i++)
        survey->passes.states[i].n_unstable = 0; // what was seen once is no more than that
    if (survey->request->campaign.collects && access(survey->passes.campaign.path, F_OK) != 0)
        return kernel_passes_run_from(&survey->passes, 0, &second, fail) && collect_slots(survey, &coarse, fail);
    return (is_stopped(survey) || kernel_passes_run_from(&survey->passes, 0, &second, fail)) &&
           (is_stopped(survey) || measure_loops(survey, &second, fail)) && measure_slots(survey, &coarse, fail) &&
           measure_slower(survey, fail) && measure_mixtures(survey, &glance, &second, fail);
}

// Measures everything, then what is unstable again.
static bool measure_all(struct survey *survey, struct fail *fail) {
    struct campaign *campaign = &survey->passes.campaign;
    struct pass_effort effort;
    if (!measure_once(survey, fail) || survey->request->campaign.collects)
        return fail->status == FAIL_NONE;
    if (kernel_passes_count_unstable(&survey->passes) && survey->request->campaign.is_resumed && !is_stopped(survey))
        lab_say(campaign_listener(campaign), LAB_NOTE, "unstable values are measured again for up to %.0f s (--budget)",
                survey->request->campaign.budget_seconds);
    // Twice as many before: the next pass is hasty.
    campaign_start_again(campaign, survey->request->campaign.budget_seconds, 8,
                         2 * kernel_passes_count_unstable(&survey->passes));
    while (campaign_again(campaign, kernel_passes_count_unstable(&survey->passes), &effort)) {
        effort.steady_seconds = STEADY_SECONDS;
        for (size_t i = 0; i < survey->passes.n; i++)
            survey->passes.states[i].is_next = survey->passes.states[i].n_unstable;
        if (!campaign_pass(campaign, &effort, fail) || !measure_slots(survey, &effort, fail))
            return false;
    }
    // What became stable in these passes may be as slow.
    if (!measure_slower(survey, fail))
        return false;
    campaign_end(campaign, kernel_passes_count_unstable(&survey->passes));
    return true;
}

// A folder that is not there is made later, when it is known that there is something to measure.
static bool check_folder(struct survey *survey, struct fail *fail) {
    const char *folder = survey->request->campaign.folder;
    if (survey->request->campaign.is_resumed && access(folder, F_OK) != 0)
        return fail_set(fail, FAIL_INPUT, "there is no survey in '%s': leave --resume out to start one", folder);
    if (file_is_folder(folder) && !campaign_open_folder(&survey->passes.campaign, fail))
        return false;
    return !compressed_find(survey->arena, survey->passes.campaign.path) ||
           (reader_is_survey(survey->arena, folder, fail) && folder_unpack(survey->arena, folder, survey->isa, fail));
}

// Makes the folder, unless nothing that was requested can be measured. A shard may be without a form.
static bool open_folder(struct survey *survey, struct fail *fail) {
    const struct shape *first = NULL;
    bool has_any = survey->request->n_shards;
    for (size_t i = 0; i < survey->n_forms; i++) {
        has_any |= !survey->shapes[i].left_out;
        if (!first && survey->shapes[i].left_out && *survey->shapes[i].left_out)
            first = &survey->shapes[i];
    }
    if (!has_any)
        return fail_set(fail, FAIL_INPUT, "none of these forms can be measured%s%s: %s", first ? "; " : "",
                        first ? first->form->name : "", first ? first->left_out : "no form was asked for");
    return file_is_folder(survey->request->campaign.folder) || campaign_open_folder(&survey->passes.campaign, fail);
}

// A run that goes on with the folder's forms requests nothing new.
static bool keep_command(const struct survey *survey, struct fail *fail) {
    const struct survey_request *request = survey->request;
    return !request->command || (request->campaign.is_resumed && !request->n_patterns) ||
           commands_add(survey->arena, request->campaign.folder, request->command, fail);
}

// Random mixtures to draw: as many as were requested, or the usual number where all forms are measured.
static unsigned count_mixtures(const struct survey *survey, const bool *is_selected) {
    const struct survey_request *request = survey->request;
    if (request->n_mixtures >= 0)
        return (unsigned)request->n_mixtures;
    for (size_t i = 0; i < survey->n_forms; i++)
        if (!is_selected[i] && !survey->forms[i].vector.sew &&
            (!request->n_shards || i % request->n_shards == request->shard - 1))
            return 0;
    return MIXTURES_USUAL;
}

static bool prepare(struct survey *survey, struct fail *fail) {
    struct model model = {0};
    bool *is_selected;
    const struct option_list *llvms = &survey->request->campaign.lab->llvms;
    bool is_done = form_kernels_list(survey->arena, survey->isa, option_list_first(llvms), &model, &survey->forms,
                                     &survey->n_forms, fail);
    is_done = is_done &&
              selection_add_vectors(survey->arena, survey->request, &model, &survey->forms, &survey->n_forms, fail);
    is_selected = ARENA_ARRAY(survey->arena, bool, survey->n_forms);
    const struct selection selection = {survey->arena, survey->request, survey->forms, survey->n_forms};
    is_done = is_done && selection_make(&selection, is_selected, fail) && check_folder(survey, fail);
    if (is_done) {
        survey->n_mixtures = count_mixtures(survey, is_selected);
        make_shapes(survey, model.machine, is_selected);
    }
    is_done = is_done && choose_usable(survey, fail) && open_folder(survey, fail) && keep_command(survey, fail) &&
              write_forms(survey, fail) && make_experiments(survey, fail);
    model_close(&model);
    return is_done;
}

// Counts what the folder holds now: a run that ended may have measured nothing.
static bool summarize(struct survey *survey, uint64_t start_ns, struct survey_summary *summary, struct fail *fail) {
    struct arena arena = {0};
    struct survey_table table = {0};
    bool has_file = access(survey->passes.campaign.path, F_OK) == 0,
         is_read = !has_file || kernel_passes_read_table(&survey->passes, &arena, &table, fail);
    size_t n_open = 0;
    for (size_t i = 0; i < table.n_rows; i++)
        n_open += table.rows[i].left_out && !table.rows[i].is_refused;
    *summary =
        (struct survey_summary){.n_forms = table.n_forms,
                                .n_measured = table.n_measured,
                                .n_values = table.n_values,
                                .n_lost = table.n_lost,
                                .n_unstable = table.n_unstable,
                                .n_waiting = table.n_waiting,
                                .n_at_most = table.n_at_most,
                                .n_open = n_open,
                                .n_slots_missing = table.n_slots_missing,
                                .no_filler = table.no_filler ? arena_strdup(survey->arena, table.no_filler) : NULL,
                                .seconds = (double)(timer_clock_ns() - start_ns) / 1e9,
                                .is_interrupted = survey->passes.campaign.status == RUN_PLAN_INTERRUPTED,
                                .is_spent = budget_is_spent()};
    arena_free(&arena);
    return is_read;
}

// A folder that stays as large as it was is complete all the same.
static void pack(const struct survey *survey) {
    struct fail trouble = {0};
    if (!folder_pack(survey->arena, survey->request->campaign.folder, survey->isa, &trouble))
        lab_say(campaign_listener(&survey->passes.campaign), LAB_WARNING, "the survey's files stay as they are: %s",
                trouble.text);
}

bool survey_run(struct arena *arena, const struct survey_request *request, struct survey_summary *summary, int *status,
                struct fail *fail) {
    static const double usual_precision = 0.003; // half the time of 0.002, and fractions are still told apart
    uint64_t start_ns = timer_clock_ns();
    struct survey survey = {.arena = arena,
                            .request = request,
                            .isa = request->campaign.lab->isa,
                            .passes = {.measurements.arena = arena, .assembled.arena = arena}};
    struct campaign *campaign = &survey.passes.campaign;
    campaign_start(campaign, arena, &request->campaign, &kernel_passes_client, &survey.passes);
    campaign->status = *status;
    if (campaign->options.bench.precision <= 0)
        campaign->options.bench.precision = usual_precision;
    bool is_done = prepare(&survey, fail) &&
                   (!request->counts_uops || kernel_passes_count_uops(&survey.passes, fail)) &&
                   measure_all(&survey, fail) && summarize(&survey, start_ns, summary, fail);
    record_file_close(&survey.passes.measurements);
    if (is_done && !request->campaign.collects)
        pack(&survey);
    if (is_done && !request->campaign.collects && (summary->n_lost || summary->is_spent) && !summary->n_values &&
        campaign->status == 0)
        campaign->status = FAIL_UNAVAILABLE;
    *status = campaign->status;
    return is_done;
}
