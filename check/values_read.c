// Reads the values of a survey's folders, or of measurement files.
#include "check/values.h"

#include "base/file.h"
#include "bench/record/record.h"
#include "check/forwarding.h"
#include "check/stores.h"

#include <stdlib.h>
#include <string.h>

struct list {
    struct arena *arena;
    struct check_value *items; // in the order of the files
    size_t n;
};

static int compare(const void *a, const void *b) {
    const struct check_value *const *one = a, *const *other = b;
    int order = check_value_compare(*one, *other);
    return order ? order : (*one > *other) - (*one < *other); // both are of one array
}

// Sorts the values; of those with the same key, the last stable one counts, or the last one.
static void finish(struct list *list, struct check_results *results) {
    const struct check_value **order = ARENA_ARRAY(list->arena, const struct check_value *, list->n);
    struct check_value *sorted = ARENA_ARRAY(list->arena, struct check_value, list->n);
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        order[i] = &list->items[i];
    if (list->n)
        qsort(order, list->n, sizeof *order, compare);
    for (size_t i = 0; i < list->n; i++)
        sorted[i] = *order[i];
    for (size_t i = 0; i < list->n; i++) {
        bool is_same = n && check_value_compare(&sorted[n - 1], &sorted[i]) == 0;
        if (!is_same)
            sorted[n++] = sorted[i];
        else if (table_is_stable(&sorted[i].value) || !table_is_stable(&sorted[n - 1].value))
            sorted[n - 1] = sorted[i];
        results->n_forms += n == 1 || (!is_same && strcmp(sorted[n - 1].form, sorted[n - 2].form) != 0);
    }
    forwarding_mark(list->arena, sorted, n);
    results->values = sorted;
    results->n_values = n;
}

// ---- a survey

// Machine code in which the form stands: of its throughput, or of any value.
static const char *code_of(const struct table_row *row) {
    if (row->headline < row->n_throughputs)
        return row->throughputs[row->headline].value.code;
    for (size_t i = 0; i < row->n_throughputs; i++)
        if (row->throughputs[i].value.code)
            return row->throughputs[i].value.code;
    for (size_t i = 0; i < row->n_latencies; i++)
        if (row->latencies[i].value.code)
            return row->latencies[i].value.code;
    return NULL;
}

// What tells the throughput from the one in the table, for people. Null: it is another experiment.
static const char *place_of(const struct table_row *row, const struct table_throughput *throughput) {
    static const char
        *const stores[PROGRAM_N_PLACEMENTS] =
            {[PLACEMENT_SAME_ADDRESS] = "to one address", [PLACEMENT_SAME_LINE] = "to one line"},
               *const loads[PROGRAM_N_PLACEMENTS] = {
                   [PLACEMENT_SAME_ADDRESS] = "from one address", [PLACEMENT_OWN_LINES] = "from own lines"};
    if (stores_are_together(row, throughput))
        return stores[throughput->placement];
    return throughput->is_elsewhere ? loads[throughput->placement] : NULL;
}

// Adds the throughput of a form's table, and those elsewhere in memory. A model has pipes, and no cache: it is held
// against that of the table, and against stores where they are together.
static void add_throughputs(struct list *list, const struct table_row *row, struct check_value value,
                            double line_cycles) {
    const struct table_throughput *together = stores_together(row);
    if (row->headline == row->n_throughputs)
        return;
    value.quantity = CHECK_THROUGHPUT;
    value.value = row->throughputs[row->headline].value;
    value.waits_for_lines = stores_wait_for_lines(row, line_cycles);
    *ARENA_ADD(list->arena, list->items, list->n) = value;
    value.waits_for_lines = false;
    for (size_t i = 0; i < row->n_throughputs; i++) {
        const struct table_throughput *each = &row->throughputs[i];
        const char *place = place_of(row, each);
        if (!place || !each->value.is_known || each->value.relation != TABLE_EQUAL)
            continue;
        value.detail = place;
        value.value = each->value;
        value.is_for_hardware_only = each != together;
        *ARENA_ADD(list->arena, list->items, list->n) = value;
    }
}

static void add_row(struct list *list, const struct table_row *row, double line_cycles) {
    struct check_value value = {.form = row->form,
                                .class_name = row->sched_class ? row->sched_class : row->form,
                                .example = row->example,
                                .detail = "",
                                .source = "",
                                .destination = "",
                                .how = "",
                                .code = code_of(row),
                                .confidence = CHECK_USUAL_CONFIDENCE};
    add_throughputs(list, row, value, line_cycles);
    if (row->slots.value.is_known) {
        value.quantity = CHECK_SLOTS;
        value.value = row->slots.value;
        *ARENA_ADD(list->arena, list->items, list->n) = value;
    }
    for (size_t i = 0; i < row->n_latencies; i++) {
        const struct table_latency *latency = &row->latencies[i];
        if (latency->has_slow_values) // models have one latency, and of throughputs only the usual one counts as well
            continue;
        value.quantity = CHECK_LATENCY;
        value.source = latency->source;
        value.destination = latency->destination;
        value.is_to_others = latency->is_to_others;
        value.detail = arena_printf(list->arena, "%s → %s%s", latency->source, latency->destination,
                                    latency->is_to_others ? ", to others" : "");
        value.value = latency->value;
        *ARENA_ADD(list->arena, list->items, list->n) = value;
    }
}

static void read_mixtures(struct arena *arena, const struct survey_table *table, struct check_results *results) {
    struct check_mixture *list = ARENA_ARRAY(arena, struct check_mixture, table->n_mixtures);
    for (size_t i = 0; i < table->n_mixtures; i++) {
        const struct table_mixture *mixture = &table->mixtures[i];
        list[i] = (struct check_mixture){.name = mixture->name,
                                         .about = mixture->about,
                                         .use = mixture->use,
                                         .value = {.form = mixture->name,
                                                   .class_name = mixture->name,
                                                   .quantity = CHECK_BLOCK,
                                                   .detail = "",
                                                   .source = "",
                                                   .destination = "",
                                                   .how = "",
                                                   .value = mixture->value,
                                                   .code = mixture->value.code,
                                                   .confidence = CHECK_USUAL_CONFIDENCE}};
    }
    results->mixtures = list;
    results->n_mixtures = table->n_mixtures;
}

static bool read_survey(struct list *list, const char *const *folders, size_t n, const struct lab_listener *listener,
                        struct check_results *results, struct fail *fail) {
    struct survey_table table;
    if (!table_read(list->arena, folders, n, NULL, 0, listener, &table, fail))
        return false;
    const char **left_out = ARENA_ARRAY(list->arena, const char *, table.n_rows);
    double line_cycles = stores_line_cycles(list->arena, &table);
    for (size_t i = 0; i < table.n_rows; i++) {
        add_row(list, &table.rows[i], line_cycles);
        if (table.rows[i].is_refused)
            left_out[results->n_left_out++] = table.rows[i].form; // rows are in the order of their names
    }
    results->left_out = left_out;
    read_mixtures(list->arena, &table, results);
    results->machine = table.cpu;
    results->clock = table.clock;
    results->when = table.when;
    results->repeat_options = table.repeat_options;
    return true;
}

// ---- measurement files

static enum check_quantity quantity_of(const struct record *record) {
    return strcmp(record->mode, "latency") == 0      ? CHECK_LATENCY
           : strcmp(record->mode, "throughput") == 0 ? CHECK_THROUGHPUT
                                                     : CHECK_BLOCK;
}

static void add_record(struct list *list, const struct record *record) {
    const struct bench_measurement *m = &record->measurement;
    struct check_value value = {.form = record->kernel,
                                .class_name = record->kernel,
                                .example = record->instruction,
                                .quantity = quantity_of(record),
                                .source = "",
                                .destination = "",
                                .code = record_code(list->arena, record),
                                .confidence = m->confidence};
    // The same code with the same initial values is the same value.
    value.how = arena_printf(list->arena, "%s%s%s%s%s%s%s", record->arc ? record->arc : "", record->arc ? " " : "",
                             record->form ? record->form : "", record->placement ? " " : "",
                             record->placement ? record->placement : "", record->setup ? " set-up " : "",
                             record->setup ? record->setup : "");
    value.detail = arena_printf(list->arena, "%s n=%u", value.how, record->streams);
    // One body is one value; of streams side by side it is one's.
    value.streams = value.quantity == CHECK_THROUGHPUT ? record->streams : 0;
    double factor = value.streams ? 1.0 / value.streams : 1;
    struct table_part *part = ARENA_NEW(list->arena, struct table_part);
    *part = (struct table_part){record->kernel, value.code, factor};
    value.value = (struct table_value){.is_known = m->outcome == BENCH_OK,
                                       .verdict = m->verdict,
                                       .why = m->outcome == BENCH_OK ? m->why : bench_outcome_name(m->outcome),
                                       .kernel = record->kernel,
                                       .bytes = record->bytes,
                                       .parts = part,
                                       .n_parts = 1};
    if (value.value.is_known) {
        value.value.cycles = m->cycles * factor;
        value.value.low = measured_low(m) * factor;
        value.value.high = measured_high(m) * factor;
    }
    *ARENA_ADD(list->arena, list->items, list->n) = value;
}

static bool read_file(struct list *list, const char *path, const struct lab_listener *listener,
                      struct check_results *results, struct fail *fail) {
    struct record_file file = {0};
    bool is_read = table_stands_alone(list->arena, path, fail) && record_read(list->arena, path, &file, fail) &&
                   (file.n_headers || fail_set(fail, FAIL_INPUT, "there are no measurements in '%s'", path));
    const char *damage = is_read ? record_damage_text(list->arena, path, &file.damage) : NULL;
    if (damage)
        lab_say(listener, LAB_WARNING, "%s", damage);
    for (size_t i = 0; is_read && i < file.n_records; i++)
        if (file.records[i].kernel && file.records[i].mode && !file.records[i].corunner) {
            const struct json_t *header = file.records[i].run ? file.headers[file.records[i].run - 1] : NULL;
            date_range_add(list->arena, &results->when, record_time(header));
            add_record(list, &file.records[i]);
        }
    if (is_read && file.n_headers) {
        results->machine = table_machine_text(list->arena, file.headers[file.n_headers - 1]);
        results->clock = table_clock_text(list->arena, file.headers[file.n_headers - 1]);
    }
    record_file_close(&file);
    return is_read;
}

bool check_results_read(struct arena *arena, const char *const *paths, size_t n, const struct lab_listener *listener,
                        struct check_results *results, struct fail *fail) {
    struct list list = {.arena = arena};
    size_t n_folders = 0;
    *results = (struct check_results){.path = paths[0], .machine = "an unknown machine", .clock = "unknown clock"};
    for (size_t i = 0; i < n; i++)
        n_folders += file_is_folder(paths[i]);
    if (n_folders && n_folders < n)
        return fail_set(fail, FAIL_INPUT, "name folders of a survey, or measurement files, but not both at once");
    if (n_folders && !read_survey(&list, paths, n, listener, results, fail))
        return false;
    for (size_t i = 0; !n_folders && i < n; i++)
        if (!read_file(&list, paths[i], listener, results, fail))
            return false;
    finish(&list, results);
    return true;
}
