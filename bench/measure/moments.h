// Private to this folder.
// Is the value the same at another time? Three processes that run one behind the other all meet the same noisy second,
// and not every neighbour is felt by the checks. So a value rests on processes that are some time apart. Where they
// differ, the faster ones are the truth, as a neighbour only slows, if they are seen again and go on; code that is now
// fast and now slow has no one value.
#ifndef BENCH_MEASURE_MOMENTS_H
#define BENCH_MEASURE_MOMENTS_H

#include "bench/measure/sampling.h"

enum moments {
    MOMENTS_ALIKE,  // no process is slower than others
    MOMENTS_FASTER, // some were, and the last ones are not
    MOMENTS_SLOWER, // the last ones are, or it is not sure yet that they are not
    MOMENTS_MIXED,  // fast and slow by turns
};

// Of the kept samples, of which there is one at least. `first_ns` and `last_ns`: when the first and the last of the
// faster processes began.
enum moments moments_judge(struct sampling *sampling, uint64_t *first_ns, uint64_t *last_ns);

// Drops the samples of the slower processes.
void moments_drop_slower(struct sampling *sampling);

// Whether a tenth of the samples are slower than the median by over 1 %: someone may have been there now and then.
bool moments_have_tail(struct sampling *sampling);

#endif
