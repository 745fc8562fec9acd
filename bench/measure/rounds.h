// Private to this folder.
// How many iterations a round runs.
#ifndef BENCH_MEASURE_ROUNDS_H
#define BENCH_MEASURE_ROUNDS_H

#include "bench/lengths.h"
#include "bench/target.h"

// Wanted T(long) − T(short) at the default precision, seconds: of the code and the reference; of each check.
#define ROUNDS_CODE_SECONDS 10e-6
#define ROUNDS_CHECK_SECONDS 3.3e-6
// Run of code with wide vectors before it is timed. A core needs time to switch on the upper halves of its vector units
// and to leave its slower pace: some 2 µs.
#define ROUNDS_WIDE_WARMUP_SECONDS 3.3e-6
// The same difference for code with a co-runner: several chunks of the co-runner (native_corunner.c) end meanwhile.
#define ROUNDS_CORUN_SECONDS 60e-6

// Time of the long run, ticks, for a difference of `seconds`. Less with less precision, more with a coarse timer.
double rounds_wanted_ticks(const struct bench *bench, double seconds);

// Splits the session's rounds into bursts that fit into clean windows (bench->gaps). Counters do not run in gaps, so
// with them rounds are whole.
void rounds_split(struct bench *bench);

// Fewest runs of a pilot: two, or more where gaps are frequent.
unsigned rounds_fewest_pilots(const struct bench *bench);

// Time that `code` runs before each two timed runs of `wanted_ticks`, ticks.
double rounds_warmup_ticks(const struct bench *bench, const struct bench_code *code, double wanted_ticks);

// Chooses iterations of `code` for a session's rounds, whole ones or of bursts: the long run takes about `wanted_ticks`
// in a whole round, the short one an eighth of it. In a burst they are at least 2 and 1. `outcome` is BENCH_OK where
// the code runs.
bool rounds_choose(const struct bench *bench, const struct bench_code *code, double wanted_ticks,
                   struct target_lengths *lengths, enum bench_outcome *outcome, struct fail *fail);

#endif
