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
// shows as a difference between batches. Later batches grow.
enum { FIRST_ROUNDS = 12, MOST_ROUNDS = 192, WARMUP_ROUNDS = 1, FEWEST_BATCHES = 2 };
// Rounds of the first two batches, where little precision is wanted: with them all kept, the interval from the lowest
// to the highest has its 99 %, and one may be dropped.
enum { FEWEST_ROUNDS = 5 };
static const double full_precision = 0.002;

struct progress {
    const struct bench *bench;
    struct sampling *sampling;
    struct event_counts counts;
    uint64_t start_ns;
    double round_ms; // of the last batch
};

static double spent_ms(const struct progress *progress) {
    return (double)(timer_clock_ns() - progress->start_ns) / 1e6;
}

static bool is_narrow(const struct progress *progress) {
    struct sampling *sampling = progress->sampling;
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, cycles));
    struct interval interval = {0};
    double modes[2];
    if (!sampling->n_kept || sampling_n_dropped(sampling) > sampling->n_kept)
        return false;
    interval = statistics_median_interval(sorted, sampling->n_kept, SAMPLING_CONFIDENCE);
    double median = statistics_median(sorted, sampling->n_kept);
    return interval.confidence >= SAMPLING_CONFIDENCE &&
           (interval.high - interval.low) / 2 <= progress->bench->options.precision * median &&
           !statistics_two_modes(sorted, sampling->n_kept, modes);
}

// Stopping as soon as the interval happens to be narrow costs some of its confidence (it is looked at after each
// batch); the batches double, so there are few looks.
static bool is_finished(const struct progress *progress) {
    const struct sampling *sampling = progress->sampling;
    if (sampling->n_batches < FEWEST_BATCHES || sampling->n_batches < progress->counts.target->n_groups)
        return false;
    return spent_ms(progress) >= progress->bench->options.budget_ms || sampling->n_kept >= SAMPLING_MAX ||
           is_narrow(progress);
}

static unsigned next_rounds(const struct progress *progress) {
    const struct bench_options *options = &progress->bench->options;
    unsigned n_batches = progress->sampling->n_batches;
    double first = fmax(FEWEST_ROUNDS, fmin(FIRST_ROUNDS, round(FIRST_ROUNDS * full_precision / options->precision)));
    double wanted = n_batches < FEWEST_BATCHES ? first : first * exp2(n_batches - 1);
    double most = MOST_ROUNDS;
    if (progress->round_ms > 0) { // stay within the budget, and far from the time-out
        double left_ms = fmax(0, options->budget_ms - spent_ms(progress));
        most = fmin(left_ms, options->timeout_seconds * 1000 / 4) / progress->round_ms;
    }
    double fewest = (double)statistics_samples_needed(SAMPLING_CONFIDENCE) / FEWEST_BATCHES;
    return (unsigned)fmax(fewest, fmin(wanted, fmin(most, MOST_ROUNDS)));
}

static bool run_batch(struct progress *progress, struct target_job *job, enum bench_outcome *outcome,
                      struct fail *fail) {
    struct target *target = progress->bench->target;
    struct target_round rounds[MOST_ROUNDS];
    unsigned n_done = 0;
    uint64_t start_ns = timer_clock_ns();
    job->n_rounds = next_rounds(progress);
    if (target->n_groups)
        job->group = progress->sampling->n_batches % target->n_groups;
    struct target_lengths lengths = {job->code_short, job->code_long};
    job->choose = lengths.n_long ? NULL : &lengths;
    if (!target->ops->run(target, job, rounds, &n_done, outcome, fail))
        return false;
    job->code_short = lengths.n_short;
    job->code_long = lengths.n_long;
    progress->round_ms = (double)(timer_clock_ns() - start_ns) / 1e6 / (job->n_rounds + job->n_warmup);
    progress->sampling->n_batches++;
    for (unsigned i = 0; i < n_done; i++) {
        size_t n_kept = progress->sampling->n_kept;
        sampling_add(progress->sampling, progress->bench, job, &rounds[i]);
        if (job->clock != CLOCK_RATIO && progress->sampling->n_kept > n_kept)
            event_counts_add(&progress->counts, job, &rounds[i]);
    }
    if (n_done && job->clock == CLOCK_RATIO)
        sampling_note_step(progress->sampling, &rounds[0], target->timer_step);
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

bool measure_samples(const struct bench *bench, const struct bench_code *code, struct sampling *sampling,
                     struct bench_measurement *result, struct fail *fail) {
    struct arena scratch = {0};
    struct progress progress = {
        .bench = bench,
        .sampling = sampling,
        .counts = {.arena = &scratch, .target = bench->target},
        .start_ns = timer_clock_ns(),
    };
    struct target_job job = {
        .code = code,
        .reference = &bench->reference,
        .reference_short = bench->reference_short,
        .reference_long = bench->reference_long,
        .n_warmup = WARMUP_ROUNDS,
        .timeout_seconds = bench->options.timeout_seconds,
        .clock = bench->clock,
    };
    checks_put(bench, &job);
    *result = (struct bench_measurement){.clock = bench->clock, .clock_error = bench->clock_error};
    job.wanted_ticks = rounds_wanted_ticks(bench, ROUNDS_CODE_SECONDS);
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

bool bench_measure(struct bench *bench, const struct bench_code *code, struct bench_measurement *result,
                   struct fail *fail) {
    struct arena scratch = {0};
    struct sampling sampling = sampling_new(&scratch);
    bool is_measured = measure_samples(bench, code, &sampling, result, fail);
    arena_free(&scratch);
    return is_measured;
}
