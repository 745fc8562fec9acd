// One measurement: rounds in batches until the interval is narrow enough or the budget is spent.
#include "bench/measure.h"

#include "bench/checks.h"
#include "bench/event_counts.h"
#include "bench/rounds.h"
#include "bench/timer.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A batch is a fresh process, and no value rests on one process alone: what depends on where pages happen to lie
// shows as a difference between batches. More samples come from more processes, not from longer ones, which would all
// share their process's fate. Two that agree say little, a third much more: scripts/noise-study, kind spread.
enum { FIRST_ROUNDS = 8, MOST_ROUNDS = 24, WARMUP_ROUNDS = 1 };
// Rounds of the first batches, where little precision is wanted: with them all kept, the interval from the lowest
// to the highest has its 99 %, and some may be dropped.
enum { FEWEST_ROUNDS = 4 };
static const double full_precision = 0.002;

struct progress {
    const struct bench *bench;
    struct sampling *sampling;
    struct event_counts counts;
    uint64_t start_ns;
    double round_ms; // of the last batch
};

static uint64_t now_ns(const struct progress *progress) {
    struct target *target = progress->bench->target;
    return target->ops->now_ns ? target->ops->now_ns(target) : timer_clock_ns();
}

static double spent_ms(const struct progress *progress) {
    return (double)(now_ns(progress) - progress->start_ns) / 1e6;
}

// A look costs some of the confidence, so there is one after each batch that may be the last.
static bool is_narrow(const struct progress *progress) {
    struct sampling *sampling = progress->sampling;
    const struct sampling_look *look = &sampling->look;
    if (!sampling->n_kept || sampling_n_dropped(sampling) > sampling->n_kept)
        return false;
    sampling_take_look(sampling);
    return look->interval.confidence >= SAMPLING_CONFIDENCE && !look->has_modes &&
           (look->interval.high - look->interval.low) / 2 <= progress->bench->options.precision * look->median;
}

// Twice as many processes as at the last look, or no time for more.
static bool is_finished(const struct progress *progress) {
    const struct sampling *sampling = progress->sampling;
    const struct bench_options *options = &progress->bench->options;
    bool is_over = spent_ms(progress) >= options->budget_ms || sampling->n_kept >= SAMPLING_MAX;
    if (sampling->n_batches < options->processes || sampling->n_batches < progress->counts.target->n_groups ||
        (!is_over && sampling->n_batches < 2 * sampling->look.n_batches))
        return false;
    return is_narrow(progress) || is_over;
}

static unsigned next_rounds(const struct progress *progress) {
    const struct bench_options *options = &progress->bench->options;
    double share = fmin(1, full_precision / options->precision);
    double wanted = fmax(FEWEST_ROUNDS, round(share * (progress->sampling->n_looks ? MOST_ROUNDS : FIRST_ROUNDS)));
    double most = MOST_ROUNDS;
    if (progress->round_ms > 0) { // stay within the budget, and far from the time-out
        double left_ms = fmax(0, options->budget_ms - spent_ms(progress));
        most = fmin(left_ms, options->timeout_seconds * 1000 / 4) / progress->round_ms;
    }
    size_t needed = statistics_samples_needed(statistics_look_confidence(SAMPLING_CONFIDENCE, 1));
    double fewest = ceil((double)needed / options->processes);
    return (unsigned)fmax(fewest, fmin(wanted, fmin(most, MOST_ROUNDS)));
}

static bool run_batch(struct progress *progress, struct target_job *job, enum bench_outcome *outcome,
                      struct fail *fail) {
    struct target *target = progress->bench->target;
    struct target_round rounds[MOST_ROUNDS];
    unsigned n_done = 0;
    uint64_t start_ns = now_ns(progress);
    job->n_rounds = next_rounds(progress);
    if (target->n_groups)
        job->group = progress->sampling->n_batches % target->n_groups;
    struct target_lengths lengths = {job->code_short, job->code_long};
    job->choose = lengths.n_long ? NULL : &lengths;
    if (!target->ops->run(target, job, rounds, &n_done, outcome, fail))
        return false;
    job->code_short = lengths.n_short;
    job->code_long = lengths.n_long;
    progress->round_ms = (double)(now_ns(progress) - start_ns) / 1e6 / (job->n_rounds + job->n_warmup);
    progress->sampling->n_batches++;
    for (unsigned i = 0; i < n_done; i++) {
        size_t n_kept = progress->sampling->n_kept;
        sampling_add(progress->sampling, progress->bench, job, &rounds[i]);
        if (bench_clock_counts(job->clock) && progress->sampling->n_kept > n_kept)
            event_counts_add(&progress->counts, job, &rounds[i]);
    }
    return true;
}

static bool run_batches(struct progress *progress, struct target_job *job, enum bench_outcome *outcome,
                        struct fail *fail) {
    while (*outcome == BENCH_OK && !is_finished(progress))
        if (!run_batch(progress, job, outcome, fail))
            return false;
    return true;
}

// Finds how many iterations to run, unless the first batch does that on its way.
static bool start(const struct bench *bench, struct target_job *job, enum bench_outcome *outcome, struct fail *fail) {
    struct target_lengths lengths = {0};
    if (bench->target->can_choose)
        return true;
    if (!rounds_choose(bench, job->code, job->wanted_ticks, &lengths, outcome, fail))
        return false;
    job->code_short = lengths.n_short;
    job->code_long = lengths.n_long;
    return true;
}

bool measure_samples(const struct bench *bench, const struct bench_code *code, const struct bench_code *beside,
                     struct sampling *sampling, struct bench_measurement *result, struct fail *fail) {
    struct arena scratch = {0};
    struct progress progress = {
        .bench = bench,
        .sampling = sampling,
        .counts = {.arena = &scratch, .target = bench->target},
    };
    progress.start_ns = now_ns(&progress);
    struct target_job job = {
        .code = code,
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
    checks_put(bench, &job);
    if (beside) // even while it waits, the other thread takes some issue slots: this check would tell of it, and only
                // that
        job.checks[CHECK_ISSUE].n_long = 0;
    *result = (struct bench_measurement){.clock = bench->clock, .clock_error = bench->clock_error};
    job.wanted_ticks = rounds_wanted_ticks(bench, beside ? ROUNDS_BESIDE_SECONDS : ROUNDS_CODE_SECONDS);
    if (!start(bench, &job, &result->outcome, fail))
        return false;
    bool is_run = run_batches(&progress, &job, &result->outcome, fail);
    result->milliseconds = spent_ms(&progress);
    if (result->outcome == BENCH_OK) {
        sampling_conclude(sampling, bench, result);
        event_counts_conclude(&progress.counts, result);
    } else {
        result->verdict = MEASURED_UNSTABLE;
        result->why = bench_outcome_name(result->outcome);
    }
    arena_free(&scratch);
    return is_run;
}

bool bench_measure_beside(struct bench *bench, const struct bench_code *code, const struct bench_code *beside,
                          struct bench_measurement *result, struct fail *fail) {
    struct arena scratch = {0};
    struct sampling sampling = sampling_new(&scratch);
    bool is_measured = measure_samples(bench, code, beside, &sampling, result, fail);
    arena_free(&scratch);
    return is_measured;
}

bool bench_measure(struct bench *bench, const struct bench_code *code, struct bench_measurement *result,
                   struct fail *fail) {
    return bench_measure_beside(bench, code, NULL, result, fail);
}
