#include "report/table_machines.h"

#include "base/csv.h"
#include "base/screen.h"
#include "base/text.h"
#include "report/row_summary.h"
#include "report/table_matrix.h"
#include "report/table_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = TABLE_MAX_COLUMNS - 1, LATENCY_WIDTH = 8, THROUGHPUT_WIDTH = 7, DECIMALS = 5, MOST_LISTED = 10 };

// ---- text

// "4≠": it differs from the first column's, which has the form.
static const char *marked(const struct matrix *matrix, const char *text, const struct matrix_form *form, size_t group,
                          enum matrix_quantity quantity) {
    size_t first = 0;
    while (first < group && !matrix_row(matrix, form, first))
        first++;
    bool differs = first < group && matrix_groups_differ(matrix, form, first, group, quantity);
    return screen_text(matrix->arena, differs ? arena_printf(matrix->arena, "%s≠", text) : text);
}

static void add_padded(struct text *text, const char *part, size_t width) {
    size_t used = text_width(part);
    text_addf(text, "%s%*s", part, used < width ? (int)(width - used) : 1, "");
}

static void add_cell(const struct matrix *matrix, struct table *grid, const struct matrix_form *form, size_t group) {
    const struct table_row *row = matrix_row(matrix, form, group);
    if (!row) {
        table_text_cell(grid, TABLE_DIM, "-");
        return;
    }
    struct text text = {.arena = matrix->arena};
    const struct table_throughput *throughput = row_summary_throughput(row);
    bool is_sure;
    const char *latency = marked(matrix, table_latency_text(matrix->arena, row, &is_sure), form, group, MATRIX_LATENCY),
               *cycles = marked(matrix, throughput ? table_value_text(matrix->arena, &throughput->value) : "-", form,
                                group, MATRIX_THROUGHPUT),
               *slots = marked(matrix, table_value_text(matrix->arena, &row->slots.value), form, group, MATRIX_SLOTS);
    add_padded(&text, latency, LATENCY_WIDTH);
    add_padded(&text, cycles, THROUGHPUT_WIDTH);
    text_add(&text, slots);
    bool differs = strstr(text.data, screen_text(matrix->arena, "≠"));
    table_text_cell(grid, differs ? TABLE_RED : TABLE_PLAIN, text.data);
}

// ---- what differs in all

static void print_moves(const struct matrix *matrix, struct matrix_moves *moves, FILE *out) {
    matrix_sort_moves(moves);
    for (size_t i = 0; i < moves->n && i < MOST_LISTED; i++)
        fprintf(out, "    %s, %s\n", moves->items[i].form,
                screen_text(matrix->arena, matrix_move_text(matrix->arena, &moves->items[i])));
    if (moves->n > MOST_LISTED)
        fprintf(out, "    and %zu more, less far apart\n", moves->n - MOST_LISTED);
}

// Names the tables of one model and microcode that disagree: there the host, its state or a neighbour decides.
static void print_disagreement(const struct matrix *matrix, const struct matrix_group *group, FILE *out) {
    for (size_t i = 1; i < group->n_members; i++) {
        struct matrix_moves moves = matrix_find_disagreements(matrix, group, i);
        screen_print_sentence(arena_printf(matrix->arena, "%s and %s, of one model and microcode: %s%s", group->name,
                                           matrix->machines[group->members[i]].name,
                                           text_count(matrix->arena, moves.n, "difference"), moves.n ? ":" : ""),
                              out);
        print_moves(matrix, &moves, out);
    }
}

static const char *signs_text(struct arena *arena, const struct matrix_moves *moves) {
    const size_t(*n)[2] = moves->n_by_sign;
    return arena_printf(arena,
                        "latencies: %zu shorter, %zu longer; reciprocal throughputs: %zu smaller, %zu larger; slots: "
                        "%zu fewer, %zu more",
                        n[MATRIX_LATENCY][0], n[MATRIX_LATENCY][1], n[MATRIX_THROUGHPUT][0], n[MATRIX_THROUGHPUT][1],
                        n[MATRIX_SLOTS][0], n[MATRIX_SLOTS][1]);
}

// Prints what a group's values are beside those of the first one; of microcodes of one model, which moved.
static void print_change(const struct matrix *matrix, size_t group, FILE *out) {
    struct arena *arena = matrix->arena;
    for (size_t before = 0; before < group; before++) {
        bool is_model = matrix_kinship(matrix, before, group) == MATRIX_MICROCODES;
        if (before && !is_model)
            continue;
        struct matrix_moves moves = matrix_find_moves(matrix, before, group);
        screen_print_sentence(arena_printf(arena, "%s %s %s: %s", matrix->groups[group].name,
                                           is_model ? "has another microcode than" : "beside",
                                           matrix->groups[before].name, signs_text(arena, &moves)),
                              out);
        if (is_model)
            print_moves(matrix, &moves, out);
    }
}

static void print_head(const struct matrix *matrix, size_t n_common, size_t n_differing, FILE *out) {
    struct arena *arena = matrix->arena;
    for (size_t g = 0; g < matrix->n_groups; g++) {
        const struct matrix_group *group = &matrix->groups[g];
        const struct survey_table *table = matrix->machines[group->members[0]].table;
        screen_print_sentence(arena_printf(arena, "%s: %s; %s, %zu unstable", group->name, group->cpu,
                                           text_count(arena, table->n_values, "value"), table->n_unstable),
                              out);
    }
    for (size_t g = 0; g < matrix->n_groups; g++)
        print_disagreement(matrix, &matrix->groups[g], out);
    for (size_t g = 1; g < matrix->n_groups; g++)
        print_change(matrix, g, out);
    screen_print_sentence(arena_printf(arena,
                                       "%s on all of them; %zu of these differ. Of what differs, at most %g %% is "
                                       "expected to do so by chance",
                                       text_count_are(arena, n_common, "form"), n_differing,
                                       100 * TABLE_MACHINES_FALSE),
                          out);
    screen_print_sentence("Each has: latency, reciprocal throughput, slots; ≠: another value than the first one's",
                          out);
    if (matrix->n_groups > MOST_SHOWN)
        screen_print_sentence(arena_printf(arena, "%s more: --csv and --html have all",
                                           text_count(arena, matrix->n_groups - MOST_SHOWN, "machine")),
                              out);
    fputc('\n', out);
}

static bool is_common(const struct matrix *matrix, const struct matrix_form *form) {
    for (size_t g = 0; g < matrix->n_groups; g++)
        if (!matrix_row(matrix, form, g))
            return false;
    return true;
}

bool table_machines_print(struct arena *arena, const struct table_machine *machines, size_t n,
                          const struct table_machines_options *options, FILE *out, struct fail *fail) {
    struct matrix matrix;
    if (!matrix_make(arena, machines, n, options->form, &matrix, fail))
        return false;
    struct table grid = {.arena = arena};
    table_column(&grid, TABLE_CUT, "form");
    for (size_t g = 0; g < matrix.n_groups && g < MOST_SHOWN; g++)
        table_column(&grid, TABLE_LEFT, matrix.groups[g].name);
    size_t n_common = 0, n_differing = 0, n_rows = 0;
    for (size_t f = 0; f < matrix.n_forms; f++) {
        const struct matrix_form *form = &matrix.forms[f];
        bool is_everywhere = is_common(&matrix, form), differs = matrix_form_differs(&matrix, form);
        n_common += is_everywhere;
        n_differing += is_everywhere && differs;
        if (!matrix_is_anywhere(&matrix, form) || (options->only_differs && !differs))
            continue;
        n_rows++;
        table_text_cell(&grid, TABLE_PLAIN, form->name);
        for (size_t g = 0; g < matrix.n_groups && g < MOST_SHOWN; g++)
            add_cell(&matrix, &grid, form, g);
    }
    print_head(&matrix, n_common, n_differing, out);
    if (n_rows)
        table_print(&grid, out, options->colour);
    else
        screen_print_sentence("No form is left to show.", out);
    return true;
}

// ---- CSV

static void put_titles(struct csv *csv, const struct matrix *matrix) {
    static const char *const of_all[] = {"form",        "quantity",  "source", "destination",
                                         "slow_values", "to_others", "differs"},
                             *const of_each[] = {"cycles", "low", "high", "relation", "verdict"};
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        csv_put(csv, of_all[i]);
    for (size_t g = 0; g < matrix->n_groups; g++)
        for (size_t i = 0; i < sizeof of_each / sizeof *of_each; i++)
            csv_put(csv, arena_printf(matrix->arena, "%s %s", matrix->groups[g].name, of_each[i]));
}

static void put_value(struct csv *csv, const struct table_value *value) {
    bool is_known = value && row_summary_is_known(value);
    csv_put_number(csv, is_known ? value->cycles : NAN, DECIMALS);
    csv_put_number(csv, is_known ? value->low : NAN, DECIMALS);
    csv_put_number(csv, is_known ? value->high : NAN, DECIMALS);
    csv_put(csv, !is_known ? NULL : value->relation == TABLE_AT_MOST ? "at most" : "equal");
    csv_put(csv, is_known ? bench_verdict_name(value->verdict) : NULL);
}

static bool differs_anywhere(const struct matrix *matrix, const struct matrix_form *form,
                             const struct matrix_value *value) {
    for (size_t g = 0; g < matrix->n_groups; g++)
        for (size_t other = 0; other < g; other++)
            if (matrix_values_differ(matrix, matrix_kinship(matrix, other, g),
                                     matrix_same(matrix_row(matrix, form, other), value),
                                     matrix_same(matrix_row(matrix, form, g), value)) != 0)
                return true;
    return false;
}

static void write_line(struct csv *csv, const struct matrix *matrix, const struct matrix_form *form,
                       const struct matrix_value *value, bool differs, FILE *out) {
    static const char *const quantities[] = {
        [MATRIX_LATENCY] = "latency", [MATRIX_THROUGHPUT] = "throughput", [MATRIX_SLOTS] = "slots"};
    const struct table_latency *latency = value->latency;
    csv_put(csv, form->name);
    csv_put(csv, quantities[value->quantity]);
    csv_put(csv, latency ? latency->source : NULL);
    csv_put(csv, latency ? latency->destination : NULL);
    csv_put(csv, latency && latency->has_slow_values ? "yes" : NULL);
    csv_put(csv, latency && latency->is_to_others ? "yes" : NULL);
    csv_put(csv, differs ? "yes" : "no");
    for (size_t g = 0; g < matrix->n_groups; g++)
        put_value(csv, matrix_same(matrix_row(matrix, form, g), value));
    csv_end_line(csv, out);
}

bool table_machines_write_csv(struct arena *arena, const struct table_machine *machines, size_t n,
                              const struct table_machines_options *options, FILE *out, struct fail *fail) {
    struct matrix matrix;
    if (!matrix_make(arena, machines, n, options->form, &matrix, fail))
        return false;
    struct csv csv = {.line.arena = arena};
    put_titles(&csv, &matrix);
    csv_end_line(&csv, out);
    for (size_t f = 0; f < matrix.n_forms; f++)
        for (size_t g = 0; g < matrix.n_groups; g++) {
            struct matrix_value value;
            for (size_t i = 0; matrix_next(matrix_row(&matrix, &matrix.forms[f], g), &i, &value);) {
                if (!matrix_is_first(&matrix, &matrix.forms[f], g, &value))
                    continue;
                bool differs = differs_anywhere(&matrix, &matrix.forms[f], &value);
                if (differs || !options->only_differs)
                    write_line(&csv, &matrix, &matrix.forms[f], &value, differs, out);
            }
        }
    return csv_is_written(out, fail);
}
