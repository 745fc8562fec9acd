// cyclops bundle: programs and a runner as one file, to measure where Cyclops is not installed.
#include "cli/cli.h"

#include "base/file.h"
#include "cli/chains.h"
#include "cli/code_uses.h"
#include "cli/options.h"
#include "cli/plan_wish.h"
#include "cli/program_code.h"
#include "runner/pack.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    const char *isa, *runner, *output;
    struct plan_wish plan;
    bool pack_only;
} args = {.plan = PLAN_WISH_DEFAULTS};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to put in", NULL},
    PLAN_WISH_OPTIONS(args.plan),
    {OPTION_HEADING, NULL, NULL, "For which machine, and output", NULL},
    {OPTION_TEXT, "isa", "ISA", "x86_64, aarch64, armv7, mips, mipsel or riscv64. Default: this machine's.", &args.isa},
    {OPTION_TEXT, "runner", "FILE",
     "The runner: a static executable for the ISA ('scripts/build-runner COMPILER FILE' makes one). Default: the "
     "installed one.",
     &args.runner},
    {OPTION_FLAG, "pack-only", NULL, "Write the programs alone, for a runner's --pack.", &args.pack_only},
    {OPTION_TEXT, "output", "FILE", "Write to FILE.", &args.output},
    {0},
};

static const struct command command = {
    "bundle",
    "KERNEL...|FILE.s|- --output FILE [options]",
    "Puts the programs of KERNELs, assembled, and a runner into one executable file.\n"
    "It needs nothing where it runs: no libraries, no assembler, no privileges. It\n"
    "prints a table, and with --output FILE it writes a measurement file, which\n"
    "'cyclops run --from FILE' holds against models; its --help shows what else it\n"
    "takes.\n",
    "  cyclops bundle add-x mul-x fmla-v4s --isa aarch64 --output probe\n"
    "  ./probe --output probe.jsonl                       on the other machine\n"
    "  cyclops run --from probe.jsonl --mcpu cortex-a76           back here\n",
    options,
};

static struct pack_program packed(const struct program *program, const char *role, const struct code_uses *uses) {
    struct bench_code code = program_code(program, false);
    code_uses_find(uses, &code);
    return (struct pack_program){
        .role = role,
        .kernel = program->kernel,
        .mode = program_mode_name(program->mode),
        .form = program_form_name(program->form),
        .arc = program->arc,
        .instruction = program->label,
        .streams = program->streams,
        .instructions = program->instructions,
        .code = code,
    };
}

static const char *role_of(unsigned chain) {
    return chain == CHAIN_REFERENCE ? "reference" : bench_check_name((enum bench_check)(chain - CHAIN_CHECKS));
}

// The clock's chains and the programs, assembled in one run.
static bool make_pack(struct arena *arena, const struct isa *isa, const struct plan *plan, struct pack *pack,
                      struct fail *fail) {
    struct program *chains[N_CHAINS], **programs = ARENA_ARRAY(arena, struct program *, N_CHAINS + plan->n_experiments);
    struct code_uses uses;
    if (!chains_make(arena, isa, chains, fail))
        return false;
    size_t n = chains_list(chains, programs);
    for (size_t i = 0; i < plan->n_experiments; i++)
        programs[n++] = &plan->experiments[i]->program;
    if (!gen_assemble(arena, programs, n, fail))
        return false;
    *pack = (struct pack){isa->name, ARENA_ARRAY(arena, struct pack_program, n), 0};
    code_uses_open(&uses, arena, isa, NULL);
    for (unsigned i = 0; i < N_CHAINS; i++)
        if (chains[i])
            pack->programs[pack->n_programs++] = packed(chains[i], role_of(i), &uses);
    for (size_t i = 0; i < plan->n_experiments; i++)
        pack->programs[pack->n_programs++] = packed(&plan->experiments[i]->program, NULL, &uses);
    code_uses_close(&uses);
    return true;
}

// Debian's package of a compiler that can make the runner.
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

static bool bundle(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct plan plan = {0};
    struct pack pack;
    if (!args.output)
        return fail_set(fail, FAIL_INPUT, "say where to write the bundle: --output FILE");
    const struct isa *isa = cli_isa(arena, args.isa, fail);
    return isa && plan_make(arena, &args.plan, isa, operands, &plan, fail) &&
           make_pack(arena, isa, &plan, &pack, fail) && write_bundle(arena, isa, &pack, fail);
}

int cmd_bundle(int argc, char **argv) {
    return cli_run(&command, argc, argv, bundle);
}
