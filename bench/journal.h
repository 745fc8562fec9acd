// What a measurement file already holds of this host and clock, so that a run that was cut off goes on where it ended.
// Only reading; the run appends to the file as always (record.h).
#ifndef BENCH_JOURNAL_H
#define BENCH_JOURNAL_H

#include "bench/record.h"

struct journal {
    struct record_file file;
    bool *is_alike;     // of each header: the same host and clock as ours
    size_t n_of_others; // measurements under other headers
};

// What does not exist, or is no regular file, holds nothing. Success and failure both need journal_close.
bool journal_read(struct arena *arena, const char *path, const struct host *host, const struct bench *bench,
                  struct journal *journal, struct fail *fail);
void journal_close(struct journal *journal);

// The last measurement of the same program (its bytes, initial values, kernel, mode, form, n and arc) that counted the
// wanted events too; null: none.
const struct record *journal_find(const struct journal *journal, const struct record *like, const char *const *events,
                                  size_t n_events);

#endif
