// Reads measurement files: headers and measurements. Leaves out lines that are not JSON. Ignores unknown fields:
// files of later versions have more of them. The writer is record_write.c.
#include "base/compressed.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/record/record_damage.h"
#include "bench/record/record_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool take_header(struct arena *arena, json_t *json, struct record_file *file, struct fail *fail) {
    unsigned long version = 0;
    if (!json_get_count(json, "version", &version, fail))
        return false;
    if (version != RECORD_VERSION)
        return fail_set(fail, FAIL_INPUT, "version %lu of the format; this program reads version %d", version,
                        RECORD_VERSION);
    *ARENA_ADD(arena, file->headers, file->n_headers) = json_incref(json);
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
    if (strcmp(kind, "pair") == 0) // computed from measurements before it
        return true;
    if (strcmp(kind, "measurement") != 0)
        return fail_set(fail, FAIL_INPUT, "unknown record '%s': expected 'host' or 'measurement'", kind);
    struct record *record = ARENA_ADD(arena, file->records, file->n_records);
    *record = (struct record){.run = (unsigned)file->n_headers, .line = line};
    return record_line_read(arena, json, record, fail);
}

// Adds file and line to the failures of the parts.
static bool read_line(struct arena *arena, json_t *json, const char *path, unsigned line, struct record_file *file,
                      struct fail *fail) {
    struct fail inner = {0};
    return take_line(arena, json, line, file, &inner) || fail_at(fail, path, line, 0, "%s", inner.text);
}

static bool is_header(const json_t *json) {
    const char *kind = json_string_value(json_object_get(json, "record"));
    return kind && strcmp(kind, "host") == 0;
}

// Reads one line, or notes that it is damaged.
static bool read_or_leave(struct arena *arena, const char *path, struct slice line, unsigned number, bool is_last,
                          struct record_file *file, struct record_damage *damage, struct fail *fail) {
    struct fail not_json = {0};
    json_t *json = json_parse_line(line.data, line.length, path, number, &not_json);
    size_t n_before = file->n_records;
    if (!json) {
        record_damage_add(damage, line, number, is_last, &not_json);
        return true;
    }
    record_damage_pass(damage, is_header(json));
    bool is_read = read_line(arena, json, path, number, file, fail);
    if (is_read && file->n_records > n_before && damage->is_headless)
        file->records[n_before].run = 0;
    json_decref(json);
    return is_read;
}

// ---- Line by line

struct record_stream {
    FILE *in;
    const char *path;
    struct text text;   // the current line, with its newline
    unsigned n_lines;   // whole ones in front of what is next
    unsigned n_headers; // headers so far
    json_t *header;     // the last one
    bool only_headers;  // and the first measurement
    struct record_damage damage;
    struct arena arena;
};

struct record_stream *record_stream_open(const char *path, struct fail *fail) {
    struct arena arena = {0};
    FILE *in = strcmp(path, "-") == 0 ? stdin : compressed_open(path);
    if (!in) {
        fail_set(fail, FAIL_INPUT, "cannot open '%s': %s", path, strerror(errno));
        return NULL;
    }
    struct record_stream *stream = ARENA_NEW(&arena, struct record_stream);
    *stream = (struct record_stream){.in = in, .path = arena_strdup(&arena, path), .arena = arena};
    stream->text.arena = &stream->arena;
    return stream;
}

// Reads the next line. Stops at more bytes than a real line has: /dev/zero has no newline.
static bool read_text(FILE *in, struct text *line, struct fail *fail) {
    enum { MOST_BYTES = 1 << 26 };
    char piece[4096];
    size_t n = sizeof piece;
    int c = 0;
    line->length = 0;
    while (n == sizeof piece && c != '\n' && line->length < MOST_BYTES) {
        for (n = 0; n < sizeof piece && c != '\n' && (c = getc_unlocked(in)) != EOF; n++)
            piece[n] = (char)c;
        text_append(line, piece, n);
    }
    if (line->length >= MOST_BYTES)
        errno = EFBIG;
    return (line->length < MOST_BYTES && !ferror(in)) || fail_set(fail, FAIL_INPUT, "%s", compressed_error_text(errno));
}

// What a line is for its reader.
enum next { NEXT_LINE, NEXT_END, NEXT_WRONG };

// Whether a line is a measurement by its beginning, as this program writes it.
static bool begins_as_measurement(struct slice line) {
    static const char start[] = "{\"record\":\"measurement\",";
    return line.length >= strlen(start) && memcmp(line.data, start, strlen(start)) == 0;
}

// Reads the next line into `file`. A last line without its newline may be cut short.
static enum next read_next(struct record_stream *stream, struct arena *arena, struct record_file *file,
                           struct fail *fail) {
    struct fail unreadable = {0};
    if (!read_text(stream->in, &stream->text, &unreadable)) {
        fail_set(fail, FAIL_INPUT, "cannot read '%s': %s", stream->path, unreadable.text);
        return NEXT_WRONG;
    }
    if (!stream->text.length)
        return record_damage_check(&stream->damage, fail) ? NEXT_END : NEXT_WRONG;
    struct slice line = {stream->text.data, stream->text.length};
    bool is_last = line.data[line.length - 1] != '\n';
    line.length -= !is_last;
    bool is_passed = stream->only_headers && file->n_records && begins_as_measurement(line),
         is_read = is_passed || !slice_trim(line).length ||
                   read_or_leave(arena, stream->path, line, stream->n_lines + 1, is_last, file, &stream->damage, fail);
    stream->n_lines += !is_last;
    return is_read ? NEXT_LINE : NEXT_WRONG;
}

// Takes what a line held. Returns whether that is a measurement.
static bool take_from_line(struct record_stream *stream, struct record_file *one, struct record *record) {
    if (one->n_headers) {
        json_decref(stream->header);
        stream->header = json_incref(one->headers[0]);
        stream->n_headers++;
    }
    bool is_record = one->n_records > 0;
    if (is_record) {
        *record = one->records[0];
        record->run = stream->damage.is_headless ? 0 : stream->n_headers;
    }
    record_file_close(one);
    return is_record;
}

bool record_stream_next(struct record_stream *stream, struct arena *arena, struct record *record, struct fail *fail) {
    struct record_file one = {0};
    while (read_next(stream, arena, &one, fail) == NEXT_LINE)
        if (take_from_line(stream, &one, record))
            return true;
    record_file_close(&one);
    return false;
}

const struct json_t *record_stream_header(const struct record_stream *stream) {
    return stream->damage.is_headless ? NULL : stream->header;
}

const struct record_damage *record_stream_damage(const struct record_stream *stream) {
    return &stream->damage;
}

void record_stream_close(struct record_stream *stream) {
    if (!stream)
        return;
    json_decref(stream->header);
    if (stream->in != stdin)
        fclose(stream->in);
    struct arena arena = stream->arena;
    arena_free(&arena);
}

// ---- Whole files

static bool read_file(const char *path, bool only_headers, struct record_file *file, struct fail *fail) {
    struct record_stream *stream = record_stream_open(path, fail);
    if (!stream)
        return false;
    if (file->end && fseeko(stream->in, file->end, SEEK_SET) != 0) {
        fail_set(fail, FAIL_INPUT, "cannot read '%s': %s", path, strerror(errno));
        record_stream_close(stream);
        return false;
    }
    stream->n_lines = file->n_lines;
    stream->damage = file->damage;
    stream->only_headers = only_headers;
    enum next next;
    while ((next = read_next(stream, file->arena, file, fail)) == NEXT_LINE)
        ;
    off_t end = ftello(stream->in); // a pipe has none, and is read once
    file->end = end < 0 ? 0 : end;
    file->n_lines = stream->n_lines;
    file->damage = stream->damage;
    record_stream_close(stream);
    return next == NEXT_END;
}

bool record_read_on(const char *path, struct record_file *file, struct fail *fail) {
    return read_file(path, false, file, fail);
}

bool record_read(struct arena *arena, const char *path, struct record_file *file, struct fail *fail) {
    *file = (struct record_file){.arena = arena};
    return read_file(path, false, file, fail);
}

bool record_read_headers(struct arena *arena, const char *path, struct record_file *file, struct fail *fail) {
    *file = (struct record_file){.arena = arena};
    return read_file(path, true, file, fail);
}

const char *record_code(struct arena *arena, const struct record *record) {
    return record->bytes && record->setup_bytes ? arena_printf(arena, "%s:%s", record->setup_bytes, record->bytes)
                                                : record->bytes;
}

void record_file_close(struct record_file *file) {
    for (size_t i = 0; i < file->n_headers; i++)
        json_decref(file->headers[i]);
    *file = (struct record_file){0};
}
