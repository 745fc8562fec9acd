#include "bench/measure/sampling.h"

#include "bench/measure/checks.h"
#include "bench/measure/clock.h"
#include "bench/measure/uneven.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct sampling sampling_new(struct arena *arena) {
    return (struct sampling){.arena = arena};
}

void sampling_clear(struct sampling *sampling) {
    *sampling = sampling_new(sampling->arena);
}

// Returns why the round is worthless for any times; DROP_N_REASONS: nothing was seen.
static enum bench_drop disturbance(const struct target_job *job, const struct target_round *round) {
    if (round->migrations)
        return DROP_MIGRATION;
    if (round->switches)
        return DROP_SWITCH;
    if (round->stolen_ns)
        return DROP_STEAL;
    if (round->has_busy_sibling)
        return DROP_SIBLING;
    if (round->is_interrupted && !round->faults)
        return DROP_GAP;
    if (job->corunner && (!round->corunner.is_whole || round->corunner.bodies <= 0))
        return DROP_CORUNNER;
    return round->faults ? DROP_FAULT : DROP_N_REASONS;
}

// Adds a sample. The caller has made room.
static void put(struct sampling *sampling, const struct sample *sample) {
    if (sampling->n_kept == 0 || sampling->samples[sampling->n_kept - 1].process != sample->process)
        sampling->n_processes++;
    sampling->samples[sampling->n_kept++] = *sample;
}

static void keep(struct sampling *sampling, const struct sample *sample) {
    struct arena *arena = sampling->arena;
    size_t n = sampling->n_kept;
    sampling->samples = arena_grow(arena, sampling->samples, n, sizeof *sampling->samples);
    sampling->sorted = arena_grow(arena, sampling->sorted, n, sizeof *sampling->sorted);
    sampling->scratch = arena_grow(arena, sampling->scratch, n, sizeof *sampling->scratch);
    put(sampling, sample);
}

void sampling_start_process(struct sampling *sampling, uint64_t ns) {
    sampling->n_batches++;
    sampling->process_ns = ns;
    sampling->was_spoilt = false;
}

// Whether the checks on both sides of the code are clean. Some run before it, some after it; those after the previous
// round's code are before this one's. A neighbour that these show may have been here, too.
static bool are_checks_clean(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                             const struct sample *sample, enum bench_drop *why) {
    bool was_spoilt = sampling->was_spoilt;
    *why = sampling->spoilt_by;
    sampling->was_spoilt = !checks_agree(bench, job->code, sample->checks, &sampling->spoilt_by);
    if (sampling->was_spoilt)
        *why = sampling->spoilt_by;
    return !was_spoilt && !sampling->was_spoilt;
}

void sampling_add(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                  const struct target_round *round) {
    const struct clock *clock = clock_of(bench->clock);
    struct sample sample = {
        .process = sampling->n_batches,
        .ns = sampling->process_ns,
        .reference_ticks = clock_reference_ticks(job, round),
        .reference_change = clock_reference_change(job, round),
    };
    enum bench_drop why = disturbance(job, round), why_unclean;
    checks_cycles(bench, job, round, sample.checks);
    bool is_clean = are_checks_clean(sampling, bench, job, &sample, &why_unclean);
    if (why != DROP_N_REASONS || !clock->convert(job, round, &sample.difference, &why)) {
        sampling->dropped[why]++;
    } else if (!is_clean) {
        sampling->dropped[why_unclean]++;
        sampling->n_faster += checks_are_faster(bench, job->code, sample.checks);
    } else if (sampling->n_kept < SAMPLING_MAX) {
        sample.cycles = sample.difference;
        sample.step = clock->step(bench, round);
        uneven_judge(job, round, &sample);
        if (job->corunner)
            sample.corunner = round->corunner.ticks / round->corunner.bodies /
                              (job->ticks_per_cycle > 0 ? job->ticks_per_cycle : sample.reference_ticks);
        keep(sampling, &sample);
    }
}

void sampling_filter(struct sampling *sampling,
                     enum bench_drop (*judge)(const struct sample *sample, const void *context), const void *context) {
    size_t n = sampling->n_kept;
    sampling->n_kept = sampling->n_processes = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sample sample = sampling->samples[i];
        enum bench_drop why = judge(&sample, context);
        if (why == DROP_N_REASONS)
            put(sampling, &sample);
        else
            sampling->dropped[why]++;
    }
}

void sampling_thin(struct sampling *sampling) {
    size_t n = sampling->n_kept;
    sampling->n_kept = sampling->n_processes = 0;
    for (size_t i = 0; i < n; i += 2) {
        const struct sample sample = sampling->samples[i];
        put(sampling, &sample);
    }
}

struct judge {
    const struct bench *bench;
    const struct bench_code *code;
};

static enum bench_drop judge_checks(const struct sample *sample, const void *context) {
    const struct judge *judge = context;
    enum bench_drop why;
    return checks_agree(judge->bench, judge->code, sample->checks, &why) ? DROP_N_REASONS : why;
}

void sampling_judge_again(struct sampling *sampling, const struct bench *bench, const struct bench_code *code) {
    sampling_filter(sampling, judge_checks, &(struct judge){bench, code});
    sampling->n_faster = 0;
}

// Single rounds may look faster, where an interrupt falls into the short run of a check.
bool sampling_was_slowed(const struct sampling *sampling) {
    static const double slowed_share = 0.1;
    return sampling->n_faster > slowed_share * ((double)sampling->n_kept + sampling_n_dropped(sampling));
}

unsigned sampling_n_dropped(const struct sampling *sampling) {
    unsigned sum = 0;
    for (unsigned i = 0; i < DROP_N_REASONS; i++)
        sum += sampling->dropped[i];
    return sum;
}
