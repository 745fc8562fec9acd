// Was the round alone on its core? The reference chain alone cannot say: a thread beside us on the core (a hardware
// thread that a VM may not even see) takes issue slots and pipes, which hardly slows a chain of adds and makes code
// that is bound by throughput take up to twice its time. So each round also times pieces of code whose cycles are known
// from the calibration (enum bench_check), and where one of them departs, the round or the value is doubted. Two always
// run; of the others, which each keep one kind of unit as busy as can be, those that the code needs as well.
// Not seen: a neighbour that keeps as busy during the calibration as during the measurement.
#ifndef BENCH_CHECKS_H
#define BENCH_CHECKS_H

#include "bench/sampling.h"

// Has the job's rounds time what its code needs.
void checks_put(const struct bench *bench, struct target_job *job);

// Cycles per body of each check in this round, by the session's clock; 0: not timed, or worthless.
void checks_cycles(const struct bench *bench, const struct target_job *job, const struct target_round *round,
                   double cycles[BENCH_N_CHECKS]);

// False, and why, where one of a round's checks is far from its calibration.
bool checks_agree(const struct bench *bench, const double cycles[BENCH_N_CHECKS], enum bench_drop *why);

// How far the kept rounds together are from the calibration: relative, the worst check (to `worst`), 0 where that is
// within the noise. A departure too small to show in one round does show in all of them.
double checks_departure(const struct bench *bench, struct sampling *sampling, enum bench_check *worst);

// What a departure of that check means, one clause for people.
const char *checks_meaning(struct arena *arena, enum bench_check check);

// Notes what the checks take here; the samples are those of the calibration.
void checks_calibrate(struct bench *bench, struct sampling *sampling);

#endif
