#include "survey/survey.h"

#include "analyzer/sim/mca/mca.h"
#include "base/compressed.h"
#include "base/file.h"
#include "bench/host/timer.h"
#include "bench/targets/simulated.h"
#include "lab/assembled.h"
#include "lab/budget.h"
#include "lab/passes.h"
#include "lab/run_plan.h"
#include "survey/commands.h"
#include "survey/experiments.h"
#include "survey/folder.h"
#include "survey/followups.h"
#include "survey/form_kernels.h"
#include "survey/kept.h"
#include "survey/kernel_plan.h"
#include "survey/loops.h"
#include "survey/mixtures.h"
#include "survey/partners.h"
#include "survey/probe.h"
#include "survey/selection.h"
#include "survey/slower.h"
#include "survey/table.h"
#include "survey/table_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A survey while it runs.
struct survey {
    struct arena *arena;
    const struct survey_request *request;
    const struct isa *isa;
    const struct form *forms; // all of the ISA's
    size_t n_forms;
    struct shape *shapes; // one per form
    struct kernel_set kernels;
    const char *kernel_folder, *kernel_file, *slots_file;
    struct kept kept;              // what the folder holds of other forms
    const char *kept_slots;        // of these, the kernels that find dispatch slots
    struct experiment_list others; // of other forms than the first ones; their kernels are made after the first table
    struct followups slots;
    bool has_extras;             // classes have their further throughputs now (kernel_plan.h)
    unsigned n_mixtures;         // random ones to measure, with probes; 0: none but those of the folder
    size_t n_first;              // kernels of partners and of the first form of each scheduling class, which come first
    bool *are_open;              // for each kernel: a value of it is to be measured
    bool *want_loop;             // for each kernel: its unrolled code is uneven, or slow, so a loop is measured as well
    struct experiment_key *keys; // for each kernel: what it measures
    size_t n_open, n_want_loop, n_keys; // lengths of these lists
    struct assembled assembled;         // programs of earlier passes
    const char *path;                   // of the measurement file
    struct record_file measurements;    // what was read of it: each pass reads what the one before has added
    const char **warnings;              // said so far
    size_t n_warnings;
    size_t n_said;             // troubles of experiments
    const struct lab *lab;     // of the pass at work; null: none
    bool has_begun;            // the request's `begins` was called
    struct option_list events; // hardware events to count
    int status;                // as in survey_run
};

static const struct lab_listener *listener_of(const struct survey *survey) {
    return survey->request->lab->listener;
}

// Troubles of single experiments are among thousands: the table has their reasons.
static void count_failed(void *context, const struct fail *fail) {
    struct survey *survey = context;
    (void)fail;
    survey->n_said++;
}

// Each part and pass has the same notes; the survey has its own. A warning is worth hearing once.
static void drop_note(void *context, enum lab_note kind, const char *text) {
    struct survey *survey = context;
    if (kind != LAB_WARNING || text_find(text, survey->warnings, survey->n_warnings) < survey->n_warnings)
        return;
    *ARENA_ADD(survey->arena, survey->warnings, survey->n_warnings) = arena_strdup(survey->arena, text);
    lab_say(listener_of(survey), kind, "%s", text);
}

static void pass_started(void *context) {
    struct survey *survey = context;
    lab_say_started(listener_of(survey));
    if (!survey->has_begun && survey->request->begins)
        survey->request->begins(lab_summary(survey->lab));
    survey->has_begun = true;
}

static void pass_measuring(void *context, size_t number, size_t total) {
    lab_say_measuring(listener_of(context), number, total);
}

static void pass_waiting(void *context, size_t n_left, double seconds) {
    lab_say_waiting(listener_of(context), n_left, seconds);
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

// A division overflows with the probe's registers, which hold addresses; but the CPU has it. So it has what only needs
// its set-up.
static bool runs_here(const struct shape *shape, const struct probed_form *probed) {
    bool needs_setup = shape->surroundings && shape->surroundings->faults_alone;
    return (probed->outcome == BENCH_OK || probed->outcome == BENCH_SIGFPE ||
            (needs_setup && (probed->outcome == BENCH_PROTECTION || probed->outcome == BENCH_PAGES))) &&
           !probed->hint;
}

// A survey of another target has nothing in common with this one: its values, its forms that run, its kernels. `model`:
// of a simulated CPU.
static bool check_target(struct survey *survey, const char *target, const char *model, struct fail *fail) {
    return access(survey->path, F_OK) != 0 ||
           (record_read_on(survey->path, &survey->measurements, fail) &&
            record_check_target(survey->path, &survey->measurements, survey->isa->name, target, model, fail));
}

// Leaves out forms that this CPU does not execute.
static bool probe_here(struct survey *survey, struct fail *fail) {
    const struct host_request any = {.cpu = -1};
    struct host host;
    struct form *wanted = ARENA_ARRAY(survey->arena, struct form, survey->n_forms);
    struct probed_form *probed = ARENA_ARRAY(survey->arena, struct probed_form, survey->n_forms);
    memcpy(wanted, survey->forms, survey->n_forms * sizeof *wanted);
    for (size_t i = 0; i < survey->n_forms; i++)
        if (survey->shapes[i].left_out)
            wanted[i].status = FORM_PSEUDO; // is not run
    if (!check_target(survey, "native", NULL, fail) || !host_read(survey->arena, &any, &host, fail) ||
        !probe_forms(&host, wanted, survey->n_forms, probed, NULL, fail))
        return false;
    for (size_t i = 0; i < survey->n_forms; i++)
        if (probed[i].was_run && !runs_here(&survey->shapes[i], &probed[i]))
            survey->shapes[i].left_out = probed_form_text(survey->arena, &probed[i]);
    return true;
}

// Leaves out forms that the simulated CPU's model does not describe, or with which its simulation would never end.
static bool probe_model(struct survey *survey, struct fail *fail) {
    struct lab lab;
    struct fail trouble = {0};
    bool is_open = lab_open(&lab, survey->arena, survey->request->lab, fail) &&
                   check_target(survey, sim_spec_text(survey->arena, &lab.sim), lab.models.native.identity, fail);
    for (size_t i = 0; i < survey->n_forms && is_open; i++) {
        const struct form *form = &survey->forms[i];
        const struct pipeline_options once = {.iterations = 1};
        struct pipeline_result result;
        struct block block;
        if (survey->shapes[i].left_out)
            continue;
        if (!model_describe_part(&lab.models.native, survey->arena, form->bytes - form->n_setup_bytes,
                                 form->n_setup_bytes, form->n_bytes, &block, &trouble))
            survey->shapes[i].left_out = "the model does not describe it";
        else if (!mca_core_run(lab.models.native.machine, &block, &once, NULL, &result, &trouble))
            survey->shapes[i].left_out = "by the model, it can never be executed";
        fail_clear(&trouble);
    }
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
    if (survey->request->is_resumed && !kept_read(arena, survey->request->folder, names, n, &survey->kept, fail))
        return false;
    for (size_t i = 0; i < survey->kept.n; i++)
        *ARENA_ADD(arena, list, n) = survey->kept.forms[i];
    return folder_write_forms(arena, survey->request->folder, list, n, fail);
}

// ---- kernels

// Adds the experiments of the first form of each scheduling class to `first`, those of the others to the survey's.
static void add_experiments(struct survey *survey, struct experiment_list *first) {
    unsigned most = 0;
    for (size_t i = 0; i < survey->n_forms; i++)
        most = survey->forms[i].sched_class > most ? survey->forms[i].sched_class : most;
    bool *is_seen = ARENA_ARRAY(survey->arena, bool, most + 1);
    for (size_t i = 0; i < survey->n_forms; i++) {
        if (survey->shapes[i].left_out)
            continue;
        bool *is_class_seen = &is_seen[survey->forms[i].sched_class];
        survey->shapes[i].is_first = !*is_class_seen;
        experiments_add(survey->isa, &survey->shapes[i], !*is_class_seen, *is_class_seen ? &survey->others : first);
        *is_class_seen = true;
    }
}

static bool make_folder(const char *path, struct fail *fail) {
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           fail_set(fail, FAIL_INPUT, "cannot make the folder '%s': %s", path, strerror(errno));
}

// Makes the kernels of a list's experiments from number `first` on.
static bool make_kernels(struct survey *survey, const struct experiment_list *list, size_t first, struct fail *fail) {
    static const char origin[] = "the survey's kernels";
    if (!experiment_list_make(list, first, survey->arena, origin, survey->isa, &survey->kernels, fail))
        return false;
    for (size_t i = first; i < list->n; i++)
        *ARENA_ADD(survey->arena, survey->keys, survey->n_keys) = list->items[i].key;
    return true;
}

// Makes the experiments, and the kernels of the first forms. Writes all to a file, for people.
static bool make_experiments(struct survey *survey, struct fail *fail) {
    struct text all = {.arena = survey->arena}, kept_slots = {.arena = survey->arena};
    struct experiment_list first = {.arena = survey->arena};
    const char *root = folder_file(survey->arena, survey->request->folder, "kernels");
    survey->kernel_folder = folder_file(survey->arena, root, isa_family(survey->isa));
    survey->others.arena = survey->arena;
    experiments_add_scaffold(survey->isa, &first);
    add_experiments(survey, &first);
    experiment_list_put_head(survey->isa, &all);
    experiment_list_put(&first, &all);
    experiment_list_put(&survey->others, &all);
    survey->kernel_file = folder_file(survey->arena, survey->kernel_folder, "survey.yaml");
    survey->slots_file = folder_file(survey->arena, survey->kernel_folder, "slots.yaml");
    text_add(&kept_slots, "");
    if (survey->kept.n && survey->request->n_patterns && access(survey->kernel_file, F_OK) != 0)
        return fail_set(fail, FAIL_INPUT,
                        "there is no '%s', with the kernels of the folder's other forms: --resume without a pattern "
                        "makes them again",
                        survey->kernel_file);
    if (!kept_add_kernels(&survey->kept, survey->kernel_file, &all, fail) ||
        !kept_add_kernels(&survey->kept, survey->slots_file, &kept_slots, fail))
        return false;
    survey->kept_slots = kept_slots.data;
    if (!make_folder(root, fail) || !make_folder(survey->kernel_folder, fail) ||
        !file_write(survey->kernel_file, all.data, all.length, fail) || !make_kernels(survey, &first, 0, fail))
        return false;
    survey->n_first = survey->kernels.n_kernels;
    return true;
}

// ---- measuring

// Whether a real CPU is measured, and not a simulated one.
static bool is_native(const struct survey *survey) {
    return strcmp(survey->request->lab->target, "native") == 0;
}

static bool is_stopped(const struct survey *survey) {
    bool (*stopped)(void) = survey->request->lab->bench.is_stopped;
    return stopped && stopped();
}

// How much a pass may spend on values, above all on those that others disturb or that have no single value.
struct effort {
    double attempt_ms;            // computing time of a value, ms
    double retry_seconds;         // waiting for others to leave the core, s; not in a hasty pass
    double steady_seconds;        // waiting for a steady clock, s; without one, only a first look measures
    bool is_first_look, is_hasty; // as in struct bench_options
    unsigned most_needed;         // likewise
    unsigned n_stable;            // times that a value must have been stable; 0: as 1
    double precision;             // likewise; the request may be for a coarser one
};

// Longest wait for a steady clock, s. A pass without one takes minutes, and all its values are unstable.
enum { STEADY_SECONDS = 60 };

// Whether a value is to be measured again. Of slots, the median of processes that are apart suffices
// (survey/table_slots.c).
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

// Leaves only those kernels open that have an unstable value. Returns the number of these values. The plan has
// experiments in the order of kernels, without those that were refused.
static size_t close_stable(struct survey *survey, const struct plan *plan) {
    size_t e = 0, n_unstable = 0;
    for (size_t i = 0; i < survey->kernels.n_kernels; i++) {
        size_t before = n_unstable;
        for (; e < plan->n_experiments &&
               strcmp(plan->experiments[e]->program.kernel, survey->kernels.kernels[i].name) == 0;
             e++) {
            n_unstable += is_unstable(plan->experiments[e], &survey->keys[i]);
            survey->want_loop[i] |= is_uneven(plan->experiments[e]);
        }
        survey->are_open[i] = n_unstable > before;
    }
    return n_unstable;
}

static struct lab_options options_of(const struct survey *survey, struct arena *arena) {
    struct lab_options options = *survey->request->lab;
    options.cpus.n_items = 0;
    *ARENA_ADD(arena, options.cpus.items, options.cpus.n_items) = "none";
    options.events = survey->events;
    return options;
}

// Finds the events to count. That there are none is no trouble: nobody asked for them.
static bool choose_events(struct survey *survey, struct fail *fail) {
    const char *why;
    survey->events = survey->request->lab->events;
    if (!survey->request->counts_uops || survey->events.n_items)
        return true;
    const struct lab_options options = options_of(survey, survey->arena);
    if (!lab_find_uop_events(survey->arena, &options, &survey->events, &why, fail))
        return false;
    if (survey->events.n_items)
        lab_say(listener_of(survey), LAB_NOTE, "%zu events count uops, in all and by pipe", survey->events.n_items);
    else if (why)
        lab_say(listener_of(survey), LAB_NOTE, "uops are not counted: %s", why);
    return true;
}

static struct kernel_extras extras_of(const struct survey *survey, size_t number) {
    const struct experiment_key *key = &survey->keys[number];
    bool is_plain = survey->has_extras && key->kind == EXPERIMENT_PLAIN && !key->has_slow_values;
    bool is_first = is_plain && number < survey->n_first, can_loop = is_plain || key->kind == EXPERIMENT_FILLED;
    return (struct kernel_extras){.has_loop = is_first || (can_loop && survey->want_loop[number]),
                                  .has_half = is_first};
}

// Measures the open kernels: what the measurement file does not hold yet. A kernel stays open where a value of it is
// unstable. Adds the number of these values to `n_unstable`.
static bool measure(struct survey *survey, const struct effort *effort, size_t *n_unstable, struct fail *fail) {
    static const double default_precision = 0.003; // half the time of 0.002, and fractions are still told apart
    struct arena arena = {0};
    const struct lab_listener listener = {survey, drop_note, count_failed, pass_started, pass_measuring, pass_waiting};
    struct plan plan = {.listener = &listener, .assembled = &survey->assembled};
    struct lab lab = {0};
    struct lab_options options = options_of(survey, &arena);
    // Counts that nobody asked for are an extra: a survey without them is not measured again.
    const struct run_journal_request files = {.path = survey->path,
                                              .is_resumed = true,
                                              .events = &survey->request->lab->events,
                                              .n_stable = effort->n_stable,
                                              .known = &survey->measurements};
    options.listener = &listener;
    options.names_cpu = true;
    options.wait_steady_seconds = effort->steady_seconds;
    options.needs_steady = !effort->is_first_look;
    options.bench.retry_seconds = effort->retry_seconds;
    options.bench.is_first_look = effort->is_first_look;
    options.bench.is_hasty = effort->is_hasty;
    options.bench.most_needed = effort->most_needed;
    if (options.bench.precision <= 0)
        options.bench.precision = default_precision;
    options.bench.precision = fmax(options.bench.precision, effort->precision);
    if (options.bench.budget_ms <= 0)
        options.bench.budget_ms = effort->attempt_ms;
    for (size_t i = 0; i < survey->kernels.n_kernels; i++)
        if (survey->are_open[i])
            kernel_plan_add(&arena, &plan, &survey->kernels.kernels[i], &survey->keys[i], extras_of(survey, i));
    int status = 0; // of the worst experiment, which is one of thousands
    survey->lab = &lab;
    bool is_done = !plan.n_experiments ||
                   (lab_open(&lab, &arena, &options, fail) && run_plan(&lab, &options, &plan, &files, &status, fail));
    if (status == RUN_PLAN_INTERRUPTED && !budget_is_spent())
        survey->status = status;
    if (!is_done && is_stopped(survey)) { // it ended while the clock was calibrated
        fail_clear(fail);
        is_done = true;
    }
    bool is_skipped = is_done && options.needs_steady && plan.n_experiments && !lab.bench.stable;
    *n_unstable += is_skipped ? plan.n_experiments : close_stable(survey, &plan);
    survey->lab = NULL;
    lab_close(&lab);
    arena_free(&arena);
    return is_done;
}

// ---- dispatch slots

// Opens the kernels that were added since.
static void open_new(struct survey *survey) {
    while (survey->n_open < survey->kernels.n_kernels)
        *ARENA_ADD(survey->arena, survey->are_open, survey->n_open) = true;
    while (survey->n_want_loop < survey->kernels.n_kernels)
        *ARENA_ADD(survey->arena, survey->want_loop, survey->n_want_loop) = false;
}

// Measures the kernels from `first` on. Those before stay as they are.
static bool measure_from(struct survey *survey, size_t first, const struct effort *effort, size_t *n_unstable,
                         struct fail *fail) {
    bool *before = ARENA_ARRAY(survey->arena, bool, first);
    memcpy(before, survey->are_open, first * sizeof *before);
    memset(survey->are_open, false, first * sizeof *before);
    bool is_done = measure(survey, effort, n_unstable, fail);
    memcpy(survey->are_open, before, first * sizeof *before);
    return is_done;
}

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
static bool measure_slots(struct survey *survey, const struct effort *effort, size_t *n_unstable, struct fail *fail) {
    enum { MOST_ROUNDS = 8 };
    const struct experiment_list *all = &survey->slots.all;
    bool is_done = true, is_more = true;
    for (unsigned round = 0; round < MOST_ROUNDS && is_done && is_more && !is_stopped(survey); round++) {
        struct arena arena = {0};
        struct survey_table table;
        size_t first = survey->kernels.n_kernels, n = all->n;
        is_done = table_read_on(&arena, survey->request->folder, &survey->measurements, &table, fail);
        if (is_done)
            followups_add(&survey->slots, &table);
        arena_free(&arena);
        is_more = all->n > n;
        is_done = is_done && (!is_more || (write_slots(survey, fail) && make_kernels(survey, all, n, fail)));
        open_new(survey);
        if (is_done && is_more)
            is_done = measure_from(survey, first, effort, n_unstable, fail);
    }
    return is_done;
}

// ---- mixtures of forms

// Reads the mixtures that the folder's file has.
static bool load_mixtures(struct survey *survey, const char *path, const struct mixtures_file *file,
                          struct fail *fail) {
    struct text text = {.arena = survey->arena};
    experiment_list_put_head(survey->isa, &text);
    text_add(&text, file->text);
    if (file->n && !kernel_load_text(survey->arena, path, text.data, survey->isa, &survey->kernels, fail))
        return false;
    while (survey->n_keys < survey->kernels.n_kernels) {
        const char *name = survey->kernels.kernels[survey->n_keys].name;
        experiment_key_parse(survey->arena, name, NULL, ARENA_ADD(survey->arena, survey->keys, survey->n_keys));
    }
    return true;
}

static bool write_mixtures(const struct survey *survey, const char *path, const struct mixtures_file *file,
                           const struct experiment_list *drawn, struct fail *fail) {
    struct text text = {.arena = survey->arena};
    experiment_list_put_head(survey->isa, &text);
    text_add(&text, file->text);
    experiment_list_put(drawn, &text);
    return !drawn->n || file_write(path, text.data, text.length, fail);
}

// Adds the mixtures that the folder has, and draws those that it lacks: they follow from the others' values. Those of
// forms that this run does not measure stay as they are.
static bool add_mixtures(struct survey *survey, struct fail *fail) {
    struct arena arena = {0};
    struct survey_table table;
    struct mixtures_file file;
    const char *path = mixtures_path(survey->arena, survey->request->folder, survey->isa);
    struct experiment_list drawn = {.arena = survey->arena};
    bool is_done = mixtures_read(survey->arena, path, &file, fail) &&
                   table_read_on(&arena, survey->request->folder, &survey->measurements, &table, fail);
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
    is_done = is_done && write_mixtures(survey, path, &file, &drawn, fail) &&
              load_mixtures(survey, path, &file, fail) && make_kernels(survey, &drawn, 0, fail);
    open_new(survey);
    return is_done;
}

// Measures mixtures at two times.
static bool measure_mixtures(struct survey *survey, const struct effort *first_look, const struct effort *effort,
                             size_t *n_unstable, struct fail *fail) {
    size_t first = survey->kernels.n_kernels, n_waiting = 0;
    if (is_stopped(survey))
        return true;
    if (!add_mixtures(survey, fail))
        return false;
    if (survey->kernels.n_kernels == first)
        return true;
    if (!measure_from(survey, first, first_look, &n_waiting, fail))
        return false;
    memset(survey->are_open + first, true, (survey->kernels.n_kernels - first) * sizeof *survey->are_open);
    return is_stopped(survey) || measure_from(survey, first, effort, n_unstable, fail);
}

// ---- what the table shows to be measured again

// Measures the kernels with these names alone; `want_loop`: also as loops. Those that have an unstable value now stay
// open, and are added to `n_unstable` unless they were open before.
static bool measure_named(struct survey *survey, const char **names, size_t n, bool want_loop,
                          const struct effort *effort, size_t *n_unstable, struct fail *fail) {
    size_t n_kernels = survey->kernels.n_kernels, n_counted = 0;
    if (!n)
        return true;
    bool *before = memcpy(ARENA_ARRAY(survey->arena, bool, n_kernels), survey->are_open, n_kernels * sizeof *before);
    for (size_t i = 0; i < n_kernels; i++) {
        survey->are_open[i] = bsearch(&survey->kernels.kernels[i].name, names, n, sizeof *names, text_compare);
        survey->want_loop[i] |= want_loop && survey->are_open[i];
    }
    bool is_done = measure(survey, effort, &n_counted, fail); // it also counts what was unstable before
    for (size_t i = 0; i < n_kernels; i++) {
        *n_unstable += survey->are_open[i] && !before[i];
        survey->are_open[i] |= before[i];
    }
    return is_done;
}

// Measures loops of which the table shows that they may be faster than unrolled code.
static bool measure_loops(struct survey *survey, const struct effort *effort, size_t *n_unstable, struct fail *fail) {
    struct arena arena = {0};
    struct survey_table table;
    size_t n = 0;
    bool is_done = table_read_on(&arena, survey->request->folder, &survey->measurements, &table, fail);
    const char **names = is_done ? loops_wanted(&arena, survey->isa, &table, &n) : NULL;
    is_done = is_done && measure_named(survey, names, n, true, effort, n_unstable, fail);
    arena_free(&arena);
    return is_done;
}

// Measures throughputs again that are a little slower than those of their class, until each was found so three times.
// One that is faster at last must be so once more. What became unstable stays open, and adds to `n_unstable`. A
// simulated CPU has no such speeds.
static bool measure_slower(struct survey *survey, size_t *n_unstable, struct fail *fail) {
    enum { ROUNDS = 3, TIMES = 3 };
    static const struct effort again = {
        .attempt_ms = 10, .steady_seconds = STEADY_SECONDS, .is_hasty = true, .n_stable = TIMES};
    bool is_done = true, is_more = is_native(survey);
    for (unsigned round = 0; round < ROUNDS && is_done && is_more && !is_stopped(survey); round++) {
        struct arena arena = {0};
        struct survey_table table;
        size_t n = 0;
        is_done = table_read_on(&arena, survey->request->folder, &survey->measurements, &table, fail);
        const char **names = is_done ? slower_than_class(&arena, &table, &n) : NULL;
        is_more = n > 0;
        is_done = is_done && measure_named(survey, names, n, false, &again, n_unstable, fail);
        arena_free(&arena);
    }
    return is_done;
}

// ---- all of it

// Whether the kernel is of a scheduling class's first row: throughput and plain latencies of its first form, or a
// partner's.
static bool is_of_first_table(const struct survey *survey, size_t number) {
    const struct experiment_key *key = &survey->keys[number];
    bool is_broken = key->kind == EXPERIMENT_BROKEN && !key->copies,
         is_plain = key->kind == EXPERIMENT_PLAIN || key->kind == EXPERIMENT_CHAIN || is_broken ||
                    key->kind == EXPERIMENT_AROUND || key->kind == EXPERIMENT_COPIES;
    return key->kind == EXPERIMENT_PARTNER || (number < survey->n_first && is_plain && !key->has_slow_values);
}

// Opens the kernels of the first table, or those of everything else.
static void open_part(struct survey *survey, bool is_first_table) {
    for (size_t i = 0; i < survey->kernels.n_kernels; i++)
        survey->are_open[i] = is_of_first_table(survey, i) == is_first_table;
}

// Takes a first look at everything, a row for each scheduling class first, then a second one. So there is a table after
// seconds, and each value rests on two times. Dispatch slots come last: they follow from the others. These passes are
// hasty: a value that is disturbed now may be easy some seconds later. They wait only for their clock to be steady. A
// first look measures also without one: unstable values are better than no table.
static bool measure_once(struct survey *survey, size_t *n_unstable, struct fail *fail) {
    static const struct effort glance = {
        .attempt_ms = 2, .steady_seconds = 5, .is_first_look = true, .is_hasty = true, .precision = 0.005};
    static const struct effort second = {.attempt_ms = 10, .steady_seconds = STEADY_SECONDS, .is_hasty = true};
    // Slots need no more: with 24 of them in a mixture, that is a seventh of one.
    static const struct effort coarse = {
        .attempt_ms = 10, .steady_seconds = STEADY_SECONDS, .is_hasty = true, .most_needed = 3, .precision = 0.006};
    followups_open(&survey->slots, survey->arena, survey->isa, survey->shapes, survey->n_forms);
    open_new(survey);
    open_part(survey, true);
    if (!measure(survey, &glance, n_unstable, fail) ||
        (!is_stopped(survey) && !make_kernels(survey, &survey->others, 0, fail)))
        return false;
    open_new(survey);
    open_part(survey, false);
    if (!is_stopped(survey) && !measure(survey, &glance, n_unstable, fail))
        return false;
    survey->has_extras = true;
    *n_unstable = 0;
    for (size_t i = 0; i < survey->kernels.n_kernels; i++)
        survey->are_open[i] = true;
    return (is_stopped(survey) || measure(survey, &second, n_unstable, fail)) &&
           (is_stopped(survey) || measure_loops(survey, &second, n_unstable, fail)) &&
           measure_slots(survey, &coarse, n_unstable, fail) && measure_slower(survey, n_unstable, fail) &&
           measure_mixtures(survey, &glance, &second, n_unstable, fail);
}

// Measures everything, then what is unstable again.
static bool measure_all(struct survey *survey, struct fail *fail) {
    struct passes passes;
    struct passes_effort allowed;
    size_t n_unstable = 0;
    if (!measure_once(survey, &n_unstable, fail))
        return false;
    if (n_unstable && survey->request->is_resumed && !is_stopped(survey))
        lab_say(listener_of(survey), LAB_NOTE, "unstable values are measured again for up to %.0f s (--budget)",
                survey->request->budget_seconds);
    passes_start(&passes, survey->request->budget_seconds, 8, 2 * n_unstable); // the next pass is hasty
    while (!is_stopped(survey) && passes_next(&passes, listener_of(survey), n_unstable, &allowed)) {
        const struct effort effort = {.attempt_ms = allowed.attempt_ms,
                                      .retry_seconds = allowed.retry_seconds,
                                      .steady_seconds = STEADY_SECONDS,
                                      .is_hasty = allowed.is_hasty};
        n_unstable = 0;
        if (!measure(survey, &effort, &n_unstable, fail) || !measure_slots(survey, &effort, &n_unstable, fail))
            return false;
    }
    // What became stable in these passes may be as slow.
    if (!measure_slower(survey, &n_unstable, fail))
        return false;
    if (is_stopped(survey) && !budget_is_spent())
        survey->status = RUN_PLAN_INTERRUPTED;
    else if (n_unstable && survey->request->is_strict)
        survey->status = run_plan_worse(survey->status, RUN_PLAN_UNSTABLE);
    return true;
}

// A folder that is not there is made later, when it is known that there is something to measure.
static bool check_folder(const struct survey *survey, struct fail *fail) {
    const char *folder = survey->request->folder;
    if (survey->request->is_resumed && access(folder, F_OK) != 0)
        return fail_set(fail, FAIL_INPUT, "there is no survey in '%s': leave --resume out to start one", folder);
    if (file_is_folder(folder) && !file_lock_folder(survey->arena, folder, "survey", fail))
        return false;
    if (!compressed_find(survey->arena, survey->path))
        return true;
    if (survey->request->is_resumed)
        return reader_is_survey(survey->arena, folder, fail) && folder_unpack(survey->arena, folder, survey->isa, fail);
    return fail_set(fail, FAIL_INPUT, "'%s' holds a survey: --resume goes on with it, --output names another folder",
                    folder);
}

// Makes the folder, unless nothing that was requested can be measured. A shard may be without a form.
static bool open_folder(const struct survey *survey, struct fail *fail) {
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
    return file_is_folder(survey->request->folder) ||
           file_lock_folder(survey->arena, survey->request->folder, "survey", fail);
}

// A run that goes on with the folder's forms requests nothing new.
static bool keep_command(const struct survey *survey, struct fail *fail) {
    const struct survey_request *request = survey->request;
    return !request->command || (request->is_resumed && !request->n_patterns) ||
           commands_add(survey->arena, request->folder, request->command, fail);
}

// Random mixtures to draw: as many as were requested, or the usual number where all forms are measured.
static unsigned count_mixtures(const struct survey *survey, const bool *is_selected) {
    const struct survey_request *request = survey->request;
    if (request->n_mixtures >= 0)
        return (unsigned)request->n_mixtures;
    for (size_t i = 0; i < survey->n_forms; i++)
        if (!is_selected[i] && (!request->n_shards || i % request->n_shards == request->shard - 1))
            return 0;
    return MIXTURES_USUAL;
}

static bool prepare(struct survey *survey, struct fail *fail) {
    struct model model = {0};
    bool *is_selected;
    const struct option_list *llvms = &survey->request->lab->llvms;
    bool is_done = form_kernels_list(survey->arena, survey->isa, option_list_first(llvms), &model, &survey->forms,
                                     &survey->n_forms, fail);
    is_selected = ARENA_ARRAY(survey->arena, bool, survey->n_forms);
    const struct selection selection = {survey->arena, survey->request, survey->forms, survey->n_forms};
    is_done = is_done && selection_make(&selection, is_selected, fail) && check_folder(survey, fail);
    if (is_done) {
        survey->n_mixtures = count_mixtures(survey, is_selected);
        make_shapes(survey, model.machine, is_selected);
    }
    is_done = is_done && (is_native(survey) ? probe_here(survey, fail) : probe_model(survey, fail)) &&
              open_folder(survey, fail) && keep_command(survey, fail) && write_forms(survey, fail) &&
              make_experiments(survey, fail);
    model_close(&model);
    return is_done;
}

// Counts what the folder holds now: a run that ended may have measured nothing.
static bool summarize(struct survey *survey, uint64_t start_ns, struct survey_summary *summary, struct fail *fail) {
    struct arena arena = {0};
    struct survey_table table = {0};
    bool has_file = access(survey->path, F_OK) == 0,
         is_read = !has_file || table_read_on(&arena, survey->request->folder, &survey->measurements, &table, fail);
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
                                .is_interrupted = survey->status == RUN_PLAN_INTERRUPTED,
                                .is_spent = budget_is_spent()};
    arena_free(&arena);
    return is_read;
}

// A folder that stays as large as it was is complete all the same.
static void pack(const struct survey *survey) {
    struct fail trouble = {0};
    if (!folder_pack(survey->arena, survey->request->folder, survey->isa, &trouble))
        lab_say(listener_of(survey), LAB_WARNING, "the survey's files stay as they are: %s", trouble.text);
}

bool survey_run(struct arena *arena, const struct survey_request *request, struct survey_summary *summary, int *status,
                struct fail *fail) {
    uint64_t start_ns = timer_clock_ns();
    struct survey survey = {.arena = arena,
                            .request = request,
                            .isa = request->lab->isa,
                            .path = folder_file(arena, request->folder, "measurements.jsonl"),
                            .measurements.arena = arena,
                            .assembled.arena = arena,
                            .status = *status};
    bool is_done = prepare(&survey, fail) && choose_events(&survey, fail) && measure_all(&survey, fail) &&
                   summarize(&survey, start_ns, summary, fail);
    record_file_close(&survey.measurements);
    if (is_done)
        pack(&survey);
    if (is_done && (summary->n_lost || summary->is_spent) && !summary->n_values && survey.status == 0)
        survey.status = FAIL_UNAVAILABLE;
    *status = survey.status;
    return is_done;
}
