// cyclops report: measurements and what a model says of them, as one HTML file.
#include "cli/cli.h"

#include "base/file.h"
#include "base/screen.h"
#include "check/check.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"
#include "report/page.h"

#include <string.h>

static struct { const char *output; } args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to compare with", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Scheduling model: a CPU of LLVM's, also of one version (llvm-19/znver4), or an overlay (FILE.yaml, "
     "overlay:NAME). Default: the CPU that was measured.",
     &lab_args.options.cpus},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_HEADING, NULL, NULL, "Output", NULL},
    {OPTION_TEXT, "output", "FILE", "The HTML file to write, such as report.html.", &args.output},
    {0},
};

static const struct command command = {
    "cyclops report",
    "RESULTS... --output FILE [options]",
    "Writes one HTML file: the findings by cause, and all instructions with their\n"
    "values, intervals, the model's predictions, and the command that repeats each.\n"
    "RESULTS are as for 'cyclops check'. The file needs no network and no server.\n",
    "  cyclops report survey --output report.html\n"
    "  cyclops report survey --mcpu llvm-19/znver4 --output report.html\n",
    options,
};

static bool write_page(struct arena *arena, const struct lab *lab, const struct operands *operands, struct fail *fail) {
    struct check_report report;
    struct check_request request = {.results = operands->items,
                                    .n_results = operands->n_items,
                                    .model = &lab->models[0],
                                    .asks_gap = true,
                                    .now = time(NULL),
                                    .listener = &cli_listener};
    if (lab->n_models == 0)
        return fail_set(fail, FAIL_INPUT, "a report needs a model: --mcpu");
    if (!results_have_models(lab, fail) || !check_run(arena, &request, &report, fail))
        return false;
    const char *page = page_make(arena, &report, fail);
    if (!page || !file_write(args.output, page, strlen(page), fail))
        return false;
    screen_print_sentence(arena_printf(arena, "%s: %zu forms, %zu findings", args.output, report.results.n_forms,
                                       report.n_findings[CHECK_GAP]),
                          stdout);
    return true;
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct lab lab = {0};
    if (!operands->n_items)
        return fail_set(fail, FAIL_INPUT, "name the folder of a survey, such as 'survey', or a file of measurements");
    if (!args.output)
        return fail_set(fail, FAIL_INPUT, "--output names the HTML file to write, such as report.html");
    lab_args.options.listener = &cli_listener;
    bool is_done = results_choose_model(arena, operands->items[0], fail) &&
                   lab_open_elsewhere(&lab, arena, &lab_args.options, "", fail) &&
                   write_page(arena, &lab, operands, fail);
    lab_close(&lab);
    return is_done;
}

int cmd_report(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
