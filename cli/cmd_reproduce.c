// cyclops reproduce: published experiments again, published · predicted · measured here.
#include "cli/cli.h"

#include "base/file.h"
#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/reproduce.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct {
    bool all, list, json;
    const char *svg, *folder;
    double budget_ms;
    struct lab_options lab;
} args = {.lab = {.target = "native", .bench = {.cpu = -1}}, .budget_ms = 200};

static const struct option options[] = {
    {OPTION_HEADING, NULL, NULL, "Options", NULL},
    {OPTION_FLAG, "all", NULL, "All experiments, a line for each published value.", &args.all},
    {OPTION_FLAG, "list", NULL, "Only say which there are. The default where none is named.", &args.list},
    {OPTION_TEXT, "svg", "FILE", "Of one sweep: also draw n against cycles there.", &args.svg},
    {OPTION_TEXT, "target", "TARGET",
     "Where to measure: native, sim:CPU (see 'cyclops run'), or none. Default: native.", &args.lab.target},
    {OPTION_NUMBER, "budget", "MS", "Spend at most MS milliseconds on a measurement. Default: 200.", &args.budget_ms},
    {OPTION_TEXT, "references", "FOLDER", "Where the reference files are. Default: the installed ones.", &args.folder},
    {OPTION_TEXT, "llvm", "LLVM", "Version (19), module or folder of LLVM to predict with. Default: the newest.",
     &args.lab.llvm},
    {OPTION_FLAG, "json", NULL, "Print JSON Lines: an object for each published value.", &args.json},
    {0},
};

static const struct command command = {
    "reproduce",
    "[NAME…|--all|--list] [options]",
    "Does published experiments again: what was published, what the model of that\n"
    "CPU predicts, and what this machine does, side by side. NAME is an experiment,\n"
    "or a file of them.\n"
    "\n"
    "Exit 0: all predictions are within the tolerance that the reference states; 1:\n"
    "one is not, and no overlay that the reference names puts it right.\n",
    "  cyclops reproduce --all\n"
    "  cyclops reproduce fma --svg fma.svg\n",
    options,
};

// ---- one value, or several, as text

static int decimals_of(double value) {
    return fabs(value * 100 - round(value * 100)) < 1e-6 ? 2 : 3;
}

// "4.10 4.00×7 4.50"
static const char *values_text(struct arena *arena, const double *values, size_t n) {
    struct text text = {.arena = arena};
    for (size_t i = 0; i < n;) {
        size_t same = 1;
        while (i + same < n && fabs(values[i + same] - values[i]) < 0.005)
            same++;
        if (isnan(values[i]))
            text_addf(&text, "%s-", i ? " " : "");
        else
            text_addf(&text, "%s%.*f", i ? " " : "", n > 1 ? 1 : decimals_of(values[i]), values[i]);
        if (same > 1)
            text_addf(&text, "×%zu", same);
        i += same;
    }
    return text.data;
}

static const char *value_name(struct arena *arena, const struct reference *reference,
                              const struct reference_value *value) {
    const char *name = reference_quantity_name(value->quantity);
    if (value->copies)
        return arena_printf(arena, "%s of %u", name, value->copies);
    if (reference->kind == REFERENCE_SWEEP)
        return arena_printf(arena, "%s, n = %u..%zu", name, reference->first, reference->first + value->n - 1);
    return name;
}

static const char *predicted_text(struct arena *arena, const struct reproduction *r,
                                  const struct reproduced_value *value) {
    if (r->no_prediction)
        return "-";
    const char *text = values_text(arena, value->predicted, value->reference->n);
    return value->repaired
               ? arena_printf(arena, "%s → %s", text, values_text(arena, value->repaired, value->reference->n))
               : text;
}

static const char *measured_text(struct arena *arena, const struct reproduced_value *value) {
    if (!value->measured)
        return value->not_measured;
    bool is_share = value->reference->quantity == QUANTITY_RTHROUGHPUT || value->reference->quantity == QUANTITY_IPC;
    const char *text = value->reference->n > 1 ? values_text(arena, value->measured, value->reference->n)
                                               : arena_printf(arena, "%.*f", is_share ? 3 : 2, *value->measured);
    return value->is_unstable ? arena_printf(arena, "%s ?", text) : text;
}

static const char *model_text(struct arena *arena, const struct reference *reference) {
    return reference->repaired_by ? arena_printf(arena, "%s → %s", reference->model, reference->repaired_by)
                                  : reference->model;
}

static const char *verdict_text(const struct reproduction *r, const struct reproduced_value *value) {
    if (r->no_prediction)
        return "NO PREDICTION";
    return value->matches ? "agrees" : value->is_repaired ? "repaired" : "DIFFERS";
}

static enum table_colour verdict_colour(const struct reproduction *r, const struct reproduced_value *value) {
    if (r->no_prediction || !(value->matches || value->is_repaired))
        return TABLE_RED;
    return value->matches ? TABLE_GREEN : TABLE_YELLOW;
}

// ---- reports

static void print_list(struct arena *arena, const struct reference_set *set) {
    struct table table = {.arena = arena};
    table_column(&table, TABLE_LEFT, "experiment");
    table_column(&table, TABLE_LEFT, "file");
    table_column(&table, TABLE_LEFT, "about");
    for (size_t i = 0; i < set->n; i++) {
        table_cell(&table, "%s", set->items[i].name);
        table_cell(&table, "%s", set->items[i].file);
        table_cell(&table, "%s", set->items[i].about);
    }
    table_print(&table, stdout, cli_wants_colour());
}

static void print_table(struct arena *arena, const struct reproduction *all, size_t n) {
    struct table table = {.arena = arena};
    static const char *const titles[] = {"experiment", "value", "published", "predicted", "", "by", "measured here"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(&table, TABLE_LEFT, titles[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < all[i].reference->n_values; v++) {
            const struct reproduced_value *value = &all[i].values[v];
            table_cell(&table, "%s", all[i].reference->name);
            table_cell(&table, "%s", value_name(arena, all[i].reference, value->reference));
            table_cell(&table, "%s", values_text(arena, value->reference->published, value->reference->n));
            table_cell(&table, "%s", predicted_text(arena, &all[i], value));
            table_cell_colour(&table, verdict_colour(&all[i], value), "%s", verdict_text(&all[i], value));
            table_cell(&table, "%s", model_text(arena, all[i].reference));
            table_cell(&table, "%s", measured_text(arena, value));
        }
    table_print(&table, stdout, cli_wants_colour());
}

static void add_cell(struct table *table, const double *values, size_t i, int decimals) {
    if (values && !isnan(values[i]))
        table_cell(table, "%.*f", decimals, values[i]);
    else
        table_cell(table, "-");
}

// A sweep in full: a line for each n, both forms.
static void print_sweep(struct arena *arena, const struct reproduction *r) {
    const struct reproduced_value *value = &r->values[0];
    const struct reference *reference = r->reference;
    const char *form = reference->is_looped ? "looped" : "unrolled",
               *other = reference->is_looped ? "unrolled" : "looped";
    struct table table = {.arena = arena};
    table_column(&table, TABLE_RIGHT, "n");
    table_column(&table, TABLE_RIGHT, arena_printf(arena, "published, %s", form));
    table_column(&table, TABLE_RIGHT, arena_printf(arena, "%s, %s", reference->model, form));
    table_column(&table, TABLE_RIGHT, "measured here");
    table_column(&table, TABLE_RIGHT, arena_printf(arena, "%s, %s", reference->model, other));
    table_column(&table, TABLE_RIGHT, "measured here");
    for (size_t i = 0; i < value->reference->n; i++) {
        table_cell(&table, "%zu", reference->first + i);
        table_cell(&table, "%.1f", value->reference->published[i]);
        add_cell(&table, value->predicted, i, 2);
        add_cell(&table, value->measured, i, 2);
        add_cell(&table, value->predicted_other, i, 2);
        add_cell(&table, value->measured_other, i, 2);
    }
    table_print(&table, stdout, cli_wants_colour());
    if (value->is_unstable)
        puts("measured here, some are unstable: 'cyclops run' tells which, and why");
    if (!value->measured)
        printf("not measured here: %s\n", value->not_measured);
    printf("prediction by %s: %s\n", model_text(arena, reference), verdict_text(r, value));
}

static void print_about(const struct reference *reference) {
    printf("%s: %s\n  source     %s\n  tolerance  ±%g: %s\n", reference->name, reference->about, reference->source,
           reference->tolerance, reference->why);
    if (reference->note)
        printf("  note       %s\n", reference->note);
}

static json_t *numbers(const double *values, size_t n) {
    json_t *array = json_array();
    for (size_t i = 0; values && i < n; i++)
        json_array_append_new(array, isnan(values[i]) ? json_null() : json_rounded(values[i], 4));
    return array;
}

static bool print_json(struct arena *arena, const struct reproduction *all, size_t n, struct fail *fail) {
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < all[i].reference->n_values; v++) {
            const struct reproduced_value *value = &all[i].values[v];
            size_t count = value->reference->n;
            json_t *line = json_pack(
                "{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:s, s:s*, s:s, s:s*, s:s*}", "experiment", all[i].reference->name,
                "value", value_name(arena, all[i].reference, value->reference), "published",
                numbers(value->reference->published, count), "predicted", numbers(value->predicted, count), "repaired",
                numbers(value->repaired, count), "measured", numbers(value->measured, count), "unstable",
                value->is_unstable, "model", all[i].reference->model, "repaired_by", all[i].reference->repaired_by,
                "verdict", verdict_text(&all[i], value), "not_measured", value->not_measured, "no_prediction",
                all[i].no_prediction);
            if (!json_write_line(stdout, line, fail))
                return false;
        }
    return true;
}

// In full where one experiment was asked for, else a table.
static bool report(struct arena *arena, const struct lab *lab, const struct reproduction *all, size_t n,
                   struct fail *fail) {
    if (args.json)
        return print_json(arena, all, n, fail);
    if (lab)
        printf("%s\n", lab_summary(lab));
    bool is_sweep = n == 1 && all[0].reference->kind == REFERENCE_SWEEP;
    for (size_t i = 0; !args.all && i < n; i++)
        print_about(all[i].reference);
    if (is_sweep && !all[0].no_prediction)
        print_sweep(arena, &all[0]);
    else
        print_table(arena, all, n);
    for (size_t i = 0; i < n; i++)
        if (all[i].no_prediction)
            fprintf(stderr, "cyclops: warning: %s: no prediction: %s\n", all[i].reference->name, all[i].no_prediction);
    return true;
}

// ---- the work

static bool is_wanted(const struct reference *reference, const struct operands *operands, bool *was_found) {
    bool is_it = args.all;
    for (size_t i = 0; i < operands->n_items; i++) {
        bool is_this =
            strcmp(operands->items[i], reference->name) == 0 || strcmp(operands->items[i], reference->file) == 0;
        was_found[i] |= is_this;
        is_it |= is_this;
    }
    return is_it;
}

// An experiment by its own name comes before the file of that name.
static bool choose(struct arena *arena, const struct reference_set *set, const struct operands *operands,
                   struct reproduction **chosen, size_t *n, struct fail *fail) {
    bool *was_found = ARENA_ARRAY(arena, bool, operands->n_items);
    const char **names = ARENA_ARRAY(arena, const char *, set->n);
    *chosen = ARENA_ARRAY(arena, struct reproduction, set->n);
    for (size_t i = 0; i < set->n; i++) {
        names[i] = set->items[i].name;
        for (size_t k = 0; k < operands->n_items; k++)
            if (strcmp(operands->items[k], names[i]) == 0 && operands->n_items == 1 && !args.all) {
                (*chosen)[(*n)++].reference = &set->items[i];
                return true;
            }
    }
    for (size_t i = 0; i < set->n; i++)
        if (is_wanted(&set->items[i], operands, was_found))
            (*chosen)[(*n)++].reference = &set->items[i];
    for (size_t i = 0; i < operands->n_items; i++)
        if (!was_found[i])
            return fail_set(fail, FAIL_INPUT, "there is no experiment '%s'%s; 'cyclops reproduce --list' shows them",
                            operands->items[i], text_did_you_mean(arena, operands->items[i], names, set->n));
    return true;
}

// All programs, and those of the lab's clock where there is one, in one run of the assembler of each ISA.
static bool assemble(struct arena *arena, const struct lab *lab, struct reproduction *all, size_t n,
                     struct fail *fail) {
    struct program **programs = NULL;
    size_t n_programs = 0;
    for (enum chain c = CHAIN_REFERENCE; lab && c < N_CHAINS; c++) {
        programs = arena_grow(arena, programs, n_programs, sizeof *programs);
        programs[n_programs++] = lab->chains[c];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; e < all[i].n_experiments; e++) {
            programs = arena_grow(arena, programs, n_programs, sizeof *programs);
            programs[n_programs++] = &all[i].experiments[e]->program;
        }
    return n_programs == 0 || gen_assemble(arena, programs, n_programs, fail);
}

static bool open_lab(struct arena *arena, struct lab *lab, struct fail *fail) {
    static const char *none[] = {"none"};
    args.lab.isa = cli_isa(arena, NULL, fail);
    args.lab.cpus = (struct option_list){none, 1};
    args.lab.bench.budget_ms = args.budget_ms;
    return args.lab.isa && lab_open(lab, arena, &args.lab, fail);
}

// Why nothing can be measured, for every value that was to be.
static void leave_unmeasured(struct reproduction *all, size_t n, const char *why) {
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < all[i].reference->n_values; v++)
            if (!all[i].values[v].not_measured)
                all[i].values[v].not_measured = why;
}

static bool measure_all(struct lab *lab, struct reproduction *all, size_t n, struct fail *fail) {
    interrupt_watch();
    for (size_t i = 0; i < n; i++)
        if (!reproduce_measure(lab, &all[i], fail))
            return false;
    return true;
}

// Where this machine cannot measure, predictions are still made.
static bool reproduce(struct arena *arena, struct lab *lab, struct reproduction *all, size_t n, bool *agrees,
                      struct fail *fail) {
    const struct isa *native = isa_native();
    struct fail cannot = {0};
    bool can_measure = strcmp(args.lab.target, "none") != 0 && open_lab(arena, lab, &cannot);
    for (size_t i = 0; i < n; i++)
        if (!reproduce_plan(arena, native, &all[i], fail))
            return false;
    if (!assemble(arena, can_measure ? lab : NULL, all, n, fail))
        return false;
    can_measure = can_measure && lab_start(lab, &args.lab, &cannot);
    if (cannot.status == FAIL_INPUT) {
        *fail = cannot;
        return false;
    }
    *agrees = true;
    for (size_t i = 0; i < n; i++) {
        reproduce_predict(arena, args.lab.llvm, &all[i]);
        *agrees &= reproduce_agrees(&all[i]);
    }
    if (!can_measure)
        leave_unmeasured(all, n, cannot.status ? arena_strdup(arena, cannot.text) : "not asked for");
    else if (!measure_all(lab, all, n, fail))
        return false;
    if (args.svg && !reproduce_svg(arena, &all[0], args.svg, fail))
        return false;
    return (args.svg && strcmp(args.svg, "-") == 0) || report(arena, can_measure ? lab : NULL, all, n, fail);
}

static bool run(struct arena *arena, struct lab *lab, const struct operands *operands, bool *agrees,
                struct fail *fail) {
    struct reference_set set = {0};
    const char *folder = args.folder ? args.folder : file_installed(arena, "share/cyclops/results/published");
    if (!reference_load_folder(arena, folder, &set, fail))
        return false;
    if (args.list || (operands->n_items == 0 && !args.all)) {
        print_list(arena, &set);
        return true;
    }
    struct reproduction *chosen;
    size_t n = 0;
    if (!choose(arena, &set, operands, &chosen, &n, fail))
        return false;
    if (args.svg && n != 1)
        return fail_set(fail, FAIL_INPUT, "--svg draws one sweep: name it");
    return reproduce(arena, lab, chosen, n, agrees, fail);
}

int cmd_reproduce(int argc, char **argv) {
    struct arena arena = {0};
    struct operands operands = {0};
    struct fail fail = {0};
    struct lab lab = {0};
    bool agrees = true;
    if (options_parse(&arena, &command, argc, argv, &operands, &fail) == OPTIONS_OK) {
        run(&arena, &lab, &operands, &agrees, &fail);
        lab_close(&lab);
    }
    int status = fail.status != FAIL_NONE ? cli_failed(&fail) : cli_finish();
    if (interrupt_seen() && status == 0)
        status = INTERRUPT_STATUS;
    arena_free(&arena);
    return status != 0 ? status : agrees ? 0 : FAIL_WORK;
}
