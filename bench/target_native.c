// Target "native": this machine's own CPU. Each batch runs in a fresh child process (fresh pages, fresh page tables:
// a replicate, not only more of the same), pinned to one CPU.
#include "bench/counters.h"
#include "bench/host_files.h"
#include "bench/native_rounds.h"
#include "bench/sandbox.h"
#include "bench/timer.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct native {
    struct target target; // first: what the callers hold points here
    int cpu;
    struct counters counters;
};

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
    case NATIVE_DONE:
        break;
    }
    return true;
}

static bool native_run(struct target *target, const struct target_job *job, struct target_round *rounds,
                       unsigned *n_done, enum bench_outcome *outcome, struct fail *fail) {
    struct native *native = (struct native *)target;
    size_t size = sizeof(struct native_results) + job->n_rounds * sizeof *rounds;
    struct native_results *results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED)
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
    *outcome = BENCH_KILLED;
    bool is_done = sandbox_run(native_rounds_run, &batch, job->timeout_seconds, outcome, &status, fail);
    if (is_done && *outcome == BENCH_OK && results->error_number)
        is_done = explain_status(native, (enum native_status)status, results->error_number, fail);
    // The code under test could have written anything here, and could have left by itself.
    *n_done = results->n_done <= job->n_rounds ? results->n_done : 0;
    memcpy(rounds, results->rounds, *n_done * sizeof *rounds);
    if (*outcome == BENCH_OK && (status != NATIVE_DONE || *n_done < job->n_rounds))
        *outcome = BENCH_KILLED;
    munmap(results, size);
    return is_done;
}

static void native_close(struct target *target) {
    (void)target; // all of it is in the arena
}

struct target *target_native_open(struct arena *arena, int cpu, const struct target_wish *wish, struct fail *fail) {
    static const struct target_ops ops = {"native", native_run, native_close};
    struct native *native = ARENA_NEW(arena, struct native);
    if (!host_choose_cpu(arena, cpu, &native->cpu, fail))
        return NULL;
    native->target = (struct target){
        .ops = &ops,
        .description = "native",
        .timer = TIMER_NAME,
        .ticks_per_second = timer_ticks_per_second(),
        .counters_note = "not asked for",
        .user_reads_note = "not asked for",
        .timer_step = timer_step(),
    };
    if (wish->clock != CLOCK_RATIO &&
        !counters_prepare(arena, native->cpu, wish, &native->counters, &native->target, fail))
        return NULL;
    return &native->target;
}
