// cyclops bundle: programs and a runner as one file, to measure where Cyclops is not installed.
#include "cli/cli.h"

#include "base/file.h"
#include "base/options.h"
#include "blocks/code_uses.h"
#include "cli/plan_args.h"
#include "lab/chains.h"
#include "lab/experiment.h"
#include "lab/run_plan.h"
#include "runner/pack.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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

static struct pack_program packed(const struct program *program, struct bench_code code, const char *role,
                                  const char *setup) {
    return (struct pack_program){
        .role = role,
        .kernel = program->kernel,
        .mode = program_mode_name(program->mode),
        .form = program_form_name(program->form),
        .arc = program->arc,
        .placement = program->placement ? program_placement_name(program->placement) : NULL,
        .instruction = program->label,
        .setup = setup,
        .streams = program->streams,
        .instructions = program->instructions,
        .code = code,
        .loop_instructions = program->preserves_flags ? program->loop_instructions : 0,
        .loop_branches = program->preserves_flags ? program->loop_branches : 0,
    };
}

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

static const char *role_of(unsigned chain) {
    return chain == CHAIN_REFERENCE ? "reference" : bench_check_name((enum bench_check)(chain - CHAIN_CHECKS));
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
    *pack = (struct pack){isa->name, ARENA_ARRAY(arena, struct pack_program, n), 0};
    for (unsigned i = 0; i < N_CHAINS; i++)
        if (chains[i])
            pack->programs[pack->n_programs++] = packed(chains[i], program_code(chains[i], false), role_of(i), NULL);
    code_uses_open(&uses, arena, isa, NULL);
    for (size_t i = 0; i < plan->n_experiments; i++) {
        struct bench_code code = experiment_code(plan->experiments[i], false);
        if (code.chase.n)
            return fail_set(fail, FAIL_INPUT,
                            "kernel '%s' chases through memory, which a bundle cannot hold: leave it out",
                            plan->experiments[i]->program.kernel);
        code_uses_find(&uses, &code);
        struct record record;
        experiment_to_record(arena, plan->experiments[i], &record);
        pack->programs[pack->n_programs++] = packed(&plan->experiments[i]->program, code, NULL, record.setup);
    }
    code_uses_close(&uses);
    return true;
}

// Returns Debian's package of a compiler that can build the runner.
static const char *compiler_package(struct arena *arena, const char *isa) {
    static const struct {
        const char *isa, *tuple;
    } tuples[] = {{"x86_64", "x86-64-linux-gnu"},   {"aarch64", "aarch64-linux-gnu"}, {"armv7", "arm-linux-gnueabihf"},
                  {"riscv64", "riscv64-linux-gnu"}, {"mips", "mips-linux-gnu"},       {"mipsel", "mipsel-linux-gnu"}};
    for (size_t i = 0; i < sizeof tuples / sizeof *tuples; i++)
        if (strcmp(tuples[i].isa, isa) == 0)
            return arena_printf(arena, "gcc-%s", tuples[i].tuple);
    return "gcc";
}

static bool read_runner(struct arena *arena, const struct isa *isa, char **runner, size_t *length, struct fail *fail) {
    const char *path =
        args.runner ? args.runner : file_installed(arena, arena_printf(arena, "lib/cyclops/runner-%s", isa->name));
    struct fail trouble = {0};
    if (file_read(arena, path, runner, length, args.runner ? fail : &trouble))
        return true;
    return fail_set(
        fail, FAIL_UNAVAILABLE,
        "no runner for %s was built with this Cyclops (%s): install package %s and build again, or make one "
        "with scripts/build-runner and name it with --runner",
        isa->name, trouble.text, compiler_package(arena, isa->name));
}

static bool write_bundle(struct arena *arena, const struct isa *isa, const struct pack *pack, struct fail *fail) {
    struct text out = {.arena = arena};
    char *runner;
    size_t length;
    if (args.pack_only) {
        pack_write(pack, &out);
        return file_write(args.output, out.data, out.length, fail);
    }
    if (!read_runner(arena, isa, &runner, &length, fail))
        return false;
    pack_append(pack, runner, length, &out);
    return file_write(args.output, out.data, out.length, fail) &&
           (chmod(args.output, 0755) == 0 ||
            fail_set(fail, FAIL_WORK, "cannot make '%s' executable: %s", args.output, strerror(errno)));
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
                   write_bundle(arena, isa, &pack, fail);
    decoder_close(&decoder);
    return is_done;
}

int cmd_bundle(int argc, char **argv) {
    return cli_run(&command, argc, argv, bundle);
}
