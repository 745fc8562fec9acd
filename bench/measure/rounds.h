// Private to this folder.
// How many iterations a round runs.
#ifndef BENCH_MEASURE_ROUNDS_H
#define BENCH_MEASURE_ROUNDS_H

#include "bench/lengths.h"
#include "bench/target.h"

// What T(long) − T(short) is to take at the default precision, seconds: of the code and the reference; of each check.
#define ROUNDS_CODE_SECONDS 10e-6
#define ROUNDS_CHECK_SECONDS 3.3e-6
// What a core needs to switch the upper halves of its vector units on, and to leave the slower pace it keeps meanwhile:
// 0.2 µs and 2 µs on a Sapphire Rapids. Code that uses them runs for this long before it is timed.
#define ROUNDS_WIDE_WARMUP_SECONDS 3.3e-6
// Of code that something else runs beside: several chunks of that (native_beside.c) are to end meanwhile.
#define ROUNDS_BESIDE_SECONDS 60e-6

// Time of the long run, ticks, such that the difference takes `seconds`, less where less precision is wanted, more
// where the timer is coarse.
double rounds_wanted_ticks(const struct bench *bench, double seconds);

// For how long `code` is to run before each two timed runs of `wanted_ticks`, ticks.
double rounds_warmup_ticks(const struct bench *bench, const struct bench_code *code, double wanted_ticks);

// Iterations of `code` such that the long run takes about `wanted_ticks`; the short one is an eighth of it. At least 1
// and 2. Anything but BENCH_OK in `outcome`: the code does not run.
bool rounds_choose(const struct bench *bench, const struct bench_code *code, double wanted_ticks,
                   struct target_lengths *lengths, enum bench_outcome *outcome, struct fail *fail);

#endif
