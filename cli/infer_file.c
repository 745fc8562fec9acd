#include "cli/infer_file.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/cpu_output.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"
#include "infer/pair_campaign.h"
#include "infer/whole.h"
#include "report/inferred.h"
#include "report/ports.h"

#include <string.h>

// ---- making

static const char *base_of(struct arena *arena, const struct infer_file_request *request,
                           const struct whole_paths *paths, struct fail *fail) {
    if (request->base)
        return request->base;
    return results_choose_model(arena, paths->surveys[0], fail) ? lab_args.options.cpus.items[0] : NULL;
}

bool infer_file_make(struct arena *arena, const struct infer_file_request *request, const char *const *paths, size_t n,
                     struct fail *fail) {
    static char verb[] = "predicting";
    struct lab_listener listener = cli_listener;
    struct whole_paths sorted;
    struct whole_result result;
    listener.context = verb;
    if (!cpu_output_can_write(request->output, request->is_forced, fail) ||
        !whole_sort_paths(arena, paths, n, &sorted, fail) || !results_can_write(arena, request->output, fail))
        return false;
    const char *base = base_of(arena, request, &sorted, fail), *name = cpu_output_name(arena, request->output),
               *text = base ? cpu_output_base_text(arena, base, name, request->llvm, fail) : NULL;
    const struct import_onto onto = {.text = text,
                                     .name = name,
                                     .output = request->output,
                                     .llvm = request->llvm,
                                     .takes_other_cpu = request->takes_other_cpu,
                                     .listener = &listener};
    if (!text || !whole_infer(arena, &onto, &sorted, &result, fail) ||
        !file_write(request->output, result.text, strlen(result.text), fail))
        return false;
    inferred_print(arena, request->output, &sorted, &result, stdout, cli_wants_colour());
    return true;
}

// ---- why

static bool find_evidence(struct arena *arena, const struct cpu *cpu, struct whole_paths *sorted, struct fail *fail) {
    const char **paths = ARENA_ARRAY(arena, const char *, cpu->n_evidence + 1);
    for (size_t i = 0; i < cpu->n_evidence; i++)
        paths[i] = cpu_evidence_path(arena, cpu, cpu->evidence[i]);
    if (!cpu->n_evidence)
        return fail_set(fail, FAIL_INPUT,
                        "'%s' does not state what it was made from ('evidence'): 'cyclops infer SURVEY MACHINE PAIRS "
                        "--output FILE' makes one that does",
                        cpu->path);
    return whole_sort_paths(arena, paths, cpu->n_evidence, sorted, fail);
}

// The form that stands for this one in the pairs; null: they have neither.
static const char *first_of_class(struct arena *arena, const char *folder, const char *form, struct fail *fail) {
    char *data, *line;
    size_t length;
    if (!file_read(arena, pair_campaign_classes(arena, folder), &data, &length, fail))
        return NULL;
    while ((line = strsep(&data, "\n"))) {
        const char *name = strsep(&line, ",");
        if (line && strcmp(name, form) == 0)
            return line;
    }
    return NULL;
}

static bool why_ports(struct arena *arena, const struct model *model, const char *llvm, const struct whole_paths *paths,
                      const char *form, struct fail *fail) {
    char *text;
    size_t length;
    struct ports ports;
    struct ports_import_result pairs;
    const char *first = first_of_class(arena, paths->pairs[0], form, fail);
    if (fail->status != FAIL_NONE || !file_read(arena, model->own->path, &text, &length, fail))
        return false;
    const struct import_onto onto = {.text = text,
                                     .name = model->own->path,
                                     .output = model->own->path,
                                     .llvm = llvm,
                                     .takes_other_cpu = true}; // whoever made the file has decided that
    if (!import_pairs(arena, &onto, paths->pairs, paths->n_pairs, &ports, &pairs, fail))
        return false;
    const char *const *forms = ports.evidence->forms;
    size_t number = first ? text_find(first, forms, ports.evidence->n_forms) : ports.evidence->n_forms;
    if (number == ports.evidence->n_forms) {
        printf("no pair has %s: its pipes are not from there\n", form);
        return true;
    }
    if (strcmp(first, form) != 0)
        printf("%s was not measured beside others; %s, of its class with equal values, stands for it\n", form, first);
    ports_print_why(arena, &ports, (unsigned)number, stdout, cli_wants_colour());
    inferred_print_names(arena, &pairs, ports.map.n_ports, stdout);
    return true;
}

static bool why(struct arena *arena, const struct model *model, const char *llvm, const char *form, struct fail *fail) {
    struct whole_paths paths = {.n_surveys = 0};
    struct check_results results = {.n_values = 0};
    if (!find_evidence(arena, model->own, &paths, fail) ||
        !check_results_read(arena, paths.surveys, paths.n_surveys, NULL, &results, fail))
        return false;
    size_t first = check_values_find_form(results.values, results.n_values, form), end = first;
    if (first == results.n_values)
        return fail_set(fail, FAIL_INPUT, "the survey of '%s' has no form '%s': 'cyclops list forms' has their names",
                        model->own->path, text_printable(arena, form, 80));
    while (end < results.n_values && strcmp(results.values[end].form, form) == 0)
        end++;
    printf("%s: %s\n", form, results.values[first].example ? results.values[first].example : "");
    inferred_print_values(arena, model, results.values + first, end - first, stdout, cli_wants_colour());
    return !paths.n_pairs || why_ports(arena, model, llvm, &paths, form, fail);
}

bool infer_file_why(struct arena *arena, const char *cpu, const char *llvm, const char *form, struct fail *fail) {
    struct model model = {0};
    const struct backend_options wanted = {.cpu = cpu, .output_syntax = -1};
    bool is_done = model_open(&model, arena, llvm, &wanted, fail) && why(arena, &model, llvm, form, fail);
    model_close(&model);
    return is_done;
}
