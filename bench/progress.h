// One piece of code on its way to a value: how many rounds its next process runs, what becomes of them, and when they
// are enough. Which pieces share a process is not decided here: measure.c.
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include "bench/event_counts.h"
#include "bench/sampling.h"

// Of one process.
enum { PROGRESS_MOST_ROUNDS = 24 };

struct progress {
    const struct bench *bench;
    struct sampling *sampling;
    struct bench_measurement *result;
    struct event_counts counts;
    struct target_job job;
    struct target_round rounds[PROGRESS_MOST_ROUNDS];
    double spent_ms;
    double round_ms; // of the last process
    bool is_alone;   // shares no process with others
    bool is_finished;
};

// `sampling`, `result` and `counts` have their places already. `beside`: null for none.
void progress_start(struct progress *progress, const struct bench *bench, const struct bench_code *code,
                    const struct bench_code *beside);

// Of the target's groups of events, the one that its next process counts.
unsigned progress_next_group(const struct progress *progress);
unsigned progress_next_rounds(const struct progress *progress);

// The job was run: judges its rounds, and whether there are enough.
void progress_take(struct progress *progress);

// From now on by itself, and nothing of before counts: neither lengths, which were where others could write, nor what
// waiting for the one that did not end has cost.
void progress_restart_alone(struct progress *progress);

void progress_conclude(struct progress *progress);

#endif
