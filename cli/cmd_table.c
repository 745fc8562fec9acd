// cyclops table: the instruction table of a survey.
#include "cli/cli.h"

#include "base/text.h"
#include "cli/lab_args.h"
#include "report/exegesis.h"
#include "report/table.h"

#include <string.h>

static struct {
    const char *form, *sort, *exegesis;
    bool wants_csv, with_left_out, wants_classes;
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
    "  cyclops table survey --exegesis-yaml zen5\n",
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
    if (origin.target && !origin.cpu && !origin.is_here)
        lab_say(&cli_listener, LAB_NOTE, "'%s' is of another CPU than this one: --mcpu names the model to compare with",
                folder);
    if (origin.cpu || !origin.is_here)
        *ARENA_ADD(arena, cpus->items, cpus->n_items) = origin.cpu ? origin.cpu : "none";
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

static bool print(struct arena *arena, const struct model_set *models, const struct operands *operands,
                  struct fail *fail) {
    struct survey_table table;
    for (unsigned i = 0; i < models->n_judged; i++)
        if (!models->judged[i].missing && models->judged[i].overlay)
            return fail_set(fail, FAIL_INPUT,
                            "a table shows what LLVM's tables state, which an overlay does not change: 'cyclops check "
                            "--mcpu OVERLAY' holds an overlay against the measurements");
    struct table_report_options wanted = {
        .form = args.form, .with_left_out = args.with_left_out, .colour = cli_wants_colour()};
    if (args.sort && !table_sort_read(args.sort, &wanted.sort, fail))
        return false;
    if (!table_read(arena, operands->items, operands->n_items, models->judged, models->n_judged, &cli_listener, &table,
                    fail))
        return false;
    if (args.exegesis)
        return write_exegesis(arena, models, &table, fail);
    if (args.wants_classes)
        return table_classes_write(arena, &table,
                                   args.wants_csv              ? TABLE_CSV
                                   : lab_args.files.wants_json ? TABLE_JSON
                                                               : TABLE_TEXT,
                                   cli_wants_colour(), stdout, fail);
    if (args.wants_csv)
        return table_report_write_csv(arena, &table, &wanted, stdout, fail);
    return (lab_args.files.wants_json ? table_report_write_json : table_report_print)(arena, &table, &wanted, stdout,
                                                                                      fail);
}

static bool work(struct arena *arena, const struct operands *operands, struct fail *fail) {
    struct model_set models = {0};
    if (args.wants_csv && lab_args.files.wants_json)
        return fail_set(fail, FAIL_INPUT, "--csv and --json are two formats: choose one");
    if (!operands->n_items)
        return fail_set(fail, FAIL_INPUT, "name the folder of a survey, such as 'survey'");
    if (!choose_cpu(arena, operands->items[0], fail))
        return false;
    const struct model_request wanted = lab_models(&lab_args.options);
    bool is_done = model_set_open(&models, arena, &wanted, fail) && print(arena, &models, operands, fail);
    model_set_close(&models);
    return is_done;
}

int cmd_table(int argc, char **argv) {
    return cli_run(&command, argc, argv, work);
}
