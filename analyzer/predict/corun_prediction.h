// What a model says of two blocks on the two hardware threads of one core (analyzer/sim/mca/corun.h says what they
// share there): cycles per iteration of each in the steady state.
#ifndef ANALYZER_PREDICT_CORUN_PREDICTION_H
#define ANALYZER_PREDICT_CORUN_PREDICTION_H

#include "analyzer/sim/mca/corun.h"

// Fails with FAIL_WORK where one thread keeps the other out.
bool corun_predict(const struct machine *machine, const struct block *const blocks[CORUN_THREADS],
                   double cycles[CORUN_THREADS], struct fail *fail);

// Two bodies, one of whichever thread after the other: cycles in which that many end, where bodies of each thread take
// `cycles`. For two equal threads, the cycles of a pair of bodies.
double corun_combined(const double cycles[CORUN_THREADS]);

// Work done by both in a time, over what one thread does in it alone: 2, where neither slows the other; 1, where
// running one after the other takes no longer.
double corun_gain(const double together[CORUN_THREADS], const double alone[CORUN_THREADS]);

#endif
