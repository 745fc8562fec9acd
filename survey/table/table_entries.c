#include "survey/table/table_reader.h"

#include "base/file.h"
#include "base/json.h"
#include "survey/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *reader_label(struct arena *arena, const char *role) {
    return experiment_is_operand(role) ? text_replaced(arena, role + 1, '_', '.') : role;
}

// Options with which `cyclops run` makes the same program of the kernel; null: none.
static const char *how_of(struct arena *arena, const struct record *record) {
    struct text text = {.arena = arena};
    if (!record->form || !record->mode || strcmp(record->mode, "throughput") != 0)
        return NULL;
    if (record->streams)
        text_addf(&text, "--n %u ", record->streams);
    text_addf(&text, "--form %s", record->form);
    if (record->placement)
        text_addf(&text, " --placement %s", record->placement);
    return text.data;
}

// Whether two headers are of the same kind of machine and clock.
static bool is_same_machine(const json_t *a, const json_t *b) {
    const json_t *one = json_object_get(a, "clock"), *other = json_object_get(b, "clock");
    return record_is_same_cpu(a, b) &&
           strcmp(reader_header_text(one, "target"), reader_header_text(other, "target")) == 0 &&
           strcmp(reader_header_text(one, "model"), reader_header_text(other, "model")) == 0;
}

// Whether they are of one experiment: 0.
static int compare_experiments(const struct entry *one, const struct entry *other) {
    int order = strcmp(one->key.form, other->key.form);
    if (order == 0)
        order = strcmp(one->record->kernel, other->record->kernel);
    if (order == 0)
        order = strcmp(one->record->arc ? one->record->arc : "", other->record->arc ? other->record->arc : "");
    if (order == 0)
        order = strcmp(one->record->placement ? one->record->placement : "",
                       other->record->placement ? other->record->placement : "");
    if (order == 0)
        order = strcmp(one->record->form ? one->record->form : "", other->record->form ? other->record->form : "");
    if (order == 0)
        order = (one->record->streams > other->record->streams) - (one->record->streams < other->record->streams);
    return order;
}

static int compare_entries(const void *a, const void *b) {
    const struct entry *one = a, *other = b;
    int order = compare_experiments(one, other);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

// Of the measurements of one experiment, the last one counts; a stable one counts before an unstable one, and that
// before one without a clock.
static bool is_better(const struct entry *a, const struct entry *b) {
    const struct bench_measurement *one = &a->record->measurement, *other = &b->record->measurement;
    bool has_clock = one->clock_error <= READER_MOST_CLOCK_ERROR,
         other_has = other->clock_error <= READER_MOST_CLOCK_ERROR;
    if (has_clock != other_has)
        return has_clock;
    return one->verdict != MEASURED_UNSTABLE || other->verdict == MEASURED_UNSTABLE;
}

// What the record's own samples agree on, whatever other looks have found.
static void see(struct entry *entry) {
    const struct bench_measurement *m = &entry->record->measurement;
    bool is_steady = m->verdict != MEASURED_UNSTABLE || m->look == LOOK_FIRST || m->look == LOOK_MOVED;
    if (is_steady && m->outcome == BENCH_OK && m->clock_error <= READER_MOST_CLOCK_ERROR && m->samples)
        entry->least = entry->most = m->cycles;
}

static void drop_repeated(struct table_reader *reader) {
    size_t n = 0;
    for (size_t i = 0; i < reader->n_entries; i++) {
        struct entry *last = n ? &reader->entries[n - 1] : NULL, *each = &reader->entries[i];
        see(each);
        if (!last || compare_experiments(last, each) != 0) {
            reader->entries[n++] = *each;
            continue;
        }
        double least = last->least > 0 && each->least > 0 ? fmin(last->least, each->least) : last->least + each->least,
               most = fmax(last->most, each->most);
        if (is_better(each, last))
            *last = *each;
        last->least = least;
        last->most = most;
    }
    reader->n_entries = n;
}

// Sorts by form; those of one experiment stay in the order of files and lines.
static void sort_entries(struct table_reader *reader) {
    struct entry *sorted = ARENA_ARRAY(reader->arena, struct entry, reader->n_entries);
    memcpy(sorted, reader->entries, reader->n_entries * sizeof *sorted);
    if (reader->n_entries)
        qsort(sorted, reader->n_entries, sizeof *sorted, compare_entries);
    reader->entries = sorted;
    drop_repeated(reader);
}

// Returns the last run whose clock was calibrated, on the machine of `last`; null: no run.
static const json_t *find_clock(const struct table_reader *reader, size_t n, const json_t *last) {
    const json_t *found = NULL;
    for (size_t f = 0; f < n; f++)
        for (size_t i = 0; i < reader->files[f].n_headers; i++) {
            const json_t *header = reader->files[f].headers[i], *clock = json_object_get(header, "clock");
            if (json_number_value(json_object_get(clock, "error")) <= READER_MOST_CLOCK_ERROR &&
                is_same_machine(header, last))
                found = header;
        }
    return found;
}

// Damaged lines are no reason to refuse the others.
static void say_what_is_damaged(const struct table_reader *reader, const char *path, const struct record_file *file) {
    const char *damage = record_damage_text(reader->arena, path, &file->damage);
    if (damage)
        lab_say(reader->listener, LAB_WARNING, "%s: --resume measures again what is missing", damage);
}

static bool read_files(struct table_reader *reader, const char *const *folders, size_t n, const json_t **header,
                       size_t *n_read, struct fail *fail) {
    for (size_t i = 0; i < n; i++) {
        const char *path = folder_file(reader->arena, folders[i], "measurements.jsonl");
        for (size_t k = 0; k < i; k++)
            if (file_is_same(folders[k], folders[i]))
                return fail_set(fail, FAIL_INPUT, "'%s' is given twice: a folder is one part of a survey", folders[i]);
        if (!reader_is_survey(reader->arena, folders[i], fail) || !record_read_on(path, &reader->files[i], fail))
            return false;
        say_what_is_damaged(reader, path, &reader->files[i]);
        *n_read += reader->files[i].n_records;
        const json_t *last =
            reader->files[i].n_headers ? reader->files[i].headers[reader->files[i].n_headers - 1] : NULL;
        if (last && *header && !is_same_machine(last, *header))
            return fail_set(fail, FAIL_INPUT,
                            "'%s' is of another machine, microcode or target than the folder before it: give one of "
                            "them; 'cyclops diff' compares two",
                            folders[i]);
        *header = last ? last : *header;
    }
    return *header || fail_set(fail, FAIL_INPUT, "'%s' holds no measurement %s", folders[0],
                               *n_read ? "below a header: where they were made is not known" : "yet");
}

// Adds the records of a file. Returns how many of them are of another machine than the header, and left out.
static size_t add_entries(struct table_reader *reader, const struct record_file *file, const char *folder,
                          const json_t *header) {
    size_t n_others = 0;
    for (size_t i = 0; i < file->n_records; i++) {
        const struct record *record = &file->records[i];
        bool is_ours = record->run && record->kernel && record->isa && record->mode &&
                       is_same_machine(file->headers[record->run - 1], header);
        n_others += !is_ours;
        if (!is_ours)
            continue;
        date_range_add(reader->arena, &reader->when, record_time(file->headers[record->run - 1]));
        struct entry *entry = &reader->entries[reader->n_entries];
        *entry = (struct entry){.record = record,
                                .how = how_of(reader->arena, record),
                                .is_looped = record->form && strcmp(record->form, "looped") == 0,
                                .place = reader->n_entries++,
                                .folder = folder};
        experiment_key_parse(reader->arena, record->kernel, record->arc, &entry->key);
    }
    return n_others;
}

bool reader_read_measurements(struct table_reader *reader, const char *const *folders, size_t n, const json_t **header,
                              const json_t **clock, struct fail *fail) {
    size_t n_read = 0, n_others = 0;
    if (!read_files(reader, folders, n, header, &n_read, fail))
        return false;
    *clock = find_clock(reader, n, *header);
    reader->entries = ARENA_ARRAY(reader->arena, struct entry, n_read);
    for (size_t f = 0; f < n; f++)
        n_others += add_entries(reader, &reader->files[f], folders[f], *header);
    if (n_others)
        lab_say(reader->listener, LAB_WARNING,
                "%s of another machine, microcode or target than the last one, and left out",
                text_count_are(reader->arena, n_others, "measurement"));
    sort_entries(reader);
    return true;
}
