// cyclops cpu: shows, compares and makes CPU files.
#include "cli/cli.h"

#include "analyzer/model/model.h"
#include "base/file.h"
#include "base/options.h"
#include "base/text.h"
#include "report/cpu_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { const char *cpu, *output, *llvm; } args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "mcpu", "CPU", "import: LLVM's name of the CPU (llvm-22/skylake), or an overlay: FILE.yaml.",
     &args.cpu},
    {OPTION_OUTPUT, "output", "FILE", "import: the file to write, NAME.cpu.yaml.", &args.output},
    {OPTION_TEXT, "llvm", "LLVM", "Version (22), module or folder of LLVM to ask. Default: the newest.", &args.llvm},
    {0},
};

static const struct command command = {
    "cyclops cpu",
    "show FILE|diff FILE FILE|import [options]",
    "CPU files are models of our own (docs/how-it-works/cpu-files.md): parameters of\n"
    "a machine, and what its instructions cost where one of LLVM's models differs.\n"
    "FILE is NAME.cpu.yaml, or cpu:NAME for an installed one.\n"
    "  show    each parameter with unit, value, trust and source; those that the\n"
    "          model does not have; how many rules it has for forms\n"
    "  diff    parameters and rules for forms that differ between two files\n"
    "  import  begins a file on one of LLVM's models, with what LLVM states of the\n"
    "          machine. All else is added by hand, with its source.\n",
    "  cyclops cpu show cpu:skylake\n"
    "  cyclops cpu diff cpu:haswell cpu:skylake\n"
    "  cyclops cpu import --mcpu llvm-22/znver4 --output zen4.cpu.yaml\n",
    options,
};

static bool open_file(struct arena *arena, const char *name, struct model *model, struct fail *fail) {
    const struct backend_options wanted = {.triple = "x86_64-linux-gnu", .cpu = name, .output_syntax = -1};
    if (!model_is_cpu_file(name))
        return fail_set(fail, FAIL_INPUT, "'%s' is no CPU file: these are NAME.cpu.yaml and cpu:NAME", name);
    return model_open(model, arena, args.llvm, &wanted, fail);
}

static bool show(struct arena *arena, const char *name, struct fail *fail) {
    struct model model = {0};
    bool is_open = open_file(arena, name, &model, fail);
    if (is_open)
        cpu_file_print(arena, model.own, stdout, cli_wants_colour());
    model_close(&model);
    return is_open;
}

static bool diff(struct arena *arena, const char *before, const char *after, struct fail *fail) {
    struct model models[2] = {{0}};
    bool are_open = open_file(arena, before, &models[0], fail) && open_file(arena, after, &models[1], fail);
    if (are_open)
        cpu_file_print_diff(arena, models[0].own, models[1].own, stdout, cli_wants_colour());
    model_close(&models[0]);
    model_close(&models[1]);
    return are_open;
}

// The base as the new file names it: an overlay's file by its whole path.
static const char *base_of(struct arena *arena, const char *cpu) {
    bool is_file = file_has_suffix(cpu, ".yaml");
    char *whole = is_file ? realpath(cpu, NULL) : NULL;
    const char *base = whole ? arena_strdup(arena, whole) : cpu;
    free(whole);
    return base;
}

static bool import(struct arena *arena, struct fail *fail) {
    static const char suffix[] = ".cpu.yaml";
    struct model model = {0};
    if (!args.cpu || !args.output || !file_has_suffix(args.output, suffix))
        return fail_set(fail, FAIL_INPUT,
                        "say what to import, and where to: cyclops cpu import --mcpu CPU --output NAME%s", suffix);
    if (model_is_cpu_file(args.cpu))
        return fail_set(fail, FAIL_INPUT, "'%s' is a CPU file already; copy it to change it", args.cpu);
    const struct backend_options wanted = {.triple = "x86_64-linux-gnu", .cpu = args.cpu, .output_syntax = -1};
    bool is_done = model_open(&model, arena, args.llvm, &wanted, fail);
    if (is_done) {
        const char *file = file_name(args.output), *slash = strrchr(file, '/');
        const char *start = slash ? slash + 1 : file;
        const char *name = arena_copy(arena, start, strlen(start) - strlen(suffix));
        const char *text = cpu_file_begin(arena, name, base_of(arena, args.cpu), model.machine);
        is_done = file_write(args.output, text, strlen(text), fail);
    }
    model_close(&model);
    return is_done && show(arena, args.output, fail);
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    const char *verb = operands->n_items ? operands->items[0] : "";
    if (strcmp(verb, "show") == 0 && operands->n_items == 2)
        return show(arena, operands->items[1], fail);
    if (strcmp(verb, "diff") == 0 && operands->n_items == 3)
        return diff(arena, operands->items[1], operands->items[2], fail);
    if (strcmp(verb, "import") == 0 && operands->n_items == 1)
        return import(arena, fail);
    return fail_set(fail, FAIL_INPUT, "say what to do: show FILE, diff FILE FILE, or import");
}

int cmd_cpu(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
