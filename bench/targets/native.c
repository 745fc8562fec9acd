// Target "native": this machine's CPU. Each batch runs in a new child process, pinned to one CPU. New pages and page
// tables make it a replicate, not only more rounds of the same.
#include "bench/counters/counters.h"
#include "bench/host/choose.h"
#include "bench/host/load.h"
#include "bench/host/timer.h"
#include "bench/sandbox/nursery.h"
#include "bench/sandbox/sandbox.h"
#include "bench/targets/native_rounds.h"
#include "bench/targets/native_watch.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/random.h>

struct native {
    struct target target; // first: callers hold a pointer to it
    int cpu;
    struct host_watch watch; // watch of the core's other threads
    struct counters counters;
};

// A round may take one part in STEP_SHARE of its job's time. So code that never returns does not use up the time of
// many rounds.
enum { STEP_SHARE = 8 };

// Longest time that a child waits for a busy CPU: longer than the time-out of code that another session measures there.
static const double patience_seconds = 10;

static bool explain_status(const struct native *native, enum native_status status, int error, struct fail *fail) {
    switch (status) {
    case NATIVE_CANNOT_MAP:
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot make memory executable here: %s", sandbox_map_error(error));
    case NATIVE_CANNOT_PIN:
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot run on CPU %d: %s; choose another", native->cpu,
                        strerror(error));
    case NATIVE_CANNOT_COUNT:
        return fail_set(
            fail, FAIL_UNAVAILABLE,
            "the hardware counters were lost while measuring (%s): stop other users of them, or use --clock ratio",
            strerror(error));
    case NATIVE_CANNOT_SEAL:
        return fail_set(fail, FAIL_WORK, "cannot close the sandbox that code runs in: %s", strerror(error));
    case NATIVE_DONE:
        break;
    }
    return true;
}

static unsigned count_rounds(const struct target_job *jobs, unsigned n_jobs) {
    unsigned n = 0;
    for (unsigned i = 0; i < n_jobs; i++)
        n += jobs[i].n_rounds;
    return n;
}

// Returns room for the results of a batch, in memory shared with the child; null without memory.
static struct native_results *make_results(unsigned n_rounds) {
    // The last canary takes the place of one more round.
    struct native_results *results =
        nursery_alloc(sizeof(struct native_results) + (n_rounds + 1) * sizeof(struct target_round));
    if (!results)
        return NULL;
    memset(results, 0, sizeof *results); // the child clears the rounds
    if (getrandom(&results->canary, sizeof results->canary, GRND_NONBLOCK) < 0)
        results->canary = timer_read() | 1;
    memcpy(&results->rounds[n_rounds], &results->canary, sizeof results->canary);
    return results;
}

// Whether one of the jobs has this check.
static bool is_checked(const struct native_batch *batch, unsigned check) {
    for (unsigned i = 0; i < batch->n_jobs; i++)
        if (batch->jobs[i].checks[check].n_long)
            return true;
    return false;
}

// Returns a copy of the batch for the child, all of it in shared memory; null without memory.
static struct native_batch *share_batch(const struct native_batch *batch) {
    struct native_batch *shared = nursery_alloc(sizeof *shared);
    struct target_job *jobs = nursery_alloc(batch->n_jobs * sizeof *jobs);
    struct perf_group *group = nursery_alloc(sizeof *group);
    if (!shared || !jobs || !group)
        return NULL;
    *shared = *batch;
    shared->jobs = jobs;
    memcpy(jobs, batch->jobs, batch->n_jobs * sizeof *jobs);
    if (batch->group) {
        *group = *batch->group;
        shared->group = group;
    }
    const struct bench_code *reference = nursery_copy_code(jobs->reference), *checks[BENCH_N_CHECKS];
    bool has_memory = reference != NULL;
    for (unsigned c = 0; c < BENCH_N_CHECKS; c++) {
        bool is_wanted = is_checked(batch, c);
        checks[c] = is_wanted ? nursery_copy_code(jobs->checks[c].code) : NULL;
        has_memory = has_memory && (checks[c] || !is_wanted);
    }
    for (unsigned i = 0; i < batch->n_jobs && has_memory; i++) {
        jobs[i].reference = reference;
        for (unsigned c = 0; c < BENCH_N_CHECKS; c++)
            jobs[i].checks[c].code = checks[c];
        jobs[i].code = nursery_copy_code(jobs[i].code);
        has_memory = jobs[i].code != NULL;
    }
    return has_memory ? shared : NULL;
}

// Foreign code ran in the same process and may have overwritten the results. The canaries show most accidents.
static bool are_intact(const struct native_results *results, uint64_t canary, unsigned n_rounds) {
    return results->canary == canary && memcmp(&results->rounds[n_rounds], &canary, sizeof canary) == 0;
}

// Returns the co-runner of a job; null without memory.
static struct native_corunner *make_corunner(const struct target_job *job) {
    struct native_corunner *corunner = nursery_alloc(sizeof *corunner);
    const struct bench_code *code = nursery_copy_code(job->corunner);
    if (!corunner || !code)
        return NULL;
    memset(corunner, 0, sizeof *corunner);
    corunner->code = code;
    corunner->cpu = job->corunner_cpu;
    corunner->limit_seconds = job->timeout_seconds + 1;
    corunner->canary = corunner->canary_behind = timer_read() | 1;
    return corunner;
}

// Ends the co-runner. If it did not end well, its outcome becomes the batch's. It may take long where its CPU is busy.
static bool end_corunner(struct native_corunner *corunner, const struct sandbox_job *job,
                         const struct sandbox_child *child, uint64_t canary, enum bench_outcome *outcome,
                         struct fail *fail) {
    enum bench_outcome ended = BENCH_OK;
    int status = 0;
    __atomic_store_n(&corunner->order, CORUNNER_END, __ATOMIC_RELEASE);
    bool is_done = sandbox_finish(job, child, &ended, &status, fail);
    if (is_done && ended == BENCH_OK && corunner->error_number)
        is_done = fail_set(fail, FAIL_UNAVAILABLE, "the co-runner cannot run on CPU %d: %s; choose another",
                           corunner->cpu, strerror(corunner->error_number));
    if (ended == BENCH_OK && (corunner->canary != canary || corunner->canary_behind != canary))
        ended = BENCH_OVERWROTE;
    if (*outcome == BENCH_OK)
        *outcome = ended;
    return is_done;
}

// Runs the batch and, where the job has one, the co-runner in another child.
static bool run_children(const struct target_job *job, const struct sandbox_job *measuring, struct native_batch *batch,
                         enum bench_outcome *outcome, int *status, struct fail *fail) {
    if (!job->corunner)
        return sandbox_run(measuring, outcome, status, fail);
    struct native_corunner *corunner = batch->corunner;
    uint64_t canary = corunner->canary;
    struct sandbox_job other = {
        .body = native_corunner_run,
        .context = corunner,
        .note = &corunner->note,
        .is_in_nursery = true,
        .timeout_seconds = fmax(patience_seconds, job->timeout_seconds), // from CORUNNER_END on
    };
    struct sandbox_child child;
    bool is_started = sandbox_start(&other, &child, fail);
    bool is_done = is_started && sandbox_run(measuring, outcome, status, fail);
    return is_started && end_corunner(corunner, &other, &child, canary, outcome, fail) && is_done;
}

// Copies the child's results to the jobs. Returns false where they are not complete.
static bool take_results(const struct native_results *results, struct target_job *jobs, unsigned n_jobs,
                         bool has_busy_sibling) {
    const struct target_round *rounds = results->rounds;
    bool is_complete = true;
    for (unsigned i = 0; i < n_jobs; i++) {
        const struct native_job_results *done = &results->jobs[i];
        struct target_job *job = &jobs[i];
        job->n_done = done->n_done <= job->n_rounds ? done->n_done : 0;
        memcpy(job->rounds, rounds, job->n_done * sizeof *rounds);
        for (unsigned r = 0; r < job->n_done; r++)
            job->rounds[r].has_busy_sibling = has_busy_sibling;
        job->code_short = done->lengths.n_short;
        job->code_long = done->lengths.n_long;
        job->code_calls = done->lengths.n_calls;
        job->ns = done->ns;
        bool is_one = done->outcome > BENCH_OK && done->outcome < BENCH_N_OUTCOMES;
        job->outcome = is_one ? (enum bench_outcome)done->outcome : BENCH_OK;
        job->seen = done->seen;
        // Without lengths, the timer stands still.
        is_complete = is_complete && (job->n_done == job->n_rounds || !job->code_long || job->outcome != BENCH_OK);
        rounds += job->n_rounds;
    }
    return is_complete;
}

static void forget_results(struct target_job *jobs, unsigned n_jobs) {
    for (unsigned i = 0; i < n_jobs; i++) {
        jobs[i].n_done = 0;
        jobs[i].ns = 0;
        jobs[i].outcome = BENCH_OK;
        jobs[i].seen = (struct bench_seen){0};
    }
}

// Takes the note's reason where the code ended the process. With several jobs, the one at fault is unknown.
static void take_fault(const struct native_results *results, struct target_job *jobs, unsigned n_jobs) {
    if (n_jobs == 1 && results->note.fault.is_known)
        jobs->seen.fault = results->note.fault;
}

static bool run_in_child(struct native *native, struct native_batch *batch, struct target_job *jobs,
                         enum bench_outcome *outcome, struct fail *fail) {
    struct native_results *results = batch->results;
    double timeout_seconds = jobs->timeout_seconds * batch->n_jobs;
    struct sandbox_job child = {
        .body = native_rounds_run,
        .context = batch,
        .note = &results->note,
        .is_in_nursery = true,
        .timeout_seconds = timeout_seconds,
        .n_steps = &results->n_steps,
        .step_seconds = jobs->timeout_seconds / STEP_SHARE,
        .patience_seconds = fmax(patience_seconds, 2 * jobs->timeout_seconds),
    };
    int status = 0;
    uint64_t canary = results->canary;
    *outcome = BENCH_KILLED;
    bool is_done = run_children(jobs, &child, batch, outcome, &status, fail);
    // Without counters, only code that overwrote the harness can cause this status.
    if (is_done && *outcome == BENCH_OK && status == NATIVE_CANNOT_COUNT && !batch->group)
        *outcome = BENCH_OVERWROTE;
    if (is_done && *outcome == BENCH_OK && results->error_number)
        is_done = explain_status(native, (enum native_status)status, results->error_number, fail);
    if (!are_intact(results, canary, count_rounds(jobs, batch->n_jobs))) {
        forget_results(jobs, batch->n_jobs);
        if (*outcome == BENCH_OK)
            *outcome = BENCH_OVERWROTE;
        return is_done;
    }
    bool has_busy_sibling = !jobs->shares_core && host_watch_busy(&native->watch) > HOST_WATCH_BUSY;
    bool is_complete = take_results(results, jobs, batch->n_jobs, has_busy_sibling);
    if (results->priority <= HOST_PRIORITY_FIFO)
        native->target.scheduling = host_priority_name(results->priority);
    if (*outcome == BENCH_OK && (status != NATIVE_DONE || !is_complete))
        *outcome = BENCH_KILLED;
    if (*outcome != BENCH_OK)
        take_fault(results, jobs, batch->n_jobs);
    return is_done;
}

static bool run_shared(struct native *native, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                       struct fail *fail) {
    bool is_counted = jobs->clock == CLOCK_PERF || jobs->clock == CLOCK_RDPMC;
    assert(n_jobs >= 1 && n_jobs <= BENCH_MOST_TOGETHER);
    assert(!is_counted || jobs->group < native->counters.n_groups);
    const struct native_batch batch = {
        .jobs = jobs,
        .n_jobs = n_jobs,
        .cpu = native->cpu,
        .group = is_counted ? &native->counters.groups[jobs->group] : NULL,
        .is_read_by_user = jobs->clock == CLOCK_RDPMC,
        .corunner = jobs->corunner ? make_corunner(jobs) : NULL,
        .results = make_results(count_rounds(jobs, n_jobs)),
    };
    struct native_batch *shared = share_batch(&batch);
    if (!batch.results || !shared || (jobs->corunner && !batch.corunner))
        return fail_set(fail, FAIL_WORK, "no memory for %u rounds: %s", count_rounds(jobs, n_jobs), strerror(errno));
    return run_in_child(native, shared, jobs, outcome, fail);
}

static bool native_run(struct target *target, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                       struct fail *fail) {
    bool is_done = run_shared((struct native *)target, jobs, n_jobs, outcome, fail);
    nursery_free_all();
    return is_done;
}

#if defined(__x86_64__) || defined(__aarch64__)
static bool watch_gaps(struct target *target, struct target_watch *watch, struct fail *fail) {
    return native_watch(((struct native *)target)->cpu, target->ticks_per_second, target->timer_step, watch, fail);
}
#else // a call of the system for each reading hides gaps
#define watch_gaps NULL
#endif

struct target *target_native_open(struct arena *arena, int cpu, const struct target_request *request,
                                  struct fail *fail) {
    static const struct target_ops ops = {.name = "native", .run = native_run, .watch = watch_gaps};
    struct native *native = ARENA_NEW(arena, struct native);
    if (!host_choose_cpu(arena, cpu, &native->cpu, fail))
        return NULL;
    host_watch_start(&native->watch, native->cpu);
    native->target = (struct target){
        .ops = &ops,
        .description = "native",
        .corunner_error = NATIVE_CORUNNER_ERROR,
        .timer = TIMER_NAME,
        .ticks_per_second = timer_ticks_per_second(),
        .counters_note = "not asked for",
        .user_reads_note = "not asked for",
        .timer_step = timer_step(),
        .can_choose = true,
    };
    if (bench_clock_counts(request->clock) &&
        !counters_prepare(arena, native->cpu, request, &native->counters, &native->target, fail))
        return NULL;
    return &native->target;
}
