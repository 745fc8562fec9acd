// Instruction tables of several machines, as a page.
#include "report/table_machines.h"

#include "base/bytes.h"
#include "base/index.h"
#include "base/json_text.h"
#include "base/text.h"
#include "check/diff.h"
#include "report/page_fill.h"
#include "report/row_summary.h"
#include "report/table_matrix.h"
#include "report/table_rows.h"

#include <math.h>
#include <string.h>

enum { DECIMALS = 5 };

// What the page must know of a value but its numbers: pages/machines.html has the same.
enum flag { FLAG_BOUND = 1, FLAG_APART = 2, FLAG_CROSSING = 4, FLAG_UNSTABLE = 8 };

static unsigned flags_of(const struct table_value *value) {
    return (value->relation == TABLE_AT_MOST ? FLAG_BOUND : 0u) | (matrix_can_be_compared(value) ? 0u : FLAG_APART) |
           (table_is_crossing(value) ? FLAG_CROSSING : 0u) | (table_is_stable(value) ? 0u : FLAG_UNSTABLE);
}

static void add_number(struct text *text, double number) {
    size_t before = text->length;
    text_addf(text, "%.*f", DECIMALS, number);
    while (text->length > before && text->data[text->length - 1] == '0')
        text->data[--text->length] = '\0';
    if (text->length > before && text->data[text->length - 1] == '.')
        text->data[--text->length] = '\0';
}

static void add_value(struct text *text, const struct table_value *value) {
    if (!value || !row_summary_is_known(value))
        return;
    const double numbers[] = {value->cycles, value->low, value->high};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        add_number(text, numbers[i]);
        text_add(text, " ");
    }
    text_addf(text, "%u", flags_of(value));
}

// Adds the texts of a row: "4|0.5|1".
static void add_texts(struct arena *arena, struct text *text, const struct table_row *row) {
    bool is_sure;
    const struct table_throughput *throughput = row_summary_throughput(row);
    const char *latency = table_latency_text(arena, row, &is_sure);
    text_addf(text, "%s|%s|%s", latency, throughput ? table_value_text(arena, &throughput->value) : "-",
              table_value_text(arena, &row->slots.value));
}

// What is written while the forms are walked through. Names of operands, which a stranger's table may hold, stand in
// the page's data alone, which page_fill makes harmless; values are digits and signs.
struct page {
    const struct matrix *matrix;
    struct json_text json;
    struct text values;
    const char **labels;
    size_t n_labels;
    struct index label_index;
};

static size_t find_label(struct page *page, const char *label) {
    uint64_t hash = bytes_hash(label, strlen(label));
    for (size_t place = 0, i; (i = index_next(&page->label_index, hash, &place)) != INDEX_END;)
        if (strcmp(page->labels[i], label) == 0)
            return i;
    index_add(&page->label_index, hash, page->n_labels);
    *ARENA_ADD(page->matrix->arena, page->labels, page->n_labels) = label;
    return page->n_labels - 1;
}

static void put_value(struct page *page, const struct matrix_form *form, const struct matrix_value *value) {
    const struct matrix *matrix = page->matrix;
    const struct table_latency *latency = value->latency;
    const char *label = !latency ? ""
                                 : arena_printf(matrix->arena, "%s%s%s", row_summary_pair(matrix->arena, latency),
                                                latency->has_slow_values ? ", slow values" : "",
                                                latency->is_to_others ? ", to others" : "");
    text_addf(&page->values, "%d:%zu:", (int)value->quantity, find_label(page, label));
    for (size_t g = 0; g < matrix->n_groups; g++) {
        text_add(&page->values, g ? ";" : "");
        add_value(&page->values, matrix_same(matrix_row(matrix, form, g), value));
    }
    text_add(&page->values, "|");
}

static void put_form(struct page *page, const struct matrix_form *form) {
    const struct matrix *matrix = page->matrix;
    struct text cells = {.arena = matrix->arena};
    const char *example = NULL;
    text_add(&cells, "");
    for (size_t g = 0; g < matrix->n_groups; g++) {
        const struct table_row *row = matrix_row(matrix, form, g);
        text_add(&cells, g ? "/" : "");
        if (row)
            add_texts(matrix->arena, &cells, row);
        if (row && row->example)
            example = row->example;
        struct matrix_value value;
        for (size_t i = 0; matrix_next(row, &i, &value);)
            if (matrix_is_first(matrix, form, g, &value))
                put_value(page, form, &value);
    }
    text_add(&page->values, "\n");
    json_open_list(&page->json, NULL);
    json_put_text(&page->json, NULL, form->name);
    json_put_text(&page->json, NULL, example ? example : "");
    json_put_text(&page->json, NULL, cells.data);
    json_close_list(&page->json);
}

static void put_group(struct json_text *json, const struct matrix *matrix, const struct matrix_group *group) {
    const struct survey_table *table = matrix->machines[group->members[0]].table;
    json_open(json, NULL);
    json_put_text(json, "name", group->name);
    json_put_text(json, "cpu", group->cpu);
    json_put_text(json, "model", group->model);
    json_put_text(json, "when", date_range_text(matrix->arena, &table->when));
    json_put_integer(json, "values", (int64_t)table->n_values);
    json_put_integer(json, "unstable", (int64_t)table->n_unstable);
    json_open_list(json, "members");
    for (size_t i = 0; i < group->n_members; i++)
        json_put_text(json, NULL, matrix->machines[group->members[i]].name);
    json_close_list(json);
    json_close(json);
}

static void put_disagreement(struct json_text *json, const struct matrix *matrix, const struct matrix_group *group) {
    for (size_t i = 1; i < group->n_members; i++) {
        struct matrix_moves moves = matrix_find_disagreements(matrix, group, i);
        for (size_t k = 0; k < moves.n; k++) {
            json_open_list(json, NULL);
            json_put_text(json, NULL, moves.items[k].form);
            json_put_text(json, NULL, matrix_move_text(matrix->arena, &moves.items[k]));
            json_close_list(json);
        }
    }
}

static void put_limit(struct json_text *json, const char *key, double limit) {
    if (isfinite(limit))
        json_put_exact(json, key, limit);
    else
        json_put_text_or_null(json, key, NULL);
}

static void put_head(struct json_text *json, const struct matrix *matrix) {
    json_put_exact(json, "deviations", diff_standard_deviations(CHECK_USUAL_CONFIDENCE));
    json_put_exact(json, "least_difference", MEASURED_LEAST_DIFFERENCE);
    json_put_exact(json, "false_percent", 100 * TABLE_MACHINES_FALSE);
    put_limit(json, "least_models", matrix->least_deviations[MATRIX_MODELS]);
    put_limit(json, "least_microcodes", matrix->least_deviations[MATRIX_MICROCODES]);
    json_open_list(json, "groups");
    for (size_t g = 0; g < matrix->n_groups; g++)
        put_group(json, matrix, &matrix->groups[g]);
    json_close_list(json);
    json_open_list(json, "disagree");
    for (size_t g = 0; g < matrix->n_groups; g++)
        put_disagreement(json, matrix, &matrix->groups[g]);
    json_close_list(json);
}

// Puts the values into their place, which is behind the script.
static const char *put_values(struct arena *arena, const char *filled, const struct text *values, struct fail *fail) {
    static const char mark[] = "@VALUES@";
    const char *place = NULL;
    for (const char *found = filled; (found = strstr(found, mark)); found++)
        place = found; // the last one: names may hold the mark, too
    if (!place) {
        fail_set(fail, FAIL_WORK, "the installed page machines.html has no place for the values (%s)", mark);
        return NULL;
    }
    struct text text = {.arena = arena};
    text_append(&text, filled, (size_t)(place - filled));
    text_append(&text, values->data, values->length);
    text_add(&text, place + strlen(mark));
    return text.data;
}

const char *table_machines_page(struct arena *arena, const struct table_machine *machines, size_t n, const char *form,
                                struct fail *fail) {
    struct matrix matrix;
    if (!matrix_make(arena, machines, n, form, &matrix, fail))
        return NULL;
    struct page page = {.matrix = &matrix, .json.text.arena = arena, .values.arena = arena, .label_index.arena = arena};
    text_add(&page.values, "");
    json_open(&page.json, NULL);
    put_head(&page.json, &matrix);
    json_open_list(&page.json, "forms");
    for (size_t f = 0; f < matrix.n_forms; f++)
        if (matrix_is_anywhere(&matrix, &matrix.forms[f]))
            put_form(&page, &matrix.forms[f]);
    json_close_list(&page.json);
    json_open_list(&page.json, "labels");
    for (size_t i = 0; i < page.n_labels; i++)
        json_put_text(&page.json, NULL, page.labels[i]);
    json_close_list(&page.json);
    json_close(&page.json);
    const char *filled = page_fill(arena, "machines.html", page.json.text.data, fail);
    return filled ? put_values(arena, filled, &page.values, fail) : NULL;
}
