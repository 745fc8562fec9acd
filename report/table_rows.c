#include "report/table_rows.h"

#include "base/text.h"
#include "report/row_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const sort_names[] = {
    [TABLE_SORT_NAME] = "name",
    [TABLE_SORT_LATENCY] = "latency",
    [TABLE_SORT_THROUGHPUT] = "throughput",
    [TABLE_SORT_MODEL] = "model",
};
enum { N_SORTS = sizeof sort_names / sizeof *sort_names };

bool table_sort_read(const char *name, enum table_sort *sort, struct fail *fail) {
    size_t found = text_find(name, sort_names, N_SORTS);
    if (found == N_SORTS)
        return fail_set(fail, FAIL_INPUT, "cannot sort by '%s': use name, latency, throughput or model", name);
    *sort = (enum table_sort)found;
    return true;
}

// ---- which rows, in which order

struct keyed {
    const struct table_row *row;
    double number; // what to sort by; -INFINITY: there is none
};

static double sort_number(const struct survey_table *table, const struct table_row *row, enum table_sort sort) {
    struct arena arena = {0};
    double number = -INFINITY;
    if (sort == TABLE_SORT_LATENCY) {
        struct row_summary summary = row_summary_latency(&arena, row);
        number = summary.latency ? summary.latency->value.cycles : -INFINITY;
    } else if (sort == TABLE_SORT_THROUGHPUT) {
        const struct table_throughput *throughput = row_summary_throughput(row);
        number = throughput ? throughput->value.cycles : -INFINITY;
    } else if (sort == TABLE_SORT_MODEL) {
        number = row_summary_most_off(table, row);
    }
    arena_free(&arena);
    return number;
}

static int compare(const void *a, const void *b) {
    const struct keyed *first = a, *second = b;
    if (first->number != second->number)
        return first->number > second->number ? -1 : 1;
    return strcmp(first->row->form, second->row->form);
}

static bool fail_form(struct arena *arena, const struct survey_table *table, const char *form, struct fail *fail) {
    const char **names = ARENA_ARRAY(arena, const char *, table->n_rows);
    for (size_t i = 0; i < table->n_rows; i++)
        names[i] = table->rows[i].form;
    return fail_set(fail, FAIL_INPUT, "the table has no form '%s'%s", form,
                    text_did_you_mean(arena, form, names, table->n_rows));
}

bool table_rows_choose(struct arena *arena, const struct survey_table *table,
                       const struct table_report_options *options, struct table_rows *chosen, struct fail *fail) {
    struct keyed *list = ARENA_ARRAY(arena, struct keyed, table->n_rows);
    size_t n = 0;
    for (size_t i = 0; i < table->n_rows; i++)
        if (!options->form || strcmp(table->rows[i].form, options->form) == 0)
            list[n++] = (struct keyed){&table->rows[i], sort_number(table, &table->rows[i], options->sort)};
    if (options->form && n == 0)
        return fail_form(arena, table, options->form, fail);
    if (n)
        qsort(list, n, sizeof *list, compare);
    *chosen = (struct table_rows){ARENA_ARRAY(arena, const struct table_row *, n), n};
    for (size_t i = 0; i < n; i++)
        chosen->rows[i] = list[i].row;
    return true;
}

// ---- cells

const char *table_throughput_text(struct arena *arena, const struct table_row *row,
                                  const struct table_throughput *throughput) {
    bool has_places = false; // else there is nothing to tell apart, or no memory operand
    for (size_t i = 0; i < row->n_throughputs; i++)
        has_places |= row->throughputs[i].is_elsewhere || table_has_one_address(&row->throughputs[i]);
    const char *place = text_replaced(arena, program_placement_name(throughput->placement), '-', ' ');
    return arena_printf(arena, "%s, n = %u%s%s%s%s", throughput->is_looped ? "looped" : "unrolled", throughput->streams,
                        has_places && *place ? ", " : "", has_places ? place : "",
                        throughput->has_lines ? ", lanes on own lines, with breakers"
                        : throughput->copies > 1 && throughput->has_breakers
                            ? arena_printf(arena, ", breakers each %u copies", throughput->copies)
                        : throughput->has_breakers ? ", with breakers"
                        : throughput->has_wrapper  ? ", with what it needs around it"
                        : throughput->fillers
                            ? arena_printf(arena, ", %s behind each", text_count(arena, throughput->fillers, "filler"))
                            : "",
                        throughput->has_slow_values ? ", slow values" : "");
}

const char *table_value_text(struct arena *arena, const struct table_value *value) {
    if (!row_summary_is_known(value))
        return "-";
    return arena_printf(arena, "%s%s", row_summary_value(arena, value),
                        value->verdict == MEASURED_UNSTABLE ? " ?" : "");
}

enum table_colour table_value_colour(const struct table_value *value) {
    return !row_summary_is_known(value) || value->verdict == MEASURED_UNSTABLE ? TABLE_YELLOW : TABLE_PLAIN;
}

const char *table_model_text(struct arena *arena, double number, const struct row_summary_range *range) {
    if (!isfinite(number))
        return "-";
    return arena_printf(arena, "%s%s", row_summary_number(arena, number, row_summary_decimals(number)),
                        row_summary_differs(arena, number, *range) ? "≠" : "");
}

void table_text_cell(struct table *table, enum table_colour colour, const char *text) {
    table_cell_colour(table, colour, "%s", text);
}
