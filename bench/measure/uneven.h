// Private to this folder.
// Code with two speeds takes one of them in each run. So a round's short run and its long one may have different ones,
// and their difference is a speed that the code never has: with a slow short run and a fast long one, it is too fast by
// up to an eighth of what they are apart.
//
// What a run costs besides its bodies shows it: a call and two readings of the timer, about as much as in the
// reference's runs. Where some rounds of a value have such a start and others have not, those others' values are of the
// long run alone. So are those with less than no start: nothing but two speeds explains them, and with such rounds
// beside it, nothing else explains a larger start. Where all rounds have more, caches may have been cold in both runs,
// and the difference is right; or the short runs were slower, and the long runs are. The interval holds both. But
// nothing is known where more is left than cold caches explain.
#ifndef BENCH_MEASURE_UNEVEN_H
#define BENCH_MEASURE_UNEVEN_H

#include "bench/measure/sampling.h"
#include "bench/target.h"

// Fills `start` and `alone` of a sample whose `difference` is known. Code whose short run is not comparable has a start
// of 0: few iterations, several calls, code of unknown origin, and walks through memory.
void uneven_judge(const struct target_job *job, const struct target_round *round, struct sample *sample);
// Chooses the cycles of each kept sample.
void uneven_choose(struct sampling *sampling);
// Cycles by which the value may be larger, because most short runs may have been slower than the long ones; 0: none.
double uneven_slack(struct sampling *sampling);
// Whether nearly all short runs were so much slower than the long ones that no cold cache explains it.
bool uneven_is_doubtful(struct sampling *sampling);

#endif
