// Private to this folder.
// Timed executions of code, inside the child: one of them, and how long they are to be. Only system calls and our own
// arithmetic; see native_rounds.h.
#ifndef BENCH_TARGETS_NATIVE_EXECUTION_H
#define BENCH_TARGETS_NATIVE_EXECUTION_H

#include "bench/counters/perf_group.h"
#include "bench/lengths.h"
#include "bench/sandbox/code_room.h"

// A piece of code that has its place.
struct native_code {
    const struct bench_code *code;
    code_function function;
    void *memory; // its second argument
};

// What all executions share.
struct native_executor {
    struct code_room room;
    const struct perf_group_open *counters; // null: none
    // Counts up whenever code has come back, so that code without an end shows.
    volatile unsigned *n_steps;
};

// The code for `n_warmup` iterations, 1 at least (of code that cannot run for long: a few), then the short execution,
// then the long one. 0, or an errno: the counters were lost. Where code of unknown origin does not come to its end, the
// room's note says why, and the samples mean nothing.
int native_execute_pair(struct native_executor *executor, const struct native_code *code,
                        const struct target_lengths *lengths, uint64_t n_warmup, struct target_sample samples[2]);

// Finds lengths such that the long execution takes about `wanted_ticks`; `n_long` stays 0 where the timer does not
// move. Code of unknown origin may run for a limited number of iterations only: then more calls make up for it. Where
// it does not even run for two, or for one if that is all it is asked, the room's note says why.
int native_execution_choose(struct native_executor *executor, const struct native_code *code, double wanted_ticks,
                            struct target_lengths *lengths, struct bench_seen *seen);

#endif
