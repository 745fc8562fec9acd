// The table for other programs: CSV and JSON Lines.
#include "report/table_rows.h"

#include "base/columns.h"
#include "report/row_summary.h"
#include "survey/table/table_columns.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { DECIMALS = 5 };

// A value: a latency, a throughput, slots, or what an event counted. What it does not have is absent.
struct line {
    const char *form, *quantity, *source, *destination;
    double cycles, low, high; // of slots, slots; of a count, events per instruction
    const char *relation, *verdict, *why, *kernel, *bytes, *class_name, *example;
    const char *code;
    enum column_truth same_address, breakers, slow_values, lanes_on_lines;
    int64_t streams;
    enum column_truth headline;
    const char *partner;
    double sum;
    enum column_truth to_others;
    const char *placement;
    int64_t fillers;
    const char *again;
    double chain;
    enum column_truth confirmed;
};

// Columns of CSV, then those that only JSON has.
enum {
#define NUMBER(number, title, kind, member) number,
    TABLE_COLUMNS(NUMBER) N_OF_CSV,
    SLOTS = N_OF_CSV, // CSV has them as cycles
    EVENT,            // as a source
    COUNT,            // as cycles
    AGAIN,
    CHAIN,
    CONFIRMED,
    N_COLUMNS
};
static const struct column columns[N_COLUMNS] = {
#define DESCRIPTION(number, title, kind, member)                                                                       \
    [number] = {title, COLUMN_##kind, DECIMALS, offsetof(struct line, member)},
    [SLOTS] = {"slots", COLUMN_REAL, DECIMALS, offsetof(struct line, cycles)},
    [EVENT] = {"event", COLUMN_TEXT, 0, offsetof(struct line, source)},
    [COUNT] = {"count", COLUMN_REAL, DECIMALS, offsetof(struct line, cycles)},
    [AGAIN] = {"again", COLUMN_TEXT, 0, offsetof(struct line, again)},
    [CHAIN] = {"chain", COLUMN_REAL, DECIMALS, offsetof(struct line, chain)},
    [CONFIRMED] = {"confirmed", COLUMN_TRUTH, 0, offsetof(struct line, confirmed)},
    TABLE_COLUMNS(DESCRIPTION)};

struct model_line {
    double latency, rthroughput;
    int64_t uops;
};
static const struct column model_columns[] = {
    {TABLE_MODEL_LATENCY, COLUMN_REAL, DECIMALS, offsetof(struct model_line, latency)},
    {TABLE_MODEL_RTHROUGHPUT, COLUMN_REAL, DECIMALS, offsetof(struct model_line, rthroughput)},
    {TABLE_MODEL_UOPS, COLUMN_COUNT, 0, offsetof(struct model_line, uops)},
};
enum { N_OF_MODEL = sizeof model_columns / sizeof *model_columns };

// ---- lines

static const char *relation_name(enum table_relation relation) {
    return relation == TABLE_AT_MOST ? "at most" : "equal";
}

static enum column_truth truth(bool value) {
    return value ? COLUMN_YES : COLUMN_NO;
}

static enum column_truth yes_or_absent(bool value) {
    return value ? COLUMN_YES : COLUMN_UNKNOWN;
}

static struct line line_of_value(const struct table_row *row, const char *quantity, const struct table_value *value) {
    bool is_known = row_summary_is_known(value);
    return (struct line){
        .form = row->form,
        .quantity = quantity,
        .cycles = is_known ? value->cycles : NAN,
        .low = is_known ? value->low : NAN,
        .high = is_known ? value->high : NAN,
        .relation = is_known ? relation_name(value->relation) : NULL,
        .verdict = is_known ? bench_verdict_name(value->verdict) : NULL,
        .why = value->why,
        .kernel = value->kernel,
        .bytes = value->bytes,
        .class_name = row->sched_class,
        .example = row->example,
        .partner = value->partner,
        .sum = value->sum != 0 ? value->sum : NAN,
        .streams = -1,
        .fillers = -1,
        .chain = NAN,
    };
}

static struct line line_of_latency(const struct table_row *row, const struct table_latency *latency) {
    struct line line = line_of_value(row, "latency", &latency->value);
    line.source = latency->source;
    line.destination = latency->destination;
    line.slow_values = yes_or_absent(latency->has_slow_values);
    line.to_others = yes_or_absent(latency->is_to_others);
    line.chain = row_summary_is_known(&latency->value) ? latency->value.chain : NAN;
    line.confirmed = yes_or_absent(latency->value.is_confirmed);
    return line;
}

static struct line line_of_throughput(const struct table_row *row, size_t i) {
    const struct table_throughput *throughput = &row->throughputs[i];
    struct line line = line_of_value(row, "throughput", &throughput->value);
    line.code = throughput->is_looped ? "looped" : "unrolled";
    line.same_address = truth(table_has_one_address(throughput));
    if (throughput->placement != PLACEMENT_NONE)
        line.placement = program_placement_name(throughput->placement);
    line.breakers = truth(throughput->has_breakers);
    line.slow_values = truth(throughput->has_slow_values);
    line.lanes_on_lines = truth(throughput->has_lines);
    line.streams = throughput->streams;
    line.fillers = throughput->fillers ? (int64_t)throughput->fillers : -1;
    line.headline = truth(i == row->headline);
    return line;
}

// What an event counted in a throughput.
static struct line line_of_count(struct line throughput, const struct table_count *count) {
    struct line line = throughput;
    line.quantity = "count";
    line.source = count->event;
    line.cycles = count->count;
    line.low = count->low;
    line.high = count->high;
    line.relation = relation_name(TABLE_EQUAL);
    line.why = count->why;
    return line;
}

static bool has_slots(const struct table_row *row) {
    return row->slots.value.is_known || row->slots.value.why;
}

static struct model_line line_of_model(const struct table_row *row, size_t model) {
    if (!row->models || !row->models[model].is_known)
        return (struct model_line){NAN, NAN, -1};
    return (struct model_line){row->models[model].latency, row->models[model].rthroughput, row->models[model].uops};
}

// ---- CSV

static void put_titles(struct csv *csv, const struct survey_table *table) {
    columns_put_titles(columns, N_OF_CSV, "", csv);
    for (size_t i = 0; i < table->n_models; i++)
        columns_put_titles(model_columns, N_OF_MODEL, arena_printf(csv->line.arena, "%s ", table->models[i]), csv);
}

static void write_csv_line(struct csv *csv, const struct survey_table *table, const struct table_row *row,
                           const struct line *line, FILE *out) {
    columns_put_cells(columns, N_OF_CSV, line, csv);
    for (size_t i = 0; i < table->n_models; i++) {
        struct model_line model = line_of_model(row, i);
        columns_put_cells(model_columns, N_OF_MODEL, &model, csv);
    }
    csv_end_line(csv, out);
}

static void write_csv_row(struct csv *csv, const struct survey_table *table, const struct table_row *row, FILE *out) {
    struct line line;
    for (size_t k = 0; k < row->n_latencies; k++) {
        line = line_of_latency(row, &row->latencies[k]);
        write_csv_line(csv, table, row, &line, out);
    }
    for (size_t k = 0; k < row->n_throughputs; k++) {
        line = line_of_throughput(row, k);
        write_csv_line(csv, table, row, &line, out);
    }
    for (size_t k = 0; k < row->n_throughputs; k++)
        for (size_t c = 0; c < row->throughputs[k].n_counts; c++) {
            line = line_of_count(line_of_throughput(row, k), &row->throughputs[k].counts[c]);
            write_csv_line(csv, table, row, &line, out);
        }
    if (has_slots(row)) {
        line = line_of_value(row, "slots", &row->slots.value);
        write_csv_line(csv, table, row, &line, out);
    }
    if (!row->n_latencies && !row->n_throughputs) {
        line = line_of_value(row, "none", &(struct table_value){.why = row->left_out});
        write_csv_line(csv, table, row, &line, out);
    }
}

static bool is_written(FILE *out, struct fail *fail) {
    if (fflush(out) == 0 && !ferror(out))
        return true;
    return fail_set(fail, FAIL_INPUT, "cannot write the table: %s", strerror(errno));
}

bool table_report_write_csv(struct arena *arena, const struct survey_table *table,
                            const struct table_report_options *options, FILE *out, struct fail *fail) {
    struct table_rows rows;
    if (!table_rows_choose(arena, table, options, &rows, fail))
        return false;
    struct csv csv = {.line.arena = arena};
    put_titles(&csv, table);
    csv_end_line(&csv, out);
    for (size_t i = 0; i < rows.n; i++)
        write_csv_row(&csv, table, rows.rows[i], out);
    return is_written(out, fail);
}

// ---- JSON

// The command that measures a value again.
static const char *repeat_of(struct arena *arena, const struct survey_table *table, const struct table_value *value) {
    return value->kernel ? table_repeat(arena, value, table->repeat_options) : NULL;
}

static void put_latencies(struct json_text *json, const struct survey_table *table, const struct table_row *row) {
    static const unsigned char which[] = {SOURCE,  DESTINATION, SLOW_VALUES, TO_OTHERS, CYCLES,   LOW,
                                          HIGH,    RELATION,    VERDICT,     WHY,       KERNEL,   BYTES,
                                          PARTNER, SUM,         AGAIN,       CHAIN,     CONFIRMED};
    json_open_list(json, "latencies");
    for (size_t i = 0; i < row->n_latencies; i++) {
        struct line line = line_of_latency(row, &row->latencies[i]);
        line.again = repeat_of(json->text.arena, table, &row->latencies[i].value);
        json_open(json, NULL);
        columns_put_members(columns, which, sizeof which, &line, json);
        json_close(json);
    }
    json_close_list(json);
}

static void put_counts(struct json_text *json, const struct line *throughput, const struct table_throughput *of) {
    static const unsigned char which[] = {EVENT, COUNT, LOW, HIGH, WHY};
    if (!of->n_counts)
        return;
    json_open_list(json, "counts");
    for (size_t i = 0; i < of->n_counts; i++) {
        struct line line = line_of_count(*throughput, &of->counts[i]);
        json_open(json, NULL);
        columns_put_members(columns, which, sizeof which, &line, json);
        json_close(json);
    }
    json_close_list(json);
}

static void put_throughputs(struct json_text *json, const struct survey_table *table, const struct table_row *row) {
    static const unsigned char which[] = {
        CODE, SAME_ADDRESS, PLACEMENT, BREAKERS, SLOW_VALUES, LANES_ON_LINES, STREAMS, FILLERS, HEADLINE, CYCLES,
        LOW,  HIGH,         RELATION,  VERDICT,  WHY,         KERNEL,         BYTES,   PARTNER, SUM,      AGAIN};
    json_open_list(json, "throughputs");
    for (size_t i = 0; i < row->n_throughputs; i++) {
        struct line line = line_of_throughput(row, i);
        line.again = repeat_of(json->text.arena, table, &row->throughputs[i].value);
        json_open(json, NULL);
        columns_put_members(columns, which, sizeof which, &line, json);
        put_counts(json, &line, &row->throughputs[i]);
        json_close(json);
    }
    json_close_list(json);
}

static void put_slots(struct json_text *json, const struct survey_table *table, const struct table_row *row) {
    static const unsigned char which[] = {SLOTS, LOW, HIGH, RELATION, VERDICT, WHY, KERNEL, BYTES, PARTNER, SUM, AGAIN};
    if (!has_slots(row))
        return;
    struct line line = line_of_value(row, "slots", &row->slots.value);
    line.again = repeat_of(json->text.arena, table, &row->slots.value);
    json_open(json, "slots");
    columns_put_members(columns, which, sizeof which, &line, json);
    json_close(json);
}

static void put_models(struct json_text *json, const struct survey_table *table, const struct table_row *row) {
    static const unsigned char which[N_OF_MODEL] = {0, 1, 2};
    json_open_list(json, "models");
    for (size_t i = 0; i < table->n_models && row->models; i++) {
        struct model_line line = line_of_model(row, i);
        if (!row->models[i].is_known)
            continue;
        json_open(json, NULL);
        json_put_text(json, "model", table->models[i]);
        columns_put_members(model_columns, which, N_OF_MODEL, &line, json);
        json_close(json);
    }
    json_close_list(json);
}

static bool write_json_head(struct arena *arena, const struct survey_table *table, FILE *out, struct fail *fail) {
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "table");
    json_put_text(&json, "cpu", table->cpu);
    if (table->host)
        json_put_json(&json, "host", table->host);
    json_put_text(&json, "llvm_cpu", table->llvm_cpu);
    json_put_text(&json, "triple", table->triple);
    json_put_text(&json, "clock", table->clock);
    json_put_dates(&json, "time", &table->when);
    json_put_text(&json, "filler", table->filler);
    if (table->filler && isfinite(table->width))
        json_put_real(&json, "dispatch_width", table->width, DECIMALS);
    json_open_list(&json, "models");
    for (size_t i = 0; i < table->n_models; i++)
        json_put_text(&json, NULL, table->models[i]);
    json_close_list(&json);
    json_put_integer(&json, "forms", (int64_t)table->n_forms);
    json_put_integer(&json, "measured", (int64_t)table->n_measured);
    json_put_integer(&json, "values", (int64_t)table->n_values);
    json_put_integer(&json, "unstable", (int64_t)table->n_unstable);
    json_put_integer(&json, "waiting", (int64_t)table->n_waiting);
    json_put_integer(&json, "upper_bounds", (int64_t)table->n_at_most);
    json_close(&json);
    return json_print_line(out, &json, fail);
}

static bool write_json_row(struct arena *arena, const struct survey_table *table, const struct table_row *row,
                           FILE *out, struct fail *fail) {
    static const unsigned char which[] = {FORM, EXAMPLE, CLASS};
    struct line line = line_of_value(row, NULL, &(struct table_value){0});
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "form");
    columns_put_members(columns, which, sizeof which, &line, &json);
    json_put_text(&json, "left_out", row->left_out);
    put_latencies(&json, table, row);
    put_throughputs(&json, table, row);
    put_slots(&json, table, row);
    put_models(&json, table, row);
    json_close(&json);
    return json_print_line(out, &json, fail);
}

bool table_report_write_json(struct arena *arena, const struct survey_table *table,
                             const struct table_report_options *options, FILE *out, struct fail *fail) {
    struct table_rows rows;
    if (!table_rows_choose(arena, table, options, &rows, fail) || !write_json_head(arena, table, out, fail))
        return false;
    struct arena line = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < rows.n; i++) {
        ok = write_json_row(&line, table, rows.rows[i], out, fail);
        arena_reset(&line);
    }
    arena_free(&line);
    return ok && is_written(out, fail);
}
