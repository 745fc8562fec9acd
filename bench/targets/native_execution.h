// Private to this folder.
// Timed executions of code, inside the child: runs a pair of them, and chooses their lengths. Only system calls and our
// own arithmetic; see native_rounds.h.
#ifndef BENCH_TARGETS_NATIVE_EXECUTION_H
#define BENCH_TARGETS_NATIVE_EXECUTION_H

#include "bench/counters/perf_group.h"
#include "bench/lengths.h"
#include "bench/sandbox/code_room.h"

// A piece of code in its place.
struct native_code {
    const struct bench_code *code;
    code_function function;
    void *memory; // its second argument
};

// What all executions share.
struct native_executor {
    struct code_room room;
    const struct perf_group_open *counters; // null: none
    // Number of returns from code: code without an end does not count up.
    volatile unsigned *n_steps;
};

// Runs the code for `n_warmup` iterations, at least 1 (a few, where it cannot run for long). Then times the short
// execution and the long one. Returns 0, or an errno: the counters were lost. Where code of unknown origin does not
// come to its end, the room's note has the reason, and the samples mean nothing.
int native_execute_pair(struct native_executor *executor, const struct native_code *code,
                        const struct target_lengths *lengths, uint64_t n_warmup, struct target_sample samples[2]);

// Returns the iterations to warm up for: `wanted`, or more if the front end needs more. After other code, it runs at
// full speed only after some passes through this code, however long a pass is: on a Golden Cove after 16 to 64 (cmov:
// 0.95, 0.74, 0.55, 0.50 cycles after 4, 8, 16, 32). Long code gets at most a quarter of its long run, `times` over
// where that is so much shorter than usual.
uint64_t native_execution_warmup(const struct target_lengths *lengths, uint64_t wanted, unsigned times);

// Finds lengths such that the long execution takes about as long as requested; `n_long` stays 0 where the timer does
// not move. Code of unknown origin may run only for a limited number of iterations: then there are more calls. Where it
// does not even run for two, or for one where only one is requested, the room's note has the reason.
int native_execution_choose(struct native_executor *executor, const struct native_code *code,
                            const struct lengths_request *request, struct target_lengths *lengths,
                            struct bench_seen *seen);

// Of code of unknown origin that has run with these lengths, without timing: settles what stands behind its pages,
// where they are more than the first-level cache holds. Returns 0 or an errno.
int native_execution_settle(struct native_executor *executor, const struct native_code *code,
                            const struct target_lengths *lengths);

#endif
