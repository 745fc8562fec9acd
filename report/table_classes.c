// Scheduling classes whose forms differ: LLVM's models have one latency and one throughput for all of them.
#include "report/table.h"

#include "base/columns.h"
#include "base/screen.h"
#include "base/table.h"
#include "report/row_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 5 };

// A value of a form in a class.
struct member {
    const char *class_name, *kind, *form;
    const struct table_value *value;
};

// Members of a class that agree. Their list ends with the table's members.
struct group {
    const struct member *first; // that of the smallest value
    double low, high;           // of all their intervals together
    size_t n;
};

struct groups {
    struct arena *arena;
    struct group *items;
    size_t n;
};

static bool is_sure(const struct table_value *value) {
    return row_summary_is_known(value) && value->relation == TABLE_EQUAL && value->verdict != MEASURED_UNSTABLE;
}

static int compare(const void *a, const void *b) {
    const struct member *one = a, *other = b;
    int order = strcmp(one->class_name, other->class_name);
    if (order == 0)
        order = strcmp(one->kind, other->kind);
    if (order == 0)
        order = (one->value->cycles > other->value->cycles) - (one->value->cycles < other->value->cycles);
    return order ? order : strcmp(one->form, other->form);
}

// The row without what only one form of each class has: what other instructions wait for its result.
static struct table_row without_others(struct arena *arena, const struct table_row *row) {
    struct table_latency *latencies = ARENA_ARRAY(arena, struct table_latency, row->n_latencies);
    struct table_row own = *row;
    own.n_latencies = 0;
    for (size_t i = 0; i < row->n_latencies; i++)
        if (!row->latencies[i].is_to_others)
            latencies[own.n_latencies++] = row->latencies[i];
    own.latencies = latencies;
    return own;
}

// The sure values of all forms, by class, kind and cycles.
static struct member *find_members(struct arena *arena, const struct survey_table *table, size_t *n) {
    struct member *members = ARENA_ARRAY(arena, struct member, 2 * table->n_rows);
    *n = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct table_row *row = &table->rows[i];
        const struct table_row own = without_others(arena, row);
        struct row_summary summary = row_summary_latency(arena, &own);
        const struct table_throughput *throughput = row_summary_throughput(row);
        if (!row->sched_class)
            continue;
        if (summary.latency && !summary.doubt && !summary.n_unknown && is_sure(&summary.latency->value))
            members[(*n)++] = (struct member){row->sched_class, "latency", row->form, &summary.latency->value};
        if (throughput && is_sure(&throughput->value))
            members[(*n)++] = (struct member){row->sched_class, "throughput", row->form, &throughput->value};
    }
    if (*n)
        qsort(members, *n, sizeof *members, compare);
    return members;
}

static bool is_of_same(const struct member *a, const struct member *b) {
    return strcmp(a->class_name, b->class_name) == 0 && strcmp(a->kind, b->kind) == 0;
}

// Adds the groups of members [first, end), where there are several. Members agree with a group whose intervals they
// meet, or nearly so.
static void add_groups(struct groups *groups, const struct member *first, const struct member *end) {
    struct groups found = {.arena = groups->arena};
    for (const struct member *each = first; each < end; each++) {
        struct group *last = found.n ? &found.items[found.n - 1] : NULL;
        if (last && each->value->low - last->high <= MEASURED_LEAST_DIFFERENCE * last->first->value->cycles) {
            last->high = fmax(last->high, each->value->high);
            last->n++;
        } else
            *ARENA_ADD(found.arena, found.items, found.n) =
                (struct group){each, each->value->low, each->value->high, 1};
    }
    for (size_t i = 0; found.n > 1 && i < found.n; i++)
        *ARENA_ADD(groups->arena, groups->items, groups->n) = found.items[i];
}

static struct groups find_groups(struct arena *arena, const struct survey_table *table) {
    struct groups groups = {.arena = arena};
    size_t n, first = 0;
    const struct member *members = find_members(arena, table, &n);
    for (size_t i = 1; i <= n; i++)
        if (i == n || !is_of_same(&members[first], &members[i])) {
            add_groups(&groups, &members[first], &members[i]);
            first = i;
        }
    return groups;
}

static void print_text(const struct groups *groups, FILE *out, bool colour) {
    struct table grid = {.arena = groups->arena};
    size_t n_classes = 0;
    const char *last = "";
    for (size_t i = 0; i < groups->n; i++) {
        n_classes += strcmp(last, groups->items[i].first->class_name) != 0;
        last = groups->items[i].first->class_name;
    }
    screen_print_sentence(arena_printf(groups->arena, "Scheduling classes whose forms differ: %zu", n_classes), out);
    if (n_classes == 0)
        return;
    fputc('\n', out);
    table_column(&grid, TABLE_CUT, "scheduling class");
    table_column(&grid, TABLE_LEFT, "differs in");
    table_column(&grid, TABLE_LEFT, "cycles");
    table_column(&grid, TABLE_RIGHT, "forms");
    table_column(&grid, TABLE_CUT, "such as");
    for (size_t i = 0; i < groups->n; i++) {
        const struct group *group = &groups->items[i];
        bool goes_on = i && is_of_same(group->first, groups->items[i - 1].first);
        double cycles = group->first->value->cycles;
        table_cell(&grid, "%s", goes_on ? "" : group->first->class_name);
        table_cell(&grid, "%s", goes_on ? "" : group->first->kind);
        table_cell(&grid, "%s", row_summary_number(groups->arena, cycles, row_summary_decimals(cycles)));
        table_cell(&grid, "%zu", group->n);
        table_cell(&grid, "%s", group->first->form);
    }
    table_print(&grid, out, colour);
}

struct line {
    const char *class_name, *quantity;
    double cycles, low, high;
    int64_t forms;
    const char *form;
};

static const struct column columns[] = {
    {"class", COLUMN_TEXT, 0, offsetof(struct line, class_name)},
    {"quantity", COLUMN_TEXT, 0, offsetof(struct line, quantity)},
    {"cycles", COLUMN_REAL, DECIMALS, offsetof(struct line, cycles)},
    {"low", COLUMN_REAL, DECIMALS, offsetof(struct line, low)},
    {"high", COLUMN_REAL, DECIMALS, offsetof(struct line, high)},
    {"forms", COLUMN_COUNT, 0, offsetof(struct line, forms)},
    {"form", COLUMN_TEXT, 0, offsetof(struct line, form)},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static struct line line_of(const struct group *group) {
    const struct member *first = group->first;
    return (struct line){first->class_name, first->kind,       first->value->cycles, group->low,
                         group->high,       (int64_t)group->n, first->form};
}

static void write_csv(const struct groups *groups, FILE *out) {
    struct csv csv = {.line.arena = groups->arena};
    columns_put_titles(columns, N_COLUMNS, "", &csv);
    csv_end_line(&csv, out);
    for (size_t i = 0; i < groups->n; i++) {
        struct line line = line_of(&groups->items[i]);
        columns_put_cells(columns, N_COLUMNS, &line, &csv);
        csv_end_line(&csv, out);
    }
}

static bool write_json(const struct groups *groups, FILE *out, struct fail *fail) {
    static const unsigned char all[N_COLUMNS] = {0, 1, 2, 3, 4, 5, 6};
    bool is_written = true;
    for (size_t i = 0; is_written && i < groups->n; i++) {
        struct line line = line_of(&groups->items[i]);
        struct json_text json = {.text.arena = groups->arena};
        json_open(&json, NULL);
        json_put_text(&json, "record", "class");
        columns_put_members(columns, all, N_COLUMNS, &line, &json);
        json_close(&json);
        is_written = json_print_line(out, &json, fail);
    }
    return is_written;
}

static bool has_classes(const struct survey_table *table) {
    bool is_found = false;
    for (size_t i = 0; i < table->n_rows; i++)
        is_found |= table->rows[i].sched_class != NULL;
    return is_found;
}

bool table_classes_write(struct arena *arena, const struct survey_table *table, enum table_format format, bool colour,
                         FILE *out, struct fail *fail) {
    if (table->n_rows && !has_classes(table))
        return fail_set(
            fail, FAIL_INPUT,
            "this table does not state scheduling classes: published ones leave them out, surveys have them");
    struct groups groups = find_groups(arena, table);
    if (format == TABLE_JSON)
        return write_json(&groups, out, fail);
    if (format == TABLE_CSV)
        write_csv(&groups, out);
    else
        print_text(&groups, out, colour);
    return (fflush(out) == 0 && !ferror(out)) || fail_set(fail, FAIL_INPUT, "cannot write the table");
}
