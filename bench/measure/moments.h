// Private to this folder.
// Is the value the same at another time? Three processes in a row all meet the same noisy second, and the checks do not
// feel every neighbour. So a value rests on processes that are some time apart. Where they differ, the faster ones
// count, because a neighbour only slows: but only if they come again and go on. Code that is now fast and now slow does
// not have one value.
#ifndef BENCH_MEASURE_MOMENTS_H
#define BENCH_MEASURE_MOMENTS_H

#include "bench/measure/sampling.h"

enum moments {
    MOMENTS_ALIKE,  // no process is slower than others
    MOMENTS_FASTER, // some were slower, but not the last ones
    MOMENTS_SLOWER, // the last ones are slower, or may be
    MOMENTS_MIXED,  // fast and slow by turns
};

// Judges the kept samples, at least one. `first_ns` and `last_ns`: start of the first and of the last of the faster
// processes.
enum moments moments_judge(struct sampling *sampling, uint64_t *first_ns, uint64_t *last_ns);

// Drops the samples of the slower processes.
void moments_drop_slower(struct sampling *sampling);

// Whether a process was faster than the median of all samples by over 1 %. A neighbour only slows, so the code may have
// another speed.
bool moments_have_faster(struct sampling *sampling);

// Whether a tenth of the samples are slower than the median by over 1 %: a neighbour may have been busy at times.
bool moments_have_tail(struct sampling *sampling);

#endif
