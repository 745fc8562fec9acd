// The options of the commands that measure: where the code runs, how it is timed, what it is held against and where the
// results go. The tables stand in each command's own, under its own headings.
#ifndef CLI_LAB_ARGS_H
#define CLI_LAB_ARGS_H

#include "base/options.h"
#include "lab/lab.h"
#include "lab/run_plan.h"

// Of the one command that this process runs.
extern struct lab_args {
    const char *kernels, *isa, *clock, *frequency;
    struct run_journal_wish files; // but events
    struct option_count cpu, processes;
    double precision_percent, attempt_ms, budget_s, timeout_s; // budget_s below 0: not given
    bool is_strict;                                            // unstable values have an exit status
    struct lab_options options;                                // complete once lab_args_read is done
} lab_args;

extern struct option lab_args_kernels[], lab_args_where[], lab_args_clock[], lab_args_effort[], lab_args_output[];

// Turns the texts into lab_args.options.
bool lab_args_read(struct arena *arena, struct fail *fail);

// Opens what measuring here needs, calls `run` with a lab that is not open yet, and closes all of it.
int lab_args_run(struct arena *arena, const struct operands *operands, struct fail *fail,
                 int (*run)(struct arena *arena, struct lab *lab, const struct operands *operands, struct fail *fail));

#endif
