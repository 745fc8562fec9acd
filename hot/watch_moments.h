// Private to watch.c.
// When loops are copied in a run: the program's own time, by the clock of the requests, without what its copies cost
// it; the loops' moments, and which of them are left out as they would cost too much. x86-64 only.
#ifndef HOT_WATCH_MOMENTS_H
#define HOT_WATCH_MOMENTS_H

#include "hot/watch.h"

double watch_clock(struct watch *watch); // time by the clock of the requests, s
double watch_time(struct watch *watch);  // s that the program has run, without what its copies cost it

// Page faults that it has had and the profiled run had not, when that had run for so long.
double watch_faults_ahead(const struct watch *watch, double seconds);

// Time from which on a loop is copied at the next hit.
double watch_due(const struct watch *watch, size_t i);
double watch_n_to_come(const struct watch *watch); // moments of all loops
// Time at which a moment may have come, by timer_seconds.
double watch_next_moment(const struct watch *watch);
// Seconds by the wall clock for which loops are waited for.
double watch_last_look(const struct watch *watch);

// No other copy of a loop is wanted.
void watch_finish(struct watch *watch, size_t i, const char *why);
// After a copy: the moments that are over by now, and whether another one is to come.
void watch_move_on(struct watch *watch, size_t i, const struct tracer *tracer);

#endif
