// What a measurement file already holds of this host and clock, so that a run that was cut off goes on where it ended.
// Only reading; the run appends to the file as always (record.h). A program may be there more than once: its last
// measurement counts.
#ifndef BENCH_RECORD_JOURNAL_H
#define BENCH_RECORD_JOURNAL_H

#include "bench/record/record.h"

struct journal {
    const struct bench *bench;
    struct record_file file;
    enum record_origin *origins;     // of each header, [0]: of records before any
    size_t n_elsewhere, n_other_cpu; // measurements under headers of these origins
    int other_cpu;                   // that the last of the latter were made on
};

// What does not exist, or is no regular file, holds nothing. Success and failure both need journal_close. `bench` must
// live as long as the journal.
bool journal_read(struct arena *arena, const char *path, const struct host *host, const struct bench *bench,
                  struct journal *journal, struct fail *fail);
void journal_close(struct journal *journal);

// What a measurement must have to be taken, besides what the bench's options ask for.
struct journal_wish {
    const char *const *events; // counted, too
    size_t n_events;
    unsigned n_replicates; // in other layouts, as many at least
};

// How far a program is done. Faults of the code are as final as a value: they would come again.
enum journal_state {
    JOURNAL_NOTHING,
    JOURNAL_DONE,
    JOURNAL_UNSTABLE,   // the value is not to be trusted
    JOURNAL_UNFINISHED, // timed out, or killed from outside
    JOURNAL_COARSE,     // less precise, from fewer processes or in fewer layouts than is wanted now
    JOURNAL_N_STATES,
};

// Looks for the last measurement of the same program (its bytes, initial values, kernel, mode, form, n and arc) that
// counted the wanted events too. `found` (null where there is none) is what the state is of.
enum journal_state journal_find(const struct journal *journal, const struct record *like,
                                const struct journal_wish *wish, const struct record **found);

#endif
