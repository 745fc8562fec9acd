#include "cli/run_from.h"

#include "base/json.h"
#include "base/text.h"
#include "bench/record/record.h"
#include "cli/cli.h"
#include "lab/predict.h"
#include "lab/record_experiment.h"
#include "report/run.h"

#include <stdlib.h>
#include <string.h>

// One run in the file, and one ISA: their records make a table.
struct part {
    struct arena *arena;
    const char *path;
    const struct record_file *file;
    unsigned run;
    const struct isa *isa;
    const json_t *header; // null: the records are before any header
    struct plan plan;
    unsigned n_coruns; // number of co-runs left out of the plan
};

static const char *header_text(const struct part *part, const json_t *object, const char *key) {
    enum { MOST_BYTES = 400 };
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text_printable(part->arena, text, MOST_BYTES) : NULL;
}

// Returns a summary like lab_summary's, by what the file states.
static const char *summary(const struct part *part) {
    const json_t *clock = json_object_get(part->header, "clock");
    const char *cpu = header_text(part, part->header, "cpu"), *kernel = header_text(part, part->header, "kernel"),
               *target = header_text(part, clock, "target"), *note = header_text(part, clock, "note");
    struct text text = {.arena = part->arena};
    text_add(&text, cpu ? cpu : target ? target : "unknown host");
    if (kernel)
        text_addf(&text, ", Linux %s", kernel);
    if (header_text(part, part->header, "hypervisor"))
        text_add(&text, ", VM");
    text_addf(&text, " → %s", note ? note : "unknown clock");
    return text.data;
}

// Returns LLVM's name of the file's CPU, by the models in its records or by the name of an Arm core; null: unknown.
static const char *named_cpu(const struct part *part) {
    const struct record_file *file = part->file;
    for (size_t i = 0; i < file->n_records; i++) {
        const struct record *record = &file->records[i];
        const char *model = record->run == part->run && record->n_predictions ? record->predictions[0].model : NULL;
        const char *slash = model && strncmp(model, "llvm-", 5) == 0 ? strchr(model, '/') : NULL;
        if (slash)
            return slash + 1;
    }
    const char *name = json_string_value(json_object_get(part->header, "cpu"));
    return name ? text_lower(part->arena, name) : NULL;
}

// Chooses the CPU to predict where the user gave none. Chooses "none", with a message, where the file does not show it.
static bool choose_cpu(const struct part *part, const struct option_list *llvms, const char **cpu, struct fail *fail) {
    const char *const *names, *name = named_cpu(part);
    *cpu = "none";
    for (size_t i = 0; i < llvms->n_items || i == 0; i++) { // one version that knows it is enough
        const struct backend *backend = backend_load(part->arena, llvms->n_items ? llvms->items[i] : NULL, fail);
        if (!backend)
            return false;
        size_t n = backend->list_cpus(part->arena, part->isa->triple, &names, NULL, fail);
        if (name && text_find(name, names, n) < n)
            *cpu = name;
    }
    if (fail->status == FAIL_NONE && strcmp(*cpu, "none") == 0)
        fprintf(stderr, "cyclops: warning: the file does not name its CPU as LLVM does: name a model with "
                        "--mcpu\n");
    return fail->status == FAIL_NONE;
}

// Returns a key that is the same for all records of one program.
static const char *program_key(struct arena *arena, const struct record *record) {
    const char *const texts[] = {record->bytes, record->setup, record->kernel,   record->mode,
                                 record->form,  record->arc,   record->corunner, record->corunner_bytes};
    struct text key = {.arena = arena};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_addf(&key, "%s\n", texts[i] ? texts[i] : "");
    text_addf(&key, "%u", record->streams);
    return key.data;
}

static bool is_ours(const struct part *part, const struct record *record) {
    return record->run == part->run && (!record->isa || strcmp(record->isa, part->isa->name) == 0);
}

// Returns the index of each program's last record. It replaces earlier ones, which were measured again.
static json_t *find_last(const struct part *part) {
    json_t *last = json_object();
    for (size_t i = 0; i < part->file->n_records; i++)
        if (is_ours(part, &part->file->records[i]))
            json_object_set_new(last, program_key(part->arena, &part->file->records[i]), json_integer((json_int_t)i));
    return last;
}

static bool make_plan(struct part *part, struct fail *fail) {
    json_t *last = find_last(part);
    bool is_good = true;
    for (size_t i = 0; i < part->file->n_records && is_good; i++) {
        const struct record *record = &part->file->records[i];
        struct fail inner = {0};
        if (!is_ours(part, record) ||
            json_integer_value(json_object_get(last, program_key(part->arena, record))) != (json_int_t)i)
            continue;
        if (record->corunner) {
            part->n_coruns++; // a prediction of the code alone would differ, although the model is right
            continue;
        }
        struct experiment *experiment = plan_add(part->arena, &part->plan);
        is_good = record_to_experiment(part->arena, record, experiment, &inner) ||
                  fail_at(fail, part->path, record->line, 0, "%s", inner.text);
    }
    json_decref(last);
    if (!is_good)
        return false;
    record_find_sweeps(part->arena, &part->plan);
    if (part->n_coruns)
        fprintf(stderr, "cyclops: warning: %u measurement%s with a co-runner %s left out\n", part->n_coruns,
                part->n_coruns == 1 ? "" : "s", part->n_coruns == 1 ? "is" : "are");
    return true;
}

static bool print_json(const struct part *part, struct fail *fail) {
    if (part->header) {
        // ASCII only: JSON does not escape other characters on which a terminal may act.
        char *line = json_dumps(part->header, JSON_COMPACT | JSON_ENSURE_ASCII);
        printf("%s\n", line);
        free(line);
    }
    for (size_t i = 0; i < part->plan.n_experiments; i++) {
        struct record record;
        experiment_to_record(part->arena, part->plan.experiments[i], &record);
        if (!record_write(stdout, &record, fail))
            return false;
    }
    return true;
}

static int predict(const struct predict_request *request, const struct plan *plan) {
    int status = 0;
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct experiment *experiment = plan->experiments[i];
        experiment_doubt_short_run(request->arena, experiment);
        predict_experiment(request, experiment);
        if (experiment->is_done)
            continue;
        fprintf(stderr, "cyclops: %s (%s, n = %u, %s): %s there\n", experiment->program.kernel,
                program_mode_name(experiment->program.mode), experiment->program.streams,
                program_form_name(experiment->program.form), bench_outcome_name(experiment->measurement.outcome));
        status = FAIL_WORK;
    }
    return status;
}

static bool run_part(struct part *part, const struct lab_options *asked, bool wants_json, int *status,
                     struct fail *fail) {
    struct model_set models = {0};
    struct lab_options options = *asked;
    const char *cpu;
    options.isa = part->isa;
    if (!make_plan(part, fail) || (!asked->cpus.n_items && !choose_cpu(part, &asked->llvms, &cpu, fail)))
        return false;
    if (!asked->cpus.n_items)
        options.cpus = (struct option_list){&cpu, 1};
    const struct model_request wanted = lab_models(&options);
    const struct predict_request request = {part->arena, &models, options.listener, PREDICT_ELSEWHERE, true};
    const struct run_report report = {
        .arena = part->arena, .models = &models, .is_brief = options.is_brief, .summary = summary(part)};
    bool is_done = model_set_open(&models, part->arena, &wanted, fail);
    if (is_done && predict(&request, &part->plan))
        *status = FAIL_WORK;
    if (is_done && wants_json)
        is_done = print_json(part, fail);
    else if (is_done)
        run_report_print(&report, &part->plan, stdout, cli_wants_colour());
    model_set_close(&models);
    return is_done;
}

// Prints a table for each run and ISA, in the order of the file.
static bool run_all(struct arena *arena, const char *path, const struct record_file *file,
                    const struct lab_options *options, bool wants_json, int *status, struct fail *fail) {
    for (size_t i = 0; i < file->n_records; i++) {
        const struct record *record = &file->records[i];
        bool is_seen = false;
        struct fail inner = {0};
        const struct isa *isa = record_isa(arena, record, &inner);
        if (!isa)
            return fail_at(fail, path, record->line, 0, "%s", inner.text);
        for (size_t j = i; j-- > 0 && !is_seen && file->records[j].run == record->run;)
            is_seen = strcmp(file->records[j].isa, isa->name) == 0;
        struct part part = {
            .arena = arena,
            .path = path,
            .file = file,
            .run = record->run,
            .isa = isa,
            .header = record->run ? file->headers[record->run - 1] : NULL,
        };
        if (!is_seen && !run_part(&part, options, wants_json, status, fail))
            return false;
    }
    return true;
}

bool run_from(struct arena *arena, const char *path, const struct lab_options *options, bool wants_json, int *status,
              struct fail *fail) {
    struct record_file file;
    bool is_done = record_read(arena, path, &file, fail);
    const char *damage = is_done ? record_damage_text(arena, path, &file.damage) : NULL;
    if (damage)
        lab_say(&cli_listener, LAB_WARNING, "%s", damage);
    if (is_done && file.n_records == 0)
        is_done = fail_set(fail, FAIL_INPUT, "there are no measurements in '%s'", path);
    is_done = is_done && run_all(arena, path, &file, options, wants_json, status, fail);
    record_file_close(&file);
    return is_done;
}
