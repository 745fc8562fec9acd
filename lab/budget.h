// The budget of a whole command: what --budget gives to a survey, a corpus or a card. When it is spent, measuring ends
// as it does when the user ends it, in the middle of waiting too: after the piece of work at hand, a process of rounds.
// What is not measured then is missing, and --resume goes on.
//
// Time is this machine's. Of a simulated CPU, whose waiting takes none, its own time counts where that is longer.
// There is one budget in a process: bench_options.is_stopped has no context.
#ifndef LAB_BUDGET_H
#define LAB_BUDGET_H

#include "bench/target.h"

#include <stdbool.h>

// Starts the budget. `seconds`: INFINITY: no limit. `is_stopped`: whether the user ended the command; null: never.
void budget_start(double seconds, bool (*is_stopped)(void));

// Whether it is spent. Never before budget_start.
bool budget_is_spent(void);
// Whether measuring ends: it is spent, or the user wants no more. For bench_options.is_stopped.
bool budget_is_stopped(void);
// What is left, s; INFINITY: no limit.
double budget_left(void);

// Of a wait for `seconds`, what the budget allows: a quarter of what is left. Something is measured after it.
double budget_allows(double seconds);

// Counts the time of a target that has its own, until that is closed (null).
void budget_watch(struct target *target);

#endif
