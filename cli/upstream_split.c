#include "cli/upstream_split.h"

#include "base/file.h"
#include "base/screen.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"
#include "repair/repair_split.h"
#include "report/split.h"
#include "upstream/td.h"

#include <ctype.h>
#include <string.h>

struct patch {
    const char *diff, *page, *text; // the edit; the file of the text, and it
};

struct splitting {
    struct arena *arena;
    const struct upstream_split_request *request;
    const struct model *model;
    const struct check_results *results;
    const struct repair_result *repaired;
    struct patch *patches;
    size_t n_written, n_same, n_empty;
};

// "gap:latency/WriteFAdd" as "01-latency-WriteFAdd".
static const char *name_of(struct splitting *splitting, const struct check_finding *finding) {
    const char *colon = strchr(finding->id, ':');
    char *name = arena_strdup(splitting->arena, colon ? colon + 1 : finding->id);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '-';
    return arena_printf(splitting->arena, "%s/%02zu-%s", splitting->request->output, splitting->n_written + 1, name);
}

static bool write_patch(struct splitting *splitting, const struct check_finding *finding,
                        const struct td_request *td_of, const struct td_result *td, size_t n_changed,
                        struct fail *fail) {
    const char *name = name_of(splitting, finding);
    const struct split_text text = {.results = splitting->results,
                                    .finding = finding,
                                    .td = td,
                                    .model = splitting->model->machine->id,
                                    .td_path = splitting->request->td,
                                    .changes = td_of->changes,
                                    .n_changes = td_of->n_changes,
                                    .n_changed = n_changed};
    const struct patch patch = {.diff = td->diff,
                                .page = arena_printf(splitting->arena, "%s.md", name),
                                .text = split_write(splitting->arena, &text)};
    const char *diff = arena_printf(splitting->arena, "%s.diff", name);
    *ARENA_ADD(splitting->arena, splitting->patches, splitting->n_written) = patch;
    if (!file_write(diff, td->diff, strlen(td->diff), fail) ||
        !file_write(patch.page, patch.text, strlen(patch.text), fail))
        return false;
    screen_print_sentence(arena_printf(splitting->arena, "%s: %s, %s: %s edited, %s new; llvm-tblgen has %zu of %s",
                                       diff, finding->id, text_count(splitting->arena, n_changed, "opcode"),
                                       text_count_are(splitting->arena, td->n_statements, "statement"),
                                       text_count_are(splitting->arena, td->n_inst_rws, "InstRW"), td->n_equal,
                                       text_count(splitting->arena, td->n_compared, "opcode")),
                          stdout);
    return true;
}

// An edit that an earlier patch makes is no other one: its page has this finding as well.
static bool write_or_add(struct splitting *splitting, const struct check_finding *finding,
                         const struct td_request *td_of, const struct td_result *td, size_t n_changed,
                         struct fail *fail) {
    for (size_t i = 0; i < splitting->n_written; i++) {
        struct patch *patch = &splitting->patches[i];
        if (strcmp(patch->diff, td->diff) != 0)
            continue;
        splitting->n_same++;
        patch->text = split_add_finding(splitting->arena, patch->text, finding);
        return file_write(patch->page, patch->text, strlen(patch->text), fail);
    }
    return write_patch(splitting, finding, td_of, td, n_changed, fail);
}

static bool split_finding(struct splitting *splitting, const struct check_finding *finding, const char *form,
                          struct fail *fail) {
    struct repair_change *changes;
    struct td_result td;
    size_t n, n_changed = repair_split(splitting->arena, splitting->repaired, finding, form, &changes, &n);
    const struct td_request request = {.path = splitting->request->td,
                                       .tblgen = splitting->request->tblgen,
                                       .llvm = splitting->model->backend->major,
                                       .machine = splitting->model->machine,
                                       .changes = changes,
                                       .n_changes = n};
    if (n_changed && !td_repair(splitting->arena, &request, &td, fail))
        return false;
    if (!n_changed || !*td.diff) { // the repair leaves it, or the file has these numbers
        splitting->n_empty++;
        return true;
    }
    return write_or_add(splitting, finding, &request, &td, n_changed, fail);
}

static bool split_all(struct splitting *splitting, struct fail *fail) {
    const struct repair_result *repaired = splitting->repaired;
    const char *only = splitting->request->only;
    size_t n_found = 0;
    for (size_t f = 0; f < repaired->n_findings_before && splitting->n_written < splitting->request->most; f++) {
        const struct check_finding *finding = &repaired->findings_before[f];
        const char *form = NULL;
        if (only && !repair_split_is_of(finding, only, &form))
            continue;
        n_found++;
        if (!split_finding(splitting, finding, form, fail))
            return false;
    }
    if (only && !n_found)
        return fail_set(fail, FAIL_INPUT,
                        "--only: no finding, and no form or class of one, is called '%s'; 'cyclops check' lists them",
                        text_printable(splitting->arena, only, 80));
    screen_print_sentence(
        arena_printf(
            splitting->arena,
            "patches: %zu, of %s. Of an edit that an earlier one makes: %zu. Without one, as the repair leaves it "
            "or the file has these numbers: %zu.",
            splitting->n_written, text_count(splitting->arena, repaired->n_findings_before, "finding"),
            splitting->n_same, splitting->n_empty),
        stdout);
    return true;
}

static bool split_model(struct arena *arena, const struct upstream_split_request *request, const struct model *model,
                        const char *const *folders, size_t n, struct fail *fail) {
    static char verb[] = "repairing";
    struct lab_listener listener = cli_listener;
    struct check_results results;
    struct repair_result repaired;
    listener.context = verb;
    if (!td_can_repair(request->td, request->tblgen, model->backend->major, fail) ||
        !check_results_read(arena, folders, n, &cli_listener, &results, fail))
        return false;
    const struct repair_request wanted = {.results = &results, .model = model, .name = "split", .listener = &listener};
    if (!file_make_folder(request->output, fail) || !repair_run(arena, &wanted, &repaired, fail))
        return false;
    struct splitting splitting = {
        .arena = arena, .request = request, .model = model, .results = &results, .repaired = &repaired};
    return split_all(&splitting, fail);
}

bool upstream_split(struct arena *arena, const struct upstream_split_request *request, const char *const *folders,
                    size_t n, struct fail *fail) {
    struct model_set models = {0};
    const struct option_list *cpus = &lab_args.options.cpus;
    if (!request->td || !request->output)
        return fail_set(fail, FAIL_INPUT, "--td names LLVM's file, and --output the folder of the patches");
    if (!n)
        return fail_set(fail, FAIL_INPUT, "name the folder of a survey, such as 'survey'");
    if (!results_choose_model(arena, folders[0], fail))
        return false;
    if (model_is_cpu_file(cpus->items[0]) || model_is_overlay(cpus->items[0]))
        return fail_set(fail, FAIL_INPUT, "a model of LLVM's can be split, not '%s'", cpus->items[0]);
    struct model_request wanted = lab_models(&lab_args.options);
    wanted.forms = true; // rules of RISC-V's vectors name them
    bool is_done = model_set_open(&models, arena, &wanted, fail) &&
                   split_model(arena, request, &models.judged[0], folders, n, fail);
    model_set_close(&models);
    return is_done;
}
