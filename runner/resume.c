#include "runner/resume.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/index.h"
#include "base/json_text.h"
#include "base/text.h"
#include "bench/record/record.h"
#include "runner/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A line of a measurement, in parts: what the program is, the value, and its bytes and set-up.
struct parts {
    struct slice before, value, behind;
};

static const char *find(struct slice text, const char *word) {
    return memmem(text.data, text.length, word, strlen(word));
}

// A quote in a text has a backslash before it, so these marks stand in no text. The value begins at the first one.
static bool split(struct slice line, struct parts *parts) {
    static const char *const marks[] = {",\"cycles\":", ",\"verdict\":", ",\"outcome\":"};
    static const char bytes[] = ",\"bytes\":";
    const char *end = line.data + line.length, *first = NULL, *behind = find(line, bytes);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *found = find(line, marks[i]);
        first = found && (!first || found < first) ? found : first;
    }
    if (!first || !behind || behind < first)
        return false;
    *parts = (struct parts){
        {line.data, (size_t)(first - line.data)}, {first, (size_t)(behind - first)}, {behind, (size_t)(end - behind)}};
    return true;
}

static bool is_same(const struct parts *a, const struct parts *b) {
    return slice_equals(a->before, b->before) && slice_equals(a->behind, b->behind);
}

static uint64_t hash_of(const struct parts *parts) {
    return bytes_hash(parts->before.data, parts->before.length) * 31 +
           bytes_hash(parts->behind.data, parts->behind.length);
}

// Whether a line's value is final. Its own verdict comes first; those of other layouts later.
static bool is_final(struct slice value) {
    static const enum bench_outcome open[] = {BENCH_TIMEOUT, BENCH_KILLED, BENCH_STARVED, BENCH_STOPPED};
    static const char unstable[] = ",\"verdict\":\"unstable\"";
    if (slice_starts(value, ",\"outcome\":")) {
        for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
            char text[80];
            snprintf(text, sizeof text, ",\"outcome\":\"%s\"", bench_outcome_name(open[i]));
            if (slice_starts(value, text))
                return false;
        }
        return true;
    }
    const char *verdict = find(value, ",\"verdict\":");
    return verdict && !text_starts(verdict, unstable);
}

// ---- where it was measured

// The text of a member; both are empty where neither header has it. The CPU's members come before the clock's.
static struct slice member(struct slice header, const char *key) {
    const char *found = find(header, key);
    if (!found)
        return (struct slice){header.data, 0};
    const char *end = header.data + header.length;
    struct slice rest = {found, (size_t)(end - found)};
    const char *next = find(rest, ",\"");
    return (struct slice){found, (size_t)((next ? next : end) - found)};
}

static bool is_same_place(struct slice a, struct slice b) {
    static const char *const keys[] = {
        "\"cpu\":",       "\"vendor\":",           "\"family\":",      "\"model\":",      "\"stepping\":",
        "\"microcode\":", "\"pinned_to\":",        "\"core_type\":",   "\"hypervisor\":", "\"midr\":",
        "\"tier\":",      "\"reference_cycles\":", "\"frequency_hz\":"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!slice_equals(member(a, keys[i]), member(b, keys[i])))
            return false;
    return true;
}

static struct slice own_header(struct arena *arena, const struct host *host, const struct bench *bench) {
    struct json_text json = {.text.arena = arena};
    record_put_header(&json, NULL, host, bench);
    return (struct slice){json.text.data, json.text.length};
}

// ---- the programs

// The parts of the line that this program would have, in `parts`. Returns false where memory for it is missing.
static bool parts_of(struct arena *arena, const char *isa, const struct pack_program *program, struct parts *parts) {
    static const struct bench_measurement nothing = {.outcome = BENCH_OK, .verdict = MEASURED_UNSTABLE};
    struct record record = results_record(arena, isa, program, &nothing);
    struct fail inner = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return false;
    bool is_written = record_write(out, &record, &inner);
    is_written = fclose(out) == 0 && is_written;
    struct slice line = {arena_copy(arena, text, length), length};
    free(text);
    return is_written && split(slice_trim(line), parts);
}

// The programs of a pack, to be found by a line.
struct known {
    struct parts *parts; // of each program
    struct index index;
};

static bool know(struct arena *arena, const struct pack *pack, struct known *known, struct fail *fail) {
    *known = (struct known){ARENA_ARRAY(arena, struct parts, pack->n_programs), {.arena = arena}};
    for (size_t i = 0; i < pack->n_programs; i++) {
        if (pack->programs[i].role)
            continue;
        if (!parts_of(arena, pack->isa, &pack->programs[i], &known->parts[i]))
            return fail_set(fail, FAIL_WORK, "there is no memory for what the file holds");
        index_add(&known->index, hash_of(&known->parts[i]), i);
    }
    return true;
}

// The last line of a program counts.
static void take_line(const struct known *known, struct slice line, struct resume *resume) {
    static const char first[] = ",\"cycles\":";
    struct parts parts;
    if (!split(line, &parts))
        return;
    for (size_t place = 0, i; (i = index_next(&known->index, hash_of(&parts), &place)) != INDEX_END;)
        if (is_same(&known->parts[i], &parts)) {
            resume->are_taken[i] = is_final(parts.value);
            if (slice_starts(parts.value, first)) // a line behind it, so the number ends
                resume->cycles[i] = strtod(parts.value.data + strlen(first), NULL);
        }
}

bool resume_read(struct arena *arena, const char *path, const struct pack *pack, const struct host *host,
                 const struct bench *bench, struct resume *resume, struct fail *fail) {
    char *text;
    size_t length;
    struct known known;
    resume->n_taken = 0;
    if (access(path, F_OK) != 0)
        return true;
    if (!file_read(arena, path, &text, &length, fail) || !know(arena, pack, &known, fail))
        return false;
    struct slice own = own_header(arena, host, bench), rest = {text, length}, line;
    bool is_here = false;
    while (slice_next(&rest, '\n', &line)) {
        if (slice_starts(line, "{\"record\":\"host\""))
            is_here = is_same_place(line, own);
        else if (is_here)
            take_line(&known, line, resume);
    }
    for (size_t i = 0; i < pack->n_programs; i++)
        resume->n_taken += resume->are_taken[i];
    return true;
}
