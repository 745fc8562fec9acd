#include "base/columns.h"

#include <math.h>

// The value of a column, of any kind.
union value {
    const char *text;
    enum column_truth truth;
    int64_t count;
    double number;
};

static union value value_of(const struct column *column, const void *record) {
    const void *place = (const char *)record + column->place;
    switch (column->kind) {
    case COLUMN_TEXT:
    case COLUMN_QUOTED:
        return (union value){.text = *(const char *const *)place};
    case COLUMN_TRUTH:
        return (union value){.truth = *(const enum column_truth *)place};
    case COLUMN_COUNT:
        return (union value){.count = *(const int64_t *)place};
    case COLUMN_REAL:
    case COLUMN_FIXED:
    case COLUMN_EXACT:
        break;
    }
    return (union value){.number = *(const double *)place};
}

static bool is_absent(const struct column *column, const union value *value) {
    switch (column->kind) {
    case COLUMN_TEXT:
    case COLUMN_QUOTED:
        return !value->text || !*value->text;
    case COLUMN_TRUTH:
        return value->truth == COLUMN_UNKNOWN;
    case COLUMN_COUNT:
        return value->count < 0;
    case COLUMN_REAL:
    case COLUMN_FIXED:
    case COLUMN_EXACT:
        break;
    }
    return !isfinite(value->number);
}

static void put_cell(const struct column *column, const union value *value, struct csv *csv) {
    switch (column->kind) {
    case COLUMN_TEXT:
        csv_put(csv, value->text);
        break;
    case COLUMN_QUOTED:
        csv_put_quoted(csv, value->text);
        break;
    case COLUMN_TRUTH:
        csv_put(csv, value->truth == COLUMN_YES ? "yes" : "no");
        break;
    case COLUMN_COUNT:
        csv_put_count(csv, value->count);
        break;
    case COLUMN_REAL:
        csv_put_number(csv, value->number, column->decimals);
        break;
    case COLUMN_FIXED:
        csv_put_fixed(csv, value->number, column->decimals);
        break;
    case COLUMN_EXACT:
        csv_put_exact(csv, value->number);
        break;
    }
}

static void put_member(const struct column *column, const union value *value, struct json_text *json) {
    switch (column->kind) {
    case COLUMN_TEXT:
    case COLUMN_QUOTED:
        json_put_text(json, column->name, value->text);
        break;
    case COLUMN_TRUTH:
        json_put_bool(json, column->name, value->truth == COLUMN_YES);
        break;
    case COLUMN_COUNT:
        json_put_integer(json, column->name, value->count);
        break;
    case COLUMN_REAL:
    case COLUMN_FIXED:
        json_put_real(json, column->name, value->number, column->decimals);
        break;
    case COLUMN_EXACT:
        json_put_exact(json, column->name, value->number);
        break;
    }
}

void columns_put_titles(const struct column *columns, size_t n, const char *prefix, struct csv *csv) {
    for (size_t i = 0; i < n; i++)
        csv_put(csv, *prefix ? arena_printf(csv->line.arena, "%s%s", prefix, columns[i].name) : columns[i].name);
}

void columns_put_cells(const struct column *columns, size_t n, const void *record, struct csv *csv) {
    for (size_t i = 0; i < n; i++) {
        union value value = value_of(&columns[i], record);
        if (is_absent(&columns[i], &value))
            csv_put(csv, NULL);
        else
            put_cell(&columns[i], &value, csv);
    }
}

void columns_put_members(const struct column *columns, const unsigned char *which, size_t n, const void *record,
                         struct json_text *json) {
    for (size_t i = 0; i < n; i++) {
        const struct column *column = &columns[which[i]];
        union value value = value_of(column, record);
        if (!is_absent(column, &value))
            put_member(column, &value, json);
    }
}
