// cyclops check: holds measurements against a model, and fails where it has something wrong.
#include "cli/cli.h"

#include "base/file.h"
#include "check/check.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"
#include "report/findings.h"

#include <string.h>

static struct {
    struct option_list baseline;
    const char *against, *allow, *junit, *annotations, *markdown, *written_allowances;
    double false_percent;
    bool wants_gap, wants_all, wants_csv, fails_lost;
} args = {.false_percent = 1};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to compare with", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Model to check: a CPU of LLVM's, also of one version (llvm-19/znver4), an overlay (FILE.yaml, overlay:NAME), or "
     "a CPU file (FILE.cpu.yaml, cpu:NAME); none: no model. Default: the CPU that was measured.",
     &lab_args.options.cpus},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_TEXT, "against", "CPU",
     "Ask whether the model has moved away from what was measured, compared with this other model.", &args.against},
    {OPTION_LIST, "baseline", "RESULTS",
     "Ask whether measured values have moved since this earlier measurement; may be repeated, for shards.",
     &args.baseline},
    {OPTION_FLAG, "gap", NULL,
     "Ask whether predictions lie outside the measured intervals, also with --against or --baseline. Without these it "
     "is the question.",
     &args.wants_gap},
    {OPTION_HEADING, NULL, NULL, "What to accept", NULL},
    {OPTION_TEXT, "allow", "FILE", "Allow-list (YAML): findings that are known, with a bound, a reason and an expiry.",
     &args.allow},
    {OPTION_OUTPUT, "write-allow", "FILE", "Write an allow-list of all findings, with today's differences as bounds.",
     &args.written_allowances},
    {OPTION_NUMBER, "false-share", "PERCENT",
     "With --baseline: the share of false ones to accept among the values reported as moved. Default: 1.",
     &args.false_percent},
    {OPTION_FLAG, "fail-lost", NULL,
     "With --baseline: also fail where the earlier measurement has values that are not in RESULTS. Without it, they "
     "are only counted.",
     &args.fails_lost},
    {OPTION_HEADING, NULL, NULL, "Output", NULL},
    {OPTION_FLAG, "all", NULL, "Print all findings. Default: the first 40 of each question.", &args.wants_all},
    {OPTION_FLAG, "csv", NULL, "Print a line for each value of a finding, separated by commas.", &args.wants_csv},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines.", &lab_args.files.wants_json},
    {OPTION_OUTPUT, "junit", "FILE", "Write JUnit's XML: a test case for each form.", &args.junit},
    {OPTION_OUTPUT, "markdown", "FILE", "Write a comment for a pull request.", &args.markdown},
    {OPTION_TEXT, "annotations", "github",
     "Also print a workflow command for each of the ten largest findings, at its line of the model's file.",
     &args.annotations},
    {0},
};

static const struct command command = {
    "cyclops check",
    "RESULTS... [options]",
    "Holds measurements against a scheduling model, and names the numbers of the\n"
    "model that they exclude. RESULTS are the folders of a survey ('cyclops survey')\n"
    "or files of 'cyclops run --output'. The model simulates the measured bytes.\n"
    "\n"
    "A prediction outside the measured interval is a difference. Differences with one\n"
    "cause are one finding, with an identifier for the allow-list. Unstable values\n"
    "are never compared. There are three questions:\n"
    "  gap       does the model predict what was measured?\n"
    "  model     is it further from that than another model? (--against)\n"
    "  hardware  has the measured value moved? (--baseline)\n"
    "\n"
    "Of a latency that is measured together with the way back, only the sum is known.\n"
    "Where the model's sum is shorter, a finding gap:sum/... names both classes.\n"
    "Mixtures, a survey's loops of several forms, make no finding: the model's mean\n"
    "error on them is printed at the end.\n"
    "\n"
    "Exit status: 0 no findings, or all are allowed; 1 findings, or lost values with\n"
    "--fail-lost; 2 wrong input; 77 nothing could be compared.\n",
    "  cyclops check survey --mcpu znver4\n"
    "  cyclops check survey --mcpu my.yaml --against znver4 --annotations github\n"
    "  cyclops check survey --mcpu znver4 --allow allow.yaml --junit check.xml\n"
    "  cyclops check today --mcpu none --baseline yesterday --fail-lost\n",
    options,
};

// Chooses the ISA of the results, and the CPU that was measured where no model was requested.
static bool choose_models(struct arena *arena, const char *path, struct fail *fail) {
    if (!results_choose_model(arena, path, fail))
        return false;
    bool is_none = strcmp(lab_args.options.cpus.items[0], "none") == 0;
    if (is_none && args.against)
        return fail_set(fail, FAIL_INPUT, "--against needs a model to check: --mcpu");
    if (is_none && !args.baseline.n_items)
        return fail_set(fail, FAIL_INPUT, "--mcpu none leaves nothing to ask without --baseline");
    return true;
}

static bool write_files(struct arena *arena, const struct check_report *report, struct fail *fail) {
    const char *junit = args.junit ? findings_junit(arena, report) : NULL,
               *markdown = args.markdown ? findings_markdown(arena, report) : NULL;
    if (args.written_allowances) {
        struct check_finding *all = NULL;
        size_t n = 0;
        for (int q = 0; q < CHECK_N_QUESTIONS; q++)
            for (size_t i = 0; i < report->n_findings[q]; i++)
                *ARENA_ADD(arena, all, n) = report->findings[q][i];
        const char *text = check_allowances_text(arena, all, n, "known when the list was made");
        if (!file_write(args.written_allowances, text, strlen(text), fail))
            return false;
        lab_say(&cli_listener, LAB_NOTE, "%s: %s of the findings", args.written_allowances,
                text_count(arena, n, "allowance"));
    }
    if ((junit && !file_write(args.junit, junit, strlen(junit), fail)) ||
        (markdown && !file_write(args.markdown, markdown, strlen(markdown), fail)))
        return false;
    if (junit)
        lab_say(&cli_listener, LAB_NOTE, "%s: %s as JUnit", args.junit,
                text_count(arena, report->results.n_forms, "form"));
    if (markdown)
        lab_say(&cli_listener, LAB_NOTE, "%s: the findings as Markdown", args.markdown);
    return true;
}

// How to get more stable values of a survey; "": it is no survey, or has no others.
static const char *advice(struct arena *arena, const struct check_results *results) {
    bool has_more = !results->n_values;
    struct text text = {.arena = arena};
    for (size_t i = 0; i < results->n_values; i++)
        has_more |= !results->values[i].value.is_known || results->values[i].value.verdict == MEASURED_UNSTABLE;
    if (!has_more || !file_is_folder(results->path))
        return "";
    text_add(&text, "; to measure more: cyclops survey --resume --output ");
    text_add_word(&text, results->path);
    text_add(&text, results->repeat_options ? results->repeat_options : "");
    return text.data;
}

static int report(struct arena *arena, const struct check_report *report, struct fail *fail) {
    enum { MOST = 40 };
    const char *cpu = lab_args.options.cpus.items[0];
    struct findings_options wanted = {.most = args.wants_all ? 0 : MOST, .colour = cli_wants_colour()};
    if (!lab_args.files.wants_json && !args.wants_csv)
        findings_print(arena, report, &wanted, stdout);
    else if (args.wants_csv ? !findings_write_csv(arena, report, stdout, fail)
                            : !findings_write_json(arena, report, stdout, fail))
        return 0;
    if (args.annotations)
        findings_print_annotations(arena, report, file_has_suffix(cpu, ".yaml") ? cpu : NULL, stdout);
    if (!write_files(arena, report, fail))
        return 0;
    if (!check_has_compared(report))
        fail_set(fail, FAIL_UNAVAILABLE, "nothing could be compared: no %s%s",
                 args.baseline.n_items ? "stable value is in both, or predicted" : "value is both stable and predicted",
                 advice(arena, &report->results));
    return check_has_failed(report) ? FAIL_WORK : 0;
}

static int check(struct arena *arena, const struct model_set *models, const struct operands *operands,
                 struct fail *fail) {
    struct check_report result;
    struct check_request request = {
        .results = operands->items,
        .n_results = operands->n_items,
        .model = models->n_judged ? &models->judged[0] : NULL,
        .against = args.against ? &models->against : NULL,
        .baseline = args.baseline.items,
        .n_baseline = args.baseline.n_items,
        .asks_gap = args.wants_gap || (!args.against && !args.baseline.n_items),
        .fails_lost = args.fails_lost,
        .rate = args.false_percent / 100,
        .allow = args.allow,
        .now = time(NULL),
        .listener = &cli_listener,
    };
    return check_run(arena, &request, &result, fail) ? report(arena, &result, fail) : 0;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct model_set models = {0};
    int status = 0;
    if (!operands->n_items)
        fail_set(fail, FAIL_INPUT, "name the folder of a survey, such as 'survey', or a file of measurements");
    else if (args.wants_csv && lab_args.files.wants_json)
        fail_set(fail, FAIL_INPUT, "--csv and --json are two formats: choose one");
    else if (args.annotations && strcmp(args.annotations, "github") != 0)
        fail_set(fail, FAIL_INPUT, "unknown kind of annotations '%s': there is github", args.annotations);
    else if (args.fails_lost && !args.baseline.n_items)
        fail_set(fail, FAIL_INPUT, "--fail-lost needs --baseline, the measurement that has the values");
    else if (args.false_percent >= 100)
        fail_set(fail, FAIL_INPUT, "--false-share is below 100 %%");
    else if (results_can_write(arena, args.written_allowances, fail) && results_can_write(arena, args.junit, fail) &&
             results_can_write(arena, args.markdown, fail) && choose_models(arena, operands->items[0], fail)) {
        struct model_request wanted = lab_models(&lab_args.options);
        wanted.forms = true; // RISC-V: values and rules of vectors name them
        wanted.against = args.against;
        if (model_set_open(&models, arena, &wanted, fail))
            status = check(arena, &models, operands, fail);
    }
    model_set_close(&models);
    return status;
}

int cmd_check(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, work);
}
