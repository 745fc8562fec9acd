// Measurements: processes of rounds, until each interval is narrow enough or its budget is spent. Many values are
// active at the same time. Each waits until its next process is due (progress.c), and due values share a process. So
// the processes of a value are apart in time, and nobody waits while other values are due.
#include "bench/measure/measure.h"

#include "bench/host/timer.h"
#include "bench/measure/bursts.h"
#include "bench/measure/checks.h"
#include "bench/measure/progress.h"
#include "bench/measure/rounds.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

// Largest number of active values, of a few kilobytes each.
enum { MOST_ACTIVE = 4096 };
// Distance between processes while a neighbour spoils everything: 1 ms at first, up to 32 ms.
static const uint64_t SHORTEST_HOLD_NS = 1000000;
enum { MOST_DOUBLINGS = 5 };
// Longest sleep between two looks at the user's request to stop.
static const uint64_t nap_ns = 20000000;

struct value {
    size_t index; // index of its code
    struct arena arena;
    struct sampling own_sampling, *sampling; // sampling: its own, or the caller's
    struct bench_measurement result;         // copied to schedule->results at the end
    struct progress progress;
};

struct schedule {
    struct bench *bench;
    const struct bench_code *codes, *corunner; // beside: the co-runner; null: none
    struct bench_measurement *results;
    const struct bench_listener *listener; // null: no listener
    struct sampling *sampling;             // sampling of the only value, for the caller; else null
    bool is_search;                        // as in struct progress
    size_t n, n_admitted;
    struct value **active;
    size_t n_active, first; // first: index of the active value that pick examines first
    struct level_check {
        double cycles[BENCH_N_CHECKS];
        bool is_outdated; // they are not at the current levels: the value must be measured again
    } * done;             // for each concluded value that is not unstable: median of each check; 0: not timed
    size_t n_outdated;
    unsigned n_dirty; // processes in a row without a usable round
    uint64_t hold_ns; // earliest start of the next process
};

uint64_t measure_now_ns(struct target *target) {
    return target->ops->now_ns ? target->ops->now_ns(target) : timer_clock_ns();
}

bool measure_is_stopped(const struct bench *bench) {
    return bench->options.is_stopped && bench->options.is_stopped();
}

static void charge(struct bench *bench, uint64_t ns) {
    bench->retry_ms = fmax(0, bench->retry_ms - (double)ns / 1e6);
}

void measure_wait(struct bench *bench, uint64_t ns, bool is_retry) {
    struct target *target = bench->target;
    uint64_t start_ns = measure_now_ns(target), end_ns = start_ns + ns, now_ns;
    while ((now_ns = measure_now_ns(target)) < end_ns && !measure_is_stopped(bench)) {
        uint64_t part_ns = end_ns - now_ns < nap_ns ? end_ns - now_ns : nap_ns;
        struct timespec nap = {.tv_nsec = (long)part_ns};
        if (target->ops->wait)
            target->ops->wait(target, part_ns);
        else
            nanosleep(&nap, NULL);
    }
    if (is_retry)
        charge(bench, measure_now_ns(target) - start_ns);
}

static bool can_wait(const struct schedule *schedule) {
    return schedule->bench->retry_ms > 0 && !schedule->bench->options.is_hasty;
}

// Chooses the iterations to run, unless the target chooses them in the first batch.
static bool choose_iterations(struct progress *progress, struct fail *fail) {
    const struct bench *bench = progress->bench;
    struct target_lengths lengths = {0};
    if (bench->target->can_choose)
        return true;
    uint64_t start_ns = measure_now_ns(bench->target);
    enum bench_outcome *outcome = &progress->result->outcome;
    if (!rounds_choose(bench, progress->job.code, progress->job.wanted_ticks, &lengths, outcome, fail))
        return false;
    progress->job.code_short = lengths.n_short;
    progress->job.code_long = lengths.n_long;
    progress->spent_ms = (double)(measure_now_ns(bench->target) - start_ns) / 1e6;
    progress->is_finished = *outcome != BENCH_OK;
    return true;
}

static struct value *value_new(struct schedule *schedule, size_t index) {
    struct arena arena = {0};
    struct value *value = ARENA_NEW(&arena, struct value);
    value->arena = arena;
    value->index = index;
    value->own_sampling = sampling_new(&value->arena);
    value->sampling = schedule->sampling ? schedule->sampling : &value->own_sampling;
    value->progress.sampling = value->sampling;
    value->progress.result = &value->result;
    value->progress.counts = (struct event_counts){.arena = &value->arena, .target = schedule->bench->target};
    progress_start(&value->progress, schedule->bench, &schedule->codes[index], schedule->corunner);
    value->progress.is_search = schedule->is_search;
    return value;
}

static void value_free(struct value *value) {
    struct arena arena = value->arena;
    arena_free(&arena);
}

// Makes a value active. The caller has checked that there is room.
static bool admit(struct schedule *schedule, size_t index, struct fail *fail) {
    struct value *value = value_new(schedule, index);
    schedule->active[schedule->n_active++] = value;
    return choose_iterations(&value->progress, fail);
}

// Keeps the medians of a value's checks, with which later levels are compared.
static void keep_checks(struct schedule *schedule, const struct value *value) {
    struct level_check *done = &schedule->done[value->index];
    struct sampling *sampling = value->sampling;
    *done = (struct level_check){.is_outdated = false};
    if (value->progress.result->verdict == MEASURED_UNSTABLE || !sampling->n_kept)
        return;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        size_t offset = offsetof(struct sample, checks) + i * sizeof(double);
        done->cycles[i] = statistics_median(sampling_sorted(sampling, offset), sampling->n_kept);
    }
}

static bool report(const struct schedule *schedule, size_t index, struct fail *fail) {
    const struct bench_listener *listener = schedule->listener;
    return !listener || listener->done(listener->context, index, fail);
}

// Concludes, reports and removes the finished values.
static bool reap(struct schedule *schedule, struct fail *fail) {
    size_t n = schedule->n_active;
    bool is_good = true;
    schedule->n_active = 0;
    for (size_t i = 0; i < n; i++) {
        struct value *value = schedule->active[i];
        if (!value->progress.is_finished) {
            schedule->active[schedule->n_active++] = value;
            continue;
        }
        progress_conclude(&value->progress);
        schedule->results[value->index] = value->result;
        keep_checks(schedule, value);
        is_good = is_good && report(schedule, value->index, fail);
        value_free(value);
    }
    return is_good;
}

// Chooses active values that may begin now, can share a process, and count the same events. Returns their number.
static unsigned pick(struct schedule *schedule, uint64_t now_ns, bool respects_preference, unsigned most,
                     struct value **chosen) {
    unsigned n = 0;
    for (size_t i = 0; i < schedule->n_active && n < most; i++) {
        struct value *value = schedule->active[(schedule->first + i) % schedule->n_active];
        const struct progress *progress = &value->progress;
        bool fits = n == 0 || (!progress->is_alone && !chosen[0]->progress.is_alone &&
                               progress->job.code->process_set == chosen[0]->progress.job.code->process_set &&
                               progress_next_group(progress) == progress_next_group(&chosen[0]->progress));
        if (fits && !progress->is_finished && progress->due_ns <= now_ns &&
            (!respects_preference || progress->preferred_ns <= now_ns))
            chosen[n++] = value;
    }
    return n;
}

// Returns how many values may share a process. While a neighbour spoils everything, it is one, which tests whether the
// neighbour is still busy.
static unsigned width_of(const struct schedule *schedule) {
    return schedule->n_dirty > 0 && can_wait(schedule) ? 1 : BENCH_MOST_TOGETHER;
}

// Chooses the values of the next process; none where none is due yet.
static bool choose(struct schedule *schedule, uint64_t now_ns, struct value **chosen, unsigned *n, struct fail *fail) {
    unsigned most = width_of(schedule);
    *n = 0;
    if (schedule->hold_ns > now_ns && can_wait(schedule))
        return true;
    size_t room = MOST_ACTIVE - schedule->n_active, left = schedule->n - schedule->n_admitted;
    *n = pick(schedule, now_ns, true, most, chosen);
    for (size_t missing = most - *n; missing > 0 && room > 0 && left > 0; missing--, room--, left--)
        if (!admit(schedule, schedule->n_admitted++, fail))
            return false;
    *n = pick(schedule, now_ns, true, most, chosen);
    if (*n == 0)
        *n = pick(schedule, now_ns, false, most, chosen);
    return true;
}

// Adds the time of a process to its values: each has that of its job, and an equal part of the rest.
static void share_time(struct value *const *chosen, unsigned n, uint64_t all_ns) {
    double process_ns = (double)all_ns;
    for (unsigned i = 0; i < n; i++)
        process_ns -= (double)chosen[i]->progress.job.ns;
    for (unsigned i = 0; i < n; i++) {
        struct progress *progress = &chosen[i]->progress;
        double ms = ((double)progress->job.ns + fmax(0, process_ns) / n) / 1e6;
        progress->spent_ms += ms;
        progress->round_ms = ms / (progress->job.n_rounds + progress->job.n_warmup);
    }
}

// Whether the value runs again only because of a neighbour.
static bool is_retry(const struct progress *progress) {
    return progress->n_dirty > 0 || progress->n_meetings > 0;
}

static void judge_all_again(struct schedule *schedule) {
    for (size_t i = 0; i < schedule->n_active; i++)
        sampling_judge_again(schedule->active[i]->sampling, schedule->bench, schedule->active[i]->progress.job.code);
    for (size_t i = 0; i < schedule->n_admitted; i++) {
        struct level_check *done = &schedule->done[i];
        if (done->is_outdated || checks_medians_agree(schedule->bench, &schedule->codes[i], done->cycles))
            continue;
        *done = (struct level_check){.is_outdated = true};
        schedule->n_outdated++;
    }
}

// Makes values active again whose level has changed, as many as there is room for.
static bool admit_outdated(struct schedule *schedule, struct fail *fail) {
    for (size_t i = 0; schedule->n_outdated > 0 && schedule->n_active < MOST_ACTIVE && i < schedule->n_admitted; i++) {
        if (!schedule->done[i].is_outdated)
            continue;
        schedule->done[i].is_outdated = false;
        schedule->n_outdated--;
        if (!admit(schedule, i, fail))
            return false;
    }
    return true;
}

static void end(struct progress *progress, enum bench_outcome outcome) {
    progress->result->outcome = outcome;
    progress->is_finished = true;
}

// Updates the waiting times after a process. Where a round was good, waiting values become due. Otherwise the next
// process must wait, longer each time.
static void note_quiet(struct schedule *schedule, struct value *const *chosen, unsigned n, uint64_t now_ns) {
    bool is_dirty = true;
    for (unsigned i = 0; i < n; i++)
        is_dirty = is_dirty && chosen[i]->progress.n_dirty > 0;
    if (is_dirty) {
        unsigned doublings = schedule->n_dirty < MOST_DOUBLINGS ? schedule->n_dirty : MOST_DOUBLINGS;
        schedule->n_dirty++;
        schedule->hold_ns = now_ns + (SHORTEST_HOLD_NS << doublings);
        schedule->first = schedule->n_active ? (schedule->first + 1) % schedule->n_active : 0;
        return;
    }
    for (size_t i = 0; i < schedule->n_active && schedule->n_dirty > 0; i++)
        if (schedule->active[i]->progress.n_dirty > 0)
            schedule->active[i]->progress.due_ns = now_ns;
    schedule->n_dirty = 0;
    schedule->hold_ns = 0;
}

// Ends a value whose process did not end well. With several values, the one at fault and its effects on the others are
// unknown: each starts again in processes without others.
static void take_bad_outcome(struct value *const *chosen, unsigned n, enum bench_outcome outcome) {
    for (unsigned i = 0; i < n; i++)
        if (n == 1 || outcome == BENCH_STARVED) // starved: no value is at fault
            end(&chosen[i]->progress, outcome);
        else
            progress_restart_alone(&chosen[i]->progress);
}

static void take_rounds(struct schedule *schedule, struct value *const *chosen, unsigned n, uint64_t start_ns) {
    const struct target_job *jobs[BENCH_MOST_TOGETHER];
    uint64_t now_ns = measure_now_ns(schedule->bench->target);
    for (unsigned i = 0; i < n; i++)
        jobs[i] = &chosen[i]->progress.job;
    bool is_news = !schedule->corunner && !schedule->bench->has_no_window && checks_learn(schedule->bench, jobs, n);
    for (unsigned i = 0; i < n; i++)
        progress_take(&chosen[i]->progress, start_ns);
    if (is_news)
        judge_all_again(schedule);
    for (unsigned i = 0; i < n; i++)
        if (jobs[i]->outcome != BENCH_OK)
            end(&chosen[i]->progress, jobs[i]->outcome);
        else
            progress_decide(&chosen[i]->progress, now_ns, can_wait(schedule));
    note_quiet(schedule, chosen, n, now_ns);
}

static bool run_process(struct schedule *schedule, struct value *const *chosen, unsigned n, struct fail *fail) {
    struct target *target = schedule->bench->target;
    struct target_job jobs[BENCH_MOST_TOGETHER];
    struct target_round rounds[BENCH_MOST_TOGETHER][PROGRESS_MOST_ROUNDS];
    enum bench_outcome outcome = BENCH_OK;
    bool are_retries = true;
    for (unsigned i = 0; i < n; i++) {
        struct progress *progress = &chosen[i]->progress;
        progress->job.group = progress_next_group(progress);
        progress->job.n_rounds = progress_next_rounds(progress);
        progress->job.rounds = rounds[i];
        jobs[i] = progress->job;
        are_retries = are_retries && is_retry(progress);
    }
    uint64_t start_ns = measure_now_ns(target);
    if (!bursts_run(schedule->bench, jobs, n, &outcome, fail))
        return false;
    uint64_t all_ns = measure_now_ns(target) - start_ns;
    for (unsigned i = 0; i < n; i++)
        chosen[i]->progress.job = jobs[i];
    if (are_retries)
        charge(schedule->bench, all_ns);
    share_time(chosen, n, all_ns);
    if (outcome == BENCH_OK)
        take_rounds(schedule, chosen, n, start_ns);
    else
        take_bad_outcome(chosen, n, outcome);
    return true;
}

// Waits until a value is due.
static void wait_for_due(struct schedule *schedule) {
    struct bench *bench = schedule->bench;
    uint64_t now_ns = measure_now_ns(bench->target), wake_ns = UINT64_MAX;
    bool is_for_retry = false;
    for (size_t i = 0; i < schedule->n_active; i++) {
        const struct progress *progress = &schedule->active[i]->progress;
        if (progress->due_ns < wake_ns) {
            wake_ns = progress->due_ns;
            is_for_retry = is_retry(progress);
        }
    }
    if (wake_ns < schedule->hold_ns && can_wait(schedule)) {
        wake_ns = schedule->hold_ns;
        is_for_retry = true;
    }
    const struct bench_listener *listener = schedule->listener;
    if (is_for_retry && listener && listener->waiting)
        listener->waiting(listener->context, schedule->n_active + schedule->n - schedule->n_admitted,
                          bench->retry_ms / 1e3);
    measure_wait(bench, wake_ns > now_ns ? wake_ns - now_ns : 0, is_for_retry);
}

// Ends all values on the user's request to stop.
static bool stop(struct schedule *schedule, struct fail *fail) {
    bool is_good = true;
    for (size_t i = 0; i < schedule->n_active; i++)
        end(&schedule->active[i]->progress, BENCH_STOPPED);
    for (; schedule->n_admitted < schedule->n && is_good; schedule->n_admitted++) {
        schedule->results[schedule->n_admitted] = (struct bench_measurement){
            .outcome = BENCH_STOPPED, .verdict = MEASURED_UNSTABLE, .why = bench_outcome_name(BENCH_STOPPED)};
        is_good = report(schedule, schedule->n_admitted, fail);
    }
    return reap(schedule, fail) && is_good;
}

static bool run_all(struct schedule *schedule, struct fail *fail) {
    struct value *chosen[BENCH_MOST_TOGETHER];
    unsigned n;
    while (schedule->n_active > 0 || schedule->n_admitted < schedule->n || schedule->n_outdated > 0) {
        if (measure_is_stopped(schedule->bench))
            return stop(schedule, fail);
        if (!admit_outdated(schedule, fail) ||
            !choose(schedule, measure_now_ns(schedule->bench->target), chosen, &n, fail))
            return false;
        if (n > 0 && !run_process(schedule, chosen, n, fail))
            return false;
        if (!reap(schedule, fail))
            return false;
        if (n == 0 && schedule->n_active > 0)
            wait_for_due(schedule);
    }
    return true;
}

static bool measure(struct schedule *schedule, struct fail *fail) {
    struct arena scratch = {0};
    schedule->active = ARENA_ARRAY(&scratch, struct value *, MOST_ACTIVE);
    schedule->done = ARENA_ARRAY(&scratch, struct level_check, schedule->n + 1);
    bool is_done = run_all(schedule, fail);
    for (size_t i = 0; i < schedule->n_active; i++)
        value_free(schedule->active[i]);
    arena_free(&scratch);
    return is_done;
}

bool measure_samples(struct bench *bench, const struct bench_code *code, bool is_search, struct sampling *sampling,
                     struct bench_measurement *result, struct fail *fail) {
    struct schedule schedule = {
        .bench = bench, .codes = code, .results = result, .n = 1, .sampling = sampling, .is_search = is_search};
    return measure(&schedule, fail);
}

bool measure_codes(struct bench *bench, const struct bench_code *codes, const struct bench_code *corunner,
                   struct bench_measurement *results, size_t n, const struct bench_listener *listener,
                   struct fail *fail) {
    struct schedule schedule = {
        .bench = bench, .codes = codes, .corunner = corunner, .results = results, .n = n, .listener = listener};
    return measure(&schedule, fail);
}
