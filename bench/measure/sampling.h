// Private to this folder.
// Samples of one measurement: collected round by round, judged before they count.
#ifndef BENCH_MEASURE_SAMPLING_H
#define BENCH_MEASURE_SAMPLING_H

#include "bench/measure/statistics.h"
#include "bench/target.h"

enum { SAMPLING_MAX = 4096 }; // kept samples; a budget that would give more ends there

struct sample {
    unsigned process;              // which of them, from 1
    uint64_t ns;                   // when that began, by the clock that budgets are spent by
    double cycles;                 // per body
    double reference_ticks;        // timer ticks per cycle of the reference
    double reference_change;       // of that from before the code to after it, relative
    double step;                   // of the clock, as a share of the cycles
    double beside;                 // cycles per body of the code beside; 0: there is none
    double checks[BENCH_N_CHECKS]; // cycles per body of each; 0: not timed
};

// What the samples say so far.
struct sampling_look {
    unsigned n_batches; // when it was taken
    double median;
    double step;              // what the least difference that the clock can show is worth, cycles per body
    struct interval interval; // its confidence is that of all looks together
    double effective;         // independent samples that they are worth
    bool has_modes;
    struct statistics_mode modes[2];
};

struct sampling {
    struct arena *arena;
    struct sample *samples;
    double *sorted, *scratch; // lists of the same room
    size_t n_kept;
    unsigned dropped[DROP_N_REASONS];
    unsigned n_faster;         // of those, rounds in which a check took less than its level
    uint64_t process_ns;       // when the last process began
    bool was_spoilt;           // checks behind the last round of that process were far from their levels,
    enum bench_drop spoilt_by; // by this
    unsigned n_batches;        // processes that were run
    unsigned n_processes;      // those of them that samples were kept of
    unsigned n_looks;
    struct sampling_look look; // the last one
};

struct sampling sampling_new(struct arena *arena);
// Forgets all samples.
void sampling_clear(struct sampling *sampling);
// A fresh process, which began at `ns`: the next rounds are of it.
void sampling_start_process(struct sampling *sampling, uint64_t ns);
// Judges a round and keeps or drops it. Rounds of a process come in their order.
void sampling_add(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                  const struct target_round *round);
// Judges the kept samples by the levels of now, for those that were kept by others.
void sampling_judge_again(struct sampling *sampling, const struct bench *bench, const struct bench_code *code);
// Drops those of the kept samples for which `judge` gives a reason; DROP_N_REASONS: none.
void sampling_filter(struct sampling *sampling,
                     enum bench_drop (*judge)(const struct sample *sample, const void *context), const void *context);
// The cycles of the kept samples, or what else `offset` in struct sample names, sorted; valid until the next call.
const double *sampling_sorted(struct sampling *sampling, size_t offset);
// So many rounds had faster checks that the level may be a neighbour's, and the rounds that were kept are beside him.
bool sampling_was_slowed(const struct sampling *sampling);
unsigned sampling_n_dropped(const struct sampling *sampling);
// Looks at the samples, of which there is one at least, and notes in `look` what they say. Each look costs some
// confidence (statistics_look_confidence), so it is taken only where sampling could end.
void sampling_take_look(struct sampling *sampling);

// The level of every interval that bench gives.
#define SAMPLING_CONFIDENCE 0.99

#endif
