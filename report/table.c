// The table as text: a head, and a row per form.
#include "report/table.h"

#include "base/screen.h"
#include "base/text.h"
#include "report/row_summary.h"
#include "report/table_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2, LEAST_INSTRUCTION = 12, MOST_MODELS = TABLE_MAX_COLUMNS - 6, MOST_REASONS = 4, MODEL_LATENCY = 6 };

// ---- the head

struct reason {
    const char *text;
    size_t n;
};
struct reasons {
    struct arena *arena;
    struct reason *items;
    size_t n;
};

// A reason without its numbers, so that reasons of one kind are counted together: "… cycles at one time and … at
// another"; "two modes" of "two modes: 4 (50 %) and 5 (50 %) cycles".
static const char *without_numbers(struct arena *arena, const char *reason) {
    static const char digits[] = "0123456789", detail[] = ": …";
    struct text text = {.arena = arena};
    for (const char *at = reason; *at;) {
        bool is_number = strchr(digits, *at) && (at == reason || strchr(" (", at[-1]) || !isascii(at[-1]));
        size_t length = is_number ? strspn(at, "0123456789.e+") : 1;
        text_append(&text, is_number ? "…" : at, is_number ? strlen("…") : 1);
        at += length;
    }
    char *end = text.data ? strstr(text.data, detail) : NULL;
    return end ? arena_copy(arena, text.data, (size_t)(end - text.data)) : text.data ? text.data : "";
}

static void count_reason(struct reasons *reasons, const char *reason) {
    const char *text = reason ? without_numbers(reasons->arena, reason) : "no reason known";
    for (size_t i = 0; i < reasons->n; i++)
        if (strcmp(reasons->items[i].text, text) == 0) {
            reasons->items[i].n++;
            return;
        }
    *ARENA_ADD(reasons->arena, reasons->items, reasons->n) = (struct reason){text, 1};
}

static int compare_reasons(const void *a, const void *b) {
    const struct reason *first = a, *second = b;
    if (first->n != second->n)
        return first->n > second->n ? -1 : 1;
    return strcmp(first->text, second->text);
}

// Prints "Unstable: 12 × another thread was busy; 3 × …".
static void print_reasons(const char *title, struct reasons *reasons, FILE *out) {
    if (reasons->n == 0)
        return;
    qsort(reasons->items, reasons->n, sizeof *reasons->items, compare_reasons);
    struct text line = {.arena = reasons->arena};
    size_t others = 0;
    text_addf(&line, "%s: ", title);
    for (size_t i = 0; i < reasons->n; i++)
        if (i < MOST_REASONS)
            text_addf(&line, "%s%zu × %s", i ? "; " : "", reasons->items[i].n, reasons->items[i].text);
        else
            others += reasons->items[i].n;
    if (others)
        text_addf(&line, "; %zu × other reasons", others);
    screen_print_sentence(line.data, out);
}

static void count_unstable(struct reasons *reasons, const struct table_value *value) {
    if (value->is_known && value->verdict == MEASURED_UNSTABLE && !value->is_waiting)
        count_reason(reasons, value->why);
}

static void print_all_reasons(struct arena *arena, const struct survey_table *table, FILE *out) {
    struct reasons unstable = {.arena = arena}, left_out = {.arena = arena};
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        if (row->left_out)
            count_reason(&left_out, row->left_out);
        for (size_t k = 0; k < row->n_latencies; k++)
            count_unstable(&unstable, &row->latencies[k].value);
        for (size_t k = 0; k < row->n_throughputs; k++)
            count_unstable(&unstable, &row->throughputs[k].value);
        count_unstable(&unstable, &row->slots.value);
    }
    print_reasons("Unstable here", &unstable, out);
    print_reasons("Not measured here", &left_out, out);
}

static void print_width(struct arena *arena, const struct survey_table *table, FILE *out) {
    if (table->filler)
        screen_print_sentence(arena_printf(arena, "Dispatch: %s slots a cycle, measured with '%s'",
                                           row_summary_number(arena, table->width, 2), table->filler),
                              out);
    else if (table->no_filler)
        screen_print_sentence(arena_printf(arena, "Dispatch slots are not known: %s", table->no_filler), out);
}

static void print_head(struct arena *arena, const struct survey_table *table, const struct table_rows *rows,
                       FILE *out) {
    screen_print_sentence(arena_printf(arena, "%s%s%s", table->cpu, table->llvm_cpu ? "; LLVM: " : "",
                                       table->llvm_cpu ? table->llvm_cpu : ""),
                          out);
    if (table->clock)
        screen_print_sentence(arena_printf(arena, "Clock: %s", table->clock), out);
    screen_print_sentence(arena_printf(arena, "Measured: %s", date_range_said(arena, &table->when)), out);
    const char *waiting =
        table->n_waiting ? arena_printf(arena, ", %zu seen at one time only ?", table->n_waiting) : "";
    const char *lost = table->n_lost ? arena_printf(arena, ", %zu more not known yet", table->n_lost) : "";
    screen_print_sentence(arena_printf(arena, "%s, %zu measured: %s (%zu unstable ?%s%s, %s ≤)",
                                       text_count(arena, table->n_forms, "form"), table->n_measured,
                                       text_count(arena, table->n_values, "value"), table->n_unstable, waiting, lost,
                                       text_count(arena, table->n_at_most, "upper bound")),
                          out);
    print_all_reasons(arena, table, out);
    print_width(arena, table, out);
    if (rows->n)
        screen_print_sentence("Latencies: 1;4 are two that differ, 1..7 the least and the largest of more", out);
    if (table->n_models)
        screen_print_sentence("Models: latency, then reciprocal throughput, as their tables state them; ≠: outside the "
                              "measured interval. 'cyclops check' simulates the measured code instead",
                              out);
    if (table->n_models > MOST_MODELS)
        screen_print_sentence(
            arena_printf(arena, "%s more: as CSV or JSON", text_count(arena, table->n_models - MOST_MODELS, "model")),
            out);
    fputc('\n', out);
}

// ---- a form's latencies in one cell

// Latencies of pairs that agree.
struct group {
    double low, high;                // of all their intervals together
    const struct table_value *value; // that of the narrowest interval
    bool is_unstable;
};

static int compare_values(const void *a, const void *b) {
    const struct table_value *first = *(const struct table_value *const *)a;
    const struct table_value *second = *(const struct table_value *const *)b;
    if (first->cycles != second->cycles)
        return first->cycles < second->cycles ? -1 : 1;
    return (first->relation > second->relation) - (first->relation < second->relation);
}

static bool agree(const struct group *group, const struct table_value *value) {
    return group->value->relation == value->relation &&
           value->low - group->high <= MEASURED_LEAST_DIFFERENCE * fabs(group->value->cycles);
}

static void join(struct group *group, const struct table_value *value) {
    if (value->high - value->low < group->value->high - group->value->low)
        group->value = value;
    group->low = fmin(group->low, value->low);
    group->high = fmax(group->high, value->high);
    group->is_unstable |= value->verdict == MEASURED_UNSTABLE;
}

// Sets `groups` to the row's distinct latencies, the smallest first; returns their number.
static size_t group_latencies(struct arena *arena, const struct table_row *row, struct group **groups) {
    const struct table_value **values = ARENA_ARRAY(arena, const struct table_value *, row->n_latencies);
    size_t n = 0, n_groups = 0;
    for (size_t i = 0; i < row->n_latencies; i++)
        if (row_summary_is_known(&row->latencies[i].value) && !table_latency_is_special(&row->latencies[i]))
            values[n++] = &row->latencies[i].value;
    if (n)
        qsort(values, n, sizeof(*values), compare_values);
    *groups = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t found = 0;
        while (found < n_groups && !agree(&(*groups)[found], values[i]))
            found++;
        if (found < n_groups)
            join(&(*groups)[found], values[i]);
        else
            *ARENA_ADD(arena, *groups, n_groups) =
                (struct group){values[i]->low, values[i]->high, values[i], values[i]->verdict == MEASURED_UNSTABLE};
    }
    return n_groups;
}

static const char *group_text(struct arena *arena, const struct group *group) {
    return row_summary_value(arena, group->value);
}

const char *table_latency_text(struct arena *arena, const struct table_row *row, bool *is_sure) {
    struct group *groups;
    size_t n = group_latencies(arena, row, &groups);
    bool is_unstable = false;
    for (size_t i = 0; i < n; i++)
        is_unstable |= groups[i].is_unstable;
    const char *text = n ? group_text(arena, &groups[0]) : "-";
    if (n > 1)
        text = arena_printf(arena, "%s%s%s", text, n == 2 ? ";" : "..", group_text(arena, &groups[n - 1]));
    *is_sure = n && !is_unstable;
    return arena_printf(arena, "%s%s", text, is_unstable ? " ?" : "");
}

static void add_latency(struct arena *arena, struct table *grid, const struct table_row *row) {
    bool is_sure;
    const char *text = table_latency_text(arena, row, &is_sure);
    table_text_cell(grid, is_sure ? TABLE_PLAIN : TABLE_YELLOW, text);
}

// ---- the rows

static void add_throughput(struct arena *arena, struct table *grid, const struct table_row *row) {
    const struct table_throughput *throughput = row_summary_throughput(row);
    if (throughput)
        table_text_cell(grid, table_value_colour(&throughput->value), table_value_text(arena, &throughput->value));
    else
        table_text_cell(grid, TABLE_YELLOW, "-");
}

static void add_slots(struct arena *arena, struct table *grid, const struct table_row *row) {
    table_text_cell(grid, table_value_colour(&row->slots.value), table_value_text(arena, &row->slots.value));
}

static void add_model(struct arena *arena, struct table *grid, const struct table_row *row, size_t i) {
    if (!row->models || !row->models[i].is_known) {
        table_text_cell(grid, TABLE_PLAIN, "-");
        return;
    }
    const struct table_model *model = &row->models[i];
    const struct row_summary_range latencies = row_summary_latency_range(row),
                                   throughputs = row_summary_throughput_range(row);
    bool is_off = row_summary_differs(arena, model->latency, latencies) ||
                  row_summary_differs(arena, model->rthroughput, throughputs);
    const char *latency = screen_text(arena, table_model_text(arena, model->latency, &latencies));
    size_t width = text_width(latency);
    int padding = width < MODEL_LATENCY ? (int)(MODEL_LATENCY - width) : 1;
    table_text_cell(grid, is_off ? TABLE_RED : TABLE_PLAIN,
                    arena_printf(arena, "%s%*s%s", latency, padding, "",
                                 table_model_text(arena, model->rthroughput, &throughputs)));
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

// Returns the columns that are left for the instructions' texts beside the other columns: those of numbers have about
// the width of their titles.
static size_t instruction_room(const struct survey_table *table, const struct table_rows *rows, FILE *out) {
    enum { LATENCY = 10, THROUGHPUT = 10, SLOTS = 5, MODEL = MODEL_LATENCY + 6 };
    size_t form = strlen("form"), text = 0, used = 0, screen = screen_columns(out);
    for (size_t i = 0; i < rows->n; i++) {
        form = larger(form, text_width(rows->rows[i]->form));
        text = larger(text, rows->rows[i]->example ? text_width(rows->rows[i]->example) : 0);
    }
    used = GAP + form + GAP + GAP + LATENCY + GAP + THROUGHPUT + GAP + SLOTS; // the third is the instruction's
    for (size_t i = 0; i < table->n_models && i < MOST_MODELS; i++)
        used += GAP + larger(MODEL, text_width(table->models[i]));
    size_t room = screen > used ? screen - used : 0;
    if (room < LEAST_INSTRUCTION)
        return 0;
    return room < text ? room : text;
}

static void print_list(struct arena *arena, const struct survey_table *table, const struct table_rows *rows,
                       const struct table_report_options *options, FILE *out) {
    struct table grid = {.arena = arena};
    size_t room = instruction_room(table, rows, out);
    table_column(&grid, TABLE_CUT, "form");
    if (room)
        table_column(&grid, TABLE_LEFT, "instruction");
    table_column(&grid, TABLE_LEFT, "latency");
    table_column(&grid, TABLE_LEFT, "reciprocal throughput");
    table_column(&grid, TABLE_LEFT, "slots");
    for (size_t i = 0; i < table->n_models && i < MOST_MODELS; i++)
        table_column(&grid, TABLE_LEFT, table->models[i]);
    if (options->with_left_out)
        table_column(&grid, TABLE_NOTE, "");
    for (size_t i = 0; i < rows->n; i++) {
        const struct table_row *row = rows->rows[i];
        if (row->left_out && !options->with_left_out)
            continue;
        table_text_cell(&grid, TABLE_PLAIN, row->form);
        if (room)
            table_text_cell(&grid, TABLE_PLAIN,
                            screen_cut(arena, screen_text(arena, row->example ? row->example : ""), room));
        add_latency(arena, &grid, row);
        add_throughput(arena, &grid, row);
        add_slots(arena, &grid, row);
        for (size_t k = 0; k < table->n_models && k < MOST_MODELS; k++)
            add_model(arena, &grid, row, k);
        if (options->with_left_out)
            table_text_cell(&grid, TABLE_PLAIN, row->left_out ? row->left_out : "");
    }
    table_print(&grid, out, options->colour);
}

bool table_report_print(struct arena *arena, const struct survey_table *table,
                        const struct table_report_options *options, FILE *out, struct fail *fail) {
    struct table_rows rows;
    if (!table_rows_choose(arena, table, options, &rows, fail))
        return false;
    if (options->form || rows.n == 1) {
        for (size_t i = 0; i < rows.n; i++)
            table_page_print(arena, table, rows.rows[i], out, options->colour);
        return true;
    }
    print_head(arena, table, &rows, out);
    if (rows.n == 0)
        screen_print_sentence("No form is left to show.", out);
    print_list(arena, table, &rows, options, out);
    return true;
}
