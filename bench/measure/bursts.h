// Private to this folder.
// Rounds that fit between the gaps in which something takes the core away (gaps.h). Such a round is not one long one
// but many short ones, its bursts: each has its own references, checks and code. A gap is longer than a burst's runs
// differ otherwise, so a run that was hit stands out from the same run in other bursts. Only that run is lost.
//
// All others see whole rounds: the runs of the bursts that were not hit, added up to the lengths of all of them.
#ifndef BENCH_MEASURE_BURSTS_H
#define BENCH_MEASURE_BURSTS_H

#include "bench/target.h"

// Runs jobs as target_ops.run does. Lengths and `rounds` are those of whole rounds, of `n_bursts` bursts each.
bool bursts_run(const struct bench *bench, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                struct fail *fail);

#endif
