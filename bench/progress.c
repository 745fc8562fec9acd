#include "bench/progress.h"

#include "bench/checks.h"
#include "bench/rounds.h"

#include <math.h>

// A batch is a fresh process, and no value rests on one process alone: what depends on where pages happen to lie
// shows as a difference between batches. More samples come from more processes, not from longer ones, which would all
// share their process's fate. Two that agree say little, a third much more: scripts/noise-study, kind spread.
enum { FIRST_ROUNDS = 8, WARMUP_ROUNDS = 1 };
// Rounds of the first batches, where little precision is wanted: with most of them kept, the interval that leaves out
// the lowest and the highest has its 99 %, and so single outliers do not matter.
enum { FEWEST_ROUNDS = 5 };
static const double full_precision = 0.002;

// A look costs some of the confidence, so there is one after each batch that may be the last.
static bool is_narrow(const struct progress *progress) {
    struct sampling *sampling = progress->sampling;
    const struct sampling_look *look = &sampling->look;
    if (!sampling->n_kept || sampling_n_dropped(sampling) > sampling->n_kept ||
        sampling->n_processes < progress->bench->options.processes)
        return false;
    sampling_take_look(sampling);
    return look->interval.confidence >= SAMPLING_CONFIDENCE && !look->has_modes &&
           (look->interval.high - look->interval.low) / 2 <= progress->bench->options.precision * look->median;
}

static bool lacks_counts(const struct progress *progress) {
    return bench_clock_counts(progress->bench->clock) && !event_counts_are_enough(&progress->counts);
}

// Twice as many processes as at the last look and enough rounds of each group of events, or no time for more.
static bool is_finished(const struct progress *progress) {
    const struct sampling *sampling = progress->sampling;
    const struct bench_options *options = &progress->bench->options;
    bool is_over = progress->spent_ms >= options->budget_ms || sampling->n_kept >= SAMPLING_MAX;
    if (sampling->n_batches < options->processes || sampling->n_batches < progress->counts.target->n_groups ||
        (!is_over && (sampling->n_batches < 2 * sampling->look.n_batches || lacks_counts(progress))))
        return false;
    return is_narrow(progress) || is_over;
}

unsigned progress_next_rounds(const struct progress *progress) {
    const struct bench_options *options = &progress->bench->options;
    double share = fmin(1, full_precision / options->precision);
    double wanted =
        fmax(FEWEST_ROUNDS, round(share * (progress->sampling->n_looks < 2 ? FIRST_ROUNDS : PROGRESS_MOST_ROUNDS)));
    double most = PROGRESS_MOST_ROUNDS;
    if (progress->round_ms > 0) { // stay within the budget, and far from the time-out
        double left_ms = fmax(0, options->budget_ms - progress->spent_ms);
        most = fmin(left_ms, options->timeout_seconds * 1000 / 4) / progress->round_ms;
    }
    size_t needed = statistics_samples_needed(statistics_look_confidence(SAMPLING_CONFIDENCE, 1));
    double fewest = ceil((double)needed / options->processes);
    return (unsigned)fmax(fewest, fmin(wanted, fmin(most, PROGRESS_MOST_ROUNDS)));
}

unsigned progress_next_group(const struct progress *progress) {
    unsigned n_groups = progress->bench->target->n_groups;
    return n_groups ? progress->sampling->n_batches % n_groups : 0;
}

void progress_take(struct progress *progress) {
    const struct target_job *job = &progress->job;
    progress->sampling->n_batches++;
    for (unsigned i = 0; i < job->n_done; i++) {
        size_t n_kept = progress->sampling->n_kept;
        sampling_add(progress->sampling, progress->bench, job, &progress->rounds[i]);
        if (bench_clock_counts(job->clock) && progress->sampling->n_kept > n_kept)
            event_counts_add(&progress->counts, job, &progress->rounds[i]);
    }
    progress->is_finished = is_finished(progress);
}

void progress_restart_alone(struct progress *progress) {
    sampling_clear(progress->sampling);
    progress->counts = (struct event_counts){.arena = progress->counts.arena, .target = progress->counts.target};
    if (progress->bench->target->can_choose)
        progress->job.code_short = progress->job.code_long = 0;
    progress->spent_ms = progress->round_ms = 0;
    progress->is_finished = false;
    progress->is_alone = true;
}

void progress_conclude(struct progress *progress) {
    struct bench_measurement *result = progress->result;
    result->milliseconds = progress->spent_ms;
    if (result->outcome == BENCH_OK) {
        sampling_conclude(progress->sampling, progress->bench, result);
        event_counts_conclude(&progress->counts, result);
        return;
    }
    result->verdict = MEASURED_UNSTABLE;
    result->why = bench_outcome_name(result->outcome);
}

void progress_start(struct progress *progress, const struct bench *bench, const struct bench_code *code,
                    const struct bench_code *beside) {
    progress->bench = bench;
    progress->is_alone = code->runs_alone;
    double wanted_ticks = rounds_wanted_ticks(bench, beside ? ROUNDS_BESIDE_SECONDS : ROUNDS_CODE_SECONDS);
    progress->job = (struct target_job){
        .code = code,
        .wanted_ticks = wanted_ticks,
        .warmup_ticks = rounds_warmup_ticks(bench, code, wanted_ticks),
        .rounds = progress->rounds,
        .reference = &bench->reference,
        .reference_short = bench->reference_short,
        .reference_long = bench->reference_long,
        .n_warmup = WARMUP_ROUNDS,
        .timeout_seconds = bench->options.timeout_seconds,
        .clock = bench->clock,
        .ticks_per_cycle = bench->frequency_hz > 0 ? bench->target->ticks_per_second / bench->frequency_hz : 0,
        .shares_core = beside != NULL,
        .beside = beside,
        .beside_cpu = bench->options.beside_cpu,
    };
    checks_put(bench, &progress->job);
    *progress->result = (struct bench_measurement){.clock = bench->clock, .clock_error = bench->clock_error};
}
