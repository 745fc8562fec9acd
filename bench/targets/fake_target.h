// A target for tests: a CPU that takes exactly as many cycles as it is told, seen through noise of our choice.
#ifndef BENCH_TARGETS_FAKE_TARGET_H
#define BENCH_TARGETS_FAKE_TARGET_H

#include "bench/target.h"

struct fake_target {
    struct target target; // first
    uint64_t seed;        // not 0

    // The truth. Code is told apart by its first byte: 'r' the reference, 'm' the multiply chain, 'i' independent
    // instructions, 'u' undefined ones, '1' to '9' code of so many cycles, else other code.
    double reference_cycles, multiply_cycles, issue_cycles, code_cycles; // per body
    double second_mode_cycles;                                           // of other code, in a share of the rounds
    double second_mode_share;
    double code_spread; // standard deviation of other code's cycles from round to round, as a share of them

    // What is between the truth and us.
    double ticks_per_cycle; // at the start
    double drift;           // relative change of frequency from one timed execution to the next: random walk
    double noise_ticks;     // standard deviation of each timed execution
    double overhead_ticks;  // of each timed execution
    double interrupt_share; // of the executions, made longer by
    double interrupt_ticks; //
    double switch_share;    // of the rounds in which the thread is switched out, and says so
    double fault_share;     // likewise for page faults
    double steal_share;     // likewise for time that others had the CPU
    unsigned lost_process;  // of other code's processes, counted from 1, the one switched out in all rounds; 0: none

    double neighbour_share; // of the rounds in which another thread on the core takes issue slots: other code and
    double neighbour_slows; // independent instructions take so many times as long, the chains hardly longer
    double multiply_slowed; // the multiply chain's time relative to its truth; 1: as it is

    double beside_cycles; // of the code beside, per body

    double reference_slowed; // by another thread on the core: relative, on average; scatters by as much

    // How other code ends: anything but BENCH_OK.
    enum bench_outcome outcome;
    double second_per_body; // time-out: other code with more bodies than the job's time allows; 0: never

    // Counters: other code's events per body, group after group; and the share of the executions in which an interrupt
    // is counted as an instruction.
    double events[TARGET_MAX_EVENTS];
    double overcount_share;
    double counter_factor; // what the counter of cycles says of one; 0 is 1

    uint64_t chosen_long; // where the target is to choose, and can: iterations of the long run

    double process_ns; // what a process costs beside its jobs
    double crash_ns;   // and how long it takes to be given up, where code ends it
    double now_ns; // what was executed took so long: budgets are spent by it, and load on the machine changes nothing
    unsigned n_runs, n_runs_of_other_code;
    struct target_job last_job; // the first of the last run's,
    unsigned last_n_jobs;       // as many as there were
};

// A quiet CPU: add 1, multiply 3, code 4 cycles; 0.7 ticks per cycle of a timer with 2.6 GHz.
struct fake_target fake_target_quiet(void);

#endif
