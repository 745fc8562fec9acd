// cyclops pairs: which instructions issue together.
#include "cli/cli.h"

#include "base/options.h"
#include "cli/lab_args.h"
#include "cli/plan_args.h"
#include "lab/run_plan.h"
#include "report/pairs.h"

#include <string.h>

static struct {
    const char *form, *placement;
    struct option_count streams;
    bool wants_both_orders, wants_csv;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to run", NULL},
    {OPTION_COUNT, "n", "N",
     "Streams of each kernel in a pair. Default: as many as there are registers for both, at most 16.", &args.streams},
    {OPTION_TEXT, "form", "unrolled|looped", "looped: a branch after each body. Default: unrolled.", &args.form},
    {OPTION_TEXT, "placement", "same-address|same-line|own-lines|own-pages",
     "Where the loads and stores of the streams go. Default: own-lines.", &args.placement},
    {OPTION_FLAG, "both-orders", NULL,
     "Also measure each pair in the other order. Default: where the simulated CPU, or the first model, issues in "
     "order.",
     &args.wants_both_orders},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_kernels},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_where},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_clock},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_effort},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_budget},
    {OPTION_ROWS, NULL, NULL, NULL, lab_args_output},
    {OPTION_FLAG, "csv", NULL, "Print a line for each kernel alone and each pair, by model, separated by commas.",
     &args.wants_csv},
    {0},
};

static const struct command command = {
    "cyclops pairs",
    "KERNEL KERNEL... [options]",
    "Measures which of KERNELs ('cyclops list kernels') issue together. A cell of the\n"
    "matrix has the cycles that one copy of each kernel takes when many of both run\n"
    "mixed, on registers of their own. The diagonal has a copy alone. A pair that\n"
    "shares nothing takes as long as the longer one; a pair that shares a pipe, or\n"
    "that the core does not issue together, takes as long as both in turn.\n"
    "\n"
    "The order within a pair matters where a core issues A with B, but not B with A.\n"
    "Many pairs in a row hide that; '--form looped --n 1' shows it.\n"
    "\n"
    "--json prints a measurement for each cell and each kernel alone, then an object\n"
    "for each cell. Its \"pairing\" is together, partly, apart, slower, waiting (too\n"
    "few streams fit in the registers) or unclear. --csv prints the same as rows; of\n"
    "a kernel alone, \"second\" is empty.\n",
    "  cyclops pairs add-r64 imul-r64 load-r64 store-r64\n"
    "  cyclops pairs vadd-i32-d vld1-d --isa armv7 --target sim:overlay:cortex-a8\n"
    "  cyclops pairs fma-ymm-ps vaddps-ymm vmulps-ymm --output pairs.jsonl --resume\n",
    options,
};

static bool read_options(struct pairs_options *wanted, struct fail *fail) {
    *wanted = (struct pairs_options){.form = PROGRAM_UNROLLED, .wants_both_orders = args.wants_both_orders};
    if (args.wants_csv && lab_args.files.wants_json)
        return fail_set(fail, FAIL_INPUT, "give --csv or --json");
    if (args.streams.is_given && (args.streams.value < 1 || args.streams.value > GEN_MAX_STREAMS))
        return fail_set(fail, FAIL_INPUT, "--n is from 1 to %d", GEN_MAX_STREAMS);
    wanted->streams = (unsigned)args.streams.value;
    if (!plan_read_placement(args.placement, false, &wanted->placement, fail))
        return false;
    return !args.form || program_form_parse(args.form, &wanted->form) ||
           fail_set(fail, FAIL_INPUT, "unknown form '%s': there are unrolled and looped", args.form);
}

static bool find_kernels(struct arena *arena, const struct operands *operands, const struct kernel **kernels,
                         struct fail *fail) {
    struct kernel_set set = {0};
    if (operands->n_items < 2 || operands->n_items > PAIRS_MAX_KERNELS)
        return fail_set(fail, FAIL_INPUT, "name 2 to %d kernels ('cyclops list kernels')", PAIRS_MAX_KERNELS);
    if (!cli_load_kernels(arena, lab_args.kernels, lab_args.options.isa->name, &set, fail))
        return false;
    for (size_t i = 0; i < operands->n_items; i++) {
        kernels[i] = cli_find_kernel(arena, lab_args.options.isa, &set, operands->items[i], fail);
        if (!kernels[i])
            return false;
        for (size_t j = 0; j < i; j++)
            if (kernels[j] == kernels[i])
                return fail_set(fail, FAIL_INPUT, "kernel '%s' is named twice", kernels[i]->name);
    }
    return true;
}

static bool issues_in_order(const struct lab *lab) {
    if (lab->is_simulated)
        return lab->models.native.machine->in_order;
    for (unsigned i = 0; i < lab->models.n_judged; i++)
        if (!lab->models.judged[i].missing)
            return lab->models.judged[i].machine->in_order;
    return false;
}

static bool has_results(const struct plan *plan) {
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (plan->experiments[i]->is_done)
            return true;
    return false;
}

static int run(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail) {
    const struct kernel *kernels[PAIRS_MAX_KERNELS];
    struct pairs_options wanted;
    struct pairs pairs;
    struct plan plan = {.listener = &cli_listener};
    int status = 0;
    if (!lab_args_read(arena, fail) || !read_options(&wanted, fail) || !find_kernels(arena, operands, kernels, fail) ||
        !lab_open(lab, arena, &lab_args.options, fail))
        return 0;
    wanted.wants_both_orders |= issues_in_order(lab);
    if (!pairs_plan(arena, kernels, (unsigned)operands->n_items, &wanted, &plan, &pairs, fail))
        return status;
    bool is_done = run_plan(lab, &lab_args.options, &plan, &lab_args.files, &status, fail);
    if (lab_args.files.wants_json && is_done)
        pairs_print_json(lab, &pairs, stdout, fail);
    if (args.wants_csv && (is_done || has_results(&plan)))
        pairs_print_csv(lab, &pairs, stdout, fail);
    else if (!lab_args.files.wants_json && (is_done || has_results(&plan)))
        pairs_print(lab, &pairs, stdout, cli_wants_colour());
    return lab_args.is_strict ? run_plan_strict(&plan, status) : status;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    return lab_args_run(arena, operands, fail, run);
}

int cmd_pairs(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, work);
}
