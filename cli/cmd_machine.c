// cyclops machine: find the parameters of this CPU.
#include "cli/cli.h"

#include "base/screen.h"
#include "cli/bundle_file.h"
#include "cli/lab_args.h"
#include "parameters/parameters.h"
#include "report/machine.h"
#include "survey/table/table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *folder, *bundle, *runner;
    bool is_resumed;
    struct option_list models;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to find", NULL},
    {OPTION_TEXT, "output", "DIR", "Folder of the card; it is made. Default: machine.", &args.folder},
    {OPTION_FLAG, "resume", NULL,
     "Go on in a folder that holds a card's measurements: measure what is missing, then what is unstable.",
     &args.is_resumed},
    {OPTION_OUTPUT, "bundle", "FILE",
     "Measure nothing here: write a bundle into FILE, one static executable, that measures on another machine what DIR "
     "lacks. Its own file goes behind DIR/measurements.jsonl; --resume makes a bundle of what follows from it.",
     &args.bundle},
    {OPTION_TEXT, "runner", "FILE", "With --bundle: the runner, as in 'cyclops bundle'. Default: the installed one.",
     &args.runner},
    {OPTION_LIST, "compare", "MODEL",
     "Print this model's numbers beside the card's, as in llvm-22/znver4; may be repeated.", &args.models},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM. Default: the newest.",
     &lab_args.options.llvms},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_where},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_clock},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_effort},
    {OPTION_AMOUNT, "budget", "S",
     "End all measuring after S seconds. What is not measured then is missing, and --resume goes on. 0: only take what "
     "the folder holds, also of another machine. Default: 240.",
     &lab_args.budget_s},
    {0},
};

static const struct command command = {
    "cyclops machine",
    "[EXPERIMENT...] [options]",
    "Finds the parameters of this CPU by experiments, from time alone: widths,\n"
    "windows, and more. Each has an interval, or a reason why it is not determined.\n"
    "\n"
    "Experiments; without one, all are run:\n"
    "  widths      dispatch, and how many of each kind start in a cycle\n"
    "  windows     also rob-size: reorder buffer, registers, queues, schedulers\n"
    "  front-end   code by length, footprint and place; taken branches\n"
    "  branches    cost of a misprediction\n"
    "  latencies   loads by addressing mode, line and page crossing, by footprint\n"
    "  pages       address translations: pages of each level, and their walks\n"
    "  bandwidth   loads and stores by footprint, across lines and pages\n"
    "  forwarding  loads of what was just stored, by width and offset\n"
    "  idioms      zeroing, dependency-breaking and eliminated moves\n"
    "  fusion      an instruction and a branch that share a dispatch slot\n"
    "  costs       stack pointer, merged registers and flags, split vectors\n"
    "  banks       loads by bank of the first level, stores by line in turn\n"
    "  renaming    additions of constants and pairs of stores and loads done at\n"
    "              rename; whether users of logic flags wait\n"
    "  slots       loops of whole groups, fused moves and loads, stack engine\n"
    "\n"
    "The folder holds\n"
    "  card.yaml           the card, as an overlay (see machines/README.md)\n"
    "  *.svg               the curves that show its numbers\n"
    "  measurements.jsonl  every measurement, written as it is made\n"
    "  kernels/            the experiments as kernel files. To repeat one:\n"
    "                      cyclops run --kernels machine/kernels window.nop.64\n",
    "  cyclops machine\n"
    "  cyclops machine windows --output windows --compare llvm-22/znver4\n"
    "  cyclops machine --target sim:znver4 --output znver4 --compare znver4\n",
    options,
};

// The overlay's name of what ran: letters, digits and '-'.
static const char *card_name(struct arena *arena, const char *cpu) {
    char *name = arena_printf(arena, "machine-%s", cpu);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
    return name;
}

// `card`: null: only finds out whether the models are there, before minutes of measuring.
static bool compare(struct arena *arena, const struct card *card, const struct lab_options *lab,
                    struct machine_report_model *models, struct fail *fail) {
    for (size_t i = 0; i < args.models.n_items; i++) {
        struct model model = {0};
        const struct backend_options opened = {
            .triple = lab->isa->triple, .cpu = args.models.items[i], .features = lab->features};
        bool is_open = model_open(&model, arena, option_list_first(&lab->llvms), &opened, fail);
        if (is_open && card) {
            models[i].title = model.title;
            models[i].comparisons = card_compare(arena, card, &model, lab->isa);
            models[i].rest = card_compare_rest(arena, card, &model, models[i].comparisons, &models[i].n_rest);
        }
        model_close(&model);
        if (!is_open)
            return false;
    }
    return true;
}

// LLVM's name of the CPU that ran; null: not known.
static const char *cpu_of(struct arena *arena, const struct lab_options *lab, struct fail *fail) {
    if (strncmp(lab->target, "sim:", 4) == 0)
        return arena_copy(arena, lab->target + 4, strcspn(lab->target + 4, ","));
    const struct backend *backend = backend_load(arena, option_list_first(&lab->llvms), fail);
    const char *cpu = backend ? backend->host_cpu() : "";
    return *cpu && strcmp(cpu, "generic") != 0 ? cpu : NULL;
}

static bool write_all(struct arena *arena, const char *folder, const struct card *card, const struct lab_options *lab,
                      struct fail *fail) {
    const char *measurements = arena_printf(arena, "%s/measurements.jsonl", folder);
    struct table_origin measured = {0};
    const char *cpu = card->is_elsewhere ? NULL : cpu_of(arena, lab, fail);
    if (fail->status ||
        (access(measurements, F_OK) == 0 && !table_find_origin_of_file(arena, measurements, &measured, fail)))
        return false;
    const char *what = cpu ? cpu : card->is_elsewhere && measured.machine ? measured.machine : "this CPU";
    const struct machine_report_origin origin = {
        .name = card_name(arena, cpu ? cpu : lab->isa->name),
        .about = arena_printf(arena, "parameters found by experiments on %s (%s)", what, lab->target),
        .cpu = cpu,
        .version = CYCLOPS_VERSION,
        .machine = measured.machine,
        .clock = measured.clock};
    return machine_report_write(arena, card, &origin, arena_printf(arena, "%s/card.yaml", folder), fail) &&
           machine_report_draw(arena, card, folder, fail);
}

static bool write_card(void *context, const struct card *card, struct fail *fail) {
    return write_all(context, args.folder ? args.folder : "machine", card, &lab_args.options, fail);
}

// Adds an option and its argument, where it has one.
static void add_option(struct text *out, const char *name, const char *argument) {
    if (!argument)
        return;
    text_addf(out, " --%s ", name);
    text_add_word(out, argument);
}

// The options by which a later run finds the same measurements, as far as they are not the defaults.
static void add_origin(struct text *out, const struct lab_options *lab) {
    const struct isa *native = isa_native();
    if (args.folder && strcmp(args.folder, "machine") != 0)
        add_option(out, "output", args.folder);
    add_option(out, "isa", lab->isa == native ? NULL : lab->isa->name);
    add_option(out, "target", strcmp(lab->target, "native") == 0 ? NULL : lab->target);
    add_option(out, "clock", lab_args.clock);
    add_option(out, "frequency", lab_args.frequency);
    for (size_t i = 0; i < lab->llvms.n_items; i++)
        add_option(out, "llvm", lab->llvms.items[i]);
}

// What to type next. `cpu`: null: LLVM has no name of it, so there is
// nothing to simulate.
static void print_next(struct arena *arena, const struct parameters_request *request, const struct card *card,
                       const char *cpu) {
    const char *path = arena_printf(arena, "%s/card.yaml", request->campaign.folder);
    const struct lab_options *lab = request->campaign.lab;
    struct text next = {.arena = arena};
    fputs("\n", stdout);
    screen_print_sentence(arena_printf(arena, "The card: %s", path), stdout);
    if (card->n_missing) {
        struct text rest = {.arena = arena};
        text_addf(&rest, "%s not measured yet. To do the rest: cyclops machine",
                  text_count_are(arena, card->n_missing, "value"));
        for (size_t i = 0; i < request->n_experiments; i++)
            text_addf(&rest, " %s", request->experiments[i]);
        text_add(&rest, " --resume");
        add_option(&rest, "bundle", card->is_elsewhere ? "FILE" : NULL);
        add_origin(&rest, lab);
        screen_print_whole_sentence(rest.data, stdout);
    }
    if (!args.models.n_items) {
        text_add(&next, "Beside a model: cyclops machine");
        for (size_t i = 0; i < request->n_experiments; i++)
            text_addf(&next, " %s", request->experiments[i]);
        text_add(&next, " --resume --budget 0");
        add_origin(&next, lab);
        text_addf(&next, " --compare %s", cpu ? cpu : "MODEL ('cyclops list models' names them)");
    } else if (cpu) {
        text_add(&next, "Simulated with it: cyclops mca ");
        if (strcmp(lab->target, "native") != 0)
            text_addf(&next, "-mtriple=%s ", lab->isa->triple);
        text_add(&next, "-mcpu=");
        text_add_word(&next, path);
        text_add(&next, " FILE.s");
    }
    if (next.length)
        screen_print_sentence(next.data, stdout);
}

// Writes what another machine measures for the folder.
static bool write_bundle(struct arena *arena, struct parameters_request *request, int *status, struct fail *fail) {
    struct bundle_programs programs;
    struct card card;
    const char *folder = request->campaign.folder;
    if (!bundle_programs_start(arena, &lab_args.options, &programs, fail))
        return false;
    request->campaign.collects = &programs.collect;
    request->write = NULL;
    bool is_done = parameters_run(arena, request, &card, status, fail);
    code_uses_close(&programs.uses);
    if (!is_done)
        return false;
    struct text card_of = {.arena = arena};
    text_add(&card_of, "cyclops machine --resume --budget 0");
    add_option(&card_of, "isa", lab_args.options.isa == isa_native() ? NULL : lab_args.options.isa->name);
    text_add(&card_of, " --output");
    if (!programs.collect.n_taken) {
        printf("Nothing is left to measure. The card: %s %s\n", card_of.data, folder);
        return true;
    }
    if (!bundle_write(arena, lab_args.options.isa, &programs.pack, args.runner, false, args.bundle, fail))
        return false;
    printf("%s measures %s that %s.\n", args.bundle, text_count(arena, programs.collect.n_taken, "value"),
           card.n_missing ? "the card lacks" : "were unstable");
    bundle_print_way_back(args.bundle, folder, card_of.data);
    return true;
}

static int run(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    static const double usual_budget = 240;
    struct parameters_request request = {.campaign = {.folder = args.folder ? args.folder : "machine",
                                                      .is_resumed = args.is_resumed,
                                                      .begins = cli_print_head,
                                                      .lab = &lab_args.options},
                                         .experiments = operands->items,
                                         .n_experiments = operands->n_items,
                                         .write = write_card,
                                         .context = arena};
    struct card card = {0};
    int status = 0;
    (void)lab;
    if (!lab_args_read(arena, fail))
        return 0;
    request.campaign.budget_seconds = lab_args.budget_s >= 0 ? lab_args.budget_s : usual_budget;
    request.only_takes = args.bundle || (lab_args.budget_s == 0 && strcmp(lab_args.options.target, "native") == 0);
    if (args.bundle) {
        write_bundle(arena, &request, &status, fail);
        return status;
    }
    struct machine_report_model *models = ARENA_ARRAY(arena, struct machine_report_model, args.models.n_items + 1);
    if (!compare(arena, NULL, &lab_args.options, models, fail) ||
        !parameters_run(arena, &request, &card, &status, fail) ||
        !compare(arena, &card, &lab_args.options, models, fail) ||
        !write_all(arena, request.campaign.folder, &card, &lab_args.options, fail))
        return status;
    machine_report_print(&card, models, args.models.n_items, stdout);
    print_next(arena, &request, &card, card.is_elsewhere ? NULL : cpu_of(arena, &lab_args.options, fail));
    return status;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    return lab_args_run(arena, operands, fail, run);
}

int cmd_machine(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, work);
}
