// Measures a plan: assembles all its programs at once, then measures and predicts each and writes it to the files.
// A program that cannot be assembled or run here, or crashes, is reported and does not stop the rest; one that cannot
// be assembled is taken out of the plan. Ctrl-C ends the run after the current measurement. Prints no report.
#ifndef LAB_RUN_PLAN_H
#define LAB_RUN_PLAN_H

#include "lab/experiment.h"
#include "lab/lab.h"
#include "lab/run_journal.h"

// The lab is open, but not started. `status` becomes that of the worst experiment. False only when Cyclops itself
// failed: experiments measured before are done and can be reported.
bool run_plan(struct lab *lab, const struct lab_options *options, struct plan *plan,
              const struct run_journal_request *files, int *status, struct fail *fail);

// Exit statuses besides those of struct fail. Unstable: a value is unstable, with --strict. Interrupted: the user ended
// the run; shells use the same status for SIGINT.
enum { RUN_PLAN_UNSTABLE = 3, RUN_PLAN_INTERRUPTED = 130 };

// Reports to the plan's listener what was refused, except the last where that is the failure; returns the exit status.
int run_plan_say_refused(const struct plan *plan, const struct fail *fail);

// `status`, or RUN_PLAN_UNSTABLE where a value is unstable and that matters more.
int run_plan_strict(const struct plan *plan, int status);

// Of two exit statuses the one that matters more.
int run_plan_worse(int a, int b);

#endif
