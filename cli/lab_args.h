// The options of the commands that measure: where the code runs, how it is timed, models to compare with, and where
// results go. Each command includes these tables in its own, under its headings.
#ifndef CLI_LAB_ARGS_H
#define CLI_LAB_ARGS_H

#include "base/options.h"
#include "lab/lab.h"
#include "lab/run_plan.h"

#include <stdint.h>

// Options of this process's command.
extern struct lab_args {
    const char *kernels, *isa, *clock, *frequency;
    struct run_journal_request files; // all but its events
    struct option_count cpu, processes;
    double precision_percent, attempt_ms, budget_s, timeout_s; // per cent, ms, s, s; budget_s below 0: not given
    const char *addresses;                                     // as lab_args_read_addresses takes it
    const char *assume;                                        // as lab_args_read_assume takes it
    struct option_list events;                                 // lists of events to count, as given
    bool is_strict;                                            // unstable values change the exit status
    struct lab_options options;                                // complete after lab_args_read
} lab_args;

// lab_args_budget: commands whose --budget bounds the whole of them have a row of their own.
extern struct option lab_args_kernels[], lab_args_where[], lab_args_clock[], lab_args_effort[], lab_args_budget[],
    lab_args_output[];

// Fills lab_args.options from the other fields. Fails (FAIL_INPUT) at a wrong value.
bool lab_args_read(struct arena *arena, struct fail *fail);

// Starts the budget of the whole command, where --budget is given (lab/budget.h); 0 is no limit. Returns the time for
// measuring again what is unstable, s. Called after lab_args_read.
double lab_args_start_budget(double usual_seconds);

// Takes the single events of lab_args.events into lab_args.options. Fails (FAIL_INPUT) where there is none in them, or
// the clock uses no counters.
bool lab_args_read_events(struct arena *arena, struct fail *fail);

// Opens what measuring needs here, calls `run` with a lab that is not open yet, and closes everything. Returns the exit
// status of `run`.
int lab_args_run(struct arena *arena, const struct operands *operands, struct fail *fail,
                 int (*run)(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail));

// --shard: part I of N, from 1; null: `n_parts` stays 0, for all. Fails (FAIL_INPUT) at another text.
bool lab_args_read_shard(const char *text, unsigned *part, unsigned *n_parts, struct fail *fail);

// --assume: what counts where a CPU file states nothing. Fails (FAIL_INPUT) at another word; null: LLVM's numbers.
bool lab_args_read_assume(const char *text, bool *refuses_base, struct fail *fail);
// --addresses: whether blocks run where CPU files cannot follow their addresses. Likewise; null: they do.
bool lab_args_read_addresses(const char *text, bool *are_static, struct fail *fail);

// Reads the value of an option that takes a number of at least `least`, also in hexadecimal; null: 0.
bool lab_args_read_number(const char *option, const char *text, uint64_t least, uint64_t *number, struct fail *fail);

#endif
