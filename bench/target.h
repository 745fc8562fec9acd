// Where bytes run. A target times rounds and does not judge them; clock, judgement and statistics are the same for all
// targets. native: a child process on a pinned CPU. sim: our own pipeline.
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
    const char *events[TARGET_MAX_COUNTERS - TARGET_FIXED_COUNTERS]; // names, as requested
};

// A request to count.
struct target_request {
    enum bench_clock clock; // nothing is counted where bench_clock_counts is false for it
    const char *const *events;
    unsigned n_events;
};

// One timed execution.
struct target_sample {
    uint64_t start;                         // reading of the target's timer when it began; 0: not known
    uint64_t ticks;                         // ticks of the target's timer
    uint64_t counters[TARGET_MAX_COUNTERS]; // counts of the job's group; zero where nothing was counted
};

// What one round holds; see bench.h.
struct target_round {
    struct target_sample reference_before[2], code_short, code_long, reference_after[2]; // [0] short, [1] long
    struct target_sample checks[BENCH_N_CHECKS][2]; // likewise; see target_check_is_first
    unsigned switches, migrations, faults;          // numbers of the thread's, during the round
    uint64_t stolen_ns; // time of the round in which the thread was ready and others ran, ns
    // Work of the co-runner meanwhile.
    struct target_corunner {
        double bodies; // bodies of its code executed
        double ticks;  // time that they took, ticks
        bool is_whole; // it ran from before the code's short run until after the long one
    } corunner;
    bool has_busy_sibling; // the other thread of our core was busy around the time of the round
    bool is_interrupted;   // set by who judges: gaps hit nearly all of its bursts
};

// Whether a check runs before the code; else it runs after it.
static inline bool target_check_is_first(enum bench_check check) {
    return check == CHECK_MULTIPLY || check == CHECK_USES + USE_INTEGER || check == CHECK_USES + USE_LOAD;
}

// Code and iteration counts of a batch of rounds, and its results. Jobs that share a process differ only in the members
// down to `ns`, and in which of the checks are left out.
struct target_job {
    const struct bench_code *code;
    // Iterations of the short and the long run. code_long 0, only for targets that `can_choose`: the target finds
    // lengths such that the long run takes about wanted_ticks, and writes them here. That takes one pilot run.
    uint64_t code_short, code_long;
    // Calls in each timed execution, chosen with the iterations. 0 or 1: one call of exactly these iterations. More,
    // where the code cannot run for long: calls of these iterations and a few more.
    unsigned code_calls;
    // Factor by which the warm-up of the reference and the checks is longer than half of their short runs, where these
    // are shorter than usual; 0: 1.
    unsigned warmup_times;
    // Rounds of the target that make one round (bursts.h), and by how much their runs are shorter than usual; 0: 1. For
    // judgement only: to the target, each is a round.
    unsigned n_bursts, divisor;
    double wanted_ticks; // length of the long run, ticks
    // Runs of the same iterations that a choice of lengths rests on, at least; 0: as the target likes.
    unsigned fewest_pilots;
    double warmup_ticks; // time that the code runs before each two timed runs, ticks; one iteration at least
    unsigned n_rounds;
    struct target_round *rounds; // written: room for n_rounds
    unsigned n_done;             // written: rounds that are complete
    uint64_t ns;                 // written: duration of the job, ns, by the budgets' time (target_ops, now_ns)
    enum bench_outcome outcome;  // written: outcome of this job, where it did not end the process
    struct bench_seen seen;      // written
    const struct bench_code *reference;
    uint64_t reference_short, reference_long;
    struct target_check { // by enum bench_check
        const struct bench_code *code;
        uint64_t n_short, n_long; // n_long 0: this check is left out, its samples are 0
    } checks[BENCH_N_CHECKS];
    unsigned n_warmup;                 // rounds run first and not kept
    double timeout_seconds;            // limit for the job, s
    bool shares_core;                  // the core's other threads are meant to be busy
    const struct bench_code *corunner; // code of the co-runner; null: none
    int corunner_cpu;                  // logical CPU of the co-runner
    enum bench_clock clock;            // CLOCK_PERF, CLOCK_RDPMC: the way that counters are read
    unsigned group;                    // index of the target's group of events to count
    double ticks_per_cycle;            // CLOCK_TIME: timer ticks per cycle at the stated frequency
};

// What a spin loop over the raw timer sees of its CPU.
struct target_watch {
    double seconds;       // time to watch, s; written: the time that was watched
    double resolution_ns; // written: length of the shortest gap that it sees, ns
    // Written: times in which the core ran nothing of ours, in order. Watching ends early where the list is full.
    struct target_gap {
        double start_ns, ns; // from the start of watching; length
    } * gaps;
    unsigned n_gaps, most_gaps;
};

// Shorter gaps are nobody's: the loop itself takes some tens of ns a turn.
#define TARGET_SHORTEST_GAP_NS 100.0

struct target;

// Iterations by which the long execution of the job's code exceeds the short one.
static inline uint64_t target_job_iterations(const struct target_job *job) {
    uint64_t n_calls = job->code_calls > 1 ? job->code_calls : 1;
    return (job->code_long - job->code_short) * n_calls;
}

struct target_ops {
    const char *name; // "native", "sim"
    // Runs 1 to BENCH_MOST_TOGETHER jobs, one after the other in one process. Where the outcome is BENCH_OK, all their
    // rounds are complete. Else some job's code ended the process; which one is not reported. False only when the
    // harness itself failed.
    bool (*run)(struct target *target, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                struct fail *fail);
    // Watches the measuring CPU, in the class that measures. Sets `seconds` to 0 where the timer shows no gaps. Null:
    // this target cannot watch.
    bool (*watch)(struct target *target, struct target_watch *watch, struct fail *fail);
    uint64_t (*now_ns)(struct target *target);        // the time that budgets count, ns; null: this machine's
    void (*wait)(struct target *target, uint64_t ns); // lets that time pass; null: this machine's
};

// Common head of every target.
struct target {
    const struct target_ops *ops;
    const char *description;   // for records: "native", "sim:skylake,noise=vm,seed=1"
    const char *model;         // identity of a simulated CPU's model (struct model); null: a real CPU
    const char *timer;         // "tsc", "cntvct", "clock_gettime", "simulated"
    double ticks_per_second;   // rate of the timer; 0: unknown
    double core_hz;            // frequency of the core, Hz; 0: the target does not state it
    bool can_choose;           // see struct target_job
    bool has_counters;         // counters can be read by system calls: the perf clock works
    const char *counters_note; // why not, for people
    bool has_user_reads;       // counters can be read without system calls: the rdpmc clock works
    const char *user_reads_note;
    double corunner_error;  // relative error of the co-runner's rate, beyond what its scatter shows
    const char *scheduling; // class of the last process that measured, "SCHED_FIFO"; null: not known, or simulated
    unsigned n_groups;      // 0: one group without events
    struct target_group groups[TARGET_MAX_GROUPS];
    uint64_t timer_step; // smallest difference the timer can show, ticks
};

// The machine this program runs on. `cpu`: as in struct bench_options. Fails where a requested event cannot be counted.
// Without requested events, counters that do not work are only noted.
struct target *target_native_open(struct arena *arena, int cpu, const struct target_request *request,
                                  struct fail *fail);

#endif
