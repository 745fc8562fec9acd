// How many iterations a round runs.
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include "bench/target.h"

// What the long runs take, seconds: of the code and the reference; of each check.
#define ROUNDS_CODE_SECONDS 16e-6
#define ROUNDS_CHECK_SECONDS 6e-6

// Iterations of `code` such that the long run takes about `seconds`, or longer where the timer is coarse; the short one
// is half of that. At least 1 and 2. Anything but BENCH_OK in `outcome`: the code does not run.
bool rounds_choose(const struct bench *bench, const struct bench_code *code, double seconds, uint64_t *n_short,
                   uint64_t *n_long, enum bench_outcome *outcome, struct fail *fail);

#endif
