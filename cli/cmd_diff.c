// cyclops diff: what differs between two measurements, or between two models' predictions of one.
#include "cli/cli.h"

#include "check/diff.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"
#include "report/diff.h"

#include <string.h>

static struct {
    double false_percent;
    bool wants_all, wants_csv;
} args = {.false_percent = 1};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to compare", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Given twice, with one RESULTS: compare what these two models predict of the measured programs. A CPU of LLVM's, "
     "also of one version (llvm-19/znver4), an overlay (FILE.yaml, overlay:NAME), or a CPU file (FILE.cpu.yaml, "
     "cpu:NAME).",
     &lab_args.options.cpus},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_NUMBER, "false-share", "PERCENT",
     "Share of false ones to accept among the values reported as moved. Default: 1.", &args.false_percent},
    {OPTION_HEADING, NULL, NULL, "Output", NULL},
    {OPTION_FLAG, "all", NULL, "Print all rows. Default: the first 40 of each kind.", &args.wants_all},
    {OPTION_FLAG, "csv", NULL, "Print a line for each value that differs, separated by commas.", &args.wants_csv},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines.", &lab_args.files.wants_json},
    {0},
};

static const struct command command = {
    "cyclops diff",
    "BEFORE AFTER [options] | RESULTS --mcpu A --mcpu B",
    "Compares two measurements of the same experiments: two CPUs, days or microcodes.\n"
    "Or compares two models' predictions of one. RESULTS are the folder of a survey\n"
    "('cyclops survey') or a file of 'cyclops run --output'.\n"
    "\n"
    "A measured value moved where its two intervals do not meet, it changed by 1 % or\n"
    "more, and that is significant among all compared values. Unstable values are not\n"
    "compared. Values that are new, lost, or became unstable are listed. Models'\n"
    "numbers are exact, so each difference counts.\n"
    "\n"
    "Exit status: 0 nothing moved; 1 something did; 2 wrong input; 77 nothing could\n"
    "be compared. New, lost and unstable values do not change it: a gate that must\n"
    "not lose values is 'cyclops check --baseline BEFORE --fail-lost'.\n",
    "  cyclops diff monday tuesday\n"
    "  cyclops diff survey --mcpu llvm-19/znver4 --mcpu llvm-22/znver4\n"
    "  cyclops diff survey --mcpu znver4 --mcpu fixed.yaml --json\n",
    options,
};

enum { MOST = 40 };

static int diff_files(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct check_results before, after;
    struct diff_sides sides = {&before, &after};
    struct diff diff;
    double rate = args.false_percent / 100;
    if (!check_results_read(arena, &operands->items[0], 1, &cli_listener, &before, fail) ||
        !check_results_read(arena, &operands->items[1], 1, &cli_listener, &after, fail))
        return 0;
    diff_make(arena, &before, &after, rate, &diff);
    if (!lab_args.files.wants_json && !args.wants_csv)
        diff_print(arena, &sides, &diff, rate, args.wants_all ? 0 : MOST, stdout, cli_wants_colour());
    else if (args.wants_csv ? !diff_write_csv(arena, &diff, stdout, fail)
                            : !diff_write_json(arena, &sides, &diff, stdout, fail))
        return 0;
    if (diff.n_compared == 0)
        fail_set(fail, FAIL_UNAVAILABLE, "nothing could be compared: no stable value is in both");
    return diff.n_by_kind[DIFF_MOVED] ? FAIL_WORK : 0;
}

static int diff_models(struct arena *arena, const struct model_set *models, const char *path, struct fail *fail) {
    const struct model *before = &models->judged[0], *after = &models->judged[1];
    struct check_results results;
    struct diff_models diff;
    struct diff_model_names names = {model_name(before), model_name(after)};
    if (!check_results_read(arena, &path, 1, &cli_listener, &results, fail))
        return 0;
    diff_models_make(arena, &results, before, after, &diff);
    if (!lab_args.files.wants_json && !args.wants_csv)
        diff_models_print(arena, &names, &diff, args.wants_all ? 0 : MOST, stdout, cli_wants_colour());
    else if (args.wants_csv ? !diff_models_write_csv(arena, &diff, stdout, fail)
                            : !diff_models_write_json(arena, &names, &diff, stdout, fail))
        return 0;
    if (diff.n_compared == 0)
        fail_set(fail, FAIL_UNAVAILABLE, "nothing could be compared: the models predict none of the values");
    return diff.n_entries ? FAIL_WORK : 0;
}

static int open_models(struct arena *arena, const char *path, struct fail *fail) {
    struct model_set models = {0};
    struct table_origin origin;
    if (!results_find_origin(arena, path, &origin, fail))
        return 0;
    lab_args.options.isa = cli_isa(arena, origin.isa, fail);
    if (!lab_args.options.isa)
        return 0;
    const struct model_request wanted = lab_models(&lab_args.options);
    int status = model_set_open(&models, arena, &wanted, fail) ? diff_models(arena, &models, path, fail) : 0;
    model_set_close(&models);
    return status;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    size_t n_models = lab_args.options.cpus.n_items;
    if (args.wants_csv && lab_args.files.wants_json)
        fail_set(fail, FAIL_INPUT, "--csv and --json are two formats: choose one");
    else if (args.false_percent >= 100)
        fail_set(fail, FAIL_INPUT, "--false-share is below 100 %%");
    else if (lab_args.options.llvms.n_items > 1)
        fail_set(fail, FAIL_INPUT, "--llvm is one version here; --mcpu llvm-19/znver4 names that of one model");
    else if (n_models == 2 && operands->n_items == 1)
        return open_models(arena, operands->items[0], fail);
    else if (n_models == 0 && operands->n_items == 2)
        return diff_files(arena, operands, fail);
    else
        fail_set(fail, FAIL_INPUT, "name two measurements, or one and two models (--mcpu A --mcpu B)");
    return 0;
}

int cmd_diff(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, work);
}
