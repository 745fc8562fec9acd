// Measures a plan: all its programs go through the assembler at once, then each is measured, predicted and written to
// the files. What cannot be assembled (it is taken out of the plan) or run here, or crashes, is said and does not stop
// the rest; Ctrl-C ends it after what is running. Prints no report.
#ifndef LAB_RUN_PLAN_H
#define LAB_RUN_PLAN_H

#include "lab/experiment.h"
#include "lab/lab.h"
#include "lab/run_journal.h"

// The lab is open, but not started. `status` becomes that of the worst experiment. False only when Cyclops itself
// failed: what was measured before is done and worth a report, the rest is not done.
bool run_plan(struct lab *lab, const struct lab_options *options, struct plan *plan,
              const struct run_journal_wish *files, int *status, struct fail *fail);

// Exit statuses beside those of struct fail: the run left values unstable, where the user wants to be told so; the user
// ended it, as shells give it for SIGINT.
enum { RUN_PLAN_UNSTABLE = 3, RUN_PLAN_INTERRUPTED = 130 };

// Tells the plan's listener what was refused, but for the last where that is the failure; returns the exit status.
int run_plan_say_refused(const struct plan *plan, const struct fail *fail);

// `status`, or that where it matters more.
int run_plan_strict(const struct plan *plan, int status);

// Of two exit statuses the one that matters more.
int run_plan_worse(int a, int b);

#endif
