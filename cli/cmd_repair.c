// cyclops repair: writes an overlay with which a model predicts what was measured.
#include "cli/cli.h"

#include "base/file.h"
#include "base/screen.h"
#include "check/repair.h"
#include "check/td.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"

#include <string.h>

static struct { const char *output, *name, *td, *td_output, *tblgen; } args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to repair", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Scheduling model to repair: a CPU of LLVM's, also of one version (llvm-19/znver4). Default: the CPU that was "
     "measured.",
     &lab_args.options.cpus},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_HEADING, NULL, NULL, "Output", NULL},
    {OPTION_TEXT, "output", "FILE", "The overlay to write, such as fixed.yaml.", &args.output},
    {OPTION_TEXT, "name", "NAME", "Name of the overlay. Default: that of FILE without its ending.", &args.name},
    {OPTION_HEADING, NULL, NULL, "LLVM's own file", NULL},
    {OPTION_TEXT, "td", "FILE",
     "Also make the changes in the file that LLVM describes the CPU in, such as "
     "llvm/lib/Target/X86/X86ScheduleZnver4.td of its sources. It is read, with llvm-tblgen, and not written.",
     &args.td},
    {OPTION_TEXT, "td-output", "FILE",
     "Where these changes go: a unified diff, or the whole file where FILE ends in .td. Default: the name of --output, "
     "with .diff for its ending.",
     &args.td_output},
    {OPTION_TEXT, "tblgen", "PROGRAM", "llvm-tblgen of the sources' version. Default: llvm-tblgen-22 for LLVM 22.",
     &args.tblgen},
    {0},
};

static const struct command command = {
    "cyclops repair",
    "RESULTS... --output FILE [options]",
    "Searches the smallest set of changes with which a model predicts what was\n"
    "measured, and writes them as an overlay. RESULTS are the folders of a survey\n"
    "('cyclops survey').\n"
    "\n"
    "It changes latencies, how early operands are read, uops, the pipes that are held\n"
    "and for how long, and the dispatch width. A scheduling class is changed before\n"
    "single forms of it. At the end every measured program is simulated with all\n"
    "changes; what makes a value worse is taken back for that form. Each rule has\n"
    "measured values above it, and the command that repeats them.\n",
    "  cyclops repair survey --mcpu znver4 --output fixed.yaml\n"
    "  cyclops check survey --mcpu fixed.yaml --against znver4 --gap\n",
    options,
};

static bool choose_model(struct arena *arena, const char *path, struct fail *fail) {
    const struct option_list *cpus = &lab_args.options.cpus;
    if (!args.output)
        return fail_set(fail, FAIL_INPUT, "--output names the overlay to write, such as fixed.yaml");
    if (!results_choose_model(arena, path, fail))
        return false;
    if (strcmp(cpus->items[0], "none") == 0 || model_is_overlay(cpus->items[0]))
        return fail_set(fail, FAIL_INPUT, "a model of LLVM's can be repaired, not '%s'", cpus->items[0]);
    return true;
}

// "fixed" of "out/fixed.yaml"
static const char *name_of(struct arena *arena, const char *path) {
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    return arena_copy(arena, name, strcspn(name, "."));
}

// The edits of LLVM's file, and how much of the repair they express.
static bool edit_td(struct arena *arena, const struct model *model, const struct repair_result *repaired,
                    struct fail *fail) {
    struct td_result result;
    const struct td_request request = {.path = args.td,
                                       .tblgen = args.tblgen,
                                       .llvm = model->backend->major,
                                       .machine = model->machine,
                                       .changes = repaired->changes,
                                       .n_changes = repaired->n_changes,
                                       .dispatch_width = repaired->dispatch_width};
    const char *dot = strrchr(args.output, '.'), *slash = strrchr(args.output, '/');
    size_t length = dot && dot > (slash ? slash : args.output) ? (size_t)(dot - args.output) : strlen(args.output);
    const char *path = args.td_output ? args.td_output : arena_printf(arena, "%.*s.diff", (int)length, args.output);
    if (!td_repair(arena, &request, &result, fail))
        return false;
    const char *text = file_has_suffix(path, ".td") ? result.text : result.diff;
    screen_print_sentence(arena_printf(arena,
                                       "%s: %zu statements are edited, %zu InstRWs are new. llvm-tblgen has the repair's "
                                       "numbers of %zu of %zu measured opcodes (%zu are changed). Not expressed: %zu.",
                                       path, result.n_statements, result.n_inst_rws, result.n_equal, repaired->n_changes,
                                       result.n_changed, result.n_left),
                          stdout);
    for (size_t i = 0; i < result.n_left; i++)
        screen_print_sentence(arena_printf(arena, "not expressed: %s: %s", result.left[i].opcode, result.left[i].why),
                              stdout);
    return file_write(path, text, strlen(text), fail);
}

static bool repair(struct arena *arena, const struct lab *lab, const struct operands *operands, struct fail *fail) {
    struct check_results results;
    struct repair_result result;
    if (!results_have_models(lab, fail) ||
        !check_results_read(arena, operands->items, operands->n_items, &cli_listener, &results, fail))
        return false;
    struct repair_request request = {.results = &results,
                                     .model = &lab->models[0],
                                     .name = args.name ? args.name : name_of(arena, args.output),
                                     .folder = operands->items[0],
                                     .listener = &cli_listener};
    if (!repair_run(arena, &request, &result, fail))
        return false;
    if (result.n_compared == 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "nothing could be compared: no value is both stable and predicted");
    screen_print_sentence(
        arena_printf(arena,
                     "%zu values are compared with %s. Outside their intervals: %zu before, %zu after. "
                     "Made worse: %zu. Findings: %zu before, %zu after.",
                     result.n_compared, lab->models[0].machine->id, result.n_differ_before, result.n_differ_after,
                     result.n_worse, result.n_findings_before, result.n_findings_after),
        stdout);
    screen_print_sentence(arena_printf(arena, "%s: %zu rules of classes, %zu of single forms", args.output,
                                       result.n_class_rules, result.n_form_rules),
                          stdout);
    return file_write(args.output, result.overlay, strlen(result.overlay), fail) &&
           (!args.td || edit_td(arena, &lab->models[0], &result, fail));
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct lab lab = {0};
    if (!operands->n_items)
        return fail_set(fail, FAIL_INPUT, "name the folder of a survey, such as 'survey'");
    lab_args.options.listener = &cli_listener;
    bool is_done = choose_model(arena, operands->items[0], fail) &&
                   lab_open_elsewhere(&lab, arena, &lab_args.options, "", fail) && repair(arena, &lab, operands, fail);
    lab_close(&lab);
    return is_done;
}

int cmd_repair(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
