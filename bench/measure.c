// Measurements: rounds in batches until each interval is narrow enough or its budget is spent.
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
// Rounds of the first batches, where little precision is wanted: with most of them kept, the interval that leaves out
// the lowest and the highest has its 99 %, and so single outliers do not matter.
enum { FEWEST_ROUNDS = 5 };
static const double full_precision = 0.002;

// One piece of code on its way to a value.
struct progress {
    const struct bench *bench;
    struct sampling *sampling;
    struct bench_measurement *result;
    struct event_counts counts;
    struct target_job job;
    struct target_round rounds[MOST_ROUNDS];
    double spent_ms;
    double round_ms; // of the last batch
    bool is_alone;   // shares no process with others
    bool is_finished;
};

static uint64_t now_ns(struct target *target) {
    return target->ops->now_ns ? target->ops->now_ns(target) : timer_clock_ns();
}

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

static unsigned next_rounds(const struct progress *progress) {
    const struct bench_options *options = &progress->bench->options;
    double share = fmin(1, full_precision / options->precision);
    double wanted = fmax(FEWEST_ROUNDS, round(share * (progress->sampling->n_looks < 2 ? FIRST_ROUNDS : MOST_ROUNDS)));
    double most = MOST_ROUNDS;
    if (progress->round_ms > 0) { // stay within the budget, and far from the time-out
        double left_ms = fmax(0, options->budget_ms - progress->spent_ms);
        most = fmin(left_ms, options->timeout_seconds * 1000 / 4) / progress->round_ms;
    }
    size_t needed = statistics_samples_needed(statistics_look_confidence(SAMPLING_CONFIDENCE, 1));
    double fewest = ceil((double)needed / options->processes);
    return (unsigned)fmax(fewest, fmin(wanted, fmin(most, MOST_ROUNDS)));
}

static unsigned next_group(const struct progress *progress) {
    unsigned n_groups = progress->bench->target->n_groups;
    return n_groups ? progress->sampling->n_batches % n_groups : 0;
}

// What the next process is to run: of the unfinished, those that count the same events as the first of them.
static unsigned choose_jobs(struct progress *list, size_t n, struct progress **chosen) {
    unsigned n_chosen = 0;
    for (size_t i = 0; i < n && n_chosen < BENCH_MOST_TOGETHER; i++) {
        bool fits = n_chosen == 0 ||
                    (!list[i].is_alone && !chosen[0]->is_alone && next_group(&list[i]) == chosen[0]->job.group);
        if (list[i].is_finished || !fits)
            continue;
        list[i].job.group = next_group(&list[i]);
        list[i].job.n_rounds = next_rounds(&list[i]);
        chosen[n_chosen++] = &list[i];
    }
    return n_chosen;
}

static void take_rounds(struct progress *progress) {
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

// The process itself took the time that no job did, and each has its part of that.
static void share_time(struct progress *const *chosen, unsigned n, uint64_t all_ns) {
    double process_ns = (double)all_ns;
    for (unsigned i = 0; i < n; i++)
        process_ns -= (double)chosen[i]->job.ns;
    for (unsigned i = 0; i < n; i++) {
        double ms = ((double)chosen[i]->job.ns + fmax(0, process_ns) / n) / 1e6;
        chosen[i]->spent_ms += ms;
        chosen[i]->round_ms = ms / (chosen[i]->job.n_rounds + chosen[i]->job.n_warmup);
    }
}

static bool run_batch(struct target *target, struct progress *const *chosen, unsigned n, enum bench_outcome *outcome,
                      struct fail *fail) {
    struct target_job jobs[BENCH_MOST_TOGETHER];
    for (unsigned i = 0; i < n; i++)
        jobs[i] = chosen[i]->job;
    uint64_t start_ns = now_ns(target);
    if (!target->ops->run(target, jobs, n, outcome, fail))
        return false;
    for (unsigned i = 0; i < n; i++)
        chosen[i]->job = jobs[i];
    share_time(chosen, n, now_ns(target) - start_ns);
    for (unsigned i = 0; i < n; i++)
        take_rounds(chosen[i]);
    return true;
}

// Nothing of before counts: neither lengths, which were where the others could write, nor what waiting for the one
// that did not end has cost.
static void restart_alone(struct progress *progress) {
    sampling_clear(progress->sampling);
    progress->counts = (struct event_counts){.arena = progress->counts.arena, .target = progress->counts.target};
    if (progress->bench->target->can_choose)
        progress->job.code_short = progress->job.code_long = 0;
    progress->spent_ms = progress->round_ms = 0;
    progress->is_finished = false;
    progress->is_alone = true;
}

static void end(struct progress *progress, enum bench_outcome outcome) {
    progress->result->outcome = outcome;
    progress->is_finished = true;
}

// Where one of several pieces of code ended their process, it is not known which one, nor what else it did to the
// others: then each of them is measured by itself, from the start.
static void take_bad_outcome(struct progress *const *chosen, unsigned n, enum bench_outcome outcome) {
    for (unsigned i = 0; i < n; i++)
        if (n == 1 || outcome == BENCH_STARVED || outcome == BENCH_STOPPED) // which is nobody's fault
            end(chosen[i], outcome);
        else
            restart_alone(chosen[i]);
}

static bool run_batches(struct progress *list, size_t n, struct fail *fail) {
    const struct bench *bench = list->bench;
    struct progress *chosen[BENCH_MOST_TOGETHER];
    unsigned n_chosen;
    while ((n_chosen = choose_jobs(list, n, chosen)) > 0) {
        enum bench_outcome outcome = BENCH_STOPPED;
        bool is_stopped = bench->options.is_stopped && bench->options.is_stopped();
        if (!is_stopped && !run_batch(bench->target, chosen, n_chosen, &outcome, fail))
            return false;
        if (outcome != BENCH_OK)
            take_bad_outcome(chosen, n_chosen, outcome);
    }
    return true;
}

static void conclude(struct progress *progress) {
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

static void start(struct progress *progress, const struct bench *bench, const struct bench_code *code,
                  const struct bench_code *beside) {
    progress->bench = bench;
    progress->is_alone = code->runs_alone;
    progress->job = (struct target_job){
        .code = code,
        .wanted_ticks = rounds_wanted_ticks(bench, beside ? ROUNDS_BESIDE_SECONDS : ROUNDS_CODE_SECONDS),
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
    if (beside) // even while it waits, the other thread takes some issue slots: this check would tell of it, and only
                // that
        progress->job.checks[CHECK_ISSUE].n_long = 0;
    *progress->result = (struct bench_measurement){.clock = bench->clock, .clock_error = bench->clock_error};
}

// Finds how many iterations to run, unless the first batch does that on its way.
static bool choose_iterations(struct progress *progress, struct fail *fail) {
    const struct bench *bench = progress->bench;
    struct target_lengths lengths = {0};
    if (bench->target->can_choose)
        return true;
    uint64_t start_ns = now_ns(bench->target);
    enum bench_outcome *outcome = &progress->result->outcome;
    if (!rounds_choose(bench, progress->job.code, progress->job.wanted_ticks, &lengths, outcome, fail))
        return false;
    progress->job.code_short = lengths.n_short;
    progress->job.code_long = lengths.n_long;
    progress->spent_ms = (double)(now_ns(bench->target) - start_ns) / 1e6;
    progress->is_finished = *outcome != BENCH_OK;
    return true;
}

// `list`: as many as there is code, with their places for samples and results.
static bool measure(const struct bench *bench, const struct bench_code *codes, const struct bench_code *beside,
                    struct progress *list, size_t n, struct fail *fail) {
    struct arena scratch = {0};
    bool is_run = true;
    for (size_t i = 0; i < n && is_run; i++) {
        list[i].counts = (struct event_counts){.arena = &scratch, .target = bench->target};
        start(&list[i], bench, &codes[i], beside);
        is_run = choose_iterations(&list[i], fail);
    }
    is_run = is_run && run_batches(list, n, fail);
    for (size_t i = 0; i < n && is_run; i++)
        conclude(&list[i]);
    arena_free(&scratch);
    return is_run;
}

bool measure_samples(const struct bench *bench, const struct bench_code *code, struct sampling *sampling,
                     struct bench_measurement *result, struct fail *fail) {
    struct progress progress = {.sampling = sampling, .result = result};
    return measure(bench, code, NULL, &progress, 1, fail);
}

static bool measure_several(const struct bench *bench, const struct bench_code *codes, const struct bench_code *beside,
                            struct bench_measurement *results, size_t n, struct fail *fail) {
    struct arena scratch = {0};
    struct progress *list = ARENA_ARRAY(&scratch, struct progress, n);
    struct sampling *samplings = ARENA_ARRAY(&scratch, struct sampling, n);
    for (size_t i = 0; i < n; i++) {
        samplings[i] = sampling_new(&scratch);
        list[i].sampling = &samplings[i];
        list[i].result = &results[i];
    }
    bool is_measured = measure(bench, codes, beside, list, n, fail);
    arena_free(&scratch);
    return is_measured;
}

bool bench_measure_all(struct bench *bench, const struct bench_code *codes, struct bench_measurement *results, size_t n,
                       struct fail *fail) {
    for (size_t first = 0; first < n; first += BENCH_MOST_TOGETHER) {
        size_t left = n - first, part = left < BENCH_MOST_TOGETHER ? left : BENCH_MOST_TOGETHER;
        if (!measure_several(bench, &codes[first], NULL, &results[first], part, fail))
            return false;
    }
    return true;
}

bool bench_measure_beside(struct bench *bench, const struct bench_code *code, const struct bench_code *beside,
                          struct bench_measurement *result, struct fail *fail) {
    return measure_several(bench, code, beside, result, 1, fail);
}

bool bench_measure(struct bench *bench, const struct bench_code *code, struct bench_measurement *result,
                   struct fail *fail) {
    return bench_measure_beside(bench, code, NULL, result, fail);
}
