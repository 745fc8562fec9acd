#include "bench/journal.h"

#include <string.h>
#include <sys/stat.h>

bool journal_read(struct arena *arena, const char *path, const struct host *host, const struct bench *bench,
                  struct journal *journal, struct fail *fail) {
    *journal = (struct journal){0};
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) // devices and pipes hold nothing of before
        return true;
    if (!record_read(arena, path, &journal->file, fail))
        return false;
    journal->is_alike = ARENA_ARRAY(arena, bool, journal->file.n_headers + 1); // [0]: no header
    for (size_t i = 0; i < journal->file.n_headers; i++)
        journal->is_alike[i + 1] = record_is_alike(journal->file.headers[i], host, bench);
    for (size_t i = 0; i < journal->file.n_records; i++)
        journal->n_of_others += !journal->is_alike[journal->file.records[i].run];
    return true;
}

void journal_close(struct journal *journal) {
    record_file_close(&journal->file);
}

static bool is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_same_program(const struct record *a, const struct record *b) {
    return is_same(a->bytes, b->bytes) && is_same(a->setup, b->setup) && is_same(a->kernel, b->kernel) &&
           is_same(a->isa, b->isa) && is_same(a->beside, b->beside) && is_same(a->beside_bytes, b->beside_bytes) &&
           is_same(a->mode, b->mode) && is_same(a->form, b->form) && is_same(a->arc, b->arc) &&
           a->streams == b->streams;
}

static bool has_events(const struct bench_measurement *measurement, const char *const *events, size_t n_events) {
    for (size_t i = 0; i < n_events; i++) {
        bool is_found = false;
        for (unsigned j = 0; j < measurement->n_events; j++)
            is_found = is_found || strcmp(measurement->events[j].name, events[i]) == 0;
        if (!is_found)
            return false;
    }
    return true;
}

const struct record *journal_find(const struct journal *journal, const struct record *like, const char *const *events,
                                  size_t n_events) {
    for (size_t i = journal->file.n_records; i-- > 0;) {
        const struct record *record = &journal->file.records[i];
        bool is_whole = record->measurement.outcome != BENCH_OK || has_events(&record->measurement, events, n_events);
        if (journal->is_alike[record->run] && is_whole && is_same_program(record, like))
            return record;
    }
    return NULL;
}
