#include "cli/upstream_split.h"

#include "base/file.h"
#include "base/screen.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"
#include "repair/repair_split.h"
#include "report/split.h"
#include "upstream/td_series.h"

#include <ctype.h>
#include <string.h>

struct page {
    const char *name, *text; // without its ending
};

struct splitting {
    struct arena *arena;
    const struct upstream_split_request *request;
    const struct model *model;
    const struct check_results *results;
    const struct repair_result *repaired;
    struct td_series series;
    struct page *pages; // by patch
    size_t n_pages, n_same, n_empty;
};

// "gap:latency/WriteFAdd" as "DIR/01-latency-WriteFAdd".
static const char *name_of(struct splitting *splitting, const struct check_finding *finding) {
    const char *colon = strchr(finding->id, ':');
    char *name = arena_strdup(splitting->arena, colon ? colon + 1 : finding->id);
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '-';
    return arena_printf(splitting->arena, "%s/%02zu-%s", splitting->request->output, splitting->n_pages + 1, name);
}

static bool write_page(struct splitting *splitting, const struct page *page, struct fail *fail) {
    return file_write(arena_printf(splitting->arena, "%s.md", page->name), page->text, strlen(page->text), fail);
}

// "03-latency-WriteFAdd.diff, 05-..."; "": it needs none.
static const char *needs_of(struct splitting *splitting, const struct td_patch *patch) {
    struct text text = {.arena = splitting->arena};
    text_add(&text, "");
    for (size_t i = 0; i < patch->n_needs; i++)
        text_addf(&text, "%s%s.diff", i ? ", " : "", file_base(splitting->pages[patch->needs[i]].name));
    return text.data;
}

static bool write_patch(struct splitting *splitting, const struct check_finding *finding, const struct td_patch *patch,
                        size_t n_changed, struct fail *fail) {
    const char *name = name_of(splitting, finding), *needs = needs_of(splitting, patch),
               *diff = arena_printf(splitting->arena, "%s.diff", name);
    const struct td_result *td = &patch->td;
    const struct split_text text = {.results = splitting->results,
                                    .finding = finding,
                                    .patch = patch,
                                    .model = splitting->model->machine->id,
                                    .needs = needs,
                                    .n_changed = n_changed};
    const struct page page = {name, split_write(splitting->arena, &text)};
    *ARENA_ADD(splitting->arena, splitting->pages, splitting->n_pages) = page;
    if (!file_write(diff, patch->diff, strlen(patch->diff), fail) || !write_page(splitting, &page, fail))
        return false;
    screen_print_sentence(arena_printf(splitting->arena,
                                       "%s: %s, %s: %s edited, %s new; llvm-tblgen has %zu of %s, with all earlier "
                                       "patches %zu%s%s",
                                       diff, finding->id, text_count(splitting->arena, n_changed, "opcode"),
                                       text_count_are(splitting->arena, td->n_statements, "statement"),
                                       text_count_are(splitting->arena, td->n_inst_rws, "InstRW"), td->n_equal,
                                       text_count(splitting->arena, td->n_compared, "opcode"), patch->n_equal,
                                       *needs ? ". Applies after " : "", needs),
                          stdout);
    return true;
}

static bool split_finding(struct splitting *splitting, const struct check_finding *finding, const char *form,
                          struct fail *fail) {
    struct repair_change *changes;
    size_t n, n_changed = repair_split(splitting->arena, splitting->repaired, finding, form, &changes, &n), which = 0;
    enum td_added added = TD_ADDED_NOTHING;
    const struct td_request request = {.path = splitting->request->td,
                                       .tblgen = splitting->request->tblgen,
                                       .llvm = splitting->model->backend->major,
                                       .machine = splitting->model->machine,
                                       .changes = changes,
                                       .n_changes = n};
    if (n_changed && !td_series_add(splitting->arena, &splitting->series, &request, &added, &which, fail))
        return false;
    splitting->n_empty += added == TD_ADDED_NOTHING;
    splitting->n_same += added == TD_ADDED_SAME;
    if (added == TD_ADDED)
        return write_patch(splitting, finding, splitting->series.patches[which], n_changed, fail);
    if (added == TD_ADDED_NOTHING)
        return true;
    struct page *page = &splitting->pages[which];
    page->text = split_add_finding(splitting->arena, page->text, finding);
    return write_page(splitting, page, fail);
}

static bool split_all(struct splitting *splitting, struct fail *fail) {
    const struct repair_result *repaired = splitting->repaired;
    const char *only = splitting->request->only;
    size_t n_found = 0;
    for (size_t f = 0; f < repaired->n_findings_before && splitting->n_pages < splitting->request->most; f++) {
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
            splitting->n_pages, text_count(splitting->arena, repaired->n_findings_before, "finding"), splitting->n_same,
            splitting->n_empty),
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
