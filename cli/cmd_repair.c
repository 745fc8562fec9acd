// cyclops repair: writes an overlay with which a model predicts what was measured.
#include "cli/cli.h"

#include "base/file.h"
#include "base/screen.h"
#include "base/text.h"
#include "cli/lab_args.h"
#include "cli/results_args.h"
#include "repair/repair.h"
#include "report/mixtures.h"
#include "report/review.h"
#include "upstream/td.h"

#include <string.h>

static struct {
    const char *output, *name, *td, *td_output, *tblgen, *review;
    double held_out; // percent
    bool wants_slots;
} args;

static const char *td_written; // where the edits go

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to repair", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Scheduling model to repair: a CPU of LLVM's, also of one version (llvm-19/znver4). Default: the CPU that was "
     "measured.",
     &lab_args.options.cpus},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_FLAG, "slots", NULL,
     "Make the uops the measured dispatch slots. Without it, uops change only where a throughput shows it: models may "
     "count them before fusion, as Intel's tables do.",
     &args.wants_slots},
    {OPTION_HEADING, NULL, NULL, "Output", NULL},
    {OPTION_OUTPUT, "output", "FILE", "The overlay to write, such as fixed.yaml.", &args.output},
    {OPTION_TEXT, "name", "NAME", "Name of the overlay. Default: that of FILE without its ending.", &args.name},
    {OPTION_OUTPUT, "review", "FILE",
     "A draft of the text for reviewers, in Markdown: what changes, and how it was measured.", &args.review},
    {OPTION_AMOUNT, "held-out", "PERCENT",
     "Opcodes that the repair does not see, chosen by their names: their values judge it. Default: 0.", &args.held_out},
    {OPTION_HEADING, NULL, NULL, "LLVM's own file", NULL},
    {OPTION_TEXT, "td", "FILE",
     "Also make the changes in the file that LLVM describes the CPU in, such as "
     "llvm/lib/Target/X86/X86ScheduleZnver4.td of its sources. It is read, with llvm-tblgen, and not written.",
     &args.td},
    {OPTION_OUTPUT, "td-output", "FILE",
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
    "and for how long, and the dispatch width. It finds idioms: instructions that\n"
    "wait for none of their sources where these are one register. A scheduling class\n"
    "is changed before single forms of it. At the end every measured program is\n"
    "simulated with all changes; what makes a value worse is taken back for that\n"
    "form. Where the model cannot state a fraction, the nearest number that it can is\n"
    "taken. Forms that differ only in operands share their opcode's numbers, unless\n"
    "these are wrong for one: then a rule names that form, but not with --td. Each\n"
    "rule has measured values above it, and the command that repeats them.\n"
    "\n"
    "A survey's mixtures, loops of several forms, settle what single forms leave\n"
    "open: a rule gets other pipes, or loses its pipes or uops, where that predicts\n"
    "its mixtures better. Other mixtures only judge: their mean error is printed.\n",
    "  cyclops repair survey --mcpu znver4 --output fixed.yaml\n"
    "  cyclops check survey --mcpu fixed.yaml --against znver4 --gap\n",
    options,
};

static bool choose_model(struct arena *arena, const char *path, struct fail *fail) {
    const struct option_list *cpus = &lab_args.options.cpus;
    if (!args.output)
        return fail_set(fail, FAIL_INPUT, "--output names the overlay to write, such as fixed.yaml");
    if (args.held_out > 90)
        return fail_set(fail, FAIL_INPUT, "--held-out leaves too little to repair by: at most 90");
    if (!args.td && (args.td_output || args.tblgen))
        return fail_set(fail, FAIL_INPUT, "--td-output and --tblgen need --td, the file of LLVM's to edit");
    if (!results_choose_model(arena, path, fail))
        return false;
    if (strcmp(cpus->items[0], "none") == 0 || model_is_overlay(cpus->items[0]))
        return fail_set(fail, FAIL_INPUT, "a model of LLVM's can be repaired, not '%s'", cpus->items[0]);
    return true;
}

// "fixed" of "out/fixed.yaml"
static const char *name_of(struct arena *arena, const char *path) {
    const char *name = file_base(path);
    return arena_copy(arena, name, strcspn(name, "."));
}

// The name of --output with another ending.
static const char *beside_output(struct arena *arena, const char *ending) {
    const char *dot = strrchr(args.output, '.'), *slash = strrchr(args.output, '/');
    size_t length = dot && dot > (slash ? slash : args.output) ? (size_t)(dot - args.output) : strlen(args.output);
    return arena_printf(arena, "%.*s%s", (int)length, args.output, ending);
}

// Sets the files to write, and finds out whether they and what is read can be, before the long work.
static bool prepare(struct arena *arena, const struct model *model, struct fail *fail) {
    if (args.td)
        td_written = args.td_output ? args.td_output : beside_output(arena, ".diff");
    const char *const paths[] = {args.output, args.review, td_written};
    const char *const options_of[] = {"output", "review", "td-output"};
    return file_are_apart(paths, options_of, sizeof paths / sizeof *paths, fail) &&
           results_can_write(arena, args.output, fail) && results_can_write(arena, td_written, fail) &&
           results_can_write(arena, args.review, fail) &&
           (!args.td || td_can_repair(args.td, args.tblgen, model->backend->major, fail));
}

// The edits of LLVM's file, and how much of the repair they express.
static bool edit_td(struct arena *arena, const struct model *model, const struct repair_result *repaired,
                    struct td_result *result, struct fail *fail) {
    const struct td_request request = {.path = args.td,
                                       .tblgen = args.tblgen,
                                       .llvm = model->backend->major,
                                       .machine = model->machine,
                                       .changes = repaired->changes,
                                       .n_changes = repaired->n_changes,
                                       .dispatch_width = repaired->dispatch_width};
    if (!td_repair(arena, &request, result, fail))
        return false;
    const char *text = file_has_suffix(td_written, ".td") ? result->text : result->diff;
    if (!file_write(td_written, text, strlen(text), fail))
        return false;
    screen_print_sentence(
        arena_printf(
            arena,
            "%s: %s edited, %s new. llvm-tblgen has the repair's numbers of %zu of %s (changed: %zu). Not expressed: "
            "%zu.",
            td_written, text_count_are(arena, result->n_statements, "statement"),
            text_count_are(arena, result->n_inst_rws, "InstRW"), result->n_equal,
            text_count(arena, result->n_compared, "opcode"), result->n_changed, result->n_left),
        stdout);
    for (size_t i = 0; i < result->n_left; i++)
        screen_print_sentence(arena_printf(arena, "not expressed: %s: %s", result->left[i].opcode, result->left[i].why),
                              stdout);
    if (repaired->n_idioms)
        screen_print_sentence(arena_printf(arena,
                                           "not expressed: %s; LLVM's file lists them in IsZeroIdiomFunction and "
                                           "IsDepBreakingFunction",
                                           text_count(arena, repaired->n_idioms, "idiom")),
                              stdout);
    return true;
}

// Where a form's own kind has its result earlier, two numbers are right, and `cyclops check` counts differently.
static void print_forwarding(const struct check_results *results) {
    bool has_any = false;
    for (size_t i = 0; i < results->n_values; i++)
        has_any |= results->values[i].to_others > 0;
    if (has_any)
        screen_print_sentence(
            "Latencies that are shorter to a form's own kind count as predicted up to the longer one. "
            "'cyclops check' reports them as gap:forwarding/CLASS.",
            stdout);
}

// The share that is predicted; and what is left because the model has no number for it.
static void print_limits(struct arena *arena, const struct repair_count *count) {
    if (count->n_nearest)
        screen_print_sentence(arena_printf(arena,
                                           "%zu fractions of cycles are further off now, at the nearest number that "
                                           "the model can state.",
                                           count->n_nearest),
                              stdout);
    if (count->n_followed)
        screen_print_sentence(arena_printf(arena,
                                           "Further off, with the numbers of their opcode's plain form: %zu of other "
                                           "operands, as high bytes and kinds of addresses.",
                                           count->n_followed),
                              stdout);
    if (count->n_beside)
        screen_print_sentence(arena_printf(arena,
                                           "Further off, beside instructions that became right: %zu. Both cannot be, "
                                           "and a form's own values weigh more.",
                                           count->n_beside),
                              stdout);
    size_t n_predicted = count->n_compared - count->n_differ_after,
           n_limited = count->n_differ_after - count->n_limited[REPAIR_LIMIT_NONE];
    struct text text = {.arena = arena};
    text_addf(&text, "Predicted: %.1f %%", 100 * (double)n_predicted / (double)count->n_compared);
    const char *separator = ". The model has no number for: ";
    for (int limit = REPAIR_LIMIT_NONE + 1; limit < REPAIR_N_LIMITS; limit++) {
        if (!count->n_limited[limit])
            continue;
        text_addf(&text, "%s%zu %s", separator, count->n_limited[limit], repair_limit_about((enum repair_limit)limit));
        separator = "; ";
    }
    if (n_limited && n_limited < count->n_compared)
        text_addf(&text, ". Of the other values, %.1f %% are predicted",
                  100 * (double)n_predicted / (double)(count->n_compared - n_limited));
    text_add(&text, ".");
    screen_print_sentence(text.data, stdout);
}

static void print_counts(struct arena *arena, const struct model *model, const struct repair_result *result) {
    const struct repair_count *seen = &result->seen, *out = &result->held_out;
    screen_print_sentence(
        arena_printf(arena,
                     "%s compared with %s. Outside their intervals: %zu before, %zu after. "
                     "Made worse: %zu. Findings: %zu before, %zu after. Unstable, and not compared: %zu.",
                     text_count_are(arena, seen->n_compared, "value"), model->machine->id, seen->n_differ_before,
                     seen->n_differ_after, seen->n_worse, result->n_findings_before, result->n_findings_after,
                     seen->n_unstable),
        stdout);
    print_limits(arena, seen);
    if (seen->n_sums_before || seen->n_sums_after)
        screen_print_sentence(
            arena_printf(arena,
                         "Sums of two latencies that are shorter than measured: %zu before, %zu after. "
                         "'cyclops check' reports them as gap:sum/CLASSES.",
                         seen->n_sums_before, seen->n_sums_after),
            stdout);
    if (seen->n_slots)
        screen_print_sentence(arena_printf(arena, "%s --slots repairs them.", review_slots(arena, result)), stdout);
    if (result->n_guessed_classes)
        screen_print_sentence(review_guesses(arena, result), stdout);
    if (result->n_split_opcodes)
        screen_print_sentence(review_splits(arena, result), stdout);
    if (result->n_bounded_opcodes)
        screen_print_sentence(review_bounded(arena, result), stdout);
    if (args.held_out > 0)
        screen_print_sentence(
            arena_printf(
                arena,
                "Held out: %s of opcodes that the repair did not see. Outside their intervals: %zu before, %zu "
                "after. Made worse: %zu.",
                text_count(arena, out->n_compared, "value"), out->n_differ_before, out->n_differ_after, out->n_worse),
            stdout);
}

// What to type next. The option --llvm holds for both models.
static void print_next(struct arena *arena, const struct operands *folders, const char *model) {
    const struct option_list *llvms = &lab_args.options.llvms;
    struct text text = {.arena = arena};
    text_add(&text, "To check it: cyclops check");
    for (size_t i = 0; i < folders->n_items; i++) {
        text_add(&text, " ");
        text_add_word(&text, folders->items[i]);
    }
    text_add(&text, " --mcpu ");
    text_add_word(&text, args.output);
    text_add(&text, " --against ");
    text_add_word(&text, model);
    if (llvms->n_items) {
        text_add(&text, " --llvm ");
        text_add_word(&text, llvms->items[0]);
    }
    text_add(&text, " --gap");
    screen_print_whole_sentence(text.data, stdout);
}

// `td`: null: no .td file was edited.
static bool write_review(struct arena *arena, const struct operands *operands, const char *mcpu,
                         const struct model *model, const struct check_results *results,
                         const struct repair_result *repaired, const struct td_result *td, struct fail *fail) {
    const struct review_request review = {.results = results,
                                          .repaired = repaired,
                                          .td = td,
                                          .model = model->machine->id,
                                          .mcpu = mcpu,
                                          .folders = operands->items,
                                          .n_folders = operands->n_items,
                                          .overlay = args.output,
                                          .td_path = args.td,
                                          .llvm = option_list_first(&lab_args.options.llvms),
                                          .name = args.name,
                                          .td_output = args.td_output,
                                          .tblgen = args.tblgen,
                                          .held_out = args.held_out,
                                          .wants_slots = args.wants_slots};
    const char *text = review_write(arena, &review);
    return file_write(args.review, text, strlen(text), fail);
}

static void print_rules(struct arena *arena, const struct repair_result *result) {
    screen_print_sentence(
        arena_printf(arena, "%s: %s of classes, %zu of single forms%s%s%s", args.output,
                     text_count(arena, result->n_class_rules, "rule"), result->n_form_rules,
                     result->n_named ? arena_printf(arena, " (%zu by the form's own name)", result->n_named) : "",
                     result->n_idioms ? arena_printf(arena, ", %s", text_count(arena, result->n_idioms, "idiom")) : "",
                     result->dispatch_width ? arena_printf(arena, ", dispatch width %u", result->dispatch_width) : ""),
        stdout);
}

static bool repair(struct arena *arena, const struct model *model, const struct operands *operands, struct fail *fail) {
    static char verb[] = "repairing";
    struct lab_listener listener = cli_listener;
    struct check_results results;
    struct repair_result result;
    listener.context = verb;
    if (!prepare(arena, model, fail) ||
        !check_results_read(arena, operands->items, operands->n_items, &cli_listener, &results, fail))
        return false;
    struct repair_request request = {.results = &results,
                                     .model = model,
                                     .name = args.name ? args.name : name_of(arena, args.output),
                                     .held_out = args.held_out / 100,
                                     .wants_slots = args.wants_slots,
                                     .names_forms = !args.td, // LLVM's file has one set of numbers for all
                                     .listener = &listener};
    if (!repair_run(arena, &request, &result, fail))
        return false;
    if (result.seen.n_compared == 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "nothing could be compared: no value is both stable and predicted");
    if (!file_write(args.output, result.overlay, strlen(result.overlay), fail))
        return false;
    print_counts(arena, model, &result);
    print_forwarding(&results);
    mixtures_print_repair(arena, &result.mixtures, stdout);
    print_rules(arena, &result);
    struct td_result td;
    if (args.td && !edit_td(arena, model, &result, &td, fail))
        return false;
    const char *mcpu =
        strcmp(lab_args.options.cpus.items[0], "native") == 0 ? model->machine->cpu : lab_args.options.cpus.items[0];
    print_next(arena, operands, mcpu);
    return !args.review || write_review(arena, operands, mcpu, model, &results, &result, args.td ? &td : NULL, fail);
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct model_set models = {0};
    if (!operands->n_items)
        return fail_set(fail, FAIL_INPUT, "name the folder of a survey, such as 'survey'");
    const struct option_list *cpus = &lab_args.options.cpus;
    for (size_t i = 0; i < cpus->n_items; i++)
        if (model_is_cpu_file(cpus->items[i]))
            return fail_set(fail, FAIL_INPUT,
                            "'%s': repair changes LLVM's models and overlays; a CPU file is changed by its 'forms' and "
                            "'parameters'",
                            cpus->items[i]);
    if (!choose_model(arena, operands->items[0], fail))
        return false;
    struct model_request wanted = lab_models(&lab_args.options);
    wanted.forms = true; // rules of RISC-V's vectors name them
    bool is_done = model_set_open(&models, arena, &wanted, fail) && repair(arena, &models.judged[0], operands, fail);
    model_set_close(&models);
    return is_done;
}

int cmd_repair(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
