// cyclops reproduce: repeats published experiments, and compares published, predicted and measured values.
#include "cli/cli.h"

#include "bench/sandbox/nursery.h"

#include "base/file.h"
#include "base/options.h"
#include "base/screen.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "lab/run_plan.h"
#include "report/reproduce.h"

#include <stdio.h>
#include <string.h>

static struct {
    bool all, list, json;
    const char *svg, *folder;
    struct option_list llvms;
    struct lab_options lab;
} args = {.lab = {.target = "native", .bench = {.cpu = -1, .retry_seconds = 5}}};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_FLAG, "all", NULL, "All experiments, a line for each published value.", &args.all},
    {OPTION_FLAG, "list", NULL, "Only list the experiments. The default where none is named.", &args.list},
    {OPTION_STREAM, "svg", "FILE", "Also draw n against cycles into FILE, for one sweep.", &args.svg},
    {OPTION_TEXT, "target", "TARGET",
     "Where to measure: native, sim:CPU (see 'cyclops run'), or none. Default: native.", &args.lab.target},
    {OPTION_AMOUNT, "budget", "S",
     "Spend up to S seconds on waiting for others to leave the core, and on measuring again what they spoilt. Default: "
     "5.",
     &args.lab.bench.retry_seconds},
    {OPTION_TEXT, "references", "FOLDER", "Where the reference files are. Default: the installed ones.", &args.folder},
    {OPTION_LIST, "llvm", "LLVM",
     "Version (22), module or folder of LLVM to predict with; may be repeated, for a table by each. Default: the "
     "newest.",
     &args.llvms},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines: an object for each published value.", &args.json},
    {0},
};

static const struct command command = {
    "cyclops reproduce",
    "[NAME...|--all|--list] [options]",
    "Repeats published experiments, and prints side by side what was published, what\n"
    "the model of that CPU predicts, and what this machine does. NAME is an\n"
    "experiment, or a file of them.\n"
    "\n"
    "Exit 0: all predictions are within the tolerance that the reference states, by\n"
    "the model or by an overlay that repairs it; 1: one is not.\n",
    "  cyclops reproduce --all\n"
    "  cyclops reproduce fma --svg fma.svg\n",
    options,
};

static bool is_wanted(const struct reference *reference, const struct operands *operands, bool *was_found) {
    bool is_it = args.all;
    for (size_t i = 0; i < operands->n_items; i++) {
        bool is_this =
            strcmp(operands->items[i], reference->name) == 0 || strcmp(operands->items[i], reference->file) == 0;
        was_found[i] |= is_this;
        is_it |= is_this;
    }
    return is_it;
}

// Chooses the experiments that the operands name. An experiment's name takes precedence over a file's.
static bool choose(struct arena *arena, const struct reference_set *set, const struct operands *operands,
                   struct reproduction **chosen, size_t *n, struct fail *fail) {
    bool *was_found = ARENA_ARRAY(arena, bool, operands->n_items);
    const char **names = ARENA_ARRAY(arena, const char *, set->n);
    *chosen = ARENA_ARRAY(arena, struct reproduction, set->n);
    for (size_t i = 0; i < set->n; i++) {
        names[i] = set->items[i].name;
        for (size_t k = 0; k < operands->n_items; k++)
            if (strcmp(operands->items[k], names[i]) == 0 && operands->n_items == 1 && !args.all) {
                (*chosen)[(*n)++].reference = &set->items[i];
                return true;
            }
    }
    for (size_t i = 0; i < set->n; i++)
        if (is_wanted(&set->items[i], operands, was_found))
            (*chosen)[(*n)++].reference = &set->items[i];
    for (size_t i = 0; i < operands->n_items; i++)
        if (!was_found[i])
            return fail_set(fail, FAIL_INPUT, "there is no experiment '%s'%s; 'cyclops reproduce --list' shows them",
                            operands->items[i], text_did_you_mean(arena, operands->items[i], names, set->n));
    return true;
}

// Assembles all programs, and those of the lab's clock where there is a lab, in one run of each ISA's assembler.
static bool assemble(struct arena *arena, struct lab *lab, struct reproduction *all, size_t n, struct fail *fail) {
    struct program **programs = NULL, *chains[N_CHAINS];
    size_t n_programs = 0, n_chains = lab ? chains_list(lab->chains, chains) : 0;
    for (size_t i = 0; lab && i < n; i++)
        if (!lab_prepare(lab, &args.lab, &all[i].plan, fail))
            return false;
    for (size_t i = 0; i < n_chains; i++)
        *ARENA_ADD(arena, programs, n_programs) = chains[i];
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; e < all[i].plan.n_experiments; e++)
            *ARENA_ADD(arena, programs, n_programs) = &all[i].plan.experiments[e]->program;
    return n_programs == 0 || gen_assemble(arena, programs, n_programs, fail);
}

static bool open_lab(struct arena *arena, struct lab *lab, struct fail *fail) {
    static const char *none[] = {"none"};
    args.lab.isa = cli_isa(arena, NULL, fail);
    args.lab.cpus = (struct option_list){none, 1};
    args.lab.llvms = args.llvms;
    args.lab.listener = &cli_listener;
    args.lab.bench.is_stopped = interrupt_seen;
    return args.lab.isa && lab_open(lab, arena, &args.lab, fail);
}

// Sets why nothing can be measured, in every value that has no reason yet.
static void leave_unmeasured(struct reproduction *all, size_t n, const char *why) {
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < all[i].reference->n_values; v++)
            if (!all[i].values[v].measured && !all[i].values[v].not_measured)
                all[i].values[v].not_measured = why;
}

static bool is_only_drawn(void) {
    return args.svg && strcmp(args.svg, "-") == 0;
}

// Predicts by one version of LLVM, and reports.
static bool compare(struct arena *arena, const char *llvm, struct reproduction *all, size_t n, bool *agrees,
                    struct fail *fail) {
    for (size_t i = 0; i < n; i++) {
        reproduce_predict(arena, llvm, &all[i]);
        *agrees &= reproduce_agrees(&all[i]);
    }
    if (args.svg && !reproduce_svg(arena, &all[0], args.svg, fail))
        return false;
    if (is_only_drawn())
        return true;
    if (args.json)
        return reproduce_print_json(arena, all, n, fail);
    if (args.llvms.n_items > 1)
        printf("predicted by LLVM %u\n", all[0].llvm);
    reproduce_print(arena, all, n, !args.all, cli_wants_colour());
    return true;
}

// Runs the experiments. Where this machine cannot measure, it still predicts.
static bool reproduce(struct arena *arena, struct lab *lab, struct reproduction *all, size_t n, bool *agrees,
                      struct fail *fail) {
    const struct isa *native = isa_native();
    struct fail cannot = {0};
    bool can_measure = strcmp(args.lab.target, "none") != 0 && open_lab(arena, lab, &cannot);
    for (size_t i = 0; i < n; i++)
        if (!reproduce_plan(arena, native, &all[i], fail))
            return false;
    if (!assemble(arena, can_measure ? lab : NULL, all, n, fail))
        return false;
    can_measure = can_measure && lab_start(lab, &args.lab, &cannot);
    interrupt_watch();
    if (cannot.status == FAIL_INPUT) {
        *fail = cannot;
        return false;
    }
    if (!can_measure)
        leave_unmeasured(all, n, cannot.status ? arena_strdup(arena, cannot.text) : REPRODUCE_NOT_ASKED);
    else if (!reproduce_measure(lab, all, n, fail))
        leave_unmeasured(all, n, "an error ended the measuring");
    if (can_measure && !args.json && !is_only_drawn())
        screen_print_sentence(lab_summary(lab), stdout);
    size_t n_llvms = args.llvms.n_items ? args.llvms.n_items : 1;
    for (size_t i = 0; i < n_llvms; i++)
        if (!compare(arena, args.llvms.n_items ? args.llvms.items[i] : NULL, all, n, agrees, fail))
            return false;
    return true;
}

static bool run(struct arena *arena, struct lab *lab, const struct operands *operands, bool *agrees,
                struct fail *fail) {
    struct reference_set set = {0};
    const char *folder = args.folder ? args.folder : file_installed(arena, "share/cyclops/results/published");
    if (!reference_load_folder(arena, folder, &set, fail))
        return false;
    if (args.svg && operands->n_items == 0)
        return fail_set(fail, FAIL_INPUT, "--svg draws one sweep: name it");
    if (args.list || (operands->n_items == 0 && !args.all)) {
        reproduce_print_list(arena, &set, cli_wants_colour());
        return true;
    }
    struct reproduction *chosen;
    size_t n = 0;
    if (!choose(arena, &set, operands, &chosen, &n, fail))
        return false;
    if (args.svg && n != 1)
        return fail_set(fail, FAIL_INPUT, "--svg draws one sweep: name it");
    if (args.svg && args.llvms.n_items > 1)
        return fail_set(fail, FAIL_INPUT, "--svg draws the predictions of one version: give --llvm once");
    return reproduce(arena, lab, chosen, n, agrees, fail);
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct lab lab = {0};
    bool agrees = true;
    nursery_open(); // early: this process has little memory yet
    run(arena, &lab, operands, &agrees, fail);
    lab_close(&lab);
    nursery_close();
    return interrupt_seen() ? RUN_PLAN_INTERRUPTED : agrees ? 0 : FAIL_WORK;
}

int cmd_reproduce(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, work);
}
