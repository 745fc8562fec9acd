// Prints what `cyclops reproduce` has found.
#include "report/reproduce.h"

#include "base/json.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- values as text

static int decimals_of(double value) {
    return fabs(value * 100 - round(value * 100)) < 1e-6 ? 2 : 3;
}

// Returns values as text: "4.10 4.00×7 4.50".
// `are_unstable`: those that a mark follows; null: none.
static const char *values_text(struct arena *arena, const double *values, const bool *are_unstable, size_t n) {
    struct text text = {.arena = arena};
    for (size_t i = 0; i < n;) {
        size_t same = 1;
        bool is_unstable = are_unstable && are_unstable[i];
        while (i + same < n && fabs(values[i + same] - values[i]) < 0.005 &&
               is_unstable == (are_unstable && are_unstable[i + same]))
            same++;
        if (isnan(values[i]))
            text_addf(&text, "%s-", i ? " " : "");
        else
            text_addf(&text, "%s%.*f", i ? " " : "", n > 1 ? 1 : decimals_of(values[i]), values[i]);
        if (same > 1)
            text_addf(&text, "×%zu", same);
        text_add(&text, is_unstable ? "?" : "");
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
    const char *text = values_text(arena, value->predicted, NULL, value->reference->n);
    return value->repaired
               ? arena_printf(arena, "%s → %s", text, values_text(arena, value->repaired, NULL, value->reference->n))
               : text;
}

static const char *measured_text(struct arena *arena, const struct reproduced_value *value) {
    if (!value->measured)
        return strcmp(value->not_measured, REPRODUCE_NOT_ASKED) == 0
                   ? ""
                   : arena_printf(arena, "not measured: %s", value->not_measured);
    bool is_share = value->reference->quantity == QUANTITY_RTHROUGHPUT || value->reference->quantity == QUANTITY_IPC;
    const char *text =
        value->reference->n > 1
            ? values_text(arena, value->measured, value->are_unstable, value->reference->n)
            : arena_printf(arena, "%.*f%s", is_share ? 3 : 2, *value->measured, value->is_unstable ? " ?" : "");
    return arena_printf(arena, "measured here: %s", text);
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

void reproduce_print_list(struct arena *arena, const struct reference_set *set, bool colour) {
    struct table table = {.arena = arena};
    table_column(&table, TABLE_LEFT, "experiment");
    table_column(&table, TABLE_LEFT, "file");
    table_column(&table, TABLE_NOTE, "about");
    for (size_t i = 0; i < set->n; i++) {
        table_cell(&table, "%s", set->items[i].name);
        table_cell(&table, "%s", set->items[i].file);
        table_cell(&table, "%s", set->items[i].about);
    }
    table_print(&table, stdout, colour);
}

static void print_table(struct arena *arena, const struct reproduction *all, size_t n, bool colour) {
    struct table table = {.arena = arena};
    static const char *const titles[] = {"experiment", "value", "published", "predicted", "", "by", ""};
    static const enum table_align aligns[] = {TABLE_CUT,  TABLE_LEFT, TABLE_WRAP, TABLE_WRAP,
                                              TABLE_LEFT, TABLE_WRAP, TABLE_NOTE};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(&table, aligns[i], titles[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < all[i].reference->n_values; v++) {
            const struct reproduced_value *value = &all[i].values[v];
            table_cell(&table, "%s", all[i].reference->name);
            table_cell(&table, "%s", value_name(arena, all[i].reference, value->reference));
            table_cell(&table, "%s", values_text(arena, value->reference->published, NULL, value->reference->n));
            table_cell(&table, "%s", predicted_text(arena, &all[i], value));
            table_cell_colour(&table, verdict_colour(&all[i], value), "%s", verdict_text(&all[i], value));
            table_cell(&table, "%s", model_text(arena, all[i].reference));
            table_cell(&table, "%s", measured_text(arena, value));
        }
    table_print(&table, stdout, colour);
}

static void add_cell(struct table *table, const double *values, const bool *are_unstable, size_t i) {
    if (values && !isnan(values[i]))
        table_cell(table, "%.2f%s", values[i], are_unstable && are_unstable[i] ? " ?" : "");
    else
        table_cell(table, "-");
}

// Prints a sweep in full: a line for each n, with both forms.
static void print_sweep(struct arena *arena, const struct reproduction *r, bool colour) {
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
        add_cell(&table, value->predicted, NULL, i);
        add_cell(&table, value->measured, value->are_unstable, i);
        add_cell(&table, value->predicted_other, NULL, i);
        add_cell(&table, value->measured_other, value->are_unstable_other, i);
    }
    table_print(&table, stdout, colour);
    if (value->is_unstable)
        screen_print_sentence(
            arena_printf(arena, "Values with ? are unstable: 'cyclops run %s --sweep %u..%zu' shows why.",
                         reference->kernel, reference->first, reference->first + value->reference->n - 1),
            stdout);
    if (!value->measured)
        screen_print_sentence(arena_printf(arena, "not measured here: %s", value->not_measured), stdout);
    screen_print_sentence(
        arena_printf(arena, "prediction by %s: %s", model_text(arena, reference), verdict_text(r, value)), stdout);
}

static void print_about_line(const char *title, const char *text) {
    enum { INDENT = 13 };
    printf("  %-*s", INDENT - 2, title);
    screen_wrap(text, INDENT, INDENT, screen_columns(stdout), stdout);
}

static void print_about(const struct reference *reference) {
    struct arena arena = {0};
    screen_print_sentence(arena_printf(&arena, "%s: %s", reference->name, reference->about), stdout);
    print_about_line("source", reference->source);
    print_about_line("tolerance", arena_printf(&arena, "±%g: %s", reference->tolerance, reference->why));
    if (reference->note)
        print_about_line("note", reference->note);
    arena_free(&arena);
}

static json_t *numbers(const double *values, size_t n) {
    json_t *array = json_array();
    for (size_t i = 0; values && i < n; i++)
        json_array_append_new(array, isnan(values[i]) ? json_null() : json_rounded(values[i], 4));
    return array;
}

bool reproduce_print_json(struct arena *arena, const struct reproduction *all, size_t n, struct fail *fail) {
    for (size_t i = 0; i < n; i++)
        for (size_t v = 0; v < all[i].reference->n_values; v++) {
            const struct reproduced_value *value = &all[i].values[v];
            size_t count = value->reference->n;
            json_t *line = json_pack(
                "{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:s, s:i, s:s*, s:s, s:s*, s:s*}", "experiment",
                all[i].reference->name, "value", value_name(arena, all[i].reference, value->reference), "published",
                numbers(value->reference->published, count), "predicted", numbers(value->predicted, count), "repaired",
                numbers(value->repaired, count), "measured", numbers(value->measured, count), "unstable",
                value->is_unstable, "model", all[i].reference->model, "llvm", (int)all[i].llvm, "repaired_by",
                all[i].reference->repaired_by, "verdict", verdict_text(&all[i], value), "not_measured",
                value->not_measured, "no_prediction", all[i].no_prediction);
            if (!json_write_line(stdout, line, fail))
                return false;
        }
    return true;
}

void reproduce_print(struct arena *arena, const struct reproduction *all, size_t n, bool with_about, bool colour) {
    bool is_sweep = n == 1 && all[0].reference->kind == REFERENCE_SWEEP;
    for (size_t i = 0; with_about && i < n; i++)
        print_about(all[i].reference);
    if (is_sweep && !all[0].no_prediction)
        print_sweep(arena, &all[0], colour);
    else
        print_table(arena, all, n, colour);
    for (size_t i = 0; i < n; i++)
        if (all[i].no_prediction)
            fprintf(stderr, "cyclops: warning: %s: no prediction: %s\n", all[i].reference->name, all[i].no_prediction);
}
