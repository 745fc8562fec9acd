// Sweeps and pairs of measurement files, for the page.
#include "report/page_parts.h"

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/record/record.h"

#include <string.h>
#include <sys/param.h>

enum { FEWEST_POINTS = 3 }; // of a sweep, without a gap

static bool is_equal(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_of_sweep(const struct record *record) {
    return is_equal(record->mode, "throughput") && record->kernel && record->form && record->streams &&
           !record->corunner && record->measurement.outcome == BENCH_OK && record->measurement.samples;
}

static bool is_same_sweep(const struct record *a, const struct record *b) {
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->form, b->form) == 0 && is_equal(a->placement, b->placement);
}

// A later record of the same number of streams counts.
static const struct record *record_of(const struct record_file *file, const struct record *like, unsigned streams) {
    for (size_t i = file->n_records; i > 0; i--)
        if (is_of_sweep(&file->records[i - 1]) && is_same_sweep(&file->records[i - 1], like) &&
            file->records[i - 1].streams == streams)
            return &file->records[i - 1];
    return NULL;
}

static void put_point(struct json_text *json, const struct record *record) {
    const struct bench_measurement *m = &record->measurement;
    json_open_list(json, NULL);
    json_put_integer(json, NULL, record->streams);
    page_put_number(json, m->cycles);
    page_put_number(json, m->low);
    page_put_number(json, m->high);
    json_put_integer(json, NULL, m->verdict == MEASURED_UNSTABLE);
    for (unsigned i = 0; i < record->n_predictions; i++)
        page_put_number(json, record->predictions[i].cycles);
    json_close_list(json);
}

static void put_sweep(struct json_text *json, const struct record_file *file, const struct record *first) {
    unsigned least = first->streams, most = 0, n = 0;
    for (size_t i = 0; i < file->n_records; i++)
        if (is_of_sweep(&file->records[i]) && is_same_sweep(&file->records[i], first)) {
            most = MAX(file->records[i].streams, most);
            least = MIN(file->records[i].streams, least);
        }
    for (unsigned streams = least; streams <= most; streams++)
        n += record_of(file, first, streams) != NULL;
    if (n < FEWEST_POINTS || n < most - least + 1)
        return;
    json_open(json, NULL);
    json_put_text(json, "name", first->kernel);
    json_put_text(json, "form", first->form);
    json_put_text(json, "placement", first->placement);
    json_open_list(json, "models");
    for (unsigned i = 0; i < first->n_predictions; i++)
        json_put_text(json, NULL, first->predictions[i].model);
    json_close_list(json);
    json_open_list(json, "points");
    for (unsigned streams = least; streams <= most; streams++) {
        const struct record *record = record_of(file, first, streams);
        if (record)
            put_point(json, record);
    }
    json_close_list(json);
    json_close(json);
}

static void put_sweeps(struct json_text *json, const struct record_file *file) {
    for (size_t i = 0; i < file->n_records; i++) {
        bool is_first = is_of_sweep(&file->records[i]);
        for (size_t k = 0; k < i && is_first; k++)
            is_first = !is_of_sweep(&file->records[k]) || !is_same_sweep(&file->records[k], &file->records[i]);
        if (is_first)
            put_sweep(json, file, &file->records[i]);
    }
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
    if (!file_read(json->text.arena, path, &data, &length, fail))
        return false;
    rest = (struct slice){data, length};
    while (slice_next(&rest, '\n', &line)) {
        number++;
        if (!memmem(line.data, line.length, "\"record\":\"pair\"", strlen("\"record\":\"pair\"")))
            continue;
        json_t *pair = json_parse_line(line.data, line.length, path, number, fail);
        bool is_pair =
            pair && json_is_string(json_object_get(pair, "first")) && json_is_string(json_object_get(pair, "second"));
        if (is_pair)
            put_pair(json, pair);
        json_decref(pair);
        if (!is_pair)
            return fail->status != FAIL_NONE ? false
                                             : fail_at(fail, path, number, 0, "a pair has 'first' and 'second'");
    }
    return true;
}

bool page_put_runs(struct json_text *json, const char *const *paths, size_t n, struct fail *fail) {
    bool is_put = true;
    json_open_list(json, "sweeps");
    for (size_t i = 0; i < n && is_put; i++) {
        struct record_file file;
        is_put = record_read(json->text.arena, paths[i], &file, fail);
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
