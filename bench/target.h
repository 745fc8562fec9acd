// Where bytes run. A target times rounds and says nothing about what they mean; clock, judgement and
// statistics are the same for all targets. native: a child process on a pinned CPU. sim: our own pipeline.
#ifndef BENCH_TARGET_H
#define BENCH_TARGET_H

#include "bench/bench.h"

// Counters run in groups, because hardware has few: a batch of rounds counts one group. In each, [0] is cycles and [1]
// is instructions; the other places are events.
enum {
    TARGET_MAX_COUNTERS = 8,
    TARGET_FIXED_COUNTERS = 2,
    TARGET_MAX_GROUPS = 8,
    TARGET_MAX_EVENTS = 32, // in all groups
};

// The events of a group, behind cycles and instructions.
struct target_group {
    unsigned n_events;
    const char *events[TARGET_MAX_COUNTERS - TARGET_FIXED_COUNTERS]; // as they were asked for
};

// What is to be counted.
struct target_wish {
    enum bench_clock clock; // bench_clock_counts says not: nothing
    const char *const *events;
    unsigned n_events;
};

// One timed execution.
struct target_sample {
    uint64_t ticks;                         // of the target's timer
    uint64_t counters[TARGET_MAX_COUNTERS]; // of the job's group; zero where nothing was counted
};

// What one round holds; see bench.h.
struct target_round {
    struct target_sample reference_before[2], code_short, code_long, reference_after[2]; // [0] short, [1] long
    struct target_sample checks[BENCH_N_CHECKS][2]; // likewise; see target_check_is_first
    unsigned switches, migrations, faults;          // of the thread, during the round
    uint64_t stolen_ns;                             // that the thread was ready to run and others ran, during the round
    // What the thread beside did meanwhile. It is `whole` if it ran from before the code's short run until after the
    // long one.
    struct target_beside {
        double bodies; // of its code,
        double ticks;  // in this time
        bool is_whole;
    } beside;
    bool has_busy_sibling; // the other thread of our core was busy around the time of the round
};

// Whether a check runs before the code, or after it.
static inline bool target_check_is_first(enum bench_check check) {
    return check == CHECK_MULTIPLY || check == CHECK_USES + USE_INTEGER || check == CHECK_USES + USE_LOAD;
}

// Code and iteration counts of a batch of rounds, and what comes of it. Counts are of iterations. Jobs that share a
// process differ only in the members down to `ns`, and in which of the checks are left out.
struct target_job {
    const struct bench_code *code;
    // code_long 0, and only for targets that `can_choose`: the target finds lengths such that the long run takes about
    // wanted_ticks, in the time of one pilot and not of one more run, and writes them here.
    uint64_t code_short, code_long;
    // Calls in each timed execution, each of so many iterations and a few more; chosen with them. 0 or 1: one call of
    // just so many. More where the code cannot run for long.
    unsigned code_calls;
    double wanted_ticks;
    double warmup_ticks; // for which the code is to run before each two timed runs; one iteration at least
    unsigned n_rounds;
    struct target_round *rounds; // written: room for n_rounds
    unsigned n_done;             // written: rounds that are complete
    uint64_t ns;                 // written: what the job took, of the time that budgets are spent by
    enum bench_outcome outcome;  // written: of this job, where it did not end the process
    struct bench_seen seen;      // written
    const struct bench_code *reference;
    uint64_t reference_short, reference_long;
    struct target_check { // by enum bench_check
        const struct bench_code *code;
        uint64_t n_short, n_long; // n_long 0: this check is left out, its samples are 0
    } checks[BENCH_N_CHECKS];
    unsigned n_warmup;               // rounds run first and not kept
    double timeout_seconds;          // for the job
    bool shares_core;                // the core's other threads are meant to be busy
    const struct bench_code *beside; // that another hardware thread runs while the code does; null: none
    int beside_cpu;                  // logical CPU of that thread
    enum bench_clock clock;          // CLOCK_PERF, CLOCK_RDPMC: counters are read, that way
    unsigned group;                  // of the target's, which the counters are to count
    double ticks_per_cycle;          // CLOCK_TIME: of the timer, at the frequency that is believed
};

struct target;

// Iterations by which the long execution of the job's code exceeds the short one.
static inline uint64_t target_job_iterations(const struct target_job *job) {
    uint64_t n_calls = job->code_calls > 1 ? job->code_calls : 1;
    return (job->code_long - job->code_short) * n_calls;
}

struct target_ops {
    const char *name; // "native", "sim"
    // Runs 1 to BENCH_MOST_TOGETHER jobs, one after the other in one process. All their rounds are complete unless the
    // outcome is not BENCH_OK: then some code ended the process, and where there were several, nothing is said of
    // which. False only when the harness itself failed.
    bool (*run)(struct target *target, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                struct fail *fail);
    uint64_t (*now_ns)(struct target *target);        // the time that budgets are spent by; null: this machine's
    void (*wait)(struct target *target, uint64_t ns); // lets that time pass; null: this machine's
};

// Common head of every target.
struct target {
    const struct target_ops *ops;
    const char *description;   // for records: "native", "sim:skylake,noise=vm,seed=1"
    const char *model;         // of a simulated CPU: what decides its times (struct model); null: of a real one
    const char *timer;         // "tsc", "cntvct", "clock_gettime", "simulated"
    double ticks_per_second;   // of the timer; 0: unknown
    double core_hz;            // of the core, as the target states it; 0: it does not
    bool can_choose;           // see struct target_job
    bool has_counters;         // through system calls: the perf clock works
    const char *counters_note; // why not, for people
    bool has_user_reads;       // without system calls: the rdpmc clock works
    const char *user_reads_note;
    double beside_error;    // of the rate of the code beside, relative, beyond what its scatter shows
    const char *scheduling; // class of the last process that measured, "SCHED_FIFO"; null: not known, or simulated
    unsigned n_groups;      // 0 is one group without events
    struct target_group groups[TARGET_MAX_GROUPS];
    uint64_t timer_step; // smallest difference the timer can show, ticks
};

// The machine this program runs on. `cpu`: as in struct bench_options. Fails where an event of the wish cannot be
// counted; where no event is wished for, counters that do not work are only noted.
struct target *target_native_open(struct arena *arena, int cpu, const struct target_wish *wish, struct fail *fail);

#endif
