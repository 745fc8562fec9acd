// Reading measurement files: headers, lines, and what a killed run left of its last one. What a measurement's line
// holds is record_read_measurement.c's; the writer is record.c.
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/record/record.h"

#include <string.h>

static bool take_header(struct arena *arena, json_t *json, struct record_file *file, struct fail *fail) {
    unsigned long version = 0;
    if (!json_get_count(json, "version", &version, fail))
        return false;
    if (version != RECORD_VERSION)
        return fail_set(fail, FAIL_INPUT, "version %lu of the format; this program reads version %d", version,
                        RECORD_VERSION);
    file->headers = arena_grow(arena, file->headers, file->n_headers, sizeof *file->headers);
    file->headers[file->n_headers++] = json_incref(json);
    return true;
}

static bool take_line(struct arena *arena, json_t *json, unsigned line, struct record_file *file, struct fail *fail) {
    const char *kind = "";
    if (!json_is_object(json))
        return fail_set(fail, FAIL_INPUT, "a line must be a JSON object");
    if (!json_get_string(arena, json, "record", &kind, fail))
        return false;
    if (strcmp(kind, "host") == 0)
        return take_header(arena, json, file, fail);
    if (strcmp(kind, "pair") == 0) // what measurements before it say of two kernels
        return true;
    if (strcmp(kind, "measurement") != 0)
        return fail_set(fail, FAIL_INPUT, "unknown record '%s': expected 'host' or 'measurement'", kind);
    file->records = arena_grow(arena, file->records, file->n_records, sizeof *file->records);
    file->records[file->n_records] = (struct record){.run = (unsigned)file->n_headers, .line = line};
    return record_read_measurement(arena, json, &file->records[file->n_records++], fail);
}

// Failures of the parts know no place; this is where it is added.
static bool read_line(struct arena *arena, json_t *json, const char *path, unsigned line, struct record_file *file,
                      struct fail *fail) {
    struct fail inner = {0};
    return take_line(arena, json, line, file, &inner) || fail_at(fail, path, line, 0, "%s", inner.text);
}

static bool is_header(const json_t *json) {
    const char *kind = json_string_value(json_object_get(json, "record"));
    return kind && strcmp(kind, "host") == 0;
}

// Every line begins so; what is left of a killed run's last one is this, or a piece of it.
static bool looks_cut(struct slice line) {
    static const char start[] = "{\"record\":\"";
    size_t length = line.length < strlen(start) ? line.length : strlen(start);
    return memcmp(line.data, start, length) == 0;
}

// Reads one line, unless it was cut short: then `cut` holds the failure, since only what follows says whether that is
// a killed run's end.
static bool read_or_leave(struct arena *arena, const char *path, struct slice line, unsigned number, bool is_last,
                          struct record_file *file, struct fail *cut, struct fail *fail) {
    struct fail not_json = {0};
    json_t *json = json_parse_line(line.data, line.length, path, number, &not_json);
    bool is_done = true;
    if (!json && (is_last || looks_cut(line))) {
        file->n_cut++;
        file->cut_line = number;
        if (cut->status == FAIL_NONE)
            *cut = not_json;
    } else if (!json || (cut->status != FAIL_NONE && !is_header(json))) {
        *fail = cut->status != FAIL_NONE ? *cut : not_json;
        is_done = false;
    } else {
        *cut = (struct fail){0};
        is_done = read_line(arena, json, path, number, file, fail);
    }
    json_decref(json);
    return is_done;
}

static bool read_lines(struct arena *arena, const char *path, struct slice rest, struct record_file *file,
                       struct fail *fail) {
    struct fail cut = {0};
    struct slice line;
    for (unsigned number = 1; slice_next(&rest, '\n', &line); number++) {
        bool is_last = !rest.data; // behind the last newline
        if (slice_trim(line).length && !read_or_leave(arena, path, line, number, is_last, file, &cut, fail))
            return false;
    }
    return true;
}

bool record_read(struct arena *arena, const char *path, struct record_file *file, struct fail *fail) {
    *file = (struct record_file){0};
    char *data;
    size_t length;
    return file_read(arena, path, &data, &length, fail) &&
           read_lines(arena, path, (struct slice){data, length}, file, fail);
}

void record_file_close(struct record_file *file) {
    for (size_t i = 0; i < file->n_headers; i++)
        json_decref(file->headers[i]);
    *file = (struct record_file){0};
}
