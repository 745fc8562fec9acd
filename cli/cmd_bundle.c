// cyclops bundle: programs and a runner as one file, to measure where Cyclops is not installed.
#include "cli/cli.h"

#include "base/options.h"
#include "cli/bundle_file.h"
#include "cli/plan_args.h"
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
    "(--hex).\n"
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

// Assembles all programs, and reports every mistake. Fails at any: only the other machine would show that a bundle
// lacks programs.
static bool assemble(struct arena *arena, struct program *const *programs, size_t n, struct fail *fail) {
    struct gen_errors errors;
    if (!gen_assemble_each(arena, programs, n, &errors, fail))
        return false;
    for (size_t i = 0; i + 1 < errors.n; i++)
        cli_failed(&errors.items[i]);
    if (errors.n)
        *fail = errors.items[errors.n - 1];
    return errors.n == 0;
}

// Makes a pack of the clock's chains and the programs, assembled in one run.
static bool make_pack(struct arena *arena, const struct isa *isa, const struct plan *plan, struct pack *pack,
                      struct fail *fail) {
    struct program *chains[N_CHAINS], **programs = ARENA_ARRAY(arena, struct program *, N_CHAINS + plan->n_experiments);
    struct code_uses uses;
    if (!chains_make(arena, isa, chains, fail))
        return false;
    size_t n = chains_list(chains, programs);
    for (size_t i = 0; i < plan->n_experiments; i++)
        programs[n++] = &plan->experiments[i]->program;
    if (!assemble(arena, programs, n, fail))
        return false;
    *pack = (struct pack){.isa = isa->name};
    bundle_add_chains(arena, chains, pack);
    code_uses_open(&uses, arena, isa, NULL);
    bool is_done = true;
    for (size_t i = 0; is_done && i < plan->n_experiments; i++)
        is_done = bundle_add(arena, &uses, plan->experiments[i], pack, fail);
    code_uses_close(&uses);
    return is_done;
}

// Fails where the plan has refused something.
static bool is_whole(const struct plan *plan, struct fail *fail) {
    if (fail->status == FAIL_NONE && plan->n_refused)
        *fail = plan->refused[plan->n_refused - 1];
    run_plan_say_refused(plan, fail);
    return fail->status == FAIL_NONE;
}

// Prepares blocks without a trial, because the machine that will run them is not here.
static bool prepare(struct arena *arena, const struct isa *isa, struct plan *plan, struct decoder *decoder,
                    struct fail *fail) {
    return plan->n_blocks == 0 ||
           (decoder_open(decoder, arena, isa, NULL, fail) && blocks_prepare(arena, plan, decoder, false, fail));
}

static bool bundle(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct plan plan = {.listener = &cli_listener};
    struct pack pack;
    struct decoder decoder = {0};
    if (!args.output)
        return fail_set(fail, FAIL_INPUT, "say where to write the bundle: --output FILE");
    const struct isa *isa = cli_isa(arena, args.isa, fail);
    bool is_ready =
        isa && plan_make(arena, &plan_args, isa, operands, &plan, fail) && prepare(arena, isa, &plan, &decoder, fail);
    bool is_done = is_whole(&plan, fail) && is_ready && make_pack(arena, isa, &plan, &pack, fail) &&
                   bundle_write(arena, isa, &pack, args.runner, args.pack_only, args.output, fail);
    decoder_close(&decoder);
    return is_done;
}

int cmd_bundle(int argc, char **argv) {
    return cli_run(&command, argc, argv, bundle);
}
