// Private to this folder.
// The time scale of interruptions, and how rounds fit into the windows between them. A hypervisor may take the core
// away 20,000 times a second for 2 µs each, and report none of it: then no round of 50 µs is clean, but most runs of 2
// µs are.
#ifndef BENCH_MEASURE_GAPS_H
#define BENCH_MEASURE_GAPS_H

#include "bench/target.h"

// Watches the target for some tens of milliseconds. `gaps`: seconds 0 where it cannot watch.
bool gaps_watch(struct target *target, struct bench_gaps *gaps, struct fail *fail);

// Summarises what was watched.
void gaps_summarise(const struct target_watch *watch, struct bench_gaps *gaps);

// Whether hardly a microsecond is clean: nothing can be timed here.
bool gaps_leave_nothing(const struct bench_gaps *gaps);

// By how much the runs of a round must be shorter, where the code's long run less its short one usually takes
// `seconds`, so that most of them are clean; 1: they need not.
unsigned gaps_divisor(const struct bench_gaps *gaps, double seconds);

// Share of runs of `ns` that a gap hits.
double gaps_hit_share(const struct bench_gaps *gaps, double ns);

// Share of the difference of two runs, of `difference_ns`, that gaps may take unseen where the longer one takes `ns`:
// hardly one such run is clean, so the usual ones have gaps in them, one at least. 0: enough are clean. `are_lost`:
// those that were seen to be hit do not count (bursts.h).
double gaps_hidden_share(const struct bench_gaps *gaps, double ns, double difference_ns, bool are_lost);

#endif
