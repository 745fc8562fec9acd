#include "bench/record/journal.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void count_others(struct journal *journal, unsigned run) {
    if (run == 0)
        journal->n_headless++;
    else if (journal->origins[run] == RECORD_ELSEWHERE)
        journal->n_elsewhere++;
    if (journal->origins[run] != RECORD_OTHER_CPU)
        return;
    journal->n_other_cpu++;
    journal->other_cpu = (int)json_integer_value(json_object_get(journal->file->headers[run - 1], "pinned_to"));
}

static const char *bytes_of(const struct record *record) {
    return record->bytes ? record->bytes : "";
}

static int compare(const void *a, const void *b) {
    const struct record *const *one = a, *const *other = b;
    int order = strcmp(bytes_of(*one), bytes_of(*other));
    return order ? order : (*one)->line < (*other)->line ? -1 : (*one)->line > (*other)->line;
}

// Files of surveys hold tens of thousands of records, of which each is looked up.
static void sort_records(struct arena *arena, struct journal *journal) {
    size_t n = journal->file->n_records;
    journal->by_bytes = ARENA_ARRAY(arena, const struct record *, n);
    for (size_t i = 0; i < n; i++)
        journal->by_bytes[i] = &journal->file->records[i];
    if (n)
        qsort(journal->by_bytes, n, sizeof *journal->by_bytes, compare);
}

// One past the last record with the same bytes; those are in front of it.
static size_t end_of_same(const struct journal *journal, const struct record *like) {
    size_t first = 0, end = journal->file->n_records;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (strcmp(bytes_of(journal->by_bytes[middle]), bytes_of(like)) <= 0)
            first = middle + 1;
        else
            end = middle;
    }
    return end;
}

// Reads the file, unless it does not exist or is a device or a pipe, which hold no earlier records. `is_there`: it was
// read.
static bool read_file(struct arena *arena, const char *path, struct record_file *known, struct journal *journal,
                      bool *is_there, struct fail *fail) {
    struct stat status;
    journal->file = known;
    journal->is_own = !known;
    if (!known) {
        journal->file = ARENA_NEW(arena, struct record_file);
        journal->file->arena = arena;
    }
    *is_there = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    if (!*is_there)
        return true;
    if (!record_read_on(path, journal->file, fail))
        return false;
    journal->origins = ARENA_ARRAY(arena, enum record_origin, journal->file->n_headers + 1);
    journal->origins[0] = RECORD_ELSEWHERE;
    sort_records(arena, journal);
    return true;
}

bool journal_read(struct arena *arena, const char *path, struct record_file *known, const struct host *host,
                  const struct bench *bench, struct journal *journal, struct fail *fail) {
    bool is_there;
    *journal = (struct journal){.bench = bench};
    if (!read_file(arena, path, known, journal, &is_there, fail) || !is_there)
        return fail->status == FAIL_NONE;
    for (size_t i = 0; i < journal->file->n_headers; i++)
        journal->origins[i + 1] = record_origin(journal->file->headers[i], host, bench);
    for (size_t i = 0; i < journal->file->n_records; i++)
        count_others(journal, journal->file->records[i].run);
    return true;
}

bool journal_read_elsewhere(struct arena *arena, const char *path, struct journal *journal, struct fail *fail) {
    bool is_there;
    *journal = (struct journal){0};
    if (!read_file(arena, path, NULL, journal, &is_there, fail))
        return false;
    for (size_t i = 0; is_there && i < journal->file->n_headers; i++) {
        if (!record_is_same_origin(journal->file->headers[0], journal->file->headers[i]))
            return fail_set(fail, FAIL_INPUT,
                            "'%s' holds measurements of several machines or clocks: keep each in a folder of its own",
                            path);
        journal->origins[i + 1] = RECORD_HERE;
    }
    return true;
}

void journal_close(struct journal *journal) {
    if (journal->is_own)
        record_file_close(journal->file);
}

static bool is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same_program(const struct record *a, const struct record *b) {
    return is_same(a->bytes, b->bytes) && is_same(a->setup, b->setup) && is_same(a->kernel, b->kernel) &&
           is_same(a->isa, b->isa) && is_same(a->corunner, b->corunner) &&
           is_same(a->corunner_bytes, b->corunner_bytes) && is_same(a->mode, b->mode) && is_same(a->form, b->form) &&
           is_same(a->arc, b->arc) && a->streams == b->streams;
}

// Whether the measurement has a reliable count of each event.
static bool has_events(const struct bench_measurement *measurement, const char *const *events, size_t n_events) {
    for (size_t i = 0; i < n_events; i++) {
        bool is_found = false;
        for (unsigned j = 0; j < measurement->n_events; j++)
            is_found = is_found || (!measurement->events[j].why && strcmp(measurement->events[j].name, events[i]) == 0);
        if (!is_found)
            return false;
    }
    return true;
}

// Whether the value is as precise as requested now, or its run has spent as much effort.
static bool is_precise(const struct journal *journal, const struct record *record) {
    static const double rounding = 1e-5; // error by rounding of numbers in files, cycles
    const struct bench_options *options = &journal->bench->options;
    const struct bench_measurement *m = &record->measurement;
    return (m->high - m->low) / 2 <= options->precision * m->cycles + rounding ||
           record_tried_as_hard(journal->file->headers[record->run - 1], options);
}

// Whether the code itself caused the outcome, which would happen again, and not the machine or somebody else.
static bool is_fault(enum bench_outcome outcome) {
    return outcome != BENCH_OK && outcome != BENCH_TIMEOUT && outcome != BENCH_KILLED && outcome != BENCH_STARVED &&
           outcome != BENCH_STOPPED;
}

static enum journal_state state_of(const struct journal *journal, const struct record *record,
                                   const struct journal_request *request) {
    const struct bench_measurement *m = &record->measurement;
    if (m->outcome != BENCH_OK)
        return is_fault(m->outcome) ? JOURNAL_DONE : JOURNAL_UNFINISHED;
    if (m->verdict == MEASURED_UNSTABLE)
        return m->look != LOOK_NONE && journal->bench->options.is_first_look ? JOURNAL_DONE : JOURNAL_UNSTABLE;
    bool is_enough = m->processes >= journal->bench->options.processes && m->n_replicates >= request->n_replicates;
    bool is_wide = measured_has_two_speeds(m); // it does not get narrower
    return is_enough && (is_wide || is_precise(journal, record)) ? JOURNAL_DONE : JOURNAL_COARSE;
}

// Returns the measurement of the same program here that comes before number *i; null: it was the first. Sets *i to its
// number.
static const struct record *next_of_program(const struct journal *journal, const struct record *like, size_t *i) {
    while ((*i)-- > 0) {
        const struct record *record = journal->by_bytes[*i];
        if (strcmp(bytes_of(record), bytes_of(like)) != 0)
            return NULL;
        if (journal->origins[record->run] == RECORD_HERE && is_same_program(record, like))
            return record;
    }
    return NULL;
}

static bool has_single_value(const struct bench_measurement *m) {
    return m->outcome == BENCH_OK && m->verdict != MEASURED_UNSTABLE && !measured_has_two_speeds(m);
}

// Whether a program with a stable value has fewer of them than requested. One with two speeds was seen often enough.
static bool is_seldom(const struct journal *journal, const struct record *like, const struct journal_request *request) {
    unsigned n = 0;
    const struct record *record;
    for (size_t i = end_of_same(journal, like); n < request->n_stable && (record = next_of_program(journal, like, &i));)
        n += has_single_value(&record->measurement);
    return n < request->n_stable;
}

enum journal_state journal_find(const struct journal *journal, const struct record *like,
                                const struct journal_request *request, const struct record **found) {
    for (size_t i = end_of_same(journal, like); (*found = next_of_program(journal, like, &i));) {
        const struct bench_measurement *m = &(*found)->measurement;
        if (m->outcome == BENCH_OK && !has_events(m, request->events, request->n_events))
            continue;
        enum journal_state state = state_of(journal, *found, request);
        return state == JOURNAL_DONE && has_single_value(m) && is_seldom(journal, like, request) ? JOURNAL_SELDOM
                                                                                                 : state;
    }
    return JOURNAL_NOTHING;
}

const struct record *journal_quickest(const struct journal *journal, const struct record *like) {
    const struct record *quickest = NULL, *record;
    for (size_t i = end_of_same(journal, like); (record = next_of_program(journal, like, &i));) {
        const struct bench_measurement *m = &record->measurement;
        bool is_good = m->outcome == BENCH_OK && measured_low(m) > 0 && isfinite(measured_high(m));
        if (is_good && m->verdict == MEASURED_UNSTABLE && (!quickest || m->cycles < quickest->measurement.cycles))
            quickest = record;
    }
    return quickest;
}

const struct record *journal_best(const struct journal *journal, const struct record *like, unsigned *n) {
    const struct record *stable = NULL, *last = NULL, *record;
    *n = 0;
    for (size_t i = end_of_same(journal, like); (record = next_of_program(journal, like, &i)); (*n)++) {
        const struct bench_measurement *m = &record->measurement;
        last = last ? last : record;
        if (!stable && m->outcome == BENCH_OK && m->verdict != MEASURED_UNSTABLE)
            stable = record;
    }
    const struct record *quickest = stable ? NULL : journal_quickest(journal, like);
    return stable ? stable : quickest ? quickest : last;
}

struct bench_looks journal_looks(struct arena *arena, const struct journal *journal, const struct record *like) {
    struct bench_looks looks = {0};
    const struct bench_measurement **modes = NULL;
    const struct record *record;
    for (size_t i = end_of_same(journal, like); (record = next_of_program(journal, like, &i));) {
        const struct bench_measurement *m = &record->measurement;
        if (m->outcome != BENCH_OK || (m->look == LOOK_NONE && !has_single_value(m)))
            continue;
        if (bench_look_is_uneven(m->look))
            *ARENA_ADD(arena, modes, looks.n_modes) = m;
        else if (!looks.fastest || m->cycles < looks.fastest->cycles)
            looks.fastest = m;
    }
    looks.modes = modes;
    return looks;
}
