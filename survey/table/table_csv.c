#include "survey/table/table_csv.h"

#include "base/bytes.h"
#include "base/compressed.h"
#include "base/csv_read.h"
#include "base/file.h"
#include "base/index.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/record/record.h"
#include "survey/folder.h"
#include "survey/table/table_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
#define NUMBER(number, title, kind, member) number,
    TABLE_COLUMNS(NUMBER) N_COLUMNS
};
#define TITLE(number, title, kind, member) title,
static const char *const titles[N_COLUMNS] = {TABLE_COLUMNS(TITLE)};
static const bool are_required[N_COLUMNS] = {[FORM] = true, [QUANTITY] = true, [CYCLES] = true, [LOW] = true,
                                             [HIGH] = true, [RELATION] = true, [VERDICT] = true};
static const char first_of_model[] = " " TABLE_MODEL_LATENCY;
enum { N_OF_MODEL = 3, NOWHERE = -1 };

// A row while lines are added to it.
struct growing {
    struct table_row row;
    struct table_latency *latencies;
    struct table_throughput *throughputs;
};

struct csv_table {
    struct arena *arena;
    struct csv_reader reader;
    int places[N_COLUMNS]; // index of each column; NOWHERE: not there
    size_t first_model;    // column of the first model's latency
    struct survey_table *table;
    struct growing *rows;
    size_t n_rows;
    struct index forms;
    struct fail *fail;
};

static const char *cell(const struct csv_table *t, unsigned column) {
    return t->places[column] == NOWHERE ? "" : t->reader.cells[t->places[column]];
}

static const char *cell_or_null(const struct csv_table *t, unsigned column) {
    const char *text = cell(t, column);
    return *text ? text : NULL;
}

static bool is_yes(const struct csv_table *t, unsigned column) {
    return strcmp(cell(t, column), "yes") == 0;
}

static bool fail_line(const struct csv_table *t, const char *what, const char *text) {
    return fail_at(t->fail, t->reader.file, t->reader.line, 0, "%s: '%s'", what, text);
}

// An empty cell is no number: NAN.
static bool read_number(const struct csv_table *t, const char *text, double *number) {
    char *end;
    *number = *text ? strtod(text, &end) : (double)NAN;
    return !*text || (*end == '\0' && isfinite(*number)) || fail_line(t, "no number", text);
}

// ---- the titles

static bool read_models(struct csv_table *t) {
    const char **names = NULL;
    size_t n = 0, last = t->reader.n_cells;
    t->first_model = last;
    for (size_t i = 0; i < last; i++) {
        const char *title = t->reader.cells[i];
        if (!file_has_suffix(title, first_of_model))
            continue;
        t->first_model = n ? t->first_model : i;
        *ARENA_ADD(t->arena, names, n) = arena_copy(t->arena, title, strlen(title) - strlen(first_of_model));
    }
    t->table->models = names;
    t->table->n_models = n;
    return t->first_model + n * N_OF_MODEL == last ||
           fail_at(t->fail, t->reader.file, 1, 0, "the columns of models are not those of 'cyclops table --csv'");
}

static bool read_titles(struct csv_table *t) {
    if (!csv_read_next(&t->reader, t->fail))
        return fail_at(t->fail, t->reader.file, 0, 0, "the table is empty");
    for (unsigned c = 0; c < N_COLUMNS; c++) {
        t->places[c] = NOWHERE;
        for (size_t i = 0; i < t->reader.n_cells && t->places[c] == NOWHERE; i++)
            if (strcmp(t->reader.cells[i], titles[c]) == 0)
                t->places[c] = (int)i;
        if (t->places[c] == NOWHERE && are_required[c])
            return fail_at(t->fail, t->reader.file, 1, 0,
                           "it is no table of 'cyclops table --csv': it has no column '%s'", titles[c]);
    }
    return read_models(t);
}

// ---- the lines

static struct growing *find_row(struct csv_table *t, const char *form) {
    uint64_t hash = bytes_hash(form, strlen(form));
    for (size_t place = 0, i; (i = index_next(&t->forms, hash, &place)) != INDEX_END;)
        if (strcmp(t->rows[i].row.form, form) == 0)
            return &t->rows[i];
    index_add(&t->forms, hash, t->n_rows);
    struct growing *added = ARENA_ADD(t->arena, t->rows, t->n_rows);
    *added = (struct growing){.row = {.form = form,
                                      .example = cell_or_null(t, EXAMPLE),
                                      .sched_class = cell_or_null(t, CLASS),
                                      .headline = SIZE_MAX}};
    return added;
}

static bool read_verdict(const struct csv_table *t, enum bench_verdict *verdict) {
    const char *text = cell(t, VERDICT);
    for (*verdict = MEASURED_EXACT; *verdict <= MEASURED_UNSTABLE; (*verdict)++)
        if (strcmp(text, bench_verdict_name(*verdict)) == 0)
            return true;
    return fail_line(t, "unknown verdict", text);
}

// Whether the remark is that of a value with two speeds, or many, for which there is no column: bench/measurement.c,
// clusters.c and table_latencies.c write it.
static bool has_two_speeds(const char *why) {
    static const char *const starts[] = {"two speeds", "another value in each process"};
    for (size_t i = 0; why && i < sizeof starts / sizeof *starts; i++)
        if (text_starts(why, starts[i]))
            return true;
    return why && strstr(why, " in straight code, ");
}

static bool read_value(const struct csv_table *t, struct table_value *value) {
    const char *relation = cell(t, RELATION);
    *value = (struct table_value){.why = cell_or_null(t, WHY), .partner = cell_or_null(t, PARTNER)};
    if (!*cell(t, CYCLES))
        return true;
    if (!read_number(t, cell(t, CYCLES), &value->cycles) || !read_number(t, cell(t, LOW), &value->low) ||
        !read_number(t, cell(t, HIGH), &value->high) || !read_number(t, cell(t, SUM), &value->sum) ||
        !read_verdict(t, &value->verdict))
        return false;
    if (!(value->low <= value->cycles && value->cycles <= value->high))
        return fail_line(t, "the value is not in its interval", cell(t, CYCLES));
    if (strcmp(relation, "equal") != 0 && strcmp(relation, "at most") != 0)
        return fail_line(t, "unknown relation", relation);
    value->sum = isfinite(value->sum) ? value->sum : 0;
    value->relation = strcmp(relation, "equal") == 0 ? TABLE_EQUAL : TABLE_AT_MOST;
    value->has_two_speeds = has_two_speeds(value->why);
    value->is_known = true;
    return true;
}

static void add_throughput(struct csv_table *t, struct growing *row, const struct table_value *value) {
    struct table_throughput throughput = {
        .is_looped = strcmp(cell(t, CODE), "looped") == 0,
        .has_breakers = is_yes(t, BREAKERS),
        .has_lines = is_yes(t, LANES_ON_LINES),
        .has_slow_values = is_yes(t, SLOW_VALUES),
        .streams = (unsigned)strtoul(cell(t, STREAMS), NULL, 10),
        .fillers = (unsigned)strtoul(cell(t, FILLERS), NULL, 10),
        .value = *value,
    };
    if (!program_placement_parse(cell(t, PLACEMENT), &throughput.placement))
        throughput.placement = is_yes(t, SAME_ADDRESS) ? PLACEMENT_SAME_ADDRESS : PLACEMENT_NONE;
    if (is_yes(t, HEADLINE))
        row->row.headline = row->row.n_throughputs;
    *ARENA_ADD(t->arena, row->throughputs, row->row.n_throughputs) = throughput;
}

static bool add_line(struct csv_table *t, struct growing *row) {
    const char *quantity = cell(t, QUANTITY);
    struct table_value value;
    if (strcmp(quantity, "count") == 0) // what an event counted in a throughput
        return true;
    if (!read_value(t, &value))
        return false;
    if (strcmp(quantity, "latency") == 0)
        *ARENA_ADD(t->arena, row->latencies, row->row.n_latencies) =
            (struct table_latency){.source = cell(t, SOURCE),
                                   .destination = cell(t, DESTINATION),
                                   .has_slow_values = is_yes(t, SLOW_VALUES),
                                   .is_to_others = is_yes(t, TO_OTHERS),
                                   .value = value};
    else if (strcmp(quantity, "throughput") == 0)
        add_throughput(t, row, &value);
    else if (strcmp(quantity, "slots") == 0)
        row->row.slots.value = value;
    else if (strcmp(quantity, "none") == 0)
        row->row.left_out = value.why ? value.why : "no reason is stated";
    else
        return fail_line(t, "unknown quantity", quantity);
    return true;
}

// A model's numbers stand in each line of a form.
static bool add_models(const struct csv_table *t, struct growing *row) {
    if (row->row.models || !t->table->n_models)
        return true;
    struct table_model *models = ARENA_ARRAY(t->arena, struct table_model, t->table->n_models);
    for (size_t m = 0; m < t->table->n_models; m++) {
        const char *const *cells = t->reader.cells + t->first_model + m * N_OF_MODEL;
        double uops;
        if (!read_number(t, cells[0], &models[m].latency) || !read_number(t, cells[1], &models[m].rthroughput) ||
            !read_number(t, cells[2], &uops))
            return false;
        models[m].uops = uops > 0 && uops < 1e6 ? (unsigned)uops : 0;
        models[m].is_known = isfinite(models[m].latency) || isfinite(models[m].rthroughput);
    }
    row->row.models = models;
    return true;
}

static bool read_lines(struct csv_table *t) {
    size_t n_titles = t->reader.n_cells;
    while (csv_read_next(&t->reader, t->fail)) {
        if (t->reader.n_cells != n_titles)
            return fail_at(t->fail, t->reader.file, t->reader.line, 0, "%zu cells, where the titles are %zu",
                           t->reader.n_cells, n_titles);
        if (!*cell(t, FORM))
            return fail_line(t, "a line of no form", cell(t, QUANTITY));
        struct growing *row = find_row(t, cell(t, FORM));
        if (!add_line(t, row) || !add_models(t, row))
            return false;
    }
    return t->fail->status == FAIL_NONE;
}

// ---- the whole

static void count_value(struct survey_table *table, const struct table_value *value) {
    table->n_values += value->is_known;
    table->n_unstable += value->is_known && value->verdict == MEASURED_UNSTABLE;
    table->n_at_most += value->is_known && value->relation == TABLE_AT_MOST;
}

static void finish_rows(struct csv_table *t) {
    struct table_row *rows = ARENA_ARRAY(t->arena, struct table_row, t->n_rows);
    for (size_t i = 0; i < t->n_rows; i++) {
        struct growing *from = &t->rows[i];
        rows[i] = from->row;
        rows[i].latencies = from->latencies;
        rows[i].throughputs = from->throughputs;
        rows[i].headline = rows[i].headline == SIZE_MAX ? rows[i].n_throughputs : rows[i].headline;
        t->table->n_measured += !rows[i].left_out;
        for (size_t k = 0; k < rows[i].n_latencies; k++)
            count_value(t->table, &rows[i].latencies[k].value);
        for (size_t k = 0; k < rows[i].n_throughputs; k++)
            count_value(t->table, &rows[i].throughputs[k].value);
        count_value(t->table, &rows[i].slots.value);
    }
    t->table->rows = rows;
    t->table->n_rows = t->table->n_forms = t->n_rows;
}

static const char *folder_of(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == path ? "/" : slash ? arena_copy(arena, path, (size_t)(slash - path)) : ".";
}

// Returns the text of `key: "…"` of a card; null: it has none.
static const char *text_of_card(struct arena *arena, const char *card, const char *key) {
    const char *line = strstr(card, arena_printf(arena, "\n%s: \"", key));
    const char *start = line ? line + strlen(key) + strlen("\n: \"") : NULL;
    return start && *start != '"' ? arena_copy(arena, start, strcspn(start, "\"\n")) : NULL;
}

// `measured: "2026-11-27T02:49Z to 2026-11-27T02:53Z"`, or one of the two.
static struct date_range dates_of_card(struct arena *arena, const char *card) {
    static const char between[] = " to ";
    struct date_range range = {0};
    const char *dates = text_of_card(arena, card, "measured"), *last = dates ? strstr(dates, between) : NULL;
    if (dates)
        date_range_add(arena, &range, last ? arena_copy(arena, dates, (size_t)(last - dates)) : dates);
    if (last)
        date_range_add(arena, &range, last + strlen(between));
    return range;
}

static bool read_host(struct arena *arena, const char *path, struct survey_table *table, struct fail *fail) {
    char *text;
    size_t length;
    if (!file_read(arena, path, &text, &length, fail))
        return false;
    json_t *header = json_parse_line(text, length, path, 1, fail);
    if (!header)
        return false;
    table->cpu = table_machine_text(arena, header);
    table->clock = table_clock_text(arena, header);
    const char *time = record_time(header);
    date_range_add(arena, &table->when, time ? arena_strdup(arena, time) : NULL);
    json_decref(header);
    return true;
}

// Names the machine by what stands beside the table.
static bool read_machine(struct arena *arena, const char *path, struct survey_table *table, struct fail *fail) {
    const char *folder = folder_of(arena, path), *host = arena_printf(arena, "%s/host.json", folder);
    struct fail no_host = {0};
    char *text;
    if (file_read(arena, host, &text, NULL, &no_host))
        return read_host(arena, host, table, fail);
    struct fail no_card = {0};
    if (file_read(arena, arena_printf(arena, "%s/card.yaml", folder), &text, NULL, &no_card)) {
        table->cpu = text_of_card(arena, text, "measured_on");
        table->clock = text_of_card(arena, text, "clock");
        table->when = dates_of_card(arena, text);
    }
    if (!table->cpu)
        table->cpu = strcmp(folder, ".") == 0 ? path : file_base(folder);
    return true;
}

bool table_read_csv(struct arena *arena, const char *path, struct survey_table *table, struct fail *fail) {
    struct csv_table t = {.arena = arena, .table = table, .forms.arena = arena, .fail = fail};
    size_t length;
    *table = (struct survey_table){0};
    t.reader.file = path;
    if (!compressed_read(arena, path, &t.reader.at, &length, fail))
        return false;
    if (strlen(t.reader.at) != length)
        return fail_at(fail, path, 0, 0, "a zero byte is in it");
    if (!read_titles(&t) || !read_lines(&t))
        return false;
    finish_rows(&t);
    return read_machine(arena, path, table, fail);
}

const char *table_csv_file(struct arena *arena, const char *path) {
    if (!file_is_folder(path))
        return file_has_suffix(compressed_plain_name(arena, path), ".csv") ? path : NULL;
    const char *survey = compressed_find(arena, folder_file(arena, path, "forms.jsonl"));
    return survey ? NULL : compressed_find(arena, folder_file(arena, path, "table.csv"));
}
