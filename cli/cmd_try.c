// cyclops try: runs a block once.
#include "cli/cli.h"

#include "bench/sandbox/nursery.h"

#include "base/options.h"
#include "cli/plan_args.h"
#include "cli/start_args.h"
#include "lab/run_plan.h"
#include "report/trial.h"

static struct {
    const char *llvm;
    bool wants_json;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_ROWS, NULL, NULL, NULL, plan_args_blocks},
    {OPTION_TEXT, "llvm", "LLVM", "Version (22), module or folder of LLVM to decode with. Default: the newest.",
     &args.llvm},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines, with all registers and every word of memory that has changed.",
     &args.wants_json},
    {0},
};

static const struct command command = {
    "cyclops try",
    "FILE.s|FILE.o|- [options]",
    "Runs blocks once each, as 'cyclops run' does before it measures them, and prints\n"
    "how they end: the pages that they touch, and what they leave in registers and\n"
    "memory. Where a block cannot go on, prints the instruction, what it touched and\n"
    "where the address came from; the exit status is then 1. Nothing is timed.\n"
    "'cyclops help run' states what a block starts with.\n",
    "  cyclops try --asm 'mov rax, [rdi]; push rax'\n"
    "  cyclops try --hex 488b07\n"
    "  cyclops try dot-product.o --symbol dot --json\n",
    options,
};

// Plans each block once, with different addresses in its registers unless the options request others.
static bool make_plan(struct arena *arena, const struct operands *operands, struct plan *plan,
                      const struct decoder *decoder, struct fail *fail) {
    struct plan_args filled = plan_args;
    filled.form = program_form_name(PROGRAM_LOOPED);
    start_args.alias = start_args.alias ? start_args.alias : block_alias_name(ALIAS_DISJOINT);
    const struct isa *isa = cli_isa(arena, NULL, fail);
    if (!isa || !plan_make(arena, &filled, isa, operands, plan, fail))
        return false;
    for (size_t i = 0; i < plan->n_experiments; i++)
        if (!plan->experiments[i]->block)
            return fail_set(fail, FAIL_INPUT, "'%s' is a kernel: 'cyclops run' measures it; try takes blocks",
                            plan->experiments[i]->program.kernel);
    return blocks_prepare(arena, plan, decoder, true, fail);
}

static int try_blocks(struct arena *arena, const struct operands *operands, struct decoder *decoder,
                      struct fail *fail) {
    struct plan plan = {.listener = &cli_listener};
    const struct isa *isa = cli_isa(arena, NULL, fail);
    bool is_done =
        isa && decoder_open(decoder, arena, isa, args.llvm, fail) && make_plan(arena, operands, &plan, decoder, fail);
    int status = run_plan_say_refused(&plan, fail);
    for (size_t i = 0; i < plan.n_experiments && is_done; i++) {
        const struct experiment *experiment = plan.experiments[i];
        if (experiment->block->trials[experiment->alias].outcome != BENCH_OK)
            status = run_plan_worse(status, FAIL_WORK);
        if (args.wants_json)
            is_done = trial_print_json(arena, decoder, experiment, stdout, fail);
        else
            trial_print(arena, decoder, experiment, stdout);
    }
    return status;
}

static int work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct decoder decoder = {0};
    nursery_open(); // early: this process has little memory yet
    int status = try_blocks(arena, operands, &decoder, fail);
    decoder_close(&decoder);
    nursery_close();
    return status;
}

int cmd_try(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, work);
}
