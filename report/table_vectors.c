// RISC-V: values of vector forms by element width and group of registers, beside the model's, and how they grow.
#include "report/table.h"

#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "report/page_fill.h"
#include "report/row_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_GROUPS = 7, N_WIDTHS = 4, N_CELLS = N_GROUPS * N_WIDTHS, LEAST_LMUL = -3, LEAST_BITS = 8, DECIMALS = 5 };

// One value of a form with one pair.
struct cell {
    const struct table_value *value; // null: none is known
    const char *class_name;          // the model's scheduling class; null: unknown
    double model;                    // of the first model; below 0: unknown
    bool differs;                    // the model's number is outside of what was measured
    struct vector_config pair;
};

// Cycles by registers: `first` for one or part of one, `more` for each further one.
struct rule {
    bool is_found;
    double first, more;
    double error;                         // of the cells that confirm it, as shares
    unsigned n_confirm, n_allow, n_known; // cells, of those with a value; the others are exceptions
};

// What a cell says of a rule.
enum verdict { CONTRADICTS, ALLOWS, CONFIRMS };

// A form with all its pairs, and one of its quantities.
struct grid {
    const char *form; // with what its name has behind the pair: "VADD_VV", "VADD_VV-half"
    const char *quantity;
    struct cell cells[N_CELLS];   // by width, then by group
    struct rule rule;             // of all widths
    struct rule widths[N_WIDTHS]; // where no rule is of all of them
};

struct grids {
    struct arena *arena;
    struct grid *items;
    size_t n;
};

static unsigned place_of(const struct vector_config *pair) {
    unsigned width = 0;
    while (LEAST_BITS << width < (int)pair->sew)
        width++;
    return width * N_GROUPS + (unsigned)(pair->lmul - LEAST_LMUL);
}

// "VADD_VV-half" of "VADD_VV-e32m2-half".
static const char *name_without_pair(struct arena *arena, const char *form, const char *words) {
    return arena_printf(arena, "%.*s%s", (int)(words - 1 - form), form, words + strcspn(words, "-"));
}

static struct grid *find_grid(struct grids *grids, const char *form, const char *quantity) {
    for (size_t i = 0; i < grids->n; i++)
        if (strcmp(grids->items[i].form, form) == 0 && strcmp(grids->items[i].quantity, quantity) == 0)
            return &grids->items[i];
    struct grid *grid = ARENA_ADD(grids->arena, grids->items, grids->n);
    *grid = (struct grid){.form = form, .quantity = quantity};
    return grid;
}

// `number`: the model's, if it is known.
static void add_cell(struct grids *grids, const char *form, const char *quantity, struct cell cell,
                     const struct table_model *model, double number, struct row_summary_range range) {
    bool has_model = model && model->is_known;
    cell.model = has_model ? number : -1;
    cell.differs = has_model && row_summary_differs(grids->arena, number, range);
    find_grid(grids, form, quantity)->cells[place_of(&cell.pair)] = cell;
}

static void add_row(struct grids *grids, const struct survey_table *table, const struct table_row *row) {
    struct cell cell = {.class_name = row->sched_class};
    const char *words = vector_config_in_name(row->form, &cell.pair);
    if (row->left_out || !words)
        return;
    const char *form = name_without_pair(grids->arena, row->form, words);
    const struct row_summary summary = row_summary_latency(grids->arena, row);
    const struct table_throughput *throughput = row_summary_throughput(row);
    const struct table_model *model = table->n_models ? &row->models[0] : NULL;
    if (summary.latency) {
        cell.value = &summary.latency->value;
        add_cell(grids, form, "latency", cell, model, model ? model->latency : 0, row_summary_latency_range(row));
    }
    if (throughput) {
        cell.value = &throughput->value;
        add_cell(grids, form, "throughput", cell, model, model ? model->rthroughput : 0,
                 row_summary_throughput_range(row));
    }
}

// ---- the rule

static double predicted_by(const struct rule *rule, const struct cell *cell) {
    return rule->first + rule->more * (vector_config_registers(&cell->pair) - 1);
}

// Only an exact value confirms a rule. A bound says that the truth is no more, and one that is not stable that it is in
// its interval.
static enum verdict verdict_of(const struct rule *rule, const struct cell *cell) {
    static const double share = 0.03, least = 0.06;
    const double cycles = predicted_by(rule, cell), slack = least + share * cycles;
    if (cycles > cell->value->high + slack ||
        (cell->value->relation == TABLE_EQUAL && cycles < cell->value->low - slack))
        return CONTRADICTS;
    return table_is_single(cell->value) ? CONFIRMS : ALLOWS;
}

// The rule with what these cells say of it. Too few confirm it where they are not of three numbers of registers, as any
// two are on a line, or where as many contradict it.
static struct rule judged(struct rule rule, const struct cell *cells, unsigned n) {
    enum { LEAST_COUNTS = 3 };
    unsigned counts = 0; // a bit for each number of whole registers, which are powers of two
    for (unsigned i = 0; i < n; i++) {
        if (!cells[i].value)
            continue;
        const enum verdict verdict = verdict_of(&rule, &cells[i]);
        rule.n_known++;
        rule.n_confirm += verdict == CONFIRMS;
        rule.n_allow += verdict == ALLOWS;
        if (verdict != CONFIRMS)
            continue;
        counts |= cells[i].pair.lmul < 0 ? 0 : vector_config_registers(&cells[i].pair);
        rule.error += fabs(predicted_by(&rule, &cells[i]) / cells[i].value->cycles - 1);
    }
    rule.is_found = __builtin_popcount(counts) >= LEAST_COUNTS && 2 * rule.n_confirm + rule.n_allow > rule.n_known;
    return rule;
}

// The rule through two exact values that most others confirm, and of such the nearest.
static struct rule find_rule(const struct cell *cells, unsigned n_cells) {
    struct rule best = {.is_found = false};
    for (unsigned a = 0; a < n_cells; a++)
        for (unsigned b = 0; b < n_cells; b++) {
            const struct cell *one = &cells[a], *other = &cells[b];
            if (!one->value || !other->value || !table_is_single(one->value) || !table_is_single(other->value))
                continue;
            const double n = vector_config_registers(&one->pair), m = vector_config_registers(&other->pair);
            struct rule rule = {.more = n < m ? (other->value->cycles - one->value->cycles) / (m - n) : 0};
            rule.first = one->value->cycles - rule.more * (n - 1);
            rule = judged(rule, cells, n_cells);
            if (n <= m && rule.is_found &&
                (rule.n_confirm > best.n_confirm || (rule.n_confirm == best.n_confirm && rule.error < best.error)))
                best = rule;
        }
    return best;
}

// One rule, or one for each width where these have fewer exceptions.
static void find_rules(struct grid *grid) {
    unsigned n_left = 0, n_known = 0, n_left_by_width = 0;
    grid->rule = find_rule(grid->cells, N_CELLS);
    for (unsigned w = 0; w < N_WIDTHS; w++)
        grid->widths[w] = find_rule(&grid->cells[(size_t)w * N_GROUPS], N_GROUPS);
    for (unsigned i = 0; i < N_CELLS; i++) {
        const struct cell *cell = &grid->cells[i];
        const struct rule *own = &grid->widths[i / N_GROUPS];
        if (!cell->value)
            continue;
        n_known++;
        n_left += !grid->rule.is_found || verdict_of(&grid->rule, cell) == CONTRADICTS;
        n_left_by_width += !own->is_found || verdict_of(own, cell) == CONTRADICTS;
    }
    if (n_left_by_width < n_left)
        grid->rule.is_found = false;
    else
        memset(grid->widths, 0, sizeof grid->widths);
    if (!grid->rule.is_found)
        grid->rule = (struct rule){.n_known = n_known};
}

static const struct rule *rule_for(const struct grid *grid, unsigned cell) {
    return grid->rule.is_found ? &grid->rule : &grid->widths[cell / N_GROUPS];
}

static const char *rounded(struct arena *arena, double cycles) {
    return row_summary_number(arena, cycles, row_summary_decimals(cycles));
}

static const char *rule_text(struct arena *arena, const struct rule *rule) {
    static const double slack = 0.03;
    if (!rule->is_found)
        return "";
    if (fabs(rule->more) < slack)
        return rounded(arena, rule->first);
    if (fabs(rule->more - rule->first) < slack * rule->first)
        return arena_printf(arena, "%s a register", rounded(arena, rule->more));
    return arena_printf(arena, "%s + %s a further register", rounded(arena, rule->first), rounded(arena, rule->more));
}

static const char *pair_text(struct arena *arena, const struct vector_config *config) {
    struct text text = {.arena = arena};
    vector_config_print_pair(config, &text);
    return text.data;
}

// The rule that is stated beside a width's cells, and the pairs that contradict it.
static const char *rule_beside(struct arena *arena, const struct grid *grid, unsigned width, bool is_first) {
    const struct rule *rule = rule_for(grid, width * N_GROUPS);
    const bool is_of_all = rule == &grid->rule;
    struct text text = {.arena = arena};
    text_add(&text, is_of_all && !is_first ? "" : rule_text(arena, rule));
    bool has_exceptions = false;
    for (unsigned i = 0; i < N_CELLS && text.length; i++) {
        if (!grid->cells[i].value || (!is_of_all && i / N_GROUPS != width) ||
            verdict_of(rule, &grid->cells[i]) != CONTRADICTS)
            continue;
        text_addf(&text, "%s %s", has_exceptions ? "" : "; but", pair_text(arena, &grid->cells[i].pair));
        has_exceptions = true;
    }
    if (text.length && rule->n_allow)
        text_addf(&text, " (%u not known exactly)", rule->n_allow);
    return text.data;
}

// ---- formats

static void print_text(const struct survey_table *table, const struct grids *grids, bool colour, FILE *out) {
    static const char *const groups[N_GROUPS] = {"mf8", "mf4", "mf2", "m1", "m2", "m4", "m8"};
    struct table text = {.arena = grids->arena};
    table_column(&text, TABLE_LEFT, "form");
    table_column(&text, TABLE_LEFT, "value");
    table_column(&text, TABLE_RIGHT, "bits");
    for (unsigned g = 0; g < N_GROUPS; g++)
        table_column(&text, TABLE_RIGHT, groups[g]);
    table_column(&text, TABLE_NOTE, "by registers");
    for (size_t i = 0; i < grids->n; i++) {
        const struct grid *grid = &grids->items[i];
        bool is_first = true;
        for (unsigned w = 0; w < N_WIDTHS; w++) {
            const struct cell *cells = &grid->cells[(size_t)w * N_GROUPS];
            bool has_any = false;
            for (unsigned g = 0; g < N_GROUPS; g++)
                has_any |= cells[g].value != NULL;
            if (!has_any)
                continue;
            table_cell(&text, "%s", is_first ? grid->form : "");
            table_cell(&text, "%s", is_first ? grid->quantity : "");
            table_cell(&text, "%d", LEAST_BITS << w);
            for (unsigned g = 0; g < N_GROUPS; g++)
                table_cell_colour(&text, cells[g].differs ? TABLE_YELLOW : TABLE_PLAIN, "%s%s",
                                  cells[g].value ? row_summary_value(grids->arena, cells[g].value) : "",
                                  cells[g].differs ? "≠" : "");
            table_cell(&text, "%s", rule_beside(grids->arena, grid, w, is_first));
            is_first = false;
        }
    }
    fprintf(out, "Cycles by element width and group of registers. ≤: an upper bound.%s%s%s\n\n",
            table->n_models ? " ≠: " : "", table->n_models ? table->models[0] : "",
            table->n_models ? " has another number" : "");
    table_print(&text, out, colour);
}

static void write_csv(const struct grids *grids, FILE *out) {
    static const char *const words[] = {[CONTRADICTS] = "no", [ALLOWS] = "open", [CONFIRMS] = "yes"};
    fputs("form,quantity,element,group,cycles,low,high,relation,model,differs,rule,rule_holds\n", out);
    for (size_t i = 0; i < grids->n; i++)
        for (unsigned c = 0; c < N_CELLS; c++) {
            const struct grid *grid = &grids->items[i];
            const struct cell *cell = &grid->cells[c];
            const char *pair = cell->value ? pair_text(grids->arena, &cell->pair) : NULL;
            if (!pair)
                continue;
            fprintf(out, "%s,%s,%u,%s,%.5g,%.5g,%.5g,%s,", grid->form, grid->quantity, cell->pair.sew,
                    strchr(pair, 'm'), cell->value->cycles, cell->value->low, cell->value->high,
                    cell->value->relation == TABLE_EQUAL ? "equal" : "at most");
            if (cell->model >= 0)
                fprintf(out, "%.5g,%s", cell->model, cell->differs ? "yes" : "no");
            else
                fputc(',', out);
            const struct rule *rule = rule_for(grid, c);
            fprintf(out, ",%s,%s\n", rule_text(grids->arena, rule),
                    rule->is_found ? words[verdict_of(rule, cell)] : "");
        }
}

static json_t *json_of_cell(struct arena *arena, const struct rule *rule, const struct cell *cell) {
    json_t *json =
        json_pack("{s:s, s:i, s:o, s:o, s:o, s:s, s:s*}", "pair", pair_text(arena, &cell->pair), "element",
                  (int)cell->pair.sew, "cycles", json_rounded(cell->value->cycles, DECIMALS), "low",
                  json_rounded(cell->value->low, DECIMALS), "high", json_rounded(cell->value->high, DECIMALS),
                  "relation", cell->value->relation == TABLE_EQUAL ? "equal" : "at most", "class", cell->class_name);
    if (rule->is_found) {
        json_object_set_new(json, "rule_holds", json_boolean(verdict_of(rule, cell) != CONTRADICTS));
        json_object_set_new(json, "rule_confirmed", json_boolean(verdict_of(rule, cell) == CONFIRMS));
    }
    if (cell->model >= 0) {
        json_object_set_new(json, "model", json_rounded(cell->model, DECIMALS));
        json_object_set_new(json, "differs", json_boolean(cell->differs));
    }
    return json;
}

static json_t *json_of_rule(struct arena *arena, const struct rule *rule) {
    return json_pack("{s:o, s:o, s:i, s:i, s:i, s:s}", "first", json_rounded(rule->first, DECIMALS), "further",
                     json_rounded(rule->more, DECIMALS), "holds", (int)rule->n_confirm, "allowed", (int)rule->n_allow,
                     "of", (int)rule->n_known, "text", rule_text(arena, rule));
}

static json_t *json_of(struct arena *arena, const struct grid *grid) {
    json_t *cells = json_array(), *widths = json_array();
    for (unsigned c = 0; c < N_CELLS; c++)
        if (grid->cells[c].value)
            json_array_append_new(cells, json_of_cell(arena, rule_for(grid, c), &grid->cells[c]));
    for (unsigned w = 0; w < N_WIDTHS; w++) {
        if (!grid->widths[w].is_found)
            continue;
        json_t *rule = json_of_rule(arena, &grid->widths[w]);
        json_object_set_new(rule, "element", json_integer(LEAST_BITS << w));
        json_array_append_new(widths, rule);
    }
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "record", "vector", "form", grid->form, "quantity",
                     grid->quantity, "rule", json_of_rule(arena, &grid->rule), "widths", widths, "cells", cells);
}

static bool write_json(const struct grids *grids, FILE *out, struct fail *fail) {
    bool is_done = true;
    for (size_t i = 0; i < grids->n && is_done; i++)
        is_done = json_write_line(out, json_of(grids->arena, &grids->items[i]), fail);
    return is_done;
}

// A board without vectors executes none of them.
static bool fail_without_values(struct arena *arena, const struct survey_table *table, struct fail *fail) {
    size_t n = 0, n_most = 0;
    const char *most = "";
    const char **reasons = NULL;
    for (size_t i = 0; i < table->n_rows; i++)
        if (vector_config_in_name(table->rows[i].form, NULL) && table->rows[i].left_out)
            *ARENA_ADD(arena, reasons, n) = table->rows[i].left_out;
    for (size_t i = 0, n_alike; i < n && n_most < n - i; i++) {
        for (size_t k = n_alike = 0; k < n; k++)
            n_alike += strcmp(reasons[k], reasons[i]) == 0;
        most = n_alike > n_most ? reasons[i] : most;
        n_most = n_alike > n_most ? n_alike : n_most;
    }
    if (n)
        return fail_set(fail, FAIL_INPUT,
                        "none of %zu forms with a vector configuration has a value; of %zu the reason is: %s", n,
                        n_most, most);
    return fail_set(fail, FAIL_INPUT,
                    "no form of this table has a vector configuration: 'cyclops survey --vector all' measures "
                    "RISC-V's with each element width and group of registers");
}

static bool make_grids(const struct survey_table *table, struct grids *grids, struct fail *fail) {
    for (size_t i = 0; i < table->n_rows; i++)
        add_row(grids, table, &table->rows[i]);
    for (size_t i = 0; i < grids->n; i++)
        find_rules(&grids->items[i]);
    return grids->n || fail_without_values(grids->arena, table, fail);
}

bool table_vectors_write(struct arena *arena, const struct survey_table *table, enum table_format format, bool colour,
                         FILE *out, struct fail *fail) {
    struct grids grids = {.arena = arena};
    if (!make_grids(table, &grids, fail))
        return false;
    if (format == TABLE_JSON)
        return write_json(&grids, out, fail);
    if (format == TABLE_CSV)
        write_csv(&grids, out);
    else
        print_text(table, &grids, colour, out);
    return (fflush(out) == 0 && !ferror(out)) || fail_set(fail, FAIL_INPUT, "cannot write the table");
}

const char *table_vectors_page(struct arena *arena, const struct survey_table *table, struct fail *fail) {
    struct grids grids = {.arena = arena};
    if (!make_grids(table, &grids, fail))
        return NULL;
    json_t *all = json_array();
    for (size_t i = 0; i < grids.n; i++)
        json_array_append_new(all, json_of(arena, &grids.items[i]));
    return page_fill_json(arena, "vectors.html",
                          json_pack("{s:s*, s:s*, s:s*, s:o}", "machine", table->cpu, "clock", table->clock, "model",
                                    table->n_models ? table->models[0] : NULL, "forms", all),
                          fail);
}
