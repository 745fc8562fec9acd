#include "survey/table/table.h"

#include "base/json.h"
#include "bench/host/host.h"
#include "survey/folder.h"
#include "survey/forms/probe.h"
#include "survey/table/clusters.h"
#include "survey/table/few_streams.h"
#include "survey/table/fills.h"
#include "survey/table/places.h"
#include "survey/table/table_models.h"
#include "survey/table/table_reader.h"

#include <stdlib.h>
#include <string.h>

// Longer chains are read with it.
static bool is_plain_latency(const struct experiment_key *key) {
    return experiment_value_of(key->kind) == EXPERIMENT_LATENCY && key->variant != EXPERIMENT_LONGER &&
           key->variant != EXPERIMENT_PADDED;
}

static void fill_row(struct row_builder *m) {
    for (size_t i = 0; i < m->n_entries; i++)
        if (experiment_value_of(m->entries[i].key.kind) == EXPERIMENT_THROUGHPUT)
            reader_read_throughput(m, &m->entries[i]);
    if (m->n_entries)
        reader_read_slots(m);
    for (size_t i = 0; i < m->n_entries; i++)
        if (is_plain_latency(&m->entries[i].key))
            reader_read_latency(m, &m->entries[i]);
    reader_mark_slow_to_others(m);
    reader_keep_longer_to_others(m);
    reader_mark_waiting(m);
    reader_mark_few_streams(m);
    reader_mark_uneven_streams(m);
    reader_mark_free(m);
    reader_mark_supply(m);
    m->row->latencies = m->latencies;
    m->row->throughputs = m->throughputs;
    m->row->headline = reader_find_headline(m->row, false);
}

static void count_value(struct survey_table *table, const struct table_value *value) {
    table->n_values += value->is_known;
    table->n_lost += !value->is_known && value->is_lost;
    bool is_unstable = value->is_known && value->verdict == MEASURED_UNSTABLE;
    table->n_unstable += is_unstable && !value->is_waiting;
    table->n_waiting += is_unstable && value->is_waiting;
    table->n_at_most += value->is_known && value->relation == TABLE_AT_MOST;
}

static void count_row(struct survey_table *table, const struct table_row *row) {
    size_t before = table->n_values;
    for (size_t i = 0; i < row->n_latencies; i++)
        count_value(table, &row->latencies[i].value);
    for (size_t i = 0; i < row->n_throughputs; i++)
        count_value(table, &row->throughputs[i].value);
    count_value(table, &row->slots.value);
    table->n_measured += table->n_values > before;
    table->n_slots_missing += row->slots.is_missing;
}

static int compare_forms(const void *a, const void *b) {
    const struct folder_form *one = *(const struct folder_form *const *)a,
                             *other = *(const struct folder_form *const *)b;
    int order = strcmp(one->form, other->form);
    return order ? order : (one > other) - (one < other);
}

// The forms of all folders in the order of their names; each as the last folder that has it states it.
static bool read_forms(struct arena *arena, const char *const *folders, size_t n_folders, struct folder_form **forms,
                       size_t *n, struct fail *fail) {
    struct folder_form *all = NULL;
    size_t n_all = 0;
    for (size_t f = 0; f < n_folders; f++) {
        const struct folder_form *some;
        size_t n_some;
        if (!folder_read_forms(arena, folders[f], &some, &n_some, fail))
            return false;
        for (size_t i = 0; i < n_some; i++)
            *ARENA_ADD(arena, all, n_all) = some[i];
    }
    const struct folder_form **sorted = ARENA_ARRAY(arena, const struct folder_form *, n_all);
    for (size_t i = 0; i < n_all; i++)
        sorted[i] = &all[i];
    if (n_all)
        qsort(sorted, n_all, sizeof *sorted, compare_forms);
    *forms = ARENA_ARRAY(arena, struct folder_form, n_all);
    *n = 0;
    for (size_t i = 0; i < n_all; i++)
        if (i + 1 == n_all || strcmp(sorted[i]->form, sorted[i + 1]->form) != 0)
            (*forms)[(*n)++] = *sorted[i];
    return true;
}

// Returns the reason why a form has no value at all; null: it has one.
static const char *why_no_value(const struct table_row *row) {
    const char *why = NULL;
    for (size_t i = 0; i < row->n_throughputs; i++) {
        if (row->throughputs[i].value.is_known)
            return NULL;
        why = why ? why : row->throughputs[i].value.why;
    }
    for (size_t i = 0; i < row->n_latencies; i++) {
        if (row->latencies[i].value.is_known)
            return NULL;
        why = why ? why : row->latencies[i].value.why;
    }
    return why;
}

static bool has_ended(const struct table_value *value, enum bench_outcome outcome) {
    return !value->is_known && value->why && strcmp(value->why, bench_outcome_name(outcome)) == 0;
}

// Whether all programs of a form ended so.
static bool all_ended(const struct table_row *row, enum bench_outcome outcome) {
    size_t n = 0;
    for (size_t i = 0; i < row->n_throughputs; i++)
        n += has_ended(&row->throughputs[i].value, outcome);
    for (size_t i = 0; i < row->n_latencies; i++)
        n += has_ended(&row->latencies[i].value, outcome);
    return n && n == row->n_throughputs + row->n_latencies;
}

// Where a bundle measured, nobody had asked before whether a program may use the form there. `flags`: its features, in
// the kernel's words; null: unknown.
static void leave_out_missing(struct arena *arena, const char *const *flags, struct table_row *row) {
    const char *hint = flags ? probe_hint(row->form) : NULL, *why = NULL;
    if (all_ended(row, BENCH_SIGILL))
        why = bench_outcome_name(BENCH_SIGILL);
    else if (all_ended(row, BENCH_PRIVILEGED))
        why = bench_outcome_name(BENCH_PRIVILEGED);
    else if (hint && host_feature_by_flags(flags, hint) == FEATURE_MISSING)
        why = probe_hint_text(arena, hint);
    if (why)
        *row = (struct table_row){row->form, row->example, row->sched_class, .left_out = why, .is_refused = true};
}

// Returns the words of a host's line; null: it has none.
static const char *const *flags_of(struct arena *arena, const struct json_t *header) {
    const json_t *list = json_object_get(header, "flags");
    const char **flags = json_is_array(list) ? ARENA_ARRAY(arena, const char *, json_array_size(list) + 1) : NULL;
    size_t n = 0;
    for (size_t i = 0; flags && i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            flags[n++] = json_string_value(json_array_get(list, i));
    return flags;
}

static struct table_row *make_rows(struct table_reader *reader, const struct json_t *header,
                                   const struct folder_form *forms, size_t n_forms, struct survey_table *table) {
    static const char not_measured[] = "not measured yet, or not by this assembler";
    struct table_row *rows = ARENA_ARRAY(reader->arena, struct table_row, n_forms);
    const char *const *flags = flags_of(reader->arena, header);
    size_t first = 0;
    for (size_t i = 0; i < n_forms; i++) {
        struct table_row *row = &rows[i];
        *row = (struct table_row){forms[i].form, forms[i].example, forms[i].sched_class, .left_out = forms[i].left_out,
                                  .is_refused = forms[i].left_out};
        while (first < reader->n_entries && strcmp(reader->entries[first].key.form, row->form) < 0)
            first++;
        size_t end = first;
        while (end < reader->n_entries && strcmp(reader->entries[end].key.form, row->form) == 0)
            end++;
        struct row_builder making = {reader, row, &reader->entries[first], end - first, NULL, NULL};
        fill_row(&making);
        if (first < end && !row->left_out)
            leave_out_missing(reader->arena, flags, row);
        if (!row->left_out)
            row->left_out = first == end ? not_measured : why_no_value(row);
    }
    places_mark(reader->arena, rows, n_forms);
    fills_mark(reader->arena, table->filler, table->width, rows, n_forms);
    few_streams_mark(reader->arena, rows, n_forms);
    clusters_mark(reader->arena, rows, n_forms);
    for (size_t i = 0; i < n_forms; i++)
        count_row(table, &rows[i]);
    table->rows = rows;
    table->n_rows = table->n_forms = n_forms;
    return rows;
}

static const char *text_of_header(struct arena *arena, const struct json_t *header) {
    char *text = json_dumps(header, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    const char *copy = text ? arena_strdup(arena, text) : NULL;
    free(text);
    return copy;
}

// Makes the table of what the reader has read.
static bool read_table(struct table_reader *reader, const char *const *folders, size_t n_folders,
                       const struct model *models, size_t n_models, struct survey_table *table, struct fail *fail) {
    struct arena *arena = reader->arena;
    const struct json_t *header = NULL, *clock = NULL;
    struct folder_form *forms;
    size_t n_forms;
    *table = (struct survey_table){0};
    if (!reader_read_measurements(reader, folders, n_folders, &header, &clock, fail) ||
        !read_forms(arena, folders, n_folders, &forms, &n_forms, fail))
        return false;
    reader->isa = reader->n_entries ? isa_find(reader->entries[0].record->isa) : NULL;
    if (reader->isa) {
        reader_read_steps(reader);
        reader_read_fillers(reader, table);
        table->triple = reader->isa->triple;
        table->repeat_options = reader_repeat_options(arena, reader->isa, header);
    }
    table->cpu = table_machine_text(arena, header);
    table->host = text_of_header(arena, header);
    table->when = reader->when;
    table->clock = clock ? table_clock_text(arena, clock) : "not steady yet";
    struct table_row *rows = make_rows(reader, header, forms, n_forms, table);
    if (!table_add_models(arena, models, n_models, rows, table, fail))
        return false;
    if (reader->isa && !reader_read_mixtures(reader, table, fail))
        return false;
    for (size_t i = 0; i < table->n_mixtures; i++)
        count_value(table, &table->mixtures[i].value);
    for (size_t m = 0; m < n_models && !table->llvm_cpu; m++)
        table->llvm_cpu = models[m].missing ? NULL : models[m].machine->cpu;
    return true;
}

bool table_read(struct arena *arena, const char *const *folders, size_t n_folders, const struct model *models,
                size_t n_models, const struct lab_listener *listener, struct survey_table *table, struct fail *fail) {
    struct table_reader reader = {
        .arena = arena, .listener = listener, .files = ARENA_ARRAY(arena, struct record_file, n_folders)};
    for (size_t i = 0; i < n_folders; i++)
        reader.files[i].arena = arena;
    bool is_read = read_table(&reader, folders, n_folders, models, n_models, table, fail);
    for (size_t i = 0; i < n_folders; i++)
        record_file_close(&reader.files[i]);
    return is_read;
}

bool table_read_on(struct arena *arena, const char *folder, struct record_file *measurements,
                   struct survey_table *table, struct fail *fail) {
    struct table_reader reader = {.arena = arena, .files = measurements};
    return read_table(&reader, &folder, 1, NULL, 0, table, fail);
}
