// Private to this folder.
// One piece of code on its way to a value: decides how many rounds its next process runs, when they are enough, and how
// long the next process can wait. measure.c decides which pieces share a process.
#ifndef BENCH_MEASURE_PROGRESS_H
#define BENCH_MEASURE_PROGRESS_H

#include "bench/measure/event_counts.h"
#include "bench/measure/sampling.h"

enum { PROGRESS_MOST_ROUNDS = 24 }; // in one process

struct progress {
    const struct bench *bench;
    struct sampling *sampling;
    struct bench_measurement *result;
    struct event_counts counts;
    struct target_job job; // without a place for its rounds
    double spent_ms;
    double round_ms;         // time of a round in the last process, ms
    uint64_t first_ns;       // start of its first process, by the target's clock
    uint64_t due_ns;         // earliest start of the next process
    uint64_t preferred_ns;   // preferred start of the next process, as long as other code has something to do
    unsigned n_dirty;        // processes in a row that a neighbour has spoilt
    bool was_dirty;          // a neighbour has spoilt some process
    unsigned n_meetings;     // processes that were run because others were slower
    bool has_dropped_slower; // processes at one time were slower, and were dropped; not of chains
    unsigned look_at;        // number of processes at the next look
    bool lacks_processes;    // its interval is narrow, but rests on too few processes; they may be short
    bool is_search;          // calibrates a session that is new here: fills the time until its last look
    uint64_t look_ns;        // earliest time of the next look
    bool is_alone;           // shares no process with others
    bool is_finished;
};

// `sampling`, `result` and `counts` have their places already. `corunner`: the co-runner; null: none.
void progress_start(struct progress *progress, const struct bench *bench, const struct bench_code *code,
                    const struct bench_code *corunner);

// Index of the target's group of events that the next process counts.
unsigned progress_next_group(const struct progress *progress);
unsigned progress_next_rounds(const struct progress *progress);

// Takes the rounds of the job, from a process that began at `start_ns`.
void progress_take(struct progress *progress, uint64_t start_ns);

// Finishes where there are enough rounds; else sets when the next process is due. `can_wait`: it may wait for a
// neighbour to leave.
void progress_decide(struct progress *progress, uint64_t now_ns, bool can_wait);

// Starts again, alone in its processes. Nothing from before counts: other code could have written to the lengths, and
// the time spent may be that of code that did not end.
void progress_restart_alone(struct progress *progress);

void progress_conclude(struct progress *progress);

#endif
