// Whether a file's run and this one measured on the same machine, with the same clock and as much effort.
#include "base/json.h"
#include "base/json_text.h"
#include "bench/record/record.h"

#include <string.h>

// Returns the header that this run would write, as the reader parses it. The caller frees it.
static json_t *own_header(const struct host *host, const struct bench *bench) {
    struct arena arena = {0};
    struct json_text json = {.text.arena = &arena};
    record_put_header(&json, NULL, host, bench);
    json_t *header = json_loadb(json.text.data, json.text.length, 0, NULL);
    arena_free(&arena);
    return header;
}

static bool are_equal(const json_t *a, const json_t *b, const char *const *keys) {
    for (; *keys; keys++) {
        const json_t *x = json_object_get(a, *keys), *y = json_object_get(b, *keys);
        bool is_x_known = x && !json_is_null(x), is_y_known = y && !json_is_null(y);
        if (is_x_known != is_y_known || (is_x_known && !json_equal(x, y)))
            return false;
    }
    return true;
}

// Whether what both state is equal: earlier versions stated less.
static bool are_equal_where_stated(const json_t *a, const json_t *b, const char *const *keys) {
    for (; *keys; keys++) {
        const json_t *x = json_object_get(a, *keys), *y = json_object_get(b, *keys);
        if (x && y && !json_is_null(x) && !json_is_null(y) && !json_equal(x, y))
            return false;
    }
    return true;
}

bool record_is_same_cpu(const json_t *a, const json_t *b) {
    static const char *const keys[] = {"cpu", "family", "model", "stepping", "microcode", NULL},
                             *const newer[] = {"core_type", "midr",        "mvendorid", "marchid",
                                               "mimpid",    "vector_bits", NULL};
    return are_equal(a, b, keys) && are_equal_where_stated(a, b, newer);
}

// Beyond what record_is_same_cpu compares.
static const char *const host_keys[] = {"vendor", "hypervisor", "core_type", NULL};

static bool is_same_host(const json_t *a, const json_t *b) {
    return record_is_same_cpu(a, b) && are_equal(a, b, host_keys);
}

bool record_is_same_origin(const json_t *a, const json_t *b) {
    static const char *const clock_keys[] = {"tier", "target", "model", "reference_cycles", "frequency_hz", NULL};
    return is_same_host(a, b) && are_equal(json_object_get(a, "clock"), json_object_get(b, "clock"), clock_keys);
}

enum record_origin record_origin(const json_t *header, const struct host *host, const struct bench *bench) {
    static const char *const cpu_keys[] = {"pinned_to", NULL};
    json_t *ours = own_header(host, bench);
    enum record_origin origin = !record_is_same_origin(header, ours) ? RECORD_ELSEWHERE
                                : are_equal(header, ours, cpu_keys)  ? RECORD_HERE
                                                                     : RECORD_OTHER_CPU;
    json_decref(ours);
    return origin;
}

const char *record_time(const json_t *header) {
    return json_string_value(json_object_get(header, "time"));
}

static const char *record_target(const json_t *header) {
    return json_string_value(json_object_get(json_object_get(header, "clock"), "target"));
}

static const char *record_model(const json_t *header) {
    return json_string_value(json_object_get(json_object_get(header, "clock"), "model"));
}

bool record_check_target(const char *path, const struct record_file *file, const char *isa, const char *target,
                         const char *model, struct fail *fail) {
    static const char advice[] = "--output names another folder";
    for (size_t i = 0; isa && i < file->n_records; i++)
        if (file->records[i].isa && strcmp(file->records[i].isa, isa) != 0)
            return fail_set(fail, FAIL_INPUT, "'%s' holds measurements of %s code, and this run is of %s: %s", path,
                            file->records[i].isa, isa, advice);
    for (size_t i = 0; i < file->n_headers; i++) {
        const char *before = record_target(file->headers[i]), *model_before = record_model(file->headers[i]);
        if (before && strcmp(before, target) != 0)
            return fail_set(
                fail, FAIL_INPUT,
                "'%s' holds measurements of target %s, and this run is of %s: --target %s goes on with it, %s", path,
                before, target, before, advice);
        if (model && model_before && strcmp(model_before, model) != 0)
            return fail_set(fail, FAIL_INPUT,
                            "'%s' holds measurements of target %s by the model %s, and that is %s now: %s", path,
                            target, model_before, model, advice);
    }
    return true;
}

int record_cpu(const json_t *header, const struct host *host) {
    const json_t *cpu = json_object_get(header, "pinned_to");
    json_t *ours = own_header(host, NULL);
    bool is_known = is_same_host(header, ours) && json_is_integer(cpu) && json_integer_value(cpu) >= 0 &&
                    json_integer_value(cpu) <= INT32_MAX;
    json_decref(ours);
    return is_known ? (int)json_integer_value(cpu) : -1;
}

bool record_tried_as_hard(const json_t *header, const struct bench_options *options) {
    const json_t *effort = json_object_get(header, "effort");
    double precision = json_number_value(json_object_get(effort, "precision"));
    double rounding = 1e-6;
    return precision > 0 && precision <= options->precision + rounding &&
           json_number_value(json_object_get(effort, "budget_ms")) >= options->budget_ms - rounding;
}
