// When a measured number counts as a whole one: the thresholds of all who ask, each with its reason. A threshold must
// hold what the clock and noise leave, and be too small for what else the number may be.
#ifndef BENCH_WHOLE_H
#define BENCH_WHOLE_H

// ---- relative to the number

// The chain of multiplies at calibration, and the levels of the checks: a clock with a larger error is not used.
#define WHOLE_CLOCK 0.01
// A chain, or a fraction of few pipes, after the first rounds: what is nearer by chance is found out by further ones.
#define WHOLE_DRAFT 0.003
// Cycles on a number of pipes, and slots of a machine's width: the clock's error again.
#define WHOLE_ON_PIPES 0.01
// A throughput of a table on a number of pipes, as the first guess of which pipes a form takes: schedulers that do not
// share out the uops evenly make it a little slower.
#define WHOLE_GUESS 0.03
// Widths of a machine: the best of several mixtures, each a little below what the machine can.
#define WHOLE_WIDTH 0.025

// ---- cycles

// A chain: what its ends add to it, and the clock's error for each cycle.
#define WHOLE_CHAIN_LEAST 0.025
#define WHOLE_CHAIN_SHARE 0.003
// Of long chains that share would hold nearly any number: so far at most; and a chain of many steps of known time.
#define WHOLE_CHAIN_MOST 0.15
#define WHOLE_PADDED_MOST 0.12
// The clock's error for each further step of such a chain.
#define WHOLE_PADDED_SHARE 0.0015
// A loop of whole groups of dispatch: one slot more or less is an eighth of a cycle at least.
#define WHOLE_LOOP 0.03
// The difference of a prediction and a value whose latency is that of an address: both ends have their errors.
#define WHOLE_DIFFERENCE 0.1

// ---- dispatch slots

// Mixtures of a form and fillers. Whatever else limits one makes it slower: the front end of a Golden Cove does not
// fill each cycle, and instructions among fillers take up to a quarter of a slot more.
#define WHOLE_SLOTS_BELOW 0.2
#define WHOLE_SLOTS_ABOVE 0.4
// A pair that may be one slot or two, as the cycles that a group of pairs adds.
#define WHOLE_GROUP 0.15
// The same beside fillers, where the width multiplies the clock's error.
#define WHOLE_PAIR 0.3

// ---- entries of a machine card

// Whatever tolerance an experiment states: more than that on both sides would hold two whole numbers.
#define WHOLE_ENTRY_MOST 0.3
// An entry that becomes a number of a CPU file, cycles: it was not judged as a whole one, and its interval may be wide.
#define WHOLE_PARAMETER 0.1

#endif
