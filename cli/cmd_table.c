// cyclops table: the instruction table of a survey.
#include "cli/cli.h"

#include "base/compressed.h"
#include "base/file.h"
#include "cli/lab_args.h"
#include "gen/isa.h"
#include "report/exegesis.h"
#include "report/table.h"
#include "report/table_machines.h"
#include "survey/table/table_csv.h"

#include <string.h>

static struct {
    const char *form, *sort, *exegesis, *html;
    bool wants_csv, with_left_out, wants_classes, wants_vectors, only_differs;
} args;

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "What to print", NULL},
    {OPTION_TEXT, "form", "FORM",
     "Everything known of this form: each value with its interval, how it was obtained, and how to repeat it.",
     &args.form},
    {OPTION_TEXT, "sort", "name|latency|throughput|model",
     "Order of the forms; model: how far off the worst model is. Default: name.", &args.sort},
    {OPTION_FLAG, "left-out", NULL, "Also the forms that were not measured, with the reason.", &args.with_left_out},
    {OPTION_FLAG, "classes", NULL,
     "Instead: the scheduling classes whose forms differ, and how many of their forms have which value.",
     &args.wants_classes},
    {OPTION_FLAG, "vector", NULL,
     "Instead: RISC-V's vector forms by element width and group of registers, what the model states otherwise, and how "
     "cycles grow with the registers.",
     &args.wants_vectors},
    {OPTION_FLAG, "differs", NULL, "Of several machines: only forms of which a value differs.", &args.only_differs},
    {OPTION_STREAM, "html", "FILE",
     "Of several machines: write a page into FILE instead ('-': standard output), which shows what differs between any "
     "two of them. With --vector: that table as a page.",
     &args.html},
    {OPTION_FLAG, "csv", NULL, "Print a line for each value, separated by commas.", &args.wants_csv},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines.", &lab_args.files.wants_json},
    {OPTION_TEXT, "exegesis-yaml", "OUT",
     "Write OUT/latency.yaml and OUT/inverse_throughput.yaml, or OUT-latency.yaml where OUT is no folder: the files "
     "that 'llvm-exegesis -mode=analysis' compares with LLVM's models.",
     &args.exegesis},
    {OPTION_HEADING, NULL, NULL, "What to compare with", NULL},
    {OPTION_LIST, "mcpu", "CPU",
     "Model whose numbers to print beside the measured ones: a CPU of LLVM's, also of one version (llvm-19/znver4), or "
     "a CPU file (FILE.cpu.yaml, cpu:NAME); may be repeated; none: no model. Default: the CPU that was measured.",
     &lab_args.options.cpus},
    {OPTION_LIST, "llvm", "LLVM", "Version (22), module or folder of LLVM; may be repeated. Default: the newest.",
     &lab_args.options.llvms},
    {0},
};

static const struct command command = {
    "cyclops table",
    "DIR... [options]",
    "Prints the instruction table of a survey ('cyclops survey'), or of its shards.\n"
    "It is made from the measurements alone, also while a survey runs.\n"
    "\n"
    "DIR may be published results, or FILE.csv of 'cyclops table --csv' (also .xz).\n"
    "Of several machines, each has a column; those of one model and microcode share\n"
    "it. A value differs where intervals do not meet, by 1 % or more.\n"
    "\n"
    "A form has a latency for each pair of a source and a result; the list shows\n"
    "those that differ. Slots are the form's share of what the CPU takes in a cycle\n"
    "on the way to its schedulers. These signs mark a number:\n"
    "  ;  between two latencies that differ, as 1;4; .. between the least and the\n"
    "     largest of more, as 1..7\n"
    "  ≤  an upper bound: of a way from one kind of registers to another and back,\n"
    "     only the sum can be measured\n"
    "  ~  between the ends of an interval: the form has two speeds, or many\n"
    "  ?  a measured value that is not to be trusted\n"
    "  ≠  a number of the model's table that the measured interval excludes. 'cyclops\n"
    "     check' simulates the measured code, and may agree: pipes can limit a chain\n",
    "  cyclops table survey\n"
    "  cyclops table survey --form VADDPSYrr --llvm 22 --llvm 19\n"
    "  cyclops table survey --sort model --csv > table.csv\n"
    "  cyclops table survey --exegesis-yaml zen5\n"
    "  cyclops table zen4-2026-11-28 zen5-2026-11-27 --differs\n"
    "  cyclops table zen4-2026-11-28 zen5-2026-11-27 --html zen.html\n",
    options,
};

// Chooses the CPU that was measured, where no model was requested.
static bool choose_cpu(struct arena *arena, const char *folder, struct fail *fail) {
    struct option_list *cpus = &lab_args.options.cpus;
    struct table_origin origin;
    if (!table_find_origin(arena, folder, &origin, fail))
        return false;
    lab_args.options.isa = cli_isa(arena, origin.isa, fail);
    if (!lab_args.options.isa || cpus->n_items)
        return lab_args.options.isa;
    // What an emulator runs here names this machine, whose models are of another ISA. An overlay that was measured
    // changes no number that a table shows.
    const bool is_here = origin.is_here && lab_args.options.isa == isa_native(),
               has_model = origin.cpu && !model_is_overlay(origin.cpu);
    if (origin.target && !origin.cpu && !is_here)
        lab_say(&cli_listener, LAB_NOTE, "'%s' is of another CPU than this one: --mcpu names the model to compare with",
                folder);
    if (origin.cpu || !is_here)
        *ARENA_ADD(arena, cpus->items, cpus->n_items) = has_model ? origin.cpu : "none";
    return true;
}

static bool write_exegesis(struct arena *arena, const struct model_set *models, const struct survey_table *table,
                           struct fail *fail) {
    struct exegesis_written latencies, throughputs;
    const struct model *model = NULL;
    for (unsigned i = 0; i < models->n_judged && !model; i++)
        model = models->judged[i].missing || !models->judged[i].cpu ? NULL : &models->judged[i];
    if (!model)
        return fail_set(fail, FAIL_INPUT, "--exegesis-yaml needs LLVM's name of the CPU: --mcpu znver5");
    if (!exegesis_write(arena, table, model->backend, model->cpu, args.exegesis, &latencies, &throughputs, fail))
        return false;
    const struct exegesis_written *both[] = {&latencies, &throughputs};
    for (int i = 0; i < 2; i++)
        lab_say(&cli_listener, LAB_NOTE, "%s: %s; not to be compared: %zu (their `error` says why)", both[i]->path,
                text_count(arena, both[i]->n, "form"), both[i]->n_doubtful);
    return true;
}

static bool write_page(const char *page, struct fail *fail) {
    return page && file_write(strcmp(args.html, "-") == 0 ? "/dev/stdout" : args.html, page, strlen(page), fail);
}

static bool print_table(struct arena *arena, const struct survey_table *table, struct fail *fail) {
    struct table_report_options wanted = {
        .form = args.form, .with_left_out = args.with_left_out, .colour = cli_wants_colour()};
    if (args.sort && !table_sort_read(args.sort, &wanted.sort, fail))
        return false;
    const enum table_format format = args.wants_csv ? TABLE_CSV : lab_args.files.wants_json ? TABLE_JSON : TABLE_TEXT;
    if (args.wants_classes)
        return table_classes_write(arena, table, format, cli_wants_colour(), stdout, fail);
    if (args.wants_vectors && args.html)
        return write_page(table_vectors_page(arena, table, fail), fail);
    if (args.wants_vectors)
        return table_vectors_write(arena, table, format, cli_wants_colour(), stdout, fail);
    if (args.wants_csv)
        return table_report_write_csv(arena, table, &wanted, stdout, fail);
    return (lab_args.files.wants_json ? table_report_write_json : table_report_print)(arena, table, &wanted, stdout,
                                                                                      fail);
}

static bool print_survey(struct arena *arena, const struct model_set *models, const struct operands *operands,
                         struct fail *fail) {
    struct survey_table table;
    for (unsigned i = 0; i < models->n_judged; i++)
        if (!models->judged[i].missing && models->judged[i].overlay)
            return fail_set(fail, FAIL_INPUT,
                            "a table shows what LLVM's tables state, which an overlay does not change: 'cyclops check "
                            "--mcpu OVERLAY' holds an overlay against the measurements");
    if (!table_read(arena, operands->items, operands->n_items, models->judged, models->n_judged, &cli_listener, &table,
                    fail))
        return false;
    return args.exegesis ? write_exegesis(arena, models, &table, fail) : print_table(arena, &table, fail);
}

static bool work_on_survey(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct model_set models = {0};
    if (args.only_differs || (args.html && !args.wants_vectors))
        return fail_set(fail, FAIL_INPUT, "%s is of several machines, and these folders are of one%s",
                        args.html ? "--html" : "--differs", args.html ? ": that has a page with --vector" : "");
    if (!choose_cpu(arena, operands->items[0], fail))
        return false;
    const struct model_request wanted = lab_models(&lab_args.options);
    bool is_done = model_set_open(&models, arena, &wanted, fail) && print_survey(arena, &models, operands, fail);
    model_set_close(&models);
    return is_done;
}

// ---- published results, and several machines

// Options that need the measured programs, or are of one table, have no meaning there.
static bool check_options(bool are_several, struct fail *fail) {
    const struct {
        bool is_given;
        const char *option;
    } of_survey[] = {{lab_args.options.cpus.n_items, "--mcpu"},
                     {lab_args.options.llvms.n_items, "--llvm"},
                     {args.exegesis, "--exegesis-yaml"}},
      of_one[] = {{args.sort, "--sort"},
                  {args.with_left_out, "--left-out"},
                  {args.wants_classes, "--classes"},
                  {args.wants_vectors, "--vector"},
                  {lab_args.files.wants_json, "--json"}};
    for (size_t i = 0; i < sizeof of_survey / sizeof *of_survey; i++)
        if (of_survey[i].is_given)
            return fail_set(fail, FAIL_INPUT,
                            "%s is of the folder of one survey, not of published results or of "
                            "several machines",
                            of_survey[i].option);
    for (size_t i = 0; are_several && i < sizeof of_one / sizeof *of_one; i++)
        if (of_one[i].is_given)
            return fail_set(fail, FAIL_INPUT, "%s is of one machine, and these are several", of_one[i].option);
    if (are_several && args.html && (args.wants_csv || args.only_differs))
        return fail_set(fail, FAIL_INPUT, "--html has all values, and a button for those that differ: leave %s out",
                        args.wants_csv ? "--csv" : "--differs");
    return are_several || !(args.only_differs || args.html) ||
           fail_set(fail, FAIL_INPUT, "%s is of several machines, and this is one", args.html ? "--html" : "--differs");
}

// A table's column is called as its folder, or as its file without .csv; where two have one name, by their paths.
static const char *machine_name(struct arena *arena, const char *path) {
    static const char ending[] = ".csv", published[] = "table.csv";
    const char *plain = compressed_plain_name(arena, path);
    size_t length = strlen(plain);
    while (length > 1 && plain[length - 1] == '/')
        length--;
    plain = arena_copy(arena, plain, length);
    const char *base = file_base(plain);
    if (strcmp(base, published) == 0 && base != plain)
        return file_base(arena_copy(arena, plain, (size_t)(base - plain - 1)));
    return file_has_suffix(base, ending) ? arena_copy(arena, base, strlen(base) - strlen(ending)) : base;
}

static void name_machines(struct arena *arena, const struct operands *operands, struct table_machine *machines) {
    for (size_t i = 0; i < operands->n_items; i++)
        machines[i].name = machine_name(arena, operands->items[i]);
    for (size_t i = 0; i < operands->n_items; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(machines[i].name, machines[k].name) == 0)
                machines[i].name = operands->items[i];
}

static bool read_machine(struct arena *arena, const char *path, struct survey_table *table, struct fail *fail) {
    const char *file = table_csv_file(arena, path);
    return file ? table_read_csv(arena, file, table, fail)
                : table_read(arena, &path, 1, NULL, 0, &cli_listener, table, fail);
}

static bool work_on_machines(struct arena *arena, const struct operands *operands, struct fail *fail) {
    size_t n = operands->n_items;
    struct table_machine *machines = ARENA_ARRAY(arena, struct table_machine, n);
    if (!check_options(n > 1, fail))
        return false;
    name_machines(arena, operands, machines);
    for (size_t i = 0; i < n; i++) {
        struct survey_table *table = ARENA_NEW(arena, struct survey_table);
        if (!read_machine(arena, operands->items[i], table, fail))
            return false;
        machines[i].table = table;
    }
    if (n == 1)
        return print_table(arena, machines[0].table, fail);
    if (args.html)
        return write_page(table_machines_page(arena, machines, n, args.form, fail), fail);
    const struct table_machines_options wanted = {
        .form = args.form, .only_differs = args.only_differs, .colour = cli_wants_colour()};
    return (args.wants_csv ? table_machines_write_csv : table_machines_print)(arena, machines, n, &wanted, stdout,
                                                                              fail);
}

// Whether the operands are shards of one survey. Sets `is_one` to false where one of them is published, or they were
// measured on several machines.
static bool find_kind(struct arena *arena, const struct operands *operands, bool *is_one, struct fail *fail) {
    const char *machine = NULL;
    *is_one = true;
    for (size_t i = 0; i < operands->n_items; i++)
        if (table_csv_file(arena, operands->items[i]))
            *is_one = false;
    for (size_t i = 0; *is_one && operands->n_items > 1 && i < operands->n_items; i++) {
        struct table_origin origin;
        if (!table_find_origin(arena, operands->items[i], &origin, fail))
            return false;
        if (machine && origin.machine && strcmp(machine, origin.machine) != 0)
            *is_one = false;
        machine = origin.machine ? origin.machine : machine;
    }
    return true;
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    bool is_one;
    if (args.wants_csv && lab_args.files.wants_json)
        return fail_set(fail, FAIL_INPUT, "--csv and --json are two formats: choose one");
    if (!operands->n_items)
        return fail_set(fail, FAIL_INPUT, "name the folder of a survey, such as 'survey'");
    return find_kind(arena, operands, &is_one, fail) &&
           (is_one ? work_on_survey : work_on_machines)(arena, operands, fail);
}

int cmd_table(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
