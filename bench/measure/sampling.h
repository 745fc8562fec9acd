// Private to this folder.
// Samples of one measurement: collected round by round, judged before they count.
#ifndef BENCH_MEASURE_SAMPLING_H
#define BENCH_MEASURE_SAMPLING_H

#include "bench/measure/statistics.h"
#include "bench/target.h"

enum { SAMPLING_MAX = 4096 }; // limit of kept samples

struct sample {
    unsigned process;              // number of its process, from 1
    uint64_t ns;                   // start of that process, by the time that budgets count
    double cycles;                 // cycles per body: `difference`, or `alone` (uneven.h)
    double difference;             // of the long run and the short one
    double alone;                  // by the long run alone, less the reference's start
    double start;                  // what the short run costs besides its bodies and that start, as a share of it
    double reference_ticks;        // timer ticks per cycle of the reference
    double reference_change;       // relative change of these from before the code to after it
    double step;                   // least difference that the clock can show, as a share of the cycles
    double corunner;               // cycles per body of the co-runner; 0: no co-runner
    double checks[BENCH_N_CHECKS]; // cycles per body of each check; 0: not timed
};

// A look at the samples so far.
struct sampling_look {
    unsigned n_batches; // processes at that time
    double median;
    double step;              // least difference that the clock can show, cycles per body
    struct interval interval; // its confidence is that of all looks together
    double effective;         // number of independent samples that would be as good
    bool has_modes;
    struct statistics_mode modes[2];
};

struct sampling {
    struct arena *arena;
    struct sample *samples;
    double *sorted, *scratch; // lists of the same room
    size_t n_kept;
    unsigned dropped[DROP_N_REASONS];
    unsigned n_faster;         // dropped rounds in which a check took less than its level
    uint64_t process_ns;       // start of the last process
    bool was_spoilt;           // checks after the last round of that process were far from their levels
    enum bench_drop spoilt_by; // reason of that
    unsigned n_batches;        // processes that were run
    unsigned n_processes;      // processes with kept samples
    unsigned n_looks;
    struct sampling_look look; // the last one
};

struct sampling sampling_new(struct arena *arena);
// Forgets all samples.
void sampling_clear(struct sampling *sampling);
// Starts a fresh process, which began at `ns`: the next rounds belong to it.
void sampling_start_process(struct sampling *sampling, uint64_t ns);
// Judges a round and keeps or drops it. Rounds of a process come in their order.
void sampling_add(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                  const struct target_round *round);
// Judges the kept samples by the current levels, where older levels judged them.
void sampling_judge_again(struct sampling *sampling, const struct bench *bench, const struct bench_code *code);
// Drops the kept samples for which `judge` returns a reason; DROP_N_REASONS: no reason.
void sampling_filter(struct sampling *sampling,
                     enum bench_drop (*judge)(const struct sample *sample, const void *context), const void *context);
// Keeps every second sample, in order, so that there is room for those of another time.
void sampling_thin(struct sampling *sampling);
// The member of all kept samples at `offset` in struct sample, sorted; valid until the next call.
const double *sampling_sorted(struct sampling *sampling, size_t offset);
// Whether so many rounds had faster checks that a neighbour may have slowed the level, and with it the kept rounds.
bool sampling_was_slowed(const struct sampling *sampling);
unsigned sampling_n_dropped(const struct sampling *sampling);
// Looks at the samples, at least one, and fills `look`. Each look costs some confidence (statistics_look_confidence),
// so it is taken only where sampling could end.
void sampling_take_look(struct sampling *sampling);

// Confidence of every interval that bench gives.
#define SAMPLING_CONFIDENCE 0.99

#endif
