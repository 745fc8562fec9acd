// Private to this folder.
// One piece of code on its way to a value: how many rounds its next process runs, what becomes of them, when they are
// enough, and when there is no hurry. Which pieces share a process is not decided here: measure.c.
#ifndef BENCH_MEASURE_PROGRESS_H
#define BENCH_MEASURE_PROGRESS_H

#include "bench/measure/event_counts.h"
#include "bench/measure/sampling.h"

// Of one process.
enum { PROGRESS_MOST_ROUNDS = 24 };

struct progress {
    const struct bench *bench;
    struct sampling *sampling;
    struct bench_measurement *result;
    struct event_counts counts;
    struct target_job job; // without a place for its rounds
    double spent_ms;
    double round_ms;     // of the last process
    uint64_t first_ns;   // when its first process began, by the target's clock
    uint64_t due_ns;     // when the next one may begin
    uint64_t wish_ns;    // when it had better begin: not before, as long as others have something to do
    unsigned n_dirty;    // processes in a row that a neighbour has spoilt
    bool was_dirty;      // some were
    unsigned n_meetings; // processes that were run because others were slower
    unsigned look_at;    // how many processes there are to be at the next look
    bool is_search;      // calibrates a session that is new here: fills the time until its last look
    uint64_t look_ns;    // when the next look may be
    bool is_alone;       // shares no process with others
    bool is_finished;
};

// `sampling`, `result` and `counts` have their places already. `beside`: null for none.
void progress_start(struct progress *progress, const struct bench *bench, const struct bench_code *code,
                    const struct bench_code *beside);

// Of the target's groups of events, the one that its next process counts.
unsigned progress_next_group(const struct progress *progress);
unsigned progress_next_rounds(const struct progress *progress);

// The job was run in a process that began at `start_ns`: takes its rounds.
void progress_take(struct progress *progress, uint64_t start_ns);

// Are there enough? Else says when the next process is due. `can_wait`: for a neighbour to leave.
void progress_decide(struct progress *progress, uint64_t now_ns, bool can_wait);

// From now on by itself, and nothing of before counts: neither lengths, which were where others could write, nor what
// waiting for the one that did not end has cost.
void progress_restart_alone(struct progress *progress);

void progress_conclude(struct progress *progress);

#endif
