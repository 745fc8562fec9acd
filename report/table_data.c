// The table for other programs: CSV and JSON Lines.
#include "report/table_rows.h"

#include "base/json_text.h"
#include "report/csv.h"
#include "report/fold.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { DECIMALS = 5, N_CODE_TITLES = 7 }; // from `code` to `headline`

// ---- CSV

static void put_titles(struct csv *csv, const struct survey_table *table) {
    static const char *const titles[] = {
        "form",     "quantity",     "source",    "destination", "cycles",         "low",     "high",
        "relation", "verdict",      "why",       "kernel",      "bytes",          "class",   "example",
        "code",     "same_address", "breakers",  "slow_values", "lanes_on_lines", "streams", "headline",
        "partner",  "sum",          "to_others", "placement",   "fillers",
    };
    csv_put_all(csv, titles, sizeof titles / sizeof *titles);
    for (size_t i = 0; i < table->n_models; i++) {
        csv_put(csv, arena_printf(csv->line.arena, "%s latency", table->models[i]));
        csv_put(csv, arena_printf(csv->line.arena, "%s rthroughput", table->models[i]));
        csv_put(csv, arena_printf(csv->line.arena, "%s uops", table->models[i]));
    }
}

static const char *relation_name(enum table_relation relation) {
    return relation == TABLE_AT_MOST ? "at most" : "equal";
}

static void put_csv_models(struct csv *csv, const struct survey_table *table, const struct table_row *row) {
    for (size_t i = 0; i < table->n_models; i++) {
        bool is_known = row->models && row->models[i].is_known;
        csv_put_number(csv, is_known, is_known ? row->models[i].latency : 0);
        csv_put_number(csv, is_known, is_known ? row->models[i].rthroughput : 0);
        csv_put_number(csv, is_known, is_known ? row->models[i].uops : 0);
    }
}

// Puts the fields from `cycles` to `example`.
static void put_csv_value(struct csv *csv, const struct table_row *row, const struct table_value *value) {
    bool is_known = fold_is_known(value);
    csv_put_number(csv, is_known, value->cycles);
    csv_put_number(csv, is_known, value->low);
    csv_put_number(csv, is_known, value->high);
    csv_put(csv, is_known ? relation_name(value->relation) : "");
    csv_put(csv, is_known ? bench_verdict_name(value->verdict) : "");
    csv_put(csv, value->why);
    csv_put(csv, value->kernel);
    csv_put(csv, value->bytes);
    csv_put(csv, row->sched_class);
    csv_put(csv, row->example);
}

static void end_csv_line(struct csv *csv, const struct survey_table *table, const struct table_row *row,
                         const struct table_value *value, bool is_to_others, const struct table_throughput *throughput,
                         FILE *out) {
    csv_put(csv, value->partner);
    csv_put_number(csv, value->sum != 0, value->sum);
    csv_put(csv, is_to_others ? "yes" : "");
    csv_put(csv, throughput ? program_placement_name(throughput->placement) : "");
    csv_put_number(csv, throughput && throughput->fillers, throughput ? throughput->fillers : 0);
    put_csv_models(csv, table, row);
    csv_end_line(csv, out);
}

static void write_csv_latency(struct csv *csv, const struct survey_table *table, const struct table_row *row,
                              const struct table_latency *latency, FILE *out) {
    csv_put(csv, row->form);
    csv_put(csv, "latency");
    csv_put(csv, latency->source);
    csv_put(csv, latency->destination);
    put_csv_value(csv, row, &latency->value);
    for (int i = 0; i < N_CODE_TITLES; i++)
        csv_put(csv, i == 3 && latency->has_slow_values ? "yes" : "");
    end_csv_line(csv, table, row, &latency->value, latency->is_to_others, NULL, out);
}

// A throughput, or, with `count`, what an event counted in it: then the fields from `cycles` to `high` hold the count.
static void write_csv_throughput(struct csv *csv, const struct survey_table *table, const struct table_row *row,
                                 size_t i, const struct table_count *count, FILE *out) {
    const struct table_throughput *throughput = &row->throughputs[i];
    struct table_value value = throughput->value;
    if (count) {
        value.cycles = count->count;
        value.low = count->low;
        value.high = count->high;
        value.relation = TABLE_EQUAL;
        value.why = count->why;
    }
    csv_put(csv, row->form);
    csv_put(csv, count ? "count" : "throughput");
    csv_put(csv, count ? count->event : "");
    csv_put(csv, "");
    put_csv_value(csv, row, &value);
    csv_put(csv, throughput->is_looped ? "looped" : "unrolled");
    csv_put_truth(csv, table_has_one_address(throughput));
    csv_put_truth(csv, throughput->has_breakers);
    csv_put_truth(csv, throughput->has_slow_values);
    csv_put_truth(csv, throughput->has_lines);
    csv_put_number(csv, true, throughput->streams);
    csv_put_truth(csv, i == row->headline);
    end_csv_line(csv, table, row, &throughput->value, false, throughput, out);
}

// As latencies: the fields from `cycles` to `high` hold slots.
static void write_csv_slots(struct csv *csv, const struct survey_table *table, const struct table_row *row, FILE *out) {
    csv_put(csv, row->form);
    csv_put(csv, "slots");
    csv_put(csv, "");
    csv_put(csv, "");
    put_csv_value(csv, row, &row->slots.value);
    for (int i = 0; i < N_CODE_TITLES; i++)
        csv_put(csv, "");
    end_csv_line(csv, table, row, &row->slots.value, false, NULL, out);
}

static bool has_slots(const struct table_row *row) {
    return row->slots.value.is_known || row->slots.value.why;
}

static void write_csv_none(struct csv *csv, const struct survey_table *table, const struct table_row *row, FILE *out) {
    const struct table_value nothing = {.why = row->left_out};
    csv_put(csv, row->form);
    csv_put(csv, "none");
    csv_put(csv, "");
    csv_put(csv, "");
    put_csv_value(csv, row, &nothing);
    for (int i = 0; i < N_CODE_TITLES; i++)
        csv_put(csv, "");
    end_csv_line(csv, table, row, &nothing, false, NULL, out);
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
    for (size_t i = 0; i < rows.n; i++) {
        const struct table_row *row = rows.rows[i];
        for (size_t k = 0; k < row->n_latencies; k++)
            write_csv_latency(&csv, table, row, &row->latencies[k], out);
        for (size_t k = 0; k < row->n_throughputs; k++)
            write_csv_throughput(&csv, table, row, k, NULL, out);
        for (size_t k = 0; k < row->n_throughputs; k++)
            for (size_t c = 0; c < row->throughputs[k].n_counts; c++)
                write_csv_throughput(&csv, table, row, k, &row->throughputs[k].counts[c], out);
        if (has_slots(row))
            write_csv_slots(&csv, table, row, out);
        if (!row->n_latencies && !row->n_throughputs)
            write_csv_none(&csv, table, row, out);
    }
    return is_written(out, fail);
}

// ---- JSON

// Puts a number that may be unknown.
static void put_real(struct json_text *json, const char *key, double number) {
    if (isfinite(number))
        json_put_real(json, key, number, DECIMALS);
}

// `unit`: "cycles" or "slots".
static void put_value(struct json_text *json, const struct survey_table *table, const char *unit,
                      const struct table_value *value) {
    if (fold_is_known(value)) {
        json_put_real(json, unit, value->cycles, DECIMALS);
        json_put_real(json, "low", value->low, DECIMALS);
        json_put_real(json, "high", value->high, DECIMALS);
        json_put_text(json, "relation", relation_name(value->relation));
        json_put_text(json, "verdict", bench_verdict_name(value->verdict));
    }
    json_put_text(json, "why", value->why);
    json_put_text(json, "kernel", value->kernel);
    json_put_text(json, "bytes", value->bytes);
    json_put_text(json, "partner", value->partner);
    if (value->sum != 0)
        put_real(json, "sum", value->sum);
    if (value->kernel)
        json_put_text(json, "again", table_repeat(json->text.arena, value, table->repeat_options));
}

static void put_latencies(struct json_text *json, const struct survey_table *table, const struct table_row *row) {
    json_open_list(json, "latencies");
    for (size_t i = 0; i < row->n_latencies; i++) {
        json_open(json, NULL);
        json_put_text(json, "source", row->latencies[i].source);
        json_put_text(json, "destination", row->latencies[i].destination);
        if (row->latencies[i].has_slow_values)
            json_put_bool(json, "slow_values", true);
        if (row->latencies[i].is_to_others)
            json_put_bool(json, "to_others", true);
        put_value(json, table, "cycles", &row->latencies[i].value);
        if (fold_is_known(&row->latencies[i].value))
            put_real(json, "chain", row->latencies[i].value.chain);
        if (row->latencies[i].value.is_confirmed)
            json_put_bool(json, "confirmed", true);
        json_close(json);
    }
    json_close_list(json);
}

static void put_counts(struct json_text *json, const struct table_throughput *throughput) {
    if (!throughput->n_counts)
        return;
    json_open_list(json, "counts");
    for (size_t i = 0; i < throughput->n_counts; i++) {
        const struct table_count *count = &throughput->counts[i];
        json_open(json, NULL);
        json_put_text(json, "event", count->event);
        json_put_real(json, "count", count->count, DECIMALS);
        json_put_real(json, "low", count->low, DECIMALS);
        json_put_real(json, "high", count->high, DECIMALS);
        json_put_text(json, "why", count->why);
        json_close(json);
    }
    json_close_list(json);
}

static void put_throughputs(struct json_text *json, const struct survey_table *table, const struct table_row *row) {
    json_open_list(json, "throughputs");
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *throughput = &row->throughputs[i];
        json_open(json, NULL);
        json_put_text(json, "code", throughput->is_looped ? "looped" : "unrolled");
        json_put_bool(json, "same_address", table_has_one_address(throughput));
        if (throughput->placement != PLACEMENT_NONE)
            json_put_text(json, "placement", program_placement_name(throughput->placement));
        json_put_bool(json, "breakers", throughput->has_breakers);
        json_put_bool(json, "slow_values", throughput->has_slow_values);
        json_put_bool(json, "lanes_on_lines", throughput->has_lines);
        json_put_integer(json, "streams", throughput->streams);
        if (throughput->fillers)
            json_put_integer(json, "fillers", throughput->fillers);
        json_put_bool(json, "headline", i == row->headline);
        put_value(json, table, "cycles", &throughput->value);
        put_counts(json, throughput);
        json_close(json);
    }
    json_close_list(json);
}

static void put_slots(struct json_text *json, const struct survey_table *table, const struct table_row *row) {
    if (!has_slots(row))
        return;
    json_open(json, "slots");
    put_value(json, table, "slots", &row->slots.value);
    json_close(json);
}

static void put_models(struct json_text *json, const struct survey_table *table, const struct table_row *row) {
    json_open_list(json, "models");
    for (size_t i = 0; i < table->n_models && row->models; i++) {
        if (!row->models[i].is_known)
            continue;
        json_open(json, NULL);
        json_put_text(json, "model", table->models[i]);
        put_real(json, "latency", row->models[i].latency);
        put_real(json, "rthroughput", row->models[i].rthroughput);
        json_put_integer(json, "uops", row->models[i].uops);
        json_close(json);
    }
    json_close_list(json);
}

static bool write_json_head(struct arena *arena, const struct survey_table *table, FILE *out, struct fail *fail) {
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "table");
    json_put_text(&json, "cpu", table->cpu);
    json_put_text(&json, "llvm_cpu", table->llvm_cpu);
    json_put_text(&json, "triple", table->triple);
    json_put_text(&json, "clock", table->clock);
    json_put_dates(&json, "time", &table->when);
    json_put_text(&json, "filler", table->filler);
    if (table->filler)
        put_real(&json, "dispatch_width", table->width);
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
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "form");
    json_put_text(&json, "form", row->form);
    json_put_text(&json, "example", row->example);
    json_put_text(&json, "class", row->sched_class);
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
