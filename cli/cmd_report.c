// cyclops report: results of every kind, and what models say of them, as one HTML file.
#include "cli/cli.h"

#include "base/compressed.h"
#include "base/date.h"
#include "base/file.h"
#include "base/screen.h"
#include "base/text.h"
#include "check/check.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"
#include "corpus/score.h"
#include "report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct { const char *output, *title, *author; } args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to compare with", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Model: a CPU of LLVM's, also of one version (llvm-19/znver4), an overlay (FILE.yaml, overlay:NAME), or a CPU "
     "file (FILE.cpu.yaml, cpu:NAME); none: no model. Default: the CPU that was measured.",
     &lab_args.options.cpus},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_TEXT, "isa", "x86_64|aarch64|armv7|mips|mipsel|riscv64",
     "Instruction set of the blocks of a corpus. Default: this machine's.", &lab_args.isa},
    {OPTION_HEADING, NULL, NULL, "Output", NULL},
    {OPTION_TEXT, "title", "TEXT", "Title of the page.", &args.title},
    {OPTION_TEXT, "author", "TEXT", "Who publishes it: a line below the title, with the date.", &args.author},
    {OPTION_OUTPUT, "output", "FILE", "The HTML file to write, such as report.html.", &args.output},
    {0},
};

static const struct command command = {
    "cyclops report",
    "RESULTS... --output FILE [options]",
    "Writes one HTML file that needs no network and no server. It shows what is\n"
    "given:\n"
    "  folder of a survey, or     findings by cause, and all instructions with their\n"
    "  measurements (.jsonl)      values, intervals and predictions\n"
    "  measurements (.jsonl)      sweeps over n, and the matrix of 'pairs --json'\n"
    "  folder of a corpus, or     each block, predicted against measured\n"
    "  values (.csv)              the same, of 'cyclops corpus score --blocks FILE'\n"
    "  scores (.csv)              the table of 'cyclops corpus score --csv'\n"
    "  folder of a machine card,  its parameters, and their curves\n"
    "  or card (.yaml)\n",
    "  cyclops report survey --output report.html\n"
    "  cyclops report survey machine corpus --mcpu znver4 --output report.html\n"
    "  cyclops report survey --mcpu none --title 'A new chip' --output chip.html\n"
    "  cyclops report values.csv scores.csv card.yaml --output report.html\n",
    options,
};

// The operands by kind.
struct given {
    struct operands tables, runs, corpora, names, scores, cards;
};

static void add(struct arena *arena, struct operands *list, const char *path) {
    *ARENA_ADD(arena, list->items, list->n_items) = path;
}

static bool holds(struct arena *arena, const char *folder, const char *name) {
    return compressed_find(arena, arena_printf(arena, "%s/%s", folder, name));
}

// Writes a corpus' values and predictions to a file that the page is made from, as `corpus score --blocks` does.
static bool predict_corpus(struct arena *arena, const char *folder, const char **path, struct fail *fail) {
    char *made = file_temporary(arena, "cyclops-report");
    int file = mkstemp(made);
    struct scores scores;
    const struct score_request request = {.measured = {.folders = &folder, .n_folders = 1, .listener = &cli_listener},
                                          .isa = lab_args.options.isa,
                                          .models = lab_models(&lab_args.options),
                                          .blocks = made};
    if (file < 0)
        return fail_set(fail, FAIL_WORK, "cannot make a file '%s': %s", made, strerror(errno));
    close(file);
    *path = made;
    return score_blocks(arena, &request, &scores, fail);
}

static bool is_scores(struct arena *arena, const char *path) {
    const char *titles = file_first_line(arena, path);
    return titles && strstr(titles, "mean_error");
}

static bool sort_out(struct arena *arena, const struct operands *operands, struct given *given, struct fail *fail) {
    for (size_t i = 0; i < operands->n_items; i++) {
        const char *path = operands->items[i];
        if (file_is_folder(path) && holds(arena, path, "card.yaml"))
            add(arena, &given->cards, arena_printf(arena, "%s/card.yaml", path));
        else if (file_is_folder(path) && holds(arena, path, "blocks.jsonl"))
            add(arena, &given->corpora, path);
        else if (file_is_folder(path))
            add(arena, &given->tables, path);
        else if (file_has_suffix(path, ".yaml"))
            add(arena, &given->cards, path);
        else if (file_has_suffix(path, ".csv") && access(path, R_OK) != 0)
            return fail_set(fail, FAIL_INPUT, "cannot read '%s'", path);
        else if (file_has_suffix(path, ".csv"))
            add(arena, is_scores(arena, path) ? &given->scores : &given->corpora, path);
        else
            add(arena, &given->runs, path);
    }
    // Files of measurements are a table where no survey is given.
    for (size_t i = 0; !given->tables.n_items && i < given->runs.n_items; i++)
        add(arena, &given->tables, given->runs.items[i]);
    given->names = given->corpora;
    given->names.items = ARENA_ARRAY(arena, const char *, given->corpora.n_items + 1);
    for (size_t i = 0; i < given->corpora.n_items; i++)
        given->names.items[i] = given->corpora.items[i];
    return true;
}

// `folder`: of the survey; null: there is none.
static bool write_page(struct arena *arena, const struct page_contents *contents, const char *folder,
                       struct fail *fail) {
    const char *page = page_make(arena, contents, fail);
    if (!page || !file_write(args.output, page, strlen(page), fail))
        return false;
    struct text text = {.arena = arena};
    const struct check_report *check = contents->check;
    if (check)
        screen_print_sentence(arena_printf(arena, "Measured on %s", check_results_origin(arena, &check->results)),
                              stdout);
    text_addf(&text, "%s: ", args.output);
    if (check)
        text_add(&text, text_count(arena, check->results.n_forms, "form"));
    if (check && check->model)
        text_addf(&text, ", %s", text_count(arena, check->n_findings[CHECK_GAP], "finding"));
    const struct {
        size_t n;
        const char *one, *more;
    } others[] = {{contents->n_corpora, "corpus", "corpora"},
                  {contents->n_scores, "table of scores", "tables of scores"},
                  {contents->n_cards, "card", "cards"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].n)
            text_addf(&text, "%s%zu %s", text.data[text.length - 1] == ' ' ? "" : ", ", others[i].n,
                      others[i].n == 1 ? others[i].one : others[i].more);
    screen_print_sentence(text.data, stdout);
    size_t n_unstable = check ? check->counts[CHECK_GAP].n_unstable : 0;
    if (n_unstable && folder)
        screen_print_whole_sentence(arena_printf(arena,
                                                 "%s unstable. To measure again: cyclops survey --resume --output %s%s",
                                                 text_count_are(arena, n_unstable, "value"), folder,
                                                 check->results.repeat_options ? check->results.repeat_options : ""),
                                    stdout);
    return true;
}

// Predicts the corpora, and makes the page.
// Puts a file of values in the place of each folder. `made`: the files, to be removed in the end, also where this
// fails.
static bool predict_folders(struct arena *arena, struct operands *corpora, const char **made, size_t *n_made,
                            struct fail *fail) {
    for (size_t i = 0; i < corpora->n_items; i++) {
        const char *file = NULL;
        if (!file_is_folder(corpora->items[i]))
            continue;
        bool is_done = predict_corpus(arena, corpora->items[i], &file, fail);
        if (file)
            made[(*n_made)++] = file;
        if (!is_done)
            return false;
        corpora->items[i] = file;
    }
    return true;
}

// Corpora need it; instructions without it have one syntax.
static bool open_decoder(struct arena *arena, bool is_needed, struct decoder *decoder, struct fail *fail) {
    struct fail without = {0};
    const char *llvm = option_list_first(&lab_args.options.llvms);
    if (decoder_open(decoder, arena, lab_args.options.isa, llvm, is_needed ? fail : &without))
        return true;
    if (is_needed)
        return false;
    decoder_close(decoder);
    *decoder = (struct decoder){0};
    return true;
}

static bool report_all(struct arena *arena, struct given *given, const struct check_report *report, struct fail *fail) {
    struct decoder decoder = {0};
    bool is_done = true;
    size_t n_made = 0;
    const char **made = ARENA_ARRAY(arena, const char *, given->corpora.n_items + 1);
    if (given->corpora.n_items) {
        lab_args.options.isa = cli_isa(arena, lab_args.isa, fail);
        is_done = lab_args.options.isa != NULL;
    }
    if (is_done && lab_args.options.isa)
        is_done = open_decoder(arena, given->corpora.n_items, &decoder, fail);
    is_done = is_done && predict_folders(arena, &given->corpora, made, &n_made, fail);
    // Measurement files that are the table as well were read for it, with warnings.
    bool is_read = given->runs.n_items && given->tables.n_items && given->tables.items[0] == given->runs.items[0];
    const struct page_contents contents = {.check = report,
                                           .corpora = given->corpora.items,
                                           .corpus_names = given->names.items,
                                           .n_corpora = given->corpora.n_items,
                                           .scores = given->scores.items,
                                           .n_scores = given->scores.n_items,
                                           .cards = given->cards.items,
                                           .n_cards = given->cards.n_items,
                                           .runs = given->runs.items,
                                           .n_runs = given->runs.n_items,
                                           .title = args.title,
                                           .author = args.author,
                                           .made = date_text(arena, date_of_output()),
                                           .listener = is_read ? NULL : &cli_listener,
                                           .decoder = decoder.cpu ? &decoder : NULL};
    const char *folder =
        given->tables.n_items && file_is_folder(given->tables.items[0]) ? given->tables.items[0] : NULL;
    is_done = is_done && write_page(arena, &contents, folder, fail);
    for (size_t i = 0; i < n_made; i++)
        unlink(made[i]);
    decoder_close(&decoder);
    return is_done;
}

static bool report_with_table(struct arena *arena, struct given *given, struct fail *fail) {
    struct model_set models = {0};
    struct check_report report;
    if (!results_choose_model(arena, given->tables.items[0], fail))
        return false;
    const struct model_request wanted = lab_models(&lab_args.options);
    bool is_done = model_set_open(&models, arena, &wanted, fail);
    if (is_done) {
        const struct check_request request = {.results = given->tables.items,
                                              .n_results = given->tables.n_items,
                                              .model = models.n_judged ? &models.judged[0] : NULL,
                                              .asks_gap = models.n_judged > 0,
                                              .now = time(NULL),
                                              .listener = &cli_listener};
        is_done = check_run(arena, &request, &report, fail) && report_all(arena, given, &report, fail);
    }
    model_set_close(&models);
    return is_done;
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct given given = {0};
    if (!operands->n_items)
        return fail_set(fail, FAIL_INPUT, "name the folder of a survey, such as 'survey', or a file of measurements");
    if (!args.output)
        return fail_set(fail, FAIL_INPUT, "--output names the HTML file to write, such as report.html");
    if (!results_can_write(arena, args.output, fail))
        return false;
    lab_args.options.listener = &cli_listener;
    if (!sort_out(arena, operands, &given, fail))
        return false;
    return given.tables.n_items ? report_with_table(arena, &given, fail) : report_all(arena, &given, NULL, fail);
}

int cmd_report(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
