// Measurements: processes of rounds until each interval is narrow enough or its budget is spent.
#include "bench/measure.h"

#include "bench/progress.h"
#include "bench/rounds.h"
#include "bench/timer.h"

#include <math.h>
#include <stddef.h>

static uint64_t now_ns(struct target *target) {
    return target->ops->now_ns ? target->ops->now_ns(target) : timer_clock_ns();
}

// What the next process is to run: of the unfinished, those that may share it and count the same events as the first.
static unsigned choose_jobs(struct progress *list, size_t n, struct progress **chosen) {
    unsigned n_chosen = 0;
    for (size_t i = 0; i < n && n_chosen < BENCH_MOST_TOGETHER; i++) {
        bool fits = n_chosen == 0 || (!list[i].is_alone && !chosen[0]->is_alone &&
                                      list[i].job.code->process_set == chosen[0]->job.code->process_set &&
                                      progress_next_group(&list[i]) == chosen[0]->job.group);
        if (list[i].is_finished || !fits)
            continue;
        list[i].job.group = progress_next_group(&list[i]);
        list[i].job.n_rounds = progress_next_rounds(&list[i]);
        chosen[n_chosen++] = &list[i];
    }
    return n_chosen;
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

static void end(struct progress *progress, enum bench_outcome outcome) {
    progress->result->outcome = outcome;
    progress->is_finished = true;
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
        progress_take(chosen[i]);
    for (unsigned i = 0; i < n && *outcome == BENCH_OK; i++)
        if (jobs[i].outcome != BENCH_OK)
            end(chosen[i], jobs[i].outcome);
    return true;
}

// Where one of several pieces of code ended their process, it is not known which one, nor what else it did to the
// others: then each of them is measured by itself, from the start.
static void take_bad_outcome(struct progress *const *chosen, unsigned n, enum bench_outcome outcome) {
    for (unsigned i = 0; i < n; i++)
        if (n == 1 || outcome == BENCH_STARVED || outcome == BENCH_STOPPED) // which is nobody's fault
            end(chosen[i], outcome);
        else
            progress_restart_alone(chosen[i]);
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
        progress_start(&list[i], bench, &codes[i], beside);
        is_run = choose_iterations(&list[i], fail);
    }
    is_run = is_run && run_batches(list, n, fail);
    for (size_t i = 0; i < n && is_run; i++)
        progress_conclude(&list[i]);
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
