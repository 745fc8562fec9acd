#include "bench/native_rounds.h"

#include "bench/code_memory.h"
#include "bench/native_notes.h"
#include "bench/rounds.h"
#include "bench/timer.h"

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The child's view of a job.
struct runner {
    code_function code, reference, checks[BENCH_N_CHECKS]; // a check may be null: left out
    code_function codes[BENCH_MOST_TOGETHER];              // of all jobs
    void *memory;                                          // of the code under test
    void *own_memory; // of the reference and the checks, which find the other one as the code has left it
    const struct perf_group_open *counters; // null: none
    struct native_beside *beside;           // null: nothing runs beside
};

static int time_code(const struct runner *runner, code_function function, void *memory, uint64_t iterations,
                     struct target_sample *sample) {
    uint64_t before[TARGET_MAX_COUNTERS] = {0}, after[TARGET_MAX_COUNTERS] = {0};
    int error = runner->counters ? perf_group_read(runner->counters, before) : 0;
    uint64_t start = timer_read();
    function(iterations, memory);
    sample->ticks = timer_read() - start;
    if (runner->counters && !error)
        error = perf_group_read(runner->counters, after);
    for (unsigned i = 0; i < TARGET_MAX_COUNTERS; i++)
        sample->counters[i] = after[i] - before[i];
    return error;
}

// A quarter of the short run, if the caller knows no better, and never nothing.
static uint64_t usual_warmup(uint64_t n_short) {
    enum { SHARE = 4 };
    return (n_short + SHARE - 1) / SHARE;
}

static uint64_t code_warmup(const struct target_job *job, const struct target_lengths *lengths) {
    if (job->wanted_ticks <= 0 || job->warmup_ticks <= 0)
        return usual_warmup(lengths->n_short);
    return (uint64_t)fmax(1, ceil((double)lengths->n_long * job->warmup_ticks / job->wanted_ticks));
}

// The short run, then the long one; nothing where there is no function. What ran before has taken the place of the code
// in caches and predictors, and the core may have switched off what only this code uses. Without a pass first, the
// short run would pay for that alone, and the difference be too small (seen with nops on Zen 4, and with wide vectors
// on Sapphire Rapids, most where the runs are short).
static int time_pair(const struct runner *runner, code_function function, void *memory, uint64_t n_warmup,
                     const uint64_t iterations[2], struct target_sample samples[2]) {
    if (!function)
        return 0;
    function(n_warmup, memory);
    int error = time_code(runner, function, memory, iterations[0], &samples[0]);
    return error ? error : time_code(runner, function, memory, iterations[1], &samples[1]);
}

// Those of before the code, or those of after it.
static int time_checks(const struct runner *runner, const struct target_job *job, bool is_first,
                       struct target_round *round) {
    int error = 0;
    for (unsigned i = 0; i < BENCH_N_CHECKS && !error; i++) {
        const uint64_t iterations[2] = {job->checks[i].n_short, job->checks[i].n_long};
        if (target_check_is_first((enum bench_check)i) == is_first && iterations[1])
            error = time_pair(runner, runner->checks[i], runner->own_memory, usual_warmup(iterations[0]), iterations,
                              round->checks[i]);
    }
    return error;
}

static int time_reference(const struct runner *runner, const struct target_job *job, struct target_sample samples[2]) {
    const uint64_t iterations[2] = {job->reference_short, job->reference_long};
    return time_pair(runner, runner->reference, runner->own_memory, usual_warmup(iterations[0]), iterations, samples);
}

// The code, while the other thread runs its own, where there is one.
static int time_beside(const struct runner *runner, uint64_t n_warmup, const uint64_t iterations[2],
                       struct target_sample samples[2], struct target_beside *done) {
    struct native_beside *beside = runner->beside;
    struct native_beside_progress start;
    bool is_running = beside && native_beside_go(beside, &start);
    int error = time_pair(runner, runner->code, runner->memory, n_warmup, iterations, samples);
    if (is_running)
        native_beside_pause(beside, &start, done);
    return error;
}

// A round from behind its first reference, which was the last one of the round before.
static int run_round(const struct runner *runner, const struct target_job *job, const struct target_lengths *lengths,
                     struct target_sample reference[2], struct target_round *round) {
    const uint64_t iterations[2] = {lengths->n_short, lengths->n_long};
    struct target_sample code[2] = {{0}};
    memcpy(round->reference_before, reference, sizeof round->reference_before);
    int error = time_checks(runner, job, true, round);
    error = error ? error : time_beside(runner, code_warmup(job, lengths), iterations, code, &round->beside);
    error = error ? error : time_checks(runner, job, false, round);
    error = error ? error : time_reference(runner, job, reference);
    round->code_short = code[0];
    round->code_long = code[1];
    memcpy(round->reference_after, reference, sizeof round->reference_after);
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

// Finds the iterations that take the wanted time. Each n is timed twice, because the first time is for the caches and
// the branch predictor. `n_long` stays 0 where the timer does not move.
static int choose(const struct runner *runner, double wanted_ticks, struct target_lengths *lengths) {
    double n = 1, more;
    struct target_sample first, second;
    for (;;) {
        int error = time_code(runner, runner->code, runner->memory, (uint64_t)n, &first);
        if (!error && (double)first.ticks < wanted_ticks)
            error = time_code(runner, runner->code, runner->memory, (uint64_t)n, &second);
        else
            second = first;
        if (error)
            return error;
        double ticks = fmin((double)first.ticks, (double)second.ticks);
        more = rounds_more(n, ticks, wanted_ticks);
        if (more == 0) {
            if (ticks > 0)
                *lengths = rounds_lengths(n, ticks, wanted_ticks);
            return 0;
        }
        n = more;
    }
}

static void shorten(uint64_t *n_short, uint64_t *n_long) {
    enum { SHARE = 4 };
    *n_short = (*n_short + SHARE - 1) / SHARE;
    *n_long = *n_short + (*n_long - *n_short + SHARE - 1) / SHARE;
}

// Brings what the rounds need into caches and predictors: rounds that are not kept, and so may be short.
static int run_warmup(const struct runner *runner, const struct target_job *job, struct target_lengths lengths) {
    struct target_job shorter = *job;
    struct target_round scratch = {0};
    struct target_sample reference[2] = {{0}};
    int error = 0;
    shorten(&shorter.reference_short, &shorter.reference_long);
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        shorten(&shorter.checks[i].n_short, &shorter.checks[i].n_long);
    shorten(&lengths.n_short, &lengths.n_long);
    for (unsigned i = 0; i < job->n_warmup && !error; i++)
        error = run_round(runner, &shorter, &lengths, reference, &scratch);
    return error;
}

// Rounds, one reference between each two. What disturbs a reference disturbs both, so notes are compared from before
// the reference that a round begins with, which is in the notes of the round before.
static int run_rounds(const struct runner *runner, const struct target_job *job, struct target_round *rounds,
                      struct native_job_results *done, volatile unsigned *n_steps) {
    struct target_sample reference[2] = {{0}};
    struct native_notes notes[3];
    int error = run_warmup(runner, job, done->lengths);
    native_notes_take(&notes[0]);
    error = error ? error : time_reference(runner, job, reference);
    native_notes_take(&notes[1]);
    for (unsigned i = 0; i < job->n_rounds && !error; i++) {
        error = run_round(runner, job, &done->lengths, reference, &rounds[i]);
        ++*n_steps;
        native_notes_take(&notes[2]);
        native_notes_compare(&notes[0], &notes[2], &rounds[i]);
        notes[0] = notes[1];
        notes[1] = notes[2];
        done->n_done = i + !error;
    }
    return error;
}

static int run_job(const struct runner *runner, const struct target_job *job, struct target_round *rounds,
                   struct native_job_results *done, volatile unsigned *n_steps) {
    int error = 0;
    memset(rounds, 0, sizeof *rounds * job->n_rounds); // brings the pages in
    done->lengths = (struct target_lengths){job->code_short, job->code_long};
    if (!job->code_long)
        error = choose(runner, job->wanted_ticks, &done->lengths);
    ++*n_steps;
    return !error && done->lengths.n_long ? run_rounds(runner, job, rounds, done, n_steps) : error;
}

// fesetenv leaves some of it: x87 registers that are taken; on AArch64 that half floats are flushed to zero, and
// default NaNs.
static void reset_floating_point(void) {
    fesetenv(FE_DFL_ENV);
#if defined(__x86_64__)
    __asm__ volatile("fninit");
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, xzr\n\tmsr fpsr, xzr");
#endif
}

// What the code before may have left where the next one looks.
static void clean_up(const struct runner *runner) {
    reset_floating_point();
    code_clear_memory(runner->memory);
}

static int run_batch(const struct native_batch *batch, struct runner *runner) {
    struct native_results *results = batch->results;
    struct target_round *rounds = results->rounds;
    for (unsigned i = 0; i < batch->n_jobs; i++) {
        const struct target_job *job = &batch->jobs[i];
        uint64_t start_ns = timer_clock_ns();
        if (i > 0)
            clean_up(runner);
        runner->code = runner->codes[i];
        int error = run_job(runner, job, rounds, &results->jobs[i], &results->n_steps);
        if (error)
            return give_up(results, NATIVE_CANNOT_COUNT, error);
        results->jobs[i].ns = timer_clock_ns() - start_ns;
        rounds += job->n_rounds;
    }
    return NATIVE_DONE;
}

// Whether one of the jobs has this check.
static bool is_checked(const struct native_batch *batch, unsigned check) {
    for (unsigned i = 0; i < batch->n_jobs; i++)
        if (batch->jobs[i].checks[check].n_long)
            return true;
    return false;
}

// False without executable memory.
static bool map_all(const struct native_batch *batch, struct runner *runner) {
    const struct target_job *job = batch->jobs;
    const struct bench_code *chains[1 + BENCH_N_CHECKS] = {job->reference}, *codes[BENCH_MOST_TOGETHER];
    code_function functions[1 + BENCH_N_CHECKS];
    size_t n = 1;
    for (unsigned i = 0; i < batch->n_jobs; i++)
        codes[i] = job[i].code;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        if (is_checked(batch, i))
            chains[n++] = job->checks[i].code;
    runner->memory = code_map_memory();
    runner->own_memory = code_map_page();
    if (!runner->memory || !runner->own_memory || !code_map_all(codes, batch->n_jobs, runner->codes) ||
        !code_map_all(chains, n, functions))
        return false;
    runner->reference = functions[0];
    n = 1;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        runner->checks[i] = is_checked(batch, i) ? functions[n++] : NULL;
    return true;
}

// Children of one parent get the same addresses for the same calls. Replicates should differ in them, because branch
// predictors and the way predictors of caches go by address: so something of random size comes first. Without memory
// for it nothing is lost.
static void shift_addresses(uint64_t random) {
    enum { MOST_PAGES = 256 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)mmap(NULL, (1 + random % MOST_PAGES) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int native_rounds_run(struct sandbox *sandbox, void *context) {
    const struct native_batch *batch = context;
    if (!native_pin(batch->cpu))
        return give_up(batch->results, NATIVE_CANNOT_PIN, errno);
    // The parent's turn is first.
    batch->results->priority = host_priority_raise(batch->n_jobs * batch->jobs->timeout_seconds + 1);

    struct perf_group_open counters;
    struct runner runner = {.counters = batch->group ? &counters : NULL, .beside = batch->beside};
    shift_addresses(batch->results->canary);
    if (!map_all(batch, &runner))
        return give_up(batch->results, NATIVE_CANNOT_MAP, errno);
    int error = batch->group ? perf_group_start(batch->group, batch->is_read_by_user, &counters) : 0;
    if (error)
        return give_up(batch->results, NATIVE_CANNOT_COUNT, error);
    const uint8_t *first = code_start(runner.codes[0]), *last = code_start(runner.codes[batch->n_jobs - 1]);
    size_t n_bytes = (size_t)(last - first) + batch->jobs[batch->n_jobs - 1].code->n_bytes;
    if (!sandbox_seal(sandbox, first, n_bytes))
        return give_up(batch->results, NATIVE_CANNOT_SEAL, errno);
    return run_batch(batch, &runner);
}
