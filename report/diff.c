#include "report/diff.h"

#include "base/columns.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "report/row_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 5 };

// With digits that tell it from `other`, the number beside it that it differs from.
static const char *number_text(struct arena *arena, double number, double other) {
    if (!isfinite(number))
        return "-";
    const char *text = row_summary_number(arena, number, row_summary_decimals(number));
    bool is_alike = isfinite(other) && strcmp(text, row_summary_number(arena, other, row_summary_decimals(other))) == 0;
    return is_alike ? text_number_beside(arena, number, other, 3) : text;
}

// "≤4 ±0.01", or why there is no value. `other`: as above; null: there is none.
static const char *value_text(struct arena *arena, const struct check_value *value, const struct check_value *other) {
    if (!value)
        return "-";
    if (!value->value.is_known)
        return value->value.why ? value->value.why : "-";
    if (value->value.has_two_speeds && value->value.relation == TABLE_EQUAL) // no number with an error
        return arena_printf(arena, "%s%s", row_summary_value(arena, &value->value),
                            value->value.verdict == MEASURED_UNSTABLE ? "?" : "");
    double half = fmax(value->value.high - value->value.cycles, value->value.cycles - value->value.low);
    return arena_printf(arena, "%s%s ±%.2g%s", value->value.relation == TABLE_AT_MOST ? "≤" : "",
                        number_text(arena, value->value.cycles, other ? other->value.cycles : NAN), half,
                        value->value.verdict == MEASURED_UNSTABLE ? "?" : "");
}

// Relative; of entries with both sides.
static double change_of(const struct diff_entry *entry) {
    if (!entry->before || !entry->after)
        return 0;
    double before = entry->before->value.cycles, after = entry->after->value.cycles;
    return (after - before) / fmax(fabs(before), MEASURED_LEAST_DIFFERENCE);
}

static int compare_changes(const void *a, const void *b) {
    const struct diff_entry *one = *(const struct diff_entry *const *)a, *other = *(const struct diff_entry *const *)b;
    double x = fabs(change_of(one)), y = fabs(change_of(other));
    if (x != y)
        return x > y ? -1 : 1;
    return (one > other) - (one < other);
}

static void print_kind(struct arena *arena, const struct diff *diff, enum diff_kind kind, const char *title,
                       size_t most, FILE *out, bool colour) {
    const struct diff_entry **list = ARENA_ARRAY(arena, const struct diff_entry *, diff->n_entries);
    size_t n = 0;
    for (size_t i = 0; i < diff->n_entries; i++)
        if (diff->entries[i].kind == kind)
            list[n++] = &diff->entries[i];
    if (n == 0)
        return;
    if (kind == DIFF_MOVED)
        qsort(list, n, sizeof(const struct diff_entry *), compare_changes);
    size_t n_shown = most && most < n ? most : n;
    struct table grid = {.arena = arena};
    table_column(&grid, TABLE_CUT, "form");
    table_column(&grid, TABLE_LEFT, "value");
    table_column(&grid, TABLE_LEFT, "before");
    table_column(&grid, TABLE_LEFT, "after");
    table_column(&grid, TABLE_RIGHT, kind == DIFF_MOVED ? "change" : "");
    fputc('\n', out);
    screen_print_sentence(arena_printf(arena, "%s: %zu", title, n), out);
    fputc('\n', out);
    for (size_t i = 0; i < n_shown; i++) {
        const struct check_value *any = list[i]->after ? list[i]->after : list[i]->before;
        table_cell(&grid, "%s", any->form);
        table_cell(&grid, "%s", check_value_label(arena, any));
        bool has_moved = kind == DIFF_MOVED;
        table_cell(&grid, "%s", value_text(arena, list[i]->before, has_moved ? list[i]->after : NULL));
        table_cell(&grid, "%s", value_text(arena, list[i]->after, has_moved ? list[i]->before : NULL));
        table_cell(&grid, "%s", has_moved ? arena_printf(arena, "%+.3g %%", 100 * change_of(list[i])) : "");
    }
    table_print(&grid, out, colour);
    if (n_shown < n)
        screen_print_sentence(arena_printf(arena, "… and %zu more (--all prints them)", n - n_shown), out);
}

void diff_print(struct arena *arena, const struct diff_sides *sides, const struct diff *diff, double rate, size_t most,
                FILE *out, bool colour) {
    static const struct {
        enum diff_kind kind;
        const char *title;
    } kinds[] = {{DIFF_MOVED, "Moved"},
                 {DIFF_NOW_UNSTABLE, "Now unstable"},
                 {DIFF_BETTER_KNOWN, "Now stable"},
                 {DIFF_LOST, "Lost"},
                 {DIFF_NEW, "New"},
                 {DIFF_INCOMPARABLE, "An upper bound, or other code with two speeds, on one side: no contradiction"}};
    screen_print_sentence(
        arena_printf(arena, "Before: %s: %s", sides->before->path, check_results_origin(arena, sides->before)), out);
    screen_print_sentence(
        arena_printf(arena, "After: %s: %s", sides->after->path, check_results_origin(arena, sides->after)), out);
    size_t n_moved = diff->n_by_kind[DIFF_MOVED];
    const char *doubt = arena_printf(
        arena, " Of those that moved, at most %g %% are expected to be false (Benjamini and Hochberg).", 100 * rate);
    screen_print_sentence(arena_printf(arena, "%zu of %s moved.%s", n_moved,
                                       text_count(arena, diff->n_compared, "stable value"), n_moved ? doubt : ""),
                          out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        print_kind(arena, diff, kinds[i].kind, kinds[i].title, most, out, colour);
}

// ---- for programs

struct name {
    const char *form, *class_name, *quantity, *detail;
};
static const struct column name_columns[] = {
    {"form", COLUMN_TEXT, 0, offsetof(struct name, form)},
    {"class", COLUMN_TEXT, 0, offsetof(struct name, class_name)},
    {"quantity", COLUMN_TEXT, 0, offsetof(struct name, quantity)},
    {"detail", COLUMN_TEXT, 0, offsetof(struct name, detail)},
};
enum { N_NAME = sizeof name_columns / sizeof *name_columns };

static struct name name_of(const struct check_value *value) {
    return (struct name){value->form, value->class_name, check_quantity_name(value->quantity), value->detail};
}

struct number {
    double cycles, low, high;
    const char *relation, *verdict;
};
enum { CYCLES, LOW, HIGH, RELATION, VERDICT, N_NUMBER };
#define NUMBER_COLUMNS(cycles_name, low_name, high_name, relation_name, verdict_name)                                  \
    {                                                                                                                  \
        [CYCLES] = {cycles_name, COLUMN_REAL, DECIMALS, offsetof(struct number, cycles)},                              \
        [LOW] = {low_name, COLUMN_REAL, DECIMALS, offsetof(struct number, low)},                                       \
        [HIGH] = {high_name, COLUMN_REAL, DECIMALS, offsetof(struct number, high)},                                    \
        [RELATION] = {relation_name, COLUMN_TEXT, 0, offsetof(struct number, relation)}, [VERDICT] = {                 \
            verdict_name,                                                                                              \
            COLUMN_TEXT,                                                                                               \
            0,                                                                                                         \
            offsetof(struct number, verdict)                                                                           \
        }                                                                                                              \
    }
// An object of JSON; in CSV, each side of a difference, and what was measured beside two models.
static const struct column number_columns[N_NUMBER] = NUMBER_COLUMNS("cycles", "low", "high", "relation", "verdict"),
                           before_columns[N_NUMBER] = NUMBER_COLUMNS("before", "before_low", "before_high",
                                                                     "before_relation", "before_verdict"),
                           after_columns[N_NUMBER] =
                               NUMBER_COLUMNS("after", "after_low", "after_high", "after_relation", "after_verdict"),
                           measured_columns[N_NUMBER] =
                               NUMBER_COLUMNS("measured", "low", "high", "relation", "verdict");

static struct number number_of(const struct check_value *value) {
    if (!value || !value->value.is_known)
        return (struct number){.cycles = NAN, .low = NAN, .high = NAN};
    return (struct number){value->value.cycles, value->value.low, value->value.high,
                           value->value.relation == TABLE_AT_MOST ? "at most" : "equal",
                           bench_verdict_name(value->value.verdict)};
}

struct chance {
    double p;
};
static const struct column chance_column = {"p", COLUMN_EXACT, 0, offsetof(struct chance, p)};

static struct chance chance_of(const struct diff_entry *entry) {
    return (struct chance){entry->kind == DIFF_MOVED ? entry->p : NAN};
}

static const struct column model_columns[] = {
    {"predicted_before", COLUMN_EXACT, 0, offsetof(struct diff_models_entry, before)},
    {"predicted_after", COLUMN_EXACT, 0, offsetof(struct diff_models_entry, after)},
};
enum { N_MODELS = sizeof model_columns / sizeof *model_columns };
static const unsigned char in_order[] = {0, 1, 2, 3};

// ---- JSON

static void put_value(struct json_text *json, const char *key, const struct check_value *value) {
    static const unsigned char which[] = {RELATION, VERDICT, CYCLES, LOW, HIGH};
    struct number number = number_of(value);
    if (!number.relation)
        return;
    json_open(json, key);
    columns_put_members(number_columns, which, sizeof which, &number, json);
    json_close(json);
}

static void put_name(struct json_text *json, const struct check_value *value) {
    struct name name = name_of(value);
    columns_put_members(name_columns, in_order, N_NAME, &name, json);
}

static void put_side(struct json_text *json, const char *key, const struct check_results *results) {
    json_open(json, key);
    json_put_text(json, "path", results->path);
    json_put_text(json, "machine", results->machine);
    json_put_text(json, "clock", results->clock);
    json_put_dates(json, "time", &results->when);
    json_put_integer(json, "values", (int64_t)results->n_values);
    json_close(json);
}

bool diff_write_json(struct arena *arena, const struct diff_sides *sides, const struct diff *diff, FILE *out,
                     struct fail *fail) {
    struct json_text head = {.text.arena = arena};
    json_open(&head, NULL);
    json_put_text(&head, "record", "diff");
    put_side(&head, "before", sides->before);
    put_side(&head, "after", sides->after);
    json_put_integer(&head, "compared", (int64_t)diff->n_compared);
    for (int k = 0; k < DIFF_N_KINDS; k++)
        json_put_integer(&head, diff_kind_name((enum diff_kind)k), (int64_t)diff->n_by_kind[k]);
    json_close(&head);
    bool is_written = json_print_line(out, &head, fail);
    for (size_t i = 0; is_written && i < diff->n_entries; i++) {
        const struct diff_entry *entry = &diff->entries[i];
        struct json_text json = {.text.arena = arena};
        if (entry->kind == DIFF_SAME)
            continue;
        json_open(&json, NULL);
        json_put_text(&json, "record", "difference");
        json_put_text(&json, "kind", diff_kind_name(entry->kind));
        put_name(&json, entry->after ? entry->after : entry->before);
        put_value(&json, "before", entry->before);
        put_value(&json, "after", entry->after);
        struct chance chance = chance_of(entry);
        columns_put_members(&chance_column, in_order, 1, &chance, &json);
        json_close(&json);
        is_written = json_print_line(out, &json, fail);
    }
    return is_written;
}

void diff_models_print(struct arena *arena, const struct diff_model_names *names, const struct diff_models *diff,
                       size_t most, FILE *out, bool colour) {
    size_t n_shown = most && most < diff->n_entries ? most : diff->n_entries;
    struct table grid = {.arena = arena};
    table_column(&grid, TABLE_CUT, "form");
    table_column(&grid, TABLE_LEFT, "value");
    table_column(&grid, TABLE_RIGHT, names->before);
    table_column(&grid, TABLE_RIGHT, names->after);
    table_column(&grid, TABLE_LEFT, "measured");
    screen_print_sentence(arena_printf(arena, "%zu of %s differ%s between %s and %s", diff->n_entries,
                                       text_count(arena, diff->n_compared, "prediction"),
                                       diff->n_compared == 1 ? "s" : "", names->before, names->after),
                          out);
    if (n_shown)
        fputc('\n', out);
    for (size_t i = 0; i < n_shown; i++) {
        const struct diff_models_entry *entry = &diff->entries[i];
        table_cell(&grid, "%s", entry->value->form);
        table_cell(&grid, "%s", check_value_label(arena, entry->value));
        table_cell(&grid, "%s", number_text(arena, entry->before, entry->after));
        table_cell(&grid, "%s", number_text(arena, entry->after, entry->before));
        table_cell(&grid, "%s", value_text(arena, entry->value, NULL));
    }
    if (n_shown)
        table_print(&grid, out, colour);
    if (n_shown < diff->n_entries)
        screen_print_sentence(arena_printf(arena, "… and %zu more (--all prints them)", diff->n_entries - n_shown),
                              out);
}

bool diff_models_write_json(struct arena *arena, const struct diff_model_names *names, const struct diff_models *diff,
                            FILE *out, struct fail *fail) {
    struct json_text head = {.text.arena = arena};
    json_open(&head, NULL);
    json_put_text(&head, "record", "diff");
    json_put_text(&head, "model_before", names->before);
    json_put_text(&head, "model_after", names->after);
    json_put_integer(&head, "compared", (int64_t)diff->n_compared);
    json_put_integer(&head, "moved", (int64_t)diff->n_entries);
    json_close(&head);
    bool is_written = json_print_line(out, &head, fail);
    for (size_t i = 0; is_written && i < diff->n_entries; i++) {
        const struct diff_models_entry *entry = &diff->entries[i];
        struct json_text json = {.text.arena = arena};
        json_open(&json, NULL);
        json_put_text(&json, "record", "difference");
        json_put_text(&json, "kind", "moved");
        put_name(&json, entry->value);
        columns_put_members(model_columns, in_order, N_MODELS, entry, &json);
        put_value(&json, "measured", entry->value);
        json_close(&json);
        is_written = json_print_line(out, &json, fail);
    }
    return is_written;
}

// ---- CSV

static void put_name_cells(struct csv *csv, const struct check_value *value) {
    struct name name = name_of(value);
    columns_put_cells(name_columns, N_NAME, &name, csv);
}

static void put_number_cells(struct csv *csv, const struct check_value *value) {
    struct number number = number_of(value);
    columns_put_cells(number_columns, N_NUMBER, &number, csv);
}

bool diff_write_csv(struct arena *arena, const struct diff *diff, FILE *out, struct fail *fail) {
    struct csv csv = {.line.arena = arena};
    csv_put(&csv, "kind");
    columns_put_titles(name_columns, N_NAME, "", &csv);
    columns_put_titles(before_columns, N_NUMBER, "", &csv);
    columns_put_titles(after_columns, N_NUMBER, "", &csv);
    columns_put_titles(&chance_column, 1, "", &csv);
    csv_end_line(&csv, out);
    for (size_t i = 0; i < diff->n_entries; i++) {
        const struct diff_entry *entry = &diff->entries[i];
        struct chance chance = chance_of(entry);
        if (entry->kind == DIFF_SAME)
            continue;
        csv_put(&csv, diff_kind_name(entry->kind));
        put_name_cells(&csv, entry->after ? entry->after : entry->before);
        put_number_cells(&csv, entry->before);
        put_number_cells(&csv, entry->after);
        columns_put_cells(&chance_column, 1, &chance, &csv);
        csv_end_line(&csv, out);
    }
    return csv_is_written(out, fail);
}

bool diff_models_write_csv(struct arena *arena, const struct diff_models *diff, FILE *out, struct fail *fail) {
    struct csv csv = {.line.arena = arena};
    columns_put_titles(name_columns, N_NAME, "", &csv);
    columns_put_titles(model_columns, N_MODELS, "", &csv);
    columns_put_titles(measured_columns, N_NUMBER, "", &csv);
    csv_end_line(&csv, out);
    for (size_t i = 0; i < diff->n_entries; i++) {
        const struct diff_models_entry *entry = &diff->entries[i];
        put_name_cells(&csv, entry->value);
        columns_put_cells(model_columns, N_MODELS, entry, &csv);
        put_number_cells(&csv, entry->value);
        csv_end_line(&csv, out);
    }
    return csv_is_written(out, fail);
}
