// Samples of one measurement: collected round by round, judged before they count.
#ifndef BENCH_SAMPLING_H
#define BENCH_SAMPLING_H

#include "bench/statistics.h"
#include "bench/target.h"

enum { SAMPLING_MAX = 4096 }; // kept samples; a budget that would give more ends there

struct sample {
    double cycles;                 // per body
    double reference_ticks;        // timer ticks per cycle of the reference
    double checks[BENCH_N_CHECKS]; // cycles per body of each; 0: not timed
};

struct sampling {
    struct sample *samples; // room for SAMPLING_MAX
    double *sorted;         // scratch of the same room
    size_t n_kept;
    unsigned dropped[DROP_N_REASONS];
    unsigned n_batches;
    double timer_step; // what one step of the timer is worth, as a share of a sample's cycles; the largest seen
};

struct sampling sampling_new(struct arena *arena);
// Judges a round and keeps or drops it.
void sampling_add(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                  const struct target_round *round);
// Notes what a step of `step_ticks` is worth in such a round.
void sampling_note_step(struct sampling *sampling, const struct target_round *round, uint64_t step_ticks);
// The cycles of the kept samples, or what else `offset` in struct sample names, sorted; valid until the next call.
const double *sampling_sorted(struct sampling *sampling, size_t offset);
unsigned sampling_n_dropped(const struct sampling *sampling);

// The level of every interval that bench gives.
#define SAMPLING_CONFIDENCE 0.99

// What the samples say: fills value, interval, verdict and its reason, and the numbers of samples.
void sampling_conclude(struct sampling *sampling, const struct bench *bench, struct bench_measurement *result);

#endif
