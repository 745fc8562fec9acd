// Reads measurement files: headers and measurements. Leaves out lines that are not JSON. Ignores unknown fields:
// files of later versions have more of them. The writer is record_write.c.
#include "base/compressed.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/record/record_damage.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Checks that a run may have written a record. Files also come from others, and computations must not start from
// numbers that nobody measured.

static const double most_cycles = 1e12; // takes minutes
static const double most_count = 1e15;  // largest count of an event; differences of counts may be below zero
enum { MOST_STREAMS = 1 << 10, MOST_INSTRUCTIONS = 1 << 20 };

static bool is_within(double value, double least, double most, const char *what, struct fail *fail) {
    if (value >= least && value <= most) // false for NaN
        return true;
    return fail_set(fail, FAIL_INPUT, "'%s' is %g, but must be from %g to %g", what, value, least, most);
}

// Noise may widen an interval to below zero.
static bool is_low_end(double value, const char *what, struct fail *fail) {
    return is_within(value, -most_cycles, most_cycles, what, fail);
}

static bool are_cycles(double value, const char *what, struct fail *fail) {
    return is_within(value, 0, most_cycles, what, fail);
}

static bool check_spread(const struct bench_measurement *m, struct fail *fail) {
    for (int i = 0; i < 2; i++)
        if (!are_cycles(m->modes[i].cycles, "modes", fail) || !is_within(m->modes[i].share, 0, 1, "share", fail))
            return false;
    for (unsigned i = 0; i < m->n_replicates; i++)
        if (!are_cycles(m->replicates[i].cycles, "replicates", fail) ||
            !is_low_end(m->replicates[i].low, "replicates", fail) ||
            !are_cycles(m->replicates[i].high, "replicates", fail))
            return false;
    if (!are_cycles(m->corunner, "beside", fail) || !is_low_end(m->corunner_low, "beside", fail) ||
        !are_cycles(m->corunner_high, "beside", fail))
        return false;
    return are_cycles(m->process_low, "processes", fail) && are_cycles(m->process_high, "processes", fail);
}

static bool check_event(const struct bench_event *event, struct fail *fail) {
    return is_within(event->count, -most_count, most_count, "events", fail) &&
           is_within(event->low, -most_count, most_count, "event_intervals", fail) &&
           is_within(event->high, -most_count, most_count, "event_intervals", fail) &&
           is_within(event->confidence, 0, 1, "confidence", fail) &&
           (!event->samples || (event->low <= event->count && event->count <= event->high) ||
            fail_set(fail, FAIL_INPUT, "the count of event '%s' must lie within its interval", event->name));
}

static bool check_counts(const struct record *record, struct fail *fail) {
    const struct bench_measurement *m = &record->measurement;
    for (unsigned i = 0; i < m->n_events; i++)
        if (!check_event(&m->events[i], fail))
            return false;
    for (unsigned i = 0; i < record->n_predictions; i++)
        if (!are_cycles(record->predictions[i].cycles, "predicted", fail))
            return false;
    return is_within(record->streams, 0, MOST_STREAMS, "n", fail) &&
           is_within(record->instructions, 0, MOST_INSTRUCTIONS, "instructions", fail) &&
           is_within(record->loop_instructions, 0, MOST_INSTRUCTIONS, "loop_instructions", fail) &&
           is_within(record->loop_branches, 0, record->loop_instructions, "loop_branches", fail);
}

// Where all is noise, the clock's error has no limit, and the correction for repeated looks at the samples may leave no
// confidence, or less.
static bool check_record(const struct record *record, struct fail *fail) {
    const struct bench_measurement *m = &record->measurement;
    bool is_ordered =
        m->verdict == MEASURED_UNSTABLE || m->outcome != BENCH_OK || (m->low <= m->cycles && m->cycles <= m->high);
    return are_cycles(m->cycles, "cycles", fail) && is_low_end(m->low, "low", fail) &&
           are_cycles(m->high, "high", fail) && is_within(m->confidence, -1, 1, "confidence", fail) &&
           is_within(m->clock_error, 0, most_cycles, "clock_error", fail) &&
           is_within(m->milliseconds, 0, most_cycles, "ms", fail) && check_spread(m, fail) &&
           check_counts(record, fail) &&
           (is_ordered || fail_set(fail, FAIL_INPUT, "'cycles' must lie between 'low' and 'high'"));
}

// ---- The events of a line. "events" has the counts; "event_intervals" and "events_why" have the rest, which old files
// lack.

// Returns the event of this name, and adds it where it is missing; null: there is no room for it.
static struct bench_event *event_named(struct arena *arena, struct bench_measurement *measurement, const char *name) {
    for (unsigned i = 0; i < measurement->n_events; i++)
        if (strcmp(measurement->events[i].name, name) == 0)
            return &measurement->events[i];
    if (measurement->n_events == BENCH_MAX_EVENTS)
        return NULL;
    struct bench_event *event = ARENA_ADD(arena, measurement->events, measurement->n_events);
    *event = (struct bench_event){.name = arena_strdup(arena, name)};
    return event;
}

// Reads member `name` of `object` into the event.
typedef bool (*member_reader)(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                              struct fail *fail);

static bool read_event_count(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                             struct fail *fail) {
    (void)arena;
    return json_get_number(object, name, &event->count, fail);
}

static bool read_event_why(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                           struct fail *fail) {
    return json_get_string(arena, object, name, &event->why, fail);
}

static bool read_interval(struct arena *arena, const json_t *object, const char *name, struct bench_event *event,
                          struct fail *fail) {
    (void)arena;
    const json_t *json = json_object_get(object, name);
    unsigned long samples = 0;
    if (!json_is_object(json))
        return fail_set(fail, FAIL_INPUT, "'event_intervals' must hold objects");
    if (!json_get_number(json, "low", &event->low, fail) || !json_get_number(json, "high", &event->high, fail) ||
        !json_get_number(json, "confidence", &event->confidence, fail) ||
        !json_get_count(json, "samples", &samples, fail))
        return false;
    if (samples < 1 || samples > UINT32_MAX)
        return fail_set(fail, FAIL_INPUT, "the interval of event '%s' has no samples", event->name);
    event->samples = (unsigned)samples;
    return true;
}

static bool read_each(struct arena *arena, const json_t *json, const char *key, member_reader read,
                      struct bench_measurement *measurement, struct fail *fail) {
    json_t *object = json_object_get(json, key), *item;
    const char *name;
    if (object && !json_is_object(object))
        return fail_set(fail, FAIL_INPUT, "'%s' must be an object", key);
    json_object_foreach(object, name, item) {
        struct bench_event *event = event_named(arena, measurement, name);
        if (event && !read(arena, object, name, event, fail))
            return false;
    }
    return true;
}

// Reads the events in the order of their counts; those without a count come last.
static bool read_events(struct arena *arena, const json_t *json, struct bench_measurement *measurement,
                        struct fail *fail) {
    return read_each(arena, json, "events", read_event_count, measurement, fail) &&
           read_each(arena, json, "event_intervals", read_interval, measurement, fail) &&
           read_each(arena, json, "events_why", read_event_why, measurement, fail);
}

// ---- One measurement's line, field by field

static bool read_unsigned(const json_t *json, const char *key, unsigned *value, struct fail *fail) {
    unsigned long count = *value;
    if (!json_get_count(json, key, &count, fail))
        return false;
    if (count > UINT32_MAX)
        return fail_set(fail, FAIL_INPUT, "'%s' is too large", key);
    *value = (unsigned)count;
    return true;
}

typedef const char *(*name_function)(unsigned value);
static const char *outcome_name(unsigned value) {
    return bench_outcome_name((enum bench_outcome)value);
}
static const char *verdict_name(unsigned value) {
    return bench_verdict_name((enum bench_verdict)value);
}
static const char *look_name(unsigned value) {
    return bench_look_name((enum bench_look)value);
}
static const char *clock_name(unsigned value) {
    return bench_clock_name((enum bench_clock)value);
}
static const char *drop_name(unsigned value) {
    return bench_drop_name((enum bench_drop)value);
}

// Sets `value` to the number whose name is in member `key`. Without such a member, `value` stays. Fails where no value
// below `count` has that name.
static bool read_name(struct arena *arena, const json_t *json, const char *key, name_function name, unsigned count,
                      unsigned *value, struct fail *fail) {
    const char *word = NULL;
    if (!json_get_string(arena, json, key, &word, fail))
        return false;
    const char *names[BENCH_N_OUTCOMES];
    for (unsigned i = 0; i < count; i++)
        names[i] = name(i);
    if (word)
        *value = (unsigned)text_find(word, names, count);
    if (*value < count)
        return true;
    return fail_set(fail, FAIL_INPUT, "unknown %s '%s'%s", key, word, text_did_you_mean(arena, word, names, count));
}

static bool read_names(struct arena *arena, const json_t *json, struct bench_measurement *measurement,
                       struct fail *fail) {
    unsigned outcome = BENCH_OK, verdict = MEASURED_UNSTABLE, look = LOOK_NONE, clock = CLOCK_RATIO;
    if (!read_name(arena, json, "outcome", outcome_name, BENCH_N_OUTCOMES, &outcome, fail) ||
        !read_name(arena, json, "verdict", verdict_name, MEASURED_UNSTABLE + 1, &verdict, fail) ||
        !read_name(arena, json, "look", look_name, BENCH_N_LOOKS, &look, fail) ||
        !read_name(arena, json, "clock", clock_name, BENCH_N_CLOCKS, &clock, fail))
        return false;
    measurement->outcome = (enum bench_outcome)outcome;
    measurement->verdict = (enum bench_verdict)verdict;
    measurement->look = (enum bench_look)look;
    measurement->clock = (enum bench_clock)clock;
    measurement->is_about = verdict == MEASURED_UNSTABLE && json_is_true(json_object_get(json, "about"));
    return true;
}

static bool read_exact(const json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    const json_t *exact = json_object_get(json, "exact");
    if (!exact)
        return measurement->verdict != MEASURED_EXACT ||
               fail_set(fail, FAIL_INPUT, "the verdict is 'exact', but the fraction in 'exact' is missing");
    const json_t *numerator = json_array_get(exact, 0), *denominator = json_array_get(exact, 1);
    if (json_array_size(exact) != 2 || !json_is_integer(numerator) || !json_is_integer(denominator) ||
        json_integer_value(numerator) < 0 || json_integer_value(numerator) > UINT32_MAX ||
        json_integer_value(denominator) < 1 || json_integer_value(denominator) > UINT32_MAX)
        return fail_set(fail, FAIL_INPUT, "'exact' must be two whole numbers, [numerator, denominator]");
    measurement->numerator = (unsigned)json_integer_value(numerator);
    measurement->denominator = (unsigned)json_integer_value(denominator);
    return true;
}

static bool read_spread(const json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    const json_t *processes = json_object_get(json, "processes"), *modes = json_object_get(json, "modes");
    if (processes && !json_is_object(processes))
        return fail_set(fail, FAIL_INPUT, "'processes' must be an object");
    if (modes && (!json_is_array(modes) || json_array_size(modes) != 2))
        return fail_set(fail, FAIL_INPUT, "'modes' must be a list of two");
    bool is_read = !processes || (read_unsigned(processes, "n", &measurement->processes, fail) &&
                                  json_get_number(processes, "low", &measurement->process_low, fail) &&
                                  json_get_number(processes, "high", &measurement->process_high, fail));
    for (unsigned i = 0; i < 2 && modes && is_read; i++) {
        const json_t *mode = json_array_get(modes, i);
        is_read = json_is_object(mode) || fail_set(fail, FAIL_INPUT, "'modes' must be a list of objects");
        is_read = is_read && json_get_number(mode, "cycles", &measurement->modes[i].cycles, fail) &&
                  json_get_number(mode, "share", &measurement->modes[i].share, fail);
    }
    return is_read;
}

static bool read_replicates(struct arena *arena, const json_t *json, struct bench_measurement *measurement,
                            struct fail *fail) {
    const json_t *list = json_object_get(json, "replicates"), *item;
    size_t i;
    if (list && (!json_is_array(list) || json_array_size(list) > BENCH_MAX_REPLICATES))
        return fail_set(fail, FAIL_INPUT, "'replicates' must be a list, of %d at most", BENCH_MAX_REPLICATES);
    json_array_foreach(list, i, item) {
        struct bench_replicate *replicate = ARENA_ADD(arena, measurement->replicates, measurement->n_replicates);
        unsigned verdict = MEASURED_UNSTABLE;
        if (!json_is_object(item))
            return fail_set(fail, FAIL_INPUT, "'replicates' must be a list of objects");
        if (!json_get_string(arena, item, "change", &replicate->change, fail) ||
            !json_get_number(item, "cycles", &replicate->cycles, fail) ||
            !json_get_number(item, "low", &replicate->low, fail) ||
            !json_get_number(item, "high", &replicate->high, fail) ||
            !read_name(arena, item, "verdict", verdict_name, MEASURED_UNSTABLE + 1, &verdict, fail))
            return false;
        replicate->verdict = (enum bench_verdict)verdict;
    }
    return true;
}

static bool read_numbers(const json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    if (!read_unsigned(json, "samples", &measurement->samples, fail))
        return false;
    bool has_no_sample = json_object_get(json, "samples") && !measurement->samples;
    if (measurement->outcome == BENCH_OK && !has_no_sample && !json_object_get(json, "cycles"))
        return fail_set(fail, FAIL_INPUT,
                        "a measurement needs 'cycles', or an 'outcome' that states why they are missing");
    return json_get_number(json, "cycles", &measurement->cycles, fail) &&
           json_get_number(json, "low", &measurement->low, fail) &&
           json_get_number(json, "high", &measurement->high, fail) &&
           json_get_number(json, "confidence", &measurement->confidence, fail) &&
           json_get_number(json, "clock_error", &measurement->clock_error, fail) &&
           json_get_number(json, "ms", &measurement->milliseconds, fail) && read_exact(json, measurement, fail) &&
           read_spread(json, measurement, fail);
}

// Sets `object` to a member; null: there is no such member. Fails where the member is not an object.
static bool get_object(json_t *json, const char *key, json_t **object, struct fail *fail) {
    *object = json_object_get(json, key);
    return !*object || json_is_object(*object) || fail_set(fail, FAIL_INPUT, "'%s' must be an object", key);
}

static bool read_dropped(json_t *json, struct bench_measurement *measurement, struct fail *fail) {
    json_t *dropped;
    if (!get_object(json, "dropped", &dropped, fail))
        return false;
    for (unsigned i = 0; i < DROP_N_REASONS; i++)
        if (!read_unsigned(dropped, drop_name(i), &measurement->dropped[i], fail))
            return false;
    return true;
}

static bool read_predictions(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    const json_t *list = json_object_get(json, "predicted");
    if (list && !json_is_array(list))
        return fail_set(fail, FAIL_INPUT, "'predicted' must be a list");
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item) {
        if (!json_is_object(item))
            return fail_set(fail, FAIL_INPUT, "'predicted' must be a list of objects");
        if (i == RECORD_MAX_PREDICTIONS)
            return fail_set(fail, FAIL_INPUT, "more than %d predictions", RECORD_MAX_PREDICTIONS);
        struct record_prediction *prediction = &record->predictions[record->n_predictions++];
        if (!json_get_string(arena, item, "model", &prediction->model, fail) ||
            !json_get_number(item, "cycles", &prediction->cycles, fail) ||
            !json_get_string(arena, item, "bottleneck", &prediction->bottleneck, fail))
            return false;
    }
    return true;
}

static bool read_corunner(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    struct bench_measurement *measurement = &record->measurement;
    json_t *corunner;
    if (!get_object(json, "beside", &corunner, fail) || !corunner)
        return !json_object_get(json, "beside");
    record->corunner = "";
    return json_get_string(arena, corunner, "kernel", &record->corunner, fail) &&
           json_get_string(arena, corunner, "bytes", &record->corunner_bytes, fail) &&
           json_get_number(corunner, "cycles", &measurement->corunner, fail) &&
           json_get_number(corunner, "low", &measurement->corunner_low, fail) &&
           json_get_number(corunner, "high", &measurement->corunner_high, fail);
}

static bool read_block(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    json_t *object;
    if (!get_object(json, "block", &object, fail) || !object)
        return !json_object_get(json, "block");
    struct record_block *block = ARENA_NEW(arena, struct record_block);
    const json_t *walks = json_object_get(object, "walks"), *drift = json_object_get(object, "drift");
    block->walks = json_is_true(walks);
    block->has_own_branch = json_is_true(json_object_get(object, "own_branch"));
    block->drift = json_integer_value(drift);
    record->block = block;
    return json_get_string(arena, object, "alias", &block->alias, fail) &&
           json_get_string(arena, object, "memory", &block->memory, fail) &&
           json_get_string(arena, object, "set", &block->set, fail) &&
           json_get_string(arena, object, "init", &block->init, fail) &&
           json_get_string(arena, object, "made_up", &block->made_up, fail) &&
           json_get_string(arena, object, "notes", &block->notes, fail) &&
           read_unsigned(object, "pages", &block->pages, fail);
}

static bool read_measurement(struct arena *arena, json_t *json, struct record *record, struct fail *fail) {
    struct bench_measurement *measurement = &record->measurement;
    return json_get_string(arena, json, "kernel", &record->kernel, fail) &&
           json_get_string(arena, json, "isa", &record->isa, fail) &&
           json_get_string(arena, json, "mode", &record->mode, fail) &&
           json_get_string(arena, json, "form", &record->form, fail) &&
           json_get_string(arena, json, "arc", &record->arc, fail) &&
           json_get_string(arena, json, "placement", &record->placement, fail) &&
           json_get_string(arena, json, "instruction", &record->instruction, fail) &&
           json_get_string(arena, json, "bytes", &record->bytes, fail) &&
           json_get_string(arena, json, "setup", &record->setup, fail) &&
           json_get_string(arena, json, "setup_bytes", &record->setup_bytes, fail) &&
           json_get_string(arena, json, "why", &measurement->why, fail) &&
           json_get_string(arena, json, "warning", &measurement->warning, fail) &&
           read_unsigned(json, "n", &record->streams, fail) &&
           read_unsigned(json, "instructions", &record->instructions, fail) &&
           read_unsigned(json, "loop_instructions", &record->loop_instructions, fail) &&
           read_unsigned(json, "loop_branches", &record->loop_branches, fail) &&
           read_names(arena, json, measurement, fail) && read_numbers(json, measurement, fail) &&
           read_dropped(json, measurement, fail) && read_events(arena, json, measurement, fail) &&
           read_replicates(arena, json, measurement, fail) && read_corunner(arena, json, record, fail) &&
           read_predictions(arena, json, record, fail) && read_block(arena, json, record, fail) &&
           check_record(record, fail);
}

// ---- The lines of a file

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
    return read_measurement(arena, json, record, fail);
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
