#include "bench/targets/native_rounds.h"

#include "bench/host/timer.h"
#include "bench/targets/native_execution.h"
#include "bench/targets/native_notes.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The child's view of a job.
struct runner {
    struct native_executor executor;
    struct native_code code, reference, checks[BENCH_N_CHECKS]; // a check without a function is not timed
    struct native_code codes[BENCH_MOST_TOGETHER];              // codes of all jobs
    struct native_corunner *corunner;                           // null: no co-runner
};

// Half of the short run: the warm-up where the caller states none.
static uint64_t usual_warmup(uint64_t n_short) {
    return (n_short + 1) / 2;
}

static uint64_t code_warmup(const struct target_job *job, const struct target_lengths *lengths) {
    if (job->wanted_ticks <= 0 || job->warmup_ticks <= 0)
        return usual_warmup(lengths->n_short);
    return (uint64_t)fmax(1, ceil((double)lengths->n_long * job->warmup_ticks / job->wanted_ticks));
}

// Times the checks that come before the code, or those that come after it.
static int time_checks(struct runner *runner, const struct target_job *job, bool is_first, struct target_round *round) {
    int error = 0;
    for (unsigned i = 0; i < BENCH_N_CHECKS && !error; i++) {
        const struct target_lengths lengths = {job->checks[i].n_short, job->checks[i].n_long, 1};
        if (target_check_is_first((enum bench_check)i) == is_first && lengths.n_long)
            error = native_execute_pair(&runner->executor, &runner->checks[i], &lengths, usual_warmup(lengths.n_short),
                                        round->checks[i]);
    }
    return error;
}

static int time_reference(struct runner *runner, const struct target_job *job, struct target_sample samples[2]) {
    const struct target_lengths lengths = {job->reference_short, job->reference_long, 1};
    return native_execute_pair(&runner->executor, &runner->reference, &lengths, usual_warmup(lengths.n_short), samples);
}

// Times the code, with the co-runner where there is one.
static int time_corunner(struct runner *runner, const struct target_lengths *lengths, uint64_t n_warmup,
                         struct target_sample samples[2], struct target_corunner *done) {
    struct native_corunner *corunner = runner->corunner;
    struct native_corunner_progress start;
    bool is_running = corunner && native_corunner_go(corunner, &start);
    int error = native_execute_pair(&runner->executor, &runner->code, lengths, n_warmup, samples);
    if (is_running)
        native_corunner_pause(corunner, &start, done);
    return error;
}

// Runs a round after its first reference, which is the last one of the previous round.
static int run_round(struct runner *runner, const struct target_job *job, const struct target_lengths *lengths,
                     struct target_sample reference[2], struct target_round *round) {
    struct target_sample code[2] = {{0}};
    memcpy(round->reference_before, reference, sizeof round->reference_before);
    int error = time_checks(runner, job, true, round);
    error = error ? error : time_corunner(runner, lengths, code_warmup(job, lengths), code, &round->corunner);
    error = error ? error : time_checks(runner, job, false, round);
    error = error ? error : time_reference(runner, job, reference);
    round->code_short = code[0];
    round->code_long = code[1];
    memcpy(round->reference_after, reference, sizeof round->reference_after);
    return error;
}

static int give_up(struct native_results *results, enum native_status status, int error) {
    results->error_number = error;
    return (int)status;
}

enum { WARMUP_SHARE = 4 };

static void shorten(uint64_t *n_short, uint64_t *n_long) {
    *n_short = (*n_short + WARMUP_SHARE - 1) / WARMUP_SHARE;
    *n_long = *n_short + (*n_long - *n_short + WARMUP_SHARE - 1) / WARMUP_SHARE;
}

// Fills caches and predictors with shorter rounds that are not kept. Foreign code runs at full length: it may walk, and
// each page that it reaches for the first time is a fault.
static int run_warmup(struct runner *runner, const struct target_job *job, struct target_lengths lengths) {
    struct target_job shorter = *job;
    struct target_round scratch = {0};
    struct target_sample reference[2] = {{0}};
    int error = 0;
    shorten(&shorter.reference_short, &shorter.reference_long);
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        shorten(&shorter.checks[i].n_short, &shorter.checks[i].n_long);
    if (lengths.n_calls <= 1 && !bench_code_is_foreign(job->code))
        shorten(&lengths.n_short, &lengths.n_long);
    lengths.n_calls = (lengths.n_calls + WARMUP_SHARE - 1) / WARMUP_SHARE;
    for (unsigned i = 0; i < job->n_warmup && !error; i++)
        error = run_round(runner, &shorter, &lengths, reference, &scratch);
    return error;
}

// Runs the rounds, with one reference between each two. A disturbed reference disturbs both rounds. So a round's notes
// are compared from before its first reference, which the previous round has taken.
static int run_rounds(struct runner *runner, const struct target_job *job, struct target_round *rounds,
                      struct native_job_results *done) {
    const struct fault_note *note = runner->executor.room.note;
    struct target_sample reference[2] = {{0}};
    struct native_notes notes[3];
    int error = run_warmup(runner, job, done->lengths);
    native_notes_take(&notes[0]);
    error = error ? error : time_reference(runner, job, reference);
    native_notes_take(&notes[1]);
    for (unsigned i = 0; i < job->n_rounds && !error; i++) {
        error = run_round(runner, job, &done->lengths, reference, &rounds[i]);
        ++*runner->executor.n_steps;
        if (note->outcome != BENCH_OK)
            break;
        native_notes_take(&notes[2]);
        native_notes_compare(&notes[0], &notes[2], &rounds[i]);
        notes[0] = notes[1];
        notes[1] = notes[2];
        done->n_done = i + !error;
    }
    return error;
}

static int run_job(struct runner *runner, const struct target_job *job, struct target_round *rounds,
                   struct native_job_results *done) {
    struct native_executor *executor = &runner->executor;
    int error = 0;
    memset(rounds, 0, sizeof *rounds * job->n_rounds); // brings the pages in
    done->lengths = (struct target_lengths){job->code_short, job->code_long, job->code_calls};
    if (!job->code_long)
        error = native_execution_choose(executor, &runner->code, job->wanted_ticks, &done->lengths, &done->seen);
    ++*executor->n_steps;
    if (!error && done->lengths.n_long)
        error = run_rounds(runner, job, rounds, done);
    done->outcome = executor->room.note->outcome;
    done->seen.fault = executor->room.note->fault;
    done->seen.pages = executor->room.memory.n_pages;
    return error;
}

static int run_batch(const struct native_batch *batch, struct runner *runner) {
    struct native_results *results = batch->results;
    struct target_round *rounds = results->rounds;
    for (unsigned i = 0; i < batch->n_jobs; i++) {
        const struct target_job *job = &batch->jobs[i];
        uint64_t start_ns = timer_clock_ns();
        code_room_clean(&runner->executor.room, job->code);
        runner->code = runner->codes[i];
        int error = run_job(runner, job, rounds, &results->jobs[i]);
        if (error)
            return give_up(results, NATIVE_CANNOT_COUNT, error);
        results->jobs[i].ns = timer_clock_ns() - start_ns;
        rounds += job->n_rounds;
    }
    results->note.outcome = BENCH_OK; // the jobs have their notes
    return NATIVE_DONE;
}

// Whether one of the jobs has this check.
static bool is_checked(const struct native_batch *batch, unsigned check) {
    for (unsigned i = 0; i < batch->n_jobs; i++)
        if (batch->jobs[i].checks[check].n_long)
            return true;
    return false;
}

// Maps the clock's chain, the checks and their memory, separate from the code under test and its memory. Returns false
// without executable memory.
static bool map_chains(const struct native_batch *batch, struct runner *runner) {
    const struct target_job *job = batch->jobs;
    void *memory = code_map_page();
    const struct bench_code *chains[1 + BENCH_N_CHECKS] = {job->reference};
    code_function functions[1 + BENCH_N_CHECKS];
    struct code_region region;
    size_t n = 1;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        if (is_checked(batch, i))
            chains[n++] = job->checks[i].code;
    if (!memory || !code_map_all(chains, n, functions, &region))
        return false;
    runner->reference = (struct native_code){job->reference, functions[0], memory};
    n = 1;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        if (is_checked(batch, i))
            runner->checks[i] = (struct native_code){job->checks[i].code, functions[n++], memory};
    return true;
}

static bool map_all(const struct native_batch *batch, struct runner *runner) {
    const struct bench_code *codes[BENCH_MOST_TOGETHER];
    code_function functions[BENCH_MOST_TOGETHER];
    for (unsigned i = 0; i < batch->n_jobs; i++)
        codes[i] = batch->jobs[i].code;
    if (!code_room_open(&runner->executor.room, codes, batch->n_jobs, functions, &batch->results->note) ||
        !map_chains(batch, runner))
        return false;
    for (unsigned i = 0; i < batch->n_jobs; i++)
        runner->codes[i] = (struct native_code){codes[i], functions[i], runner->executor.room.buffer};
    return true;
}

// Maps a random number of pages first, to shift all later addresses. Children of one parent otherwise get the same
// addresses. Replicates should differ in them, because branch predictors and way predictors use addresses.
static void shift_addresses(uint64_t random) {
    enum { MOST_PAGES = 256 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)mmap(NULL, (1 + random % MOST_PAGES) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int native_rounds_run(struct sandbox *sandbox, void *context) {
    const struct native_batch *batch = context;
    if (!host_pin(batch->cpu))
        return give_up(batch->results, NATIVE_CANNOT_PIN, errno);
    // One second more than the jobs' time: the parent's time-out acts first.
    batch->results->priority = host_priority_raise(batch->n_jobs * batch->jobs->timeout_seconds + 1);

    struct perf_group_open counters;
    struct runner runner = {
        .executor = {.counters = batch->group ? &counters : NULL, .n_steps = &batch->results->n_steps},
        .corunner = batch->corunner,
    };
    shift_addresses(batch->results->canary);
    if (!map_all(batch, &runner))
        return give_up(batch->results, NATIVE_CANNOT_MAP, errno);
    int error = batch->group ? perf_group_start(batch->group, batch->is_read_by_user, &counters) : 0;
    if (error)
        return give_up(batch->results, NATIVE_CANNOT_COUNT, error);
    if (!sandbox_seal(sandbox, &runner.executor.room))
        return give_up(batch->results, NATIVE_CANNOT_SEAL, errno);
    return run_batch(batch, &runner);
}
