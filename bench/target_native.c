// Target "native": this machine's own CPU. Each batch runs in a fresh child process (fresh pages, fresh page tables:
// a replicate, not only more of the same), pinned to one CPU.
#include "bench/counters.h"
#include "bench/host_files.h"
#include "bench/host_load.h"
#include "bench/native_rounds.h"
#include "bench/sandbox.h"
#include "bench/timer.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

struct native {
    struct target target; // first: what the callers hold points here
    int cpu;
    struct host_watch watch; // of the core's other threads
    struct counters counters;
};

// Of the time that a batch may take, until the code must have come back from its first iterations.
enum { BEGIN_SHARE = 8 };

static bool explain_status(const struct native *native, enum native_status status, int error, struct fail *fail) {
    switch (status) {
    case NATIVE_CANNOT_MAP:
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot make memory executable here: %s", strerror(error));
    case NATIVE_CANNOT_PIN:
        return fail_set(fail, FAIL_UNAVAILABLE, "cannot run on CPU %d: %s; choose another", native->cpu,
                        strerror(error));
    case NATIVE_CANNOT_COUNT:
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "the hardware counters were lost while measuring (%s): stop other users of them, or take the "
                        "ratio clock",
                        strerror(error));
    case NATIVE_CANNOT_SEAL:
        return fail_set(fail, FAIL_WORK, "cannot close the sandbox that code runs in: %s", strerror(error));
    case NATIVE_DONE:
        break;
    }
    return true;
}

// The results, one batch long, in memory shared with the child; null without memory.
static struct native_results *map_results(unsigned n_rounds, size_t *size) {
    *size = sizeof(struct native_results) + (n_rounds + 1) * sizeof(struct target_round); // one more: the last canary
    struct native_results *results = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED)
        return NULL;
    if (getrandom(&results->canary, sizeof results->canary, GRND_NONBLOCK) < 0)
        results->canary = timer_read() | 1;
    memcpy(&results->rounds[n_rounds], &results->canary, sizeof results->canary);
    return results;
}

// Foreign code ran beside the results and could have written anything there. What it did by accident mostly shows.
static bool are_intact(const struct native_results *results, uint64_t canary, unsigned n_rounds) {
    return results->canary == canary && memcmp(&results->rounds[n_rounds], &canary, sizeof canary) == 0 &&
           results->n_done <= n_rounds;
}

// What runs beside the code; null without memory.
static struct native_beside *map_beside(const struct target_job *job) {
    struct native_beside *beside =
        mmap(NULL, sizeof *beside, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (beside == MAP_FAILED)
        return NULL;
    beside->code = job->beside;
    beside->cpu = job->beside_cpu;
    beside->limit_seconds = job->timeout_seconds + 1;
    beside->canary = beside->canary_behind = timer_read() | 1;
    return beside;
}

// How it ended is the batch's outcome, if it did not end well. It may be slow to come back where its CPU is taken.
static bool end_beside(struct native_beside *beside, const struct sandbox_job *job, const struct sandbox_child *child,
                       uint64_t canary, enum bench_outcome *outcome, struct fail *fail) {
    enum bench_outcome ended = BENCH_OK;
    int status = 0;
    __atomic_store_n(&beside->order, BESIDE_END, __ATOMIC_RELEASE);
    bool is_done = sandbox_finish(job, child, &ended, &status, fail);
    if (is_done && ended == BENCH_OK && beside->error_number)
        is_done = fail_set(fail, FAIL_UNAVAILABLE, "nothing can run beside, on CPU %d: %s; choose another", beside->cpu,
                           strerror(beside->error_number));
    if (ended == BENCH_OK && (beside->canary != canary || beside->canary_behind != canary))
        ended = BENCH_OVERWROTE;
    if (*outcome == BENCH_OK)
        *outcome = ended;
    return is_done;
}

// Runs the batch, and beside it, where there is something, the other child.
static bool run_children(const struct target_job *job, const struct sandbox_job *measuring, struct native_batch *batch,
                         enum bench_outcome *outcome, int *status, struct fail *fail) {
    if (!job->beside)
        return sandbox_run(measuring, outcome, status, fail);
    struct native_beside *beside = batch->beside = map_beside(job);
    if (!beside)
        return fail_set(fail, FAIL_WORK, "no memory for two processes: %s", strerror(errno));
    uint64_t canary = beside->canary;
    struct sandbox_job other = {
        .body = native_beside_run,
        .context = beside,
        .note = &beside->note,
        .timeout_seconds = job->timeout_seconds,
    };
    struct sandbox_child child;
    bool is_started = sandbox_start(&other, &child, fail);
    bool is_done = is_started && sandbox_run(measuring, outcome, status, fail);
    is_done = is_started && end_beside(beside, &other, &child, canary, outcome, fail) && is_done;
    munmap(beside, sizeof *beside);
    return is_done;
}

static bool native_run(struct target *target, const struct target_job *job, struct target_round *rounds,
                       unsigned *n_done, enum bench_outcome *outcome, struct fail *fail) {
    struct native *native = (struct native *)target;
    size_t size;
    struct native_results *results = map_results(job->n_rounds, &size);
    if (!results)
        return fail_set(fail, FAIL_WORK, "no memory for %u rounds: %s", job->n_rounds, strerror(errno));
    bool is_counted = job->clock == CLOCK_PERF || job->clock == CLOCK_RDPMC;
    assert(!is_counted || job->group < native->counters.n_groups);
    struct native_batch batch = {
        .job = job,
        .cpu = native->cpu,
        .group = is_counted ? &native->counters.groups[job->group] : NULL,
        .is_read_by_user = job->clock == CLOCK_RDPMC,
        .results = results,
    };
    int status = 0;
    uint64_t canary = results->canary;
    *outcome = BENCH_KILLED;
    struct sandbox_job child = {
        .body = native_rounds_run,
        .context = &batch,
        .note = &results->note,
        .timeout_seconds = job->timeout_seconds,
        .has_begun = &results->has_begun,
        .begin_seconds = job->timeout_seconds / BEGIN_SHARE,
    };
    bool is_done = run_children(job, &child, &batch, outcome, &status, fail);
    if (is_done && *outcome == BENCH_OK && results->error_number)
        is_done = explain_status(native, (enum native_status)status, results->error_number, fail);
    bool is_intact = are_intact(results, canary, job->n_rounds);
    *n_done = is_intact ? results->n_done : 0;
    memcpy(rounds, results->rounds, *n_done * sizeof *rounds);
    bool has_busy_sibling = !job->shares_core && host_watch_busy(&native->watch) > HOST_WATCH_BUSY;
    for (unsigned i = 0; i < *n_done; i++)
        rounds[i].has_busy_sibling = has_busy_sibling;
    if (is_intact && results->priority <= HOST_PRIORITY_FIFO)
        target->scheduling = host_priority_name(results->priority);
    if (job->choose)
        *job->choose = results->lengths;
    if (*outcome == BENCH_OK && !is_intact)
        *outcome = BENCH_OVERWROTE;
    else if (*outcome == BENCH_OK && (status != NATIVE_DONE || *n_done < job->n_rounds))
        *outcome = BENCH_KILLED;
    munmap(results, size);
    return is_done;
}

static void native_close(struct target *target) {
    (void)target; // all of it is in the arena
}

struct target *target_native_open(struct arena *arena, int cpu, const struct target_wish *wish, struct fail *fail) {
    static const struct target_ops ops = {.name = "native", .run = native_run, .close = native_close};
    struct native *native = ARENA_NEW(arena, struct native);
    if (!host_choose_cpu(arena, cpu, &native->cpu, fail))
        return NULL;
    host_watch_start(&native->watch, native->cpu);
    native->target = (struct target){
        .ops = &ops,
        .description = "native",
        .timer = TIMER_NAME,
        .ticks_per_second = timer_ticks_per_second(),
        .counters_note = "not asked for",
        .user_reads_note = "not asked for",
        .timer_step = timer_step(),
        .can_choose = true,
    };
    if (bench_clock_counts(wish->clock) &&
        !counters_prepare(arena, native->cpu, wish, &native->counters, &native->target, fail))
        return NULL;
    return &native->target;
}
