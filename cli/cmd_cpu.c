// cyclops cpu: shows, compares and makes CPU files.
#include "cli/cli.h"
#include "cli/cpu_output.h"

#include "analyzer/model/model.h"
#include "base/file.h"
#include "base/options.h"
#include "base/table.h"
#include "base/text.h"
#include "bench/host/host.h"
#include "infer/import.h"
#include "report/cpu_file.h"
#include "report/imports.h"

#include <stdio.h>
#include <string.h>

static struct {
    const char *cpu, *output, *llvm, *base;
    bool is_forced, wants_all, takes_other_cpu;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_TEXT, "mcpu", "CPU", "import: LLVM's name of the CPU (llvm-22/skylake), or an overlay: FILE.yaml.",
     &args.cpu},
    {OPTION_TEXT, "base", "CPU",
     "import survey, card, ports: LLVM's name of a CPU, an overlay, or a CPU file: of that, what such an import did "
     "not write is kept.",
     &args.base},
    {OPTION_OUTPUT, "output", "FILE", "import: the file to write, NAME.cpu.yaml.", &args.output},
    {OPTION_FLAG, "force", NULL, "import: write FILE even where there is one already.", &args.is_forced},
    {OPTION_FLAG, "all", NULL, "import ports: print all forms. Default: the first 40 that differ from the base.",
     &args.wants_all},
    {OPTION_FLAG, "other-cpu", NULL,
     "import survey, card, ports: also where these were measured on another CPU than the base's 'identity' names.",
     &args.takes_other_cpu},
    {OPTION_TEXT, "llvm", "LLVM", "Version (22), module or folder of LLVM to ask. Default: the newest.", &args.llvm},
    {0},
};

static const struct command command = {
    "cyclops cpu",
    "list|show FILE|diff A B [FORM]|import [survey|card|ports]",
    "CPU files are models of our own (docs/how-it-works/cpu-files.md): parameters of\n"
    "a machine, and what its instructions cost where one of LLVM's models differs.\n"
    "FILE is NAME.cpu.yaml, or cpu:NAME for an installed one.\n"
    "  list    the files of ~/.config/cyclops/cpus and those that are installed, and\n"
    "          which of them is of this CPU\n"
    "  show    checks the file; prints each parameter with unit, value, trust and\n"
    "          source, those that the model does not have, and the number of rules\n"
    "          for forms\n"
    "  diff    all that two files state differently: parameters and names, then rules\n"
    "          for forms; with FORMs ('cyclops list forms', or patterns), what their\n"
    "          numbers come to\n"
    "  import  begins a file on one of LLVM's models, with what LLVM states of the\n"
    "          machine. All else is added by hand, with its source.\n"
    "  import survey DIR  makes one from a survey: slots, latencies, times of pipes\n"
    "          and of microcode, where what was measured differs from the base. Rules\n"
    "          that people wrote are kept, and count last.\n"
    "  import card CARD.yaml  fills in parameters that a machine card shows ('cyclops\n"
    "          machine') and the base does not state. What it states is kept, marked\n"
    "          with ≠ where the card contradicts it.\n"
    "  import ports PAIRS...  infers port sets from times ('cyclops infer pairs'),\n"
    "          and writes the pipes of these forms. Ports that the same forms use as\n"
    "          a pipe of the base have its name. What is not certain is marked so,\n"
    "          with all else that fits.\n",
    "  cyclops cpu list\n"
    "  cyclops cpu show cpu:skylake\n"
    "  cyclops cpu diff cpu:haswell cpu:skylake\n"
    "  cyclops cpu diff cpu:haswell cpu:skylake 'LEA64r' 'ADC64.*'\n"
    "  cyclops cpu import --mcpu llvm-22/znver4 --output zen4.cpu.yaml\n"
    "  cyclops cpu import survey DIR --base zen4.cpu.yaml --output new.cpu.yaml\n"
    "  cyclops cpu import card card.yaml --base new.cpu.yaml --output zen4.cpu.yaml\n"
    "  cyclops cpu import ports pairs --base zen4.cpu.yaml --output ports.cpu.yaml\n",
    options,
};

static bool open_file(struct arena *arena, const char *name, struct model *model, struct fail *fail) {
    const struct backend_options wanted = {.cpu = name, .output_syntax = -1}; // the file says of which ISA it is
    if (!model_is_cpu_file(name))
        return fail_set(fail, FAIL_INPUT, "'%s' is no CPU file: these are NAME.cpu.yaml and cpu:NAME", name);
    return model_open(model, arena, args.llvm, &wanted, fail);
}

static bool show(struct arena *arena, const char *name, struct fail *fail) {
    struct model model = {0};
    bool is_open = open_file(arena, name, &model, fail) && cpu_forms_check(arena, &model, fail);
    if (is_open)
        cpu_file_print(arena, model.own, stdout, cli_wants_colour());
    model_close(&model);
    return is_open;
}

// By its family and model; "": no file is, or they cannot be read.
static const char *name_of_host(struct arena *arena) {
    const struct host_request request = {.cpu = -1};
    struct host host;
    struct fail unread = {0};
    const char *name = host_read(arena, &request, &host, &unread) && host.vendor
                           ? model_cpu_file_of(arena, host.vendor, host.family, host.model)
                           : NULL;
    return name ? name : "";
}

// One that is wrong is listed with what is wrong.
static bool list(struct arena *arena) {
    struct table table = {.arena = arena};
    const char *const *names, *here = name_of_host(arena);
    size_t n = model_list_cpu_files(arena, &names);
    table_column(&table, TABLE_LEFT, "file");
    table_column(&table, TABLE_LEFT, "based on");
    table_column(&table, TABLE_WRAP, "about");
    for (size_t i = 0; i < n; i++) {
        struct fail wrong = {0};
        struct cpu *cpu = model_read_cpu_file(arena, names[i], &wrong);
        table_cell(&table, "%s", names[i]);
        table_cell(&table, "%s", cpu ? cpu->base.text : "");
        table_cell(&table, "%s", cpu ? cpu->about : arena_printf(arena, "wrong: %s", wrong.text));
        cpu_close(cpu);
    }
    table_print(&table, stdout, cli_wants_colour());
    if (*here)
        printf("%s is of this CPU\n", here);
    return true;
}

static bool diff_forms(struct arena *arena, const struct model *models, const char *const *names, size_t n,
                       struct fail *fail) {
    struct form_patterns patterns = {0};
    struct cpu_form_change *changes;
    size_t n_changes, n_forms;
    bool is_done = form_patterns_open(&patterns, arena, names, n, fail) &&
                   cpu_forms_compare(arena, &models[0], &models[1], &patterns, &changes, &n_changes, &n_forms, fail);
    if (is_done)
        cpu_file_print_form_diff(arena, models[0].own, models[1].own, changes, n_changes, stdout, cli_wants_colour());
    form_patterns_close(&patterns);
    return is_done;
}

// names: two files, then forms.
static bool diff(struct arena *arena, const char *const *names, size_t n, struct fail *fail) {
    struct model models[2] = {{0}};
    bool is_done = open_file(arena, names[0], &models[0], fail) && open_file(arena, names[1], &models[1], fail);
    if (is_done && n == 2)
        cpu_file_print_diff(arena, models[0].own, models[1].own, stdout, cli_wants_colour());
    else if (is_done)
        is_done = diff_forms(arena, models, names + 2, n - 2, fail);
    model_close(&models[0]);
    model_close(&models[1]);
    return is_done;
}

static bool import(struct arena *arena, struct fail *fail) {
    struct model model = {0};
    if (!args.cpu || args.base)
        return fail_set(fail, FAIL_INPUT,
                        "say what to import, and where to: cyclops cpu import --mcpu CPU --output NAME%s",
                        cpu_output_suffix);
    if (model_is_cpu_file(args.cpu))
        return fail_set(fail, FAIL_INPUT, "'%s' is a CPU file already; copy it to change it", args.cpu);
    if (!cpu_output_can_write(args.output, args.is_forced, fail))
        return false;
    const struct backend_options wanted = {.triple = "x86_64-linux-gnu", .cpu = args.cpu, .output_syntax = -1};
    bool is_done = model_open(&model, arena, args.llvm, &wanted, fail);
    if (is_done) {
        const char *name = cpu_output_name(arena, args.output);
        const char *text = cpu_file_begin(arena, name, cpu_output_base(arena, args.cpu, model.machine), model.machine);
        is_done = file_write(args.output, text, strlen(text), fail);
    }
    model_close(&model);
    return is_done && show(arena, args.output, fail);
}

// What all imports onto a base have in common. `what`: "the survey's numbers are".
static bool begin_import(struct arena *arena, const char *what, struct import_onto *onto, struct fail *fail) {
    if (!args.base || args.cpu)
        return fail_set(fail, FAIL_INPUT, "--base names what %s put on: znver4, or cpu:NAME", what);
    if (!cpu_output_can_write(args.output, args.is_forced, fail))
        return false;
    const char *name = cpu_output_name(arena, args.output);
    *onto = (struct import_onto){.text = cpu_output_base_text(arena, args.base, name, args.llvm, fail),
                                 .name = name,
                                 .output = args.output,
                                 .llvm = args.llvm,
                                 .takes_other_cpu = args.takes_other_cpu};
    return onto->text != NULL;
}

static bool write_import(const char *text, struct fail *fail) {
    return file_write(args.output, text, strlen(text), fail);
}

static bool put_survey(struct arena *arena, const char *const *folders, size_t n, struct fail *fail) {
    struct check_results results;
    struct import_onto onto;
    struct import_result result;
    if (!begin_import(arena, "the survey's numbers are", &onto, fail) ||
        !check_results_read(arena, folders, n, NULL, &results, fail) ||
        !import_survey(arena, &onto, &results, &result, fail) || !write_import(result.text, fail))
        return false;
    imports_print_survey(args.output, &result, stdout);
    return true;
}

static bool put_card(struct arena *arena, const char *path, struct fail *fail) {
    struct import_onto onto;
    struct card_import_result result;
    if (!begin_import(arena, "the card's numbers are", &onto, fail) ||
        !import_card(arena, &onto, path, &result, fail) || !write_import(result.text, fail))
        return false;
    imports_print_card(arena, args.output, &result, stdout, cli_wants_colour());
    return true;
}

static bool put_pairs(struct arena *arena, const char *const *folders, size_t n, struct fail *fail) {
    struct import_onto onto;
    struct ports ports;
    struct ports_import_result result;
    if (!begin_import(arena, "the ports are", &onto, fail) ||
        !import_pairs(arena, &onto, folders, n, &ports, &result, fail) || !write_import(result.text, fail))
        return false;
    imports_print_ports(arena, &result, args.wants_all, stdout, cli_wants_colour());
    return true;
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    static const char *const verbs[] = {"list", "show", "diff", "import"};
    enum { N_VERBS = sizeof verbs / sizeof *verbs };
    const char *const *items = operands->items;
    size_t n = operands->n_items;
    if (!n)
        return fail_set(fail, FAIL_INPUT,
                        "say what to do: list, show FILE, diff FILE FILE, import, import survey DIR, import card "
                        "CARD.yaml, or import ports PAIRS");
    if (text_find(items[0], verbs, N_VERBS) == N_VERBS)
        return fail_set(fail, FAIL_INPUT, "'%s' is not among list, show, diff and import%s", items[0],
                        text_did_you_mean(arena, items[0], verbs, N_VERBS));
    if (strcmp(items[0], "list") == 0)
        return n == 1 ? list(arena) : fail_set(fail, FAIL_INPUT, "'list' takes nothing more");
    if (strcmp(items[0], "show") == 0)
        return n == 2 ? show(arena, items[1], fail) : fail_set(fail, FAIL_INPUT, "'show' takes one CPU file");
    if (strcmp(items[0], "diff") == 0)
        return n >= 3 ? diff(arena, items + 1, n - 1, fail)
                      : fail_set(fail, FAIL_INPUT, "'diff' takes two CPU files, and forms behind them");
    if (n >= 3 && strcmp(items[1], "survey") == 0)
        return put_survey(arena, items + 2, n - 2, fail);
    if (n == 3 && strcmp(items[1], "card") == 0)
        return put_card(arena, items[2], fail);
    if (n >= 3 && strcmp(items[1], "ports") == 0)
        return put_pairs(arena, items + 2, n - 2, fail);
    return n == 1 ? import(arena, fail)
                  : fail_set(fail, FAIL_INPUT, "'import' takes options only: --mcpu CPU --output NAME.cpu.yaml");
}

int cmd_cpu(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
