#include "bench/native_rounds.h"

#include "bench/code_memory.h"
#include "bench/timer.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// The child's view of the job.
struct runner {
    code_function code, reference, checks[BENCH_N_CHECKS]; // a check may be null: left out
    void *memory;
    const struct perf_group_open *counters; // null: none
};

static int time_code(const struct runner *runner, code_function function, uint64_t iterations,
                     struct target_sample *sample) {
    uint64_t before[TARGET_MAX_COUNTERS] = {0}, after[TARGET_MAX_COUNTERS] = {0};
    int error = runner->counters ? perf_group_read(runner->counters, before) : 0;
    uint64_t start = timer_read();
    function(iterations, runner->memory);
    sample->ticks = timer_read() - start;
    if (runner->counters && !error)
        error = perf_group_read(runner->counters, after);
    for (unsigned i = 0; i < TARGET_MAX_COUNTERS; i++)
        sample->counters[i] = after[i] - before[i];
    return error;
}

// The short run, then the long one; nothing where there is no function.
static int time_pair(const struct runner *runner, code_function function, const uint64_t iterations[2],
                     struct target_sample samples[2]) {
    if (!function)
        return 0;
    int error = time_code(runner, function, iterations[0], &samples[0]);
    return error ? error : time_code(runner, function, iterations[1], &samples[1]);
}

static int time_check(const struct runner *runner, const struct target_job *job, enum bench_check check,
                      struct target_round *round) {
    const uint64_t iterations[2] = {job->checks[check].n_short, job->checks[check].n_long};
    return time_pair(runner, runner->checks[check], iterations, round->checks[check]);
}

static int run_round(const struct runner *runner, const struct target_job *job, struct target_round *round) {
    const uint64_t reference_iterations[2] = {job->reference_short, job->reference_long};
    const uint64_t code_iterations[2] = {job->code_short, job->code_long};
    struct target_sample code_samples[2] = {{0}};
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    int cpu = sched_getcpu();

    int error = time_pair(runner, runner->reference, reference_iterations, round->reference_before);
    error = error ? error : time_check(runner, job, CHECK_MULTIPLY, round);
    error = error ? error : time_pair(runner, runner->code, code_iterations, code_samples);
    error = error ? error : time_check(runner, job, CHECK_ISSUE, round);
    error = error ? error : time_pair(runner, runner->reference, reference_iterations, round->reference_after);

    round->migrations = sched_getcpu() != cpu;
    getrusage(RUSAGE_THREAD, &after);
    round->code_short = code_samples[0];
    round->code_long = code_samples[1];
    round->switches = (unsigned)(after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw);
    round->faults = (unsigned)(after.ru_minflt - before.ru_minflt + after.ru_majflt - before.ru_majflt);
    return error;
}

bool native_pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static int give_up(struct native_results *results, enum native_status status, int error) {
    results->error_number = error;
    return (int)status;
}

static int run_batch(const struct native_batch *batch, const struct runner *runner) {
    const struct target_job *job = batch->job;
    struct native_results *results = batch->results;
    struct target_round scratch = {0};
    memset(results->rounds, 0, sizeof *results->rounds * job->n_rounds); // brings the pages in
    for (unsigned i = 0; i < job->n_warmup + job->n_rounds; i++) {
        bool is_kept = i >= job->n_warmup;
        struct target_round *round = is_kept ? &results->rounds[i - job->n_warmup] : &scratch;
        int error = run_round(runner, job, round);
        if (error)
            return give_up(results, NATIVE_CANNOT_COUNT, error);
        if (is_kept)
            results->n_done = i - job->n_warmup + 1;
    }
    return (int)NATIVE_DONE;
}

// False without executable memory.
static bool map_all(const struct target_job *job, struct runner *runner) {
    runner->memory = code_map_memory();
    runner->code = code_map(job->code);
    runner->reference = code_map(job->reference);
    bool is_mapped = runner->memory && runner->code && runner->reference;
    for (unsigned i = 0; i < BENCH_N_CHECKS && is_mapped; i++) {
        if (!job->checks[i].n_long)
            continue;
        runner->checks[i] = code_map(job->checks[i].code);
        is_mapped = runner->checks[i] != NULL;
    }
    return is_mapped;
}

int native_rounds_run(struct sandbox *sandbox, void *context) {
    const struct native_batch *batch = context;
    if (!native_pin(batch->cpu))
        return give_up(batch->results, NATIVE_CANNOT_PIN, errno);
    setpriority(PRIO_PROCESS, 0, -20); // fewer interruptions, where we may

    struct perf_group_open counters;
    struct runner runner = {.counters = batch->group ? &counters : NULL};
    if (!map_all(batch->job, &runner))
        return give_up(batch->results, NATIVE_CANNOT_MAP, errno);
    int error = batch->group ? perf_group_start(batch->group, batch->is_read_by_user, &counters) : 0;
    if (error)
        return give_up(batch->results, NATIVE_CANNOT_COUNT, error);
    if (!sandbox_seal(sandbox, code_start(runner.code), batch->job->code->n_bytes))
        return give_up(batch->results, NATIVE_CANNOT_SEAL, errno);
    return run_batch(batch, &runner);
}
