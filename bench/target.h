// Where bytes run. A target times rounds and says nothing about what they mean; clock, judgement and
// statistics are the same for all targets. native: a child process on a pinned CPU. sim: our own pipeline.
#ifndef BENCH_TARGET_H
#define BENCH_TARGET_H

#include "bench/bench.h"

enum { TARGET_MAX_COUNTERS = 8 };

// One timed execution.
struct target_sample {
    uint64_t ticks;                         // of the target's timer
    uint64_t counters[TARGET_MAX_COUNTERS]; // hardware counters, in the order the target was asked for
};

// What one round holds; see bench.h.
struct target_round {
    struct target_sample reference_before[2], code_short, code_long, reference_after[2]; // [0] short, [1] long
    struct target_sample checks[BENCH_N_CHECKS][2]; // likewise; multiply runs before the code, issue after it
    unsigned switches, migrations, faults;          // of the thread, during the round
    uint64_t stolen_ns;                             // that the thread was ready to run and others ran, during the round
};

// Code and iteration counts of a batch of rounds. Counts are of iterations.
struct target_job {
    const struct bench_code *code, *reference;
    uint64_t code_short, code_long;
    uint64_t reference_short, reference_long;
    struct target_check {
        const struct bench_code *code;
        uint64_t n_short, n_long; // n_long 0: this check is left out, its samples are 0
    } checks[BENCH_N_CHECKS];
    unsigned n_rounds;
    unsigned n_warmup; // rounds run first and not kept
    double timeout_seconds;
};

struct target;

struct target_ops {
    const char *name; // "native", "sim"
    // Runs the batch; `rounds` has room for n_rounds, `n_done` says how many are complete (all of them unless the
    // outcome is not BENCH_OK). False only when the harness itself failed.
    bool (*run)(struct target *target, const struct target_job *job, struct target_round *rounds, unsigned *n_done,
                enum bench_outcome *outcome, struct fail *fail);
    void (*close)(struct target *target);
};

// Common head of every target.
struct target {
    const struct target_ops *ops;
    const char *description;   // for records: "native", "sim:skylake,noise=vm,seed=1"
    const char *timer;         // "tsc", "cntvct", "clock_gettime", "simulated"
    double ticks_per_second;   // of the timer; 0: unknown
    bool has_counters;         // counters[0] is cycles, counters[1] is instructions
    const char *counters_note; // why not, for people
    uint64_t timer_step;       // smallest difference the timer can show, ticks
};

// The machine this program runs on. `cpu`: as in struct bench_options.
struct target *target_native_open(struct arena *arena, int cpu, bool want_counters, struct fail *fail);

#endif
