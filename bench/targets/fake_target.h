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
    double second_mode_cycles;                                           // cycles of other code in some rounds
    double second_mode_share;                                            // share of these rounds
    double process_spread; // other code's cycles differ by up to this from process to process, as a share of them
    double code_spread;    // standard deviation of other code's cycles from round to round, as a share of them

    // What is between the truth and us.
    double ticks_per_cycle;  // at the start
    double drift;            // relative change of frequency from one timed execution to the next: random walk
    double noise_ticks;      // standard deviation of each timed execution, ticks
    double overhead_ticks;   // overhead of each timed execution, ticks
    double interrupt_share;  // share of the executions that an interrupt lengthens
    double interrupt_ticks;  // length of an interrupt, ticks
    double switch_share;     // share of the rounds in which the thread is switched out and reports it
    double fault_share;      // likewise for page faults
    double steal_share;      // likewise for time that others had the CPU
    unsigned lost_process;   // number of other code's process that is switched out in all rounds, from 1; 0: none
    unsigned faster_process; // likewise of one that takes 1.5 % fewer cycles; 0: none
    double slower_share;     // share of the processes in which other code takes 1.9 times as many cycles

    double neighbour_share; // share of the rounds in which a neighbour takes issue slots
    double neighbour_slows; // factor by which it slows other code and independent instructions; chains hardly slow
    double state_slowed;    // slowing of other code and of code 'k' by a state of the core, relative
    double multiply_slowed; // the multiply chain's time relative to its truth; 1: as it is

    double corunner_cycles; // cycles per body of the co-runner

    double reference_slowed; // slowing of the reference by a neighbour: relative, on average; scatters by as much

    // Outcome of other code.
    enum bench_outcome outcome;
    double second_per_body; // time of other code's body that counts for the job's time-out, s; 0: never times out

    // Counters: other code's events per body, group after group; and the share of the executions in which an interrupt
    // is counted as an instruction.
    double events[TARGET_MAX_EVENTS];
    double overcount_share;
    double counter_factor; // counts per cycle of the cycle counter; 0 is 1

    uint64_t chosen_long;     // iterations of the long run, where the target chooses
    uint64_t most_iterations; // limit that other code meets then; 0: none

    double process_ns; // cost of a process besides its jobs, ns
    double crash_ns;   // time until a process is given up, where code ends it, ns
    double now_ns;     // time that budgets count: that of all executions so far, whatever the machine's load
    unsigned n_runs, n_runs_of_other_code;
    double process_slowed;      // of the process at hand, relative
    struct target_job last_job; // first job of the last run
    unsigned last_n_jobs;       // number of its jobs
};

// A quiet CPU: add 1, multiply 3, code 4 cycles; 0.7 ticks per cycle of a timer with 2.6 GHz.
struct fake_target fake_target_quiet(void);

#endif
