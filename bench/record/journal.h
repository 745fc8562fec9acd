// The measurements of this host and clock that a measurement file already holds: an interrupted run continues where it
// ended. Only reads; the run appends to the file (record.h). Where a program has several measurements, the last one
// counts.
#ifndef BENCH_RECORD_JOURNAL_H
#define BENCH_RECORD_JOURNAL_H

#include "bench/record/record.h"

struct journal {
    const struct bench *bench;
    struct record_file *file;
    bool is_own;                    // whether the journal closes it
    enum record_origin *origins;    // origin of each header, from [1]; [0]: of records before the first header
    const struct record **by_bytes; // all records, in the order of their bytes, then of their lines
    // Number of measurements without a header, elsewhere, and on another CPU of this host.
    size_t n_headless, n_elsewhere, n_other_cpu;
    int other_cpu; // logical CPU of the last of the latter; means nothing where there are none
};

// Reads the file. Where it does not exist, or is not a regular file, the journal is empty. Fails as record_read does.
// Success and failure both need journal_close. `bench` must live as long as the journal. `known`: what was read of the
// file, which the caller keeps; only the rest is read. Null: nothing was.
bool journal_read(struct arena *arena, const char *path, struct record_file *known, const struct host *host,
                  const struct bench *bench, struct journal *journal, struct fail *fail);
// The same of measurements of whichever machine the file holds: all of them are of here. Fails where they are of
// several machines or clocks.
bool journal_read_elsewhere(struct arena *arena, const char *path, struct journal *journal, struct fail *fail);
void journal_close(struct journal *journal);

// What a measurement must have to count as done, in addition to the bench's options.
struct journal_request {
    const char *const *events; // names of events that it must have counted
    size_t n_events;
    unsigned n_replicates; // least number of measurements in other layouts
    unsigned n_stable;     // least number of stable measurements, at several times; 0: as 1
};

// State of a program. A fault of the code is as final as a value: it would happen again.
enum journal_state {
    JOURNAL_NOTHING,
    JOURNAL_DONE,
    JOURNAL_UNSTABLE,   // the verdict of the value is unstable
    JOURNAL_UNFINISHED, // timed out, starved, stopped, or killed from outside
    JOURNAL_COARSE,     // less precise, from fewer processes or in fewer layouts than requested now
    JOURNAL_SELDOM,     // stable, at fewer times than requested now
    JOURNAL_N_STATES,
};

// Returns the state of the last measurement of the same program that also counted the events. The same program has the
// same bytes, initial values, kernel, ISA, mode, form, n, arc and co-runner. Sets `found` to that measurement; null:
// there is none.
enum journal_state journal_find(const struct journal *journal, const struct record *like,
                                const struct journal_request *request, const struct record **found);

// Returns the quickest of a program's unstable values, as others only slow. One whose interval holds 0 or has no end
// does not count. Null: no value counts.
const struct record *journal_quickest(const struct journal *journal, const struct record *like);

// Returns the best of a program's `n` measurements: the last stable value; without one, the quickest unstable value;
// without any value, the last measurement. Null: the program has none.
const struct record *journal_best(const struct journal *journal, const struct record *like, unsigned *n);

// Returns a program's looks, stable measurements among them.
struct bench_looks journal_looks(struct arena *arena, const struct journal *journal, const struct record *like);

#endif
