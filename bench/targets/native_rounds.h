// Private to this folder.
// Runs a batch of rounds inside the child process. Only system calls and our own arithmetic: no allocation, no stdio,
// no lock, because the child is the fork of a program of any kind.
#ifndef BENCH_TARGETS_NATIVE_ROUNDS_H
#define BENCH_TARGETS_NATIVE_ROUNDS_H

#include "bench/counters/perf_group.h"
#include "bench/host/priority.h"
#include "bench/lengths.h"
#include "bench/sandbox/sandbox.h"
#include "bench/target.h"
#include "bench/targets/native_corunner.h"

// Why a child gave up, as its exit status; `error_number` of struct native_results goes with it.
enum native_status {
    NATIVE_DONE = 0,
    NATIVE_CANNOT_MAP = 10, // no executable memory
    NATIVE_CANNOT_PIN,
    NATIVE_CANNOT_COUNT, // counters did not open, or were shared out
    NATIVE_CANNOT_SEAL,  // the sandbox did not close
};

// Shared between the child, which writes, and the parent.
struct native_results {
    uint64_t canary; // the parent's; a random number, and again behind the rounds
    struct fault_note note;
    volatile int error_number;
    volatile enum host_priority priority; // the child's
    volatile unsigned n_steps;            // number of returns from code: endless code does not count up
    struct native_job_results {
        volatile unsigned n_done;
        struct target_lengths lengths; // n_long 0: the timer stands still
        uint64_t ns;                   // duration of the job
        int outcome;                   // enum bench_outcome of the job, where it did not end the process
        struct bench_seen seen;
    } jobs[BENCH_MOST_TOGETHER];
    struct target_round rounds[]; // n_rounds of each job, job after job
};

struct native_batch {
    const struct target_job *jobs; // what is common to them is read from the first
    unsigned n_jobs;
    int cpu;
    const struct perf_group *group;   // counters to read; null: none
    bool is_read_by_user;             // without system calls
    struct native_corunner *corunner; // the co-runner; null: none
    struct native_results *results;
};

// Body for sandbox_run: runs a struct native_batch, returns an enum native_status.
int native_rounds_run(struct sandbox *sandbox, void *context);

#endif
