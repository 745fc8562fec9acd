// Sweeps and pairs of measurement files, for the page.
#include "report/page_parts.h"

#include "base/compressed.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/record/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

enum { FEWEST_POINTS = 3 }; // of a sweep, without a gap

// One measurement of a sweep.
struct sweep_point {
    const struct record *record;
    unsigned origin; // number of the first run of the file on the same machine; 0: unknown
};

static bool is_equal(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int compare_texts(const char *a, const char *b) {
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_sweeps(const struct sweep_point *a, const struct sweep_point *b) {
    int order = (a->origin > b->origin) - (a->origin < b->origin);
    order = order ? order : strcmp(a->record->kernel, b->record->kernel);
    order = order ? order : strcmp(a->record->form, b->record->form);
    return order ? order : compare_texts(a->record->placement, b->record->placement);
}

// By sweep, number of streams and line of the file.
static int compare_points(const void *a, const void *b) {
    const struct sweep_point *one = a, *other = b;
    const struct record *x = one->record, *y = other->record;
    int order = compare_sweeps(one, other);
    order = order ? order : (x->streams > y->streams) - (x->streams < y->streams);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool is_of_sweep(const struct record *record) {
    return is_equal(record->mode, "throughput") && record->kernel && record->form && record->streams &&
           !record->corunner && record->measurement.outcome == BENCH_OK && record->measurement.samples;
}

// A run that goes on with another's sweep has its origin. By run, from 0.
static const unsigned *find_origins(struct arena *arena, const struct record_file *file) {
    unsigned *origins = ARENA_ARRAY(arena, unsigned, file->n_headers + 1);
    unsigned *firsts = ARENA_ARRAY(arena, unsigned, file->n_headers + 1); // runs that are origins
    size_t n_firsts = 0;
    for (unsigned run = 1; run <= file->n_headers; run++) {
        size_t i = 0;
        while (i < n_firsts && !record_is_same_origin(file->headers[firsts[i] - 1], file->headers[run - 1]))
            i++;
        if (i == n_firsts)
            firsts[n_firsts++] = run;
        origins[run] = firsts[i];
    }
    return origins;
}

struct sweep {
    const struct sweep_point *points; // one for each number of streams, without a gap
    size_t n_points;
    const char **models; // those that predict any of them
    size_t n_models;
    unsigned line; // of its first measurement
};

static void put_point(struct json_text *json, const struct sweep *sweep, const struct record *record) {
    const struct bench_measurement *m = &record->measurement;
    json_open_list(json, NULL);
    json_put_integer(json, NULL, record->streams);
    page_put_number(json, m->cycles);
    page_put_number(json, m->low);
    page_put_number(json, m->high);
    json_put_integer(json, NULL, m->verdict == MEASURED_UNSTABLE);
    for (size_t k = 0; k < sweep->n_models; k++) {
        double cycles = NAN;
        for (unsigned i = 0; i < record->n_predictions; i++)
            if (is_equal(record->predictions[i].model, sweep->models[k]))
                cycles = record->predictions[i].cycles;
        page_put_number(json, cycles);
    }
    json_close_list(json);
}

static void find_models(struct arena *arena, struct sweep *sweep) {
    for (size_t p = 0; p < sweep->n_points; p++) {
        const struct record *record = sweep->points[p].record;
        for (unsigned i = 0; i < record->n_predictions; i++)
            if (record->predictions[i].model &&
                text_find(record->predictions[i].model, sweep->models, sweep->n_models) == sweep->n_models)
                *ARENA_ADD(arena, sweep->models, sweep->n_models) = record->predictions[i].model;
    }
}

// The CPU's name, or the simulated target; null: unknown.
static const char *source_of(const struct record_file *file, unsigned origin) {
    const json_t *header = origin ? file->headers[origin - 1] : NULL;
    const char *cpu = json_string_value(json_object_get(header, "cpu"));
    return cpu ? cpu : json_string_value(json_object_get(json_object_get(header, "clock"), "target"));
}

static void put_sweep(struct json_text *json, const struct record_file *file, const struct sweep *sweep) {
    const struct record *first = sweep->points[0].record;
    json_open(json, NULL);
    json_put_text(json, "name", first->kernel);
    json_put_text(json, "form", first->form);
    json_put_text(json, "placement", first->placement);
    json_put_text(json, "source", source_of(file, sweep->points[0].origin));
    json_open_list(json, "models");
    for (size_t i = 0; i < sweep->n_models; i++)
        json_put_text(json, NULL, sweep->models[i]);
    json_close_list(json);
    json_open_list(json, "points");
    for (size_t i = 0; i < sweep->n_points; i++)
        put_point(json, sweep, sweep->points[i].record);
    json_close_list(json);
    json_close(json);
}

// Leaves the last measurement of each number of streams. Returns their number.
static size_t keep_last(struct sweep_point *points, size_t n) {
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || points[i].record->streams != points[i + 1].record->streams)
            points[n_kept++] = points[i];
    return n_kept;
}

// The longest row of points without a gap: a kernel's default number of streams may stand apart.
static struct sweep longest_row(const struct sweep_point *points, size_t n) {
    struct sweep longest = {0};
    for (size_t start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && points[end].record->streams == points[end - 1].record->streams + 1; end++)
            ;
        if (end - start > longest.n_points)
            longest = (struct sweep){.points = &points[start], .n_points = end - start};
    }
    return longest;
}

static int compare_lines(const void *a, const void *b) {
    const struct sweep *one = a, *other = b;
    return (one->line > other->line) - (one->line < other->line);
}

static void put_sweeps(struct json_text *json, const struct record_file *file) {
    struct arena *arena = json->text.arena;
    struct sweep_point *points = ARENA_ARRAY(arena, struct sweep_point, file->n_records + 1);
    const unsigned *origins = find_origins(arena, file);
    struct sweep *sweeps = NULL;
    size_t n = 0, n_sweeps = 0;
    for (size_t i = 0; i < file->n_records; i++)
        if (is_of_sweep(&file->records[i]))
            points[n++] = (struct sweep_point){&file->records[i], origins[file->records[i].run]};
    if (n)
        qsort(points, n, sizeof *points, compare_points);
    for (size_t start = 0, end; start < n; start = end) {
        unsigned line = points[start].record->line;
        for (end = start + 1; end < n && compare_sweeps(&points[start], &points[end]) == 0; end++)
            line = MIN(line, points[end].record->line);
        struct sweep sweep = longest_row(&points[start], keep_last(&points[start], end - start));
        sweep.line = line;
        find_models(arena, &sweep);
        if (sweep.n_points >= FEWEST_POINTS)
            *ARENA_ADD(arena, sweeps, n_sweeps) = sweep;
    }
    if (n_sweeps)
        qsort(sweeps, n_sweeps, sizeof *sweeps, compare_lines);
    for (size_t i = 0; i < n_sweeps; i++)
        put_sweep(json, file, &sweeps[i]);
}

static void put_result(struct json_text *json, const char *key, const json_t *result) {
    const char *pairing = json_string_value(json_object_get(result, "pairing"));
    if (!pairing)
        return;
    json_open(json, key);
    json_put_text(json, "model", json_string_value(json_object_get(result, "model")));
    json_put_real(json, "cycles", json_number_value(json_object_get(result, "cycles")), PAGE_DECIMALS);
    json_put_text(json, "pairing", pairing);
    json_put_bool(json, "disagrees", json_is_true(json_object_get(result, "disagrees")));
    json_close(json);
}

static void put_pair(struct json_text *json, const json_t *pair) {
    json_open(json, NULL);
    json_put_text(json, "first", json_string_value(json_object_get(pair, "first")));
    json_put_text(json, "second", json_string_value(json_object_get(pair, "second")));
    json_put_bool(json, "unstable", json_is_true(json_object_get(pair, "unstable")));
    json_put_text(json, "doubt", json_string_value(json_object_get(pair, "doubt")));
    put_result(json, "measured", json_object_get(pair, "measured"));
    json_open_list(json, "predicted");
    const json_t *predicted = json_object_get(pair, "predicted");
    for (size_t i = 0; i < json_array_size(predicted); i++)
        put_result(json, NULL, json_array_get(predicted, i));
    json_close_list(json);
    json_close(json);
}

static bool put_pairs(struct json_text *json, const char *path, struct fail *fail) {
    char *data;
    size_t length;
    struct slice rest, line;
    unsigned number = 0;
    if (!compressed_read(json->text.arena, path, &data, &length, fail))
        return false;
    rest = (struct slice){data, length};
    while (slice_next(&rest, '\n', &line)) {
        number++;
        if (!memmem(line.data, line.length, "\"record\":\"pair\"", strlen("\"record\":\"pair\"")))
            continue;
        struct fail not_json = {0}; // record_read left it out, and has it reported
        json_t *pair = json_parse_line(line.data, line.length, path, number, &not_json);
        if (!pair)
            continue;
        bool is_pair =
            json_is_string(json_object_get(pair, "first")) && json_is_string(json_object_get(pair, "second"));
        if (is_pair)
            put_pair(json, pair);
        json_decref(pair);
        if (!is_pair)
            return fail_at(fail, path, number, 0, "a pair has 'first' and 'second'");
    }
    return true;
}

bool page_put_runs(struct json_text *json, const struct page_contents *contents, struct fail *fail) {
    const char *const *paths = contents->runs;
    size_t n = contents->n_runs;
    bool is_put = true;
    json_open_list(json, "sweeps");
    for (size_t i = 0; i < n && is_put; i++) {
        struct record_file file;
        is_put = record_read(json->text.arena, paths[i], &file, fail);
        const char *damage = is_put ? record_damage_text(json->text.arena, paths[i], &file.damage) : NULL;
        if (damage && contents->listener)
            lab_say(contents->listener, LAB_WARNING, "%s", damage);
        if (is_put)
            put_sweeps(json, &file);
        record_file_close(&file);
    }
    json_close_list(json);
    json_open_list(json, "pairs");
    for (size_t i = 0; i < n && is_put; i++) {
        json_open_list(json, NULL);
        is_put = put_pairs(json, paths[i], fail);
        json_close_list(json);
    }
    json_close_list(json);
    return is_put;
}
