// cyclops bundle: programs and a runner as one file, to measure where Cyclops is not installed.
#include "cli/cli.h"

#include "base/options.h"
#include "cli/bundle_file.h"
#include "cli/plan_args.h"
#include "lab/plan_assemble.h"
#include "lab/run_plan.h"

static struct {
    const char *isa, *runner, *output;
    bool pack_only;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to put in", NULL},
    {OPTION_ROWS, NULL, NULL, NULL, plan_args_all},
    {OPTION_HEADING, NULL, NULL, "For which machine, and output", NULL},
    {OPTION_TEXT, "isa", "x86_64|aarch64|armv7|mips|mipsel|riscv64", "Instruction set. Default: this machine's.",
     &args.isa},
    {OPTION_TEXT, "runner", "FILE",
     "The runner: a static executable for the ISA ('scripts/build-runner COMPILER FILE' makes one). Default: the "
     "installed one.",
     &args.runner},
    {OPTION_FLAG, "pack-only", NULL, "Write the programs alone, for a runner's --pack.", &args.pack_only},
    {OPTION_OUTPUT, "output", "FILE", "Write to FILE.", &args.output},
    {0},
};

static const struct command command = {
    "cyclops bundle",
    "KERNEL...|FILE.s|FILE.o|- --output FILE [options]",
    "Puts programs and a runner into one executable file. The programs are those\n"
    "that 'cyclops run' would measure: of kernels by their names, and of blocks, as\n"
    "assembly (FILE.s, -, --asm), functions of an object (FILE.o) or machine code\n"
    "(--hex). One with a mistake is left out, and the exit status says so.\n"
    "\n"
    "The file needs nothing where it runs: no libraries, no assembler, no privileges.\n"
    "It measures the programs and prints a table; its --help explains its options.\n"
    "With --output FILE it writes a measurement file, which 'cyclops run --from FILE'\n"
    "compares with models.\n",
    "  cyclops bundle add-x mul-x fmla-v4s --isa aarch64 --output probe\n"
    "  ./probe --output probe.jsonl                       on the other machine\n"
    "  cyclops run --from probe.jsonl --mcpu cortex-a76           back here\n",
    options,
};

// Makes a pack of the clock's chains and the programs, assembled in one run.
static bool make_pack(struct arena *arena, const struct isa *isa, struct plan *plan, struct pack *pack,
                      struct fail *fail) {
    struct program *chains[N_CHAINS];
    struct code_uses uses;
    if (!chains_make(arena, isa, chains, fail) || !plan_assemble(arena, chains, plan, fail))
        return false;
    *pack = (struct pack){.isa = isa->name};
    bundle_add_chains(arena, chains, pack);
    code_uses_open(&uses, arena, isa, NULL);
    for (size_t i = 0; i < plan->n_experiments; i++)
        bundle_add(arena, &uses, plan->experiments[i], pack);
    code_uses_close(&uses);
    return true;
}

// Prepares blocks without a trial, because the machine that will run them is not here.
static bool prepare(struct arena *arena, const struct isa *isa, struct plan *plan, struct decoder *decoder,
                    struct fail *fail) {
    return plan->n_blocks == 0 ||
           (decoder_open(decoder, arena, isa, NULL, fail) && blocks_prepare(arena, plan, decoder, false, fail));
}

static int bundle(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct plan plan = {.listener = &cli_listener};
    struct pack pack;
    struct decoder decoder = {0};
    if (!args.output) {
        fail_set(fail, FAIL_INPUT, "say where to write the bundle: --output FILE");
        return 0;
    }
    const struct isa *isa = cli_isa(arena, args.isa, fail);
    bool is_done = isa && plan_make(arena, &plan_args, isa, operands, &plan, fail) &&
                   prepare(arena, isa, &plan, &decoder, fail) && make_pack(arena, isa, &plan, &pack, fail);
    int status = run_plan_say_refused(&plan, fail);
    is_done = is_done && bundle_write(arena, isa, &pack, args.runner, args.pack_only, args.output, fail);
    if (is_done && status)
        lab_say(plan.listener, LAB_NOTE, "%s has the others", args.output);
    decoder_close(&decoder);
    return status;
}

int cmd_bundle(int argc, char **argv) {
    return cli_run_status(&command, argc, argv, bundle);
}
