#include "bench/sampling.h"

#include "bench/checks.h"
#include "bench/clock.h"

#include <stddef.h>
#include <string.h>

struct sampling sampling_new(struct arena *arena) {
    return (struct sampling){
        .samples = ARENA_ARRAY(arena, struct sample, SAMPLING_MAX),
        .sorted = ARENA_ARRAY(arena, double, SAMPLING_MAX),
    };
}

// Why the round is worthless, whatever its times; DROP_N_REASONS if nothing was seen.
static enum bench_drop disturbance(const struct target_round *round) {
    if (round->migrations)
        return DROP_MIGRATION;
    if (round->switches)
        return DROP_SWITCH;
    if (round->stolen_ns)
        return DROP_STEAL;
    return round->faults ? DROP_FAULT : DROP_N_REASONS;
}

void sampling_add(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                  const struct target_round *round) {
    clock_cycles_function cycles_of = bench->clock == CLOCK_RATIO ? clock_ratio_cycles : clock_perf_cycles;
    struct sample sample = {.reference_ticks = clock_reference_ticks(job, round)};
    enum bench_drop why = disturbance(round);
    checks_cycles(bench, job, round, sample.checks);
    if (why != DROP_N_REASONS || !cycles_of(job, round, &sample.cycles, &why) ||
        !checks_agree(bench, sample.checks, &why))
        sampling->dropped[why]++;
    else if (sampling->n_kept < SAMPLING_MAX)
        sampling->samples[sampling->n_kept++] = sample;
}

void sampling_note_step(struct sampling *sampling, const struct target_round *round, uint64_t step_ticks) {
    double code = (double)round->code_long.ticks - (double)round->code_short.ticks;
    double reference = (double)round->reference_before[1].ticks - (double)round->reference_before[0].ticks +
                       (double)round->reference_after[1].ticks - (double)round->reference_after[0].ticks;
    if (code <= 0 || reference <= 0)
        return;
    double step = (double)step_ticks / code + (double)step_ticks / reference;
    if (step > sampling->timer_step)
        sampling->timer_step = step;
}

const double *sampling_sorted(struct sampling *sampling, size_t offset) {
    for (size_t i = 0; i < sampling->n_kept; i++)
        memcpy(&sampling->sorted[i], (const char *)&sampling->samples[i] + offset, sizeof(double));
    statistics_sort(sampling->sorted, sampling->n_kept);
    return sampling->sorted;
}

unsigned sampling_n_dropped(const struct sampling *sampling) {
    unsigned sum = 0;
    for (unsigned i = 0; i < DROP_N_REASONS; i++)
        sum += sampling->dropped[i];
    return sum;
}
