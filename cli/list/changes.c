// cyclops list changes: opcodes whose numbers differ between two versions of LLVM.
#include "cli/list/list.h"

#include "analyzer/model/model.h"
#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opened {
    struct model model;
    const struct opcode_cost *costs; // in the order of names
    size_t n_costs;
};

static int by_opcode(const void *a, const void *b) {
    return strcmp(((const struct opcode_cost *)a)->opcode, ((const struct opcode_cost *)b)->opcode);
}

// Opcodes that both versions describe; those of another latency, reciprocal throughput or number of uops, and of each;
// those whose entries of resources differ, also where a resource was only renamed.
struct change_counts {
    size_t n_common, n_changed, n_latency, n_rthroughput, n_uops, n_resources;
};

static bool differs(double a, double b) {
    return fabs(a - b) > 1e-9;
}

// Counts the differences between two versions of an opcode; true where there is one.
static bool count_change(const struct opcode_cost *from, const struct opcode_cost *to, struct change_counts *counts) {
    bool latency = from->latency != to->latency, rthroughput = differs(from->rthroughput, to->rthroughput),
         uops = from->uops != to->uops, resources = strcmp(from->resources, to->resources) != 0;
    counts->n_common++;
    counts->n_latency += latency;
    counts->n_rthroughput += rthroughput;
    counts->n_uops += uops;
    counts->n_resources += resources;
    counts->n_changed += latency || rthroughput || uops;
    return latency || rthroughput || uops || resources;
}

static json_t *cost_to_json(const struct opcode_cost *cost) {
    return json_pack("{s:i, s:o, s:i, s:s}", "latency", (int)cost->latency, "rthroughput",
                     json_rounded(cost->rthroughput, 4), "uops", (int)cost->uops, "resources", cost->resources);
}

// With a blank between the entries, so that a line can end there.
static const char *spaced(struct arena *arena, const char *resources) {
    struct text text = {.arena = arena};
    bool is_inside = false; // of brackets
    for (const char *c = resources; *c; c++) {
        is_inside = (is_inside || *c == '[') && *c != ']';
        text_addf(&text, "%c%s", *c, *c == ',' && !is_inside ? " " : "");
    }
    return text.data ? text.data : "";
}

static bool report_change(struct table *table, const struct opcode_cost *from, const struct opcode_cost *to,
                          struct fail *fail) {
    const struct opcode_cost *both[] = {from, to};
    if (list_args.json)
        return json_write_line(
            stdout,
            json_pack("{s:s, s:o, s:o}", "form", from->opcode, "before", cost_to_json(from), "after", cost_to_json(to)),
            fail);
    for (size_t i = 0; i < 2; i++) {
        table_cell(table, "%s", i == 0 ? from->opcode : "");
        table_cell(table, "%u", both[i]->latency);
        table_cell(table, "%.2f", both[i]->rthroughput);
        table_cell(table, "%u", both[i]->uops);
        table_cell(table, "%s", spaced(table->arena, both[i]->resources));
    }
    return true;
}

// `each`: whether every change is reported, and not only how many there are.
static bool compare_costs(const struct opened *from, const struct opened *to, struct change_counts *counts, bool each,
                          struct table *table, struct fail *fail) {
    for (size_t i = 0, j = 0; i < from->n_costs && j < to->n_costs;) {
        int order = by_opcode(&from->costs[i], &to->costs[j]);
        if (order == 0 && count_change(&from->costs[i], &to->costs[j], counts) && each &&
            !report_change(table, &from->costs[i], &to->costs[j], fail))
            return false;
        i += order <= 0;
        j += order >= 0;
    }
    return true;
}

static bool open_costs(struct arena *arena, const struct isa *isa, const char *llvm, const char *cpu,
                       struct opened *opened, struct fail *fail) {
    const struct backend_options wanted = {.triple = isa->triple, .cpu = cpu, .output_syntax = -1};
    const struct opcode_cost *costs;
    if (!model_open(&opened->model, arena, llvm, &wanted, fail))
        return false;
    opened->n_costs = opened->model.backend->opcode_costs(opened->model.cpu, arena, &costs);
    struct opcode_cost *sorted = ARENA_ARRAY(arena, struct opcode_cost, opened->n_costs);
    memcpy(sorted, costs, opened->n_costs * sizeof *sorted);
    qsort(sorted, opened->n_costs, sizeof *sorted, by_opcode);
    opened->costs = sorted;
    return true;
}

static bool add_counts(struct table *table, const char *cpu, const struct change_counts *counts, struct fail *fail) {
    const size_t numbers[] = {counts->n_common,      counts->n_changed, counts->n_latency,
                              counts->n_rthroughput, counts->n_uops,    counts->n_resources};
    if (list_args.json)
        return json_write_line(stdout,
                               json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "model", cpu, "opcodes",
                                         (json_int_t)numbers[0], "changed", (json_int_t)numbers[1], "latency",
                                         (json_int_t)numbers[2], "rthroughput", (json_int_t)numbers[3], "uops",
                                         (json_int_t)numbers[4], "resources", (json_int_t)numbers[5]),
                               fail);
    table_cell(table, "%s", cpu);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        table_cell(table, "%zu", numbers[i]);
    return true;
}

static bool compare_cpu(struct arena *arena, const struct isa *isa, const char *cpu, bool each, struct table *table,
                        struct fail *fail) {
    struct opened from = {0}, to = {0};
    struct change_counts counts = {0};
    struct arena own = {0};
    bool is_done = open_costs(&own, isa, list_args.llvms.items[0], cpu, &from, fail) &&
                   open_costs(&own, isa, list_args.llvms.items[1], cpu, &to, fail) &&
                   compare_costs(&from, &to, &counts, each, table, fail) &&
                   (each || add_counts(table, arena_strdup(arena, cpu), &counts, fail));
    if (is_done && each && !list_args.json && table->n_cells)
        table_print(table, stdout, cli_wants_colour());
    model_close(&from.model);
    model_close(&to.model);
    arena_free(&own);
    return is_done;
}

bool list_changes(struct arena *arena, struct fail *fail) {
    static const char *const counted[] = {"opcodes", "changed", "latency", "rthroughput", "uops", "resources"};
    static const char *const costs[] = {"latency", "rthroughput", "uops", "resources"};
    const struct isa *isa = cli_isa(arena, list_args.isa, fail);
    struct listed_models models;
    struct table table = {.arena = arena};
    if (!isa)
        return false;
    if (list_args.llvms.n_items != 2)
        return fail_set(fail, FAIL_INPUT, "name the two versions to compare: --llvm 19 --llvm 22");
    if (list_args.cpu && (model_is_overlay(list_args.cpu) || model_names_version(list_args.cpu)))
        return fail_set(fail, FAIL_INPUT, "--mcpu takes the name of a CPU that both versions know, not '%s'",
                        list_args.cpu);
    table_column(&table, TABLE_LEFT, list_args.cpu ? "opcode" : "model");
    for (size_t i = 0; i < (list_args.cpu ? 3 : sizeof counted / sizeof *counted); i++)
        table_column(&table, TABLE_RIGHT, list_args.cpu ? costs[i] : counted[i]);
    if (list_args.cpu)
        table_column(&table, TABLE_NOTE, costs[3]);
    if (list_args.cpu)
        return compare_cpu(arena, isa, list_args.cpu, true, &table, fail);
    if (!list_find_models(arena, isa, list_args.llvms.items, list_args.llvms.n_items, &models, fail))
        return false;
    for (size_t i = 0; i < models.n_items; i++)
        if (models.items[i].n_versions == 2 && !compare_cpu(arena, isa, models.items[i].name, false, &table, fail))
            return false;
    if (!list_args.json)
        table_print(&table, stdout, cli_wants_colour());
    return true;
}
