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

// Jobs that share a round, so that they share its references and checks, which take longer than a job's own code. Four
// of them are still so short together that most rounds see no interrupt.
enum { MOST_IN_GROUP = 4 };

// The child's view of its jobs.
struct runner {
    struct native_executor executor;
    struct native_code reference, checks[BENCH_N_CHECKS]; // a check without a function is not timed
    code_function functions[BENCH_MOST_TOGETHER];         // of all jobs' codes
    void *buffers[MOST_IN_GROUP];                         // for each code of a group its own; the room's is the first
    struct native_corunner *corunner;                     // null: no co-runner
    // The group that runs now.
    unsigned n;
    const struct target_job *jobs;
    struct native_code codes[MOST_IN_GROUP];
    struct target_round *rounds[MOST_IN_GROUP]; // of each job
    struct native_job_results *done;            // of each job
};

// Half of the short run: the warm-up where the caller states none.
static uint64_t usual_warmup(const struct target_job *job, uint64_t n_short) {
    return (n_short + 1) / 2 * (job->warmup_times > 1 ? job->warmup_times : 1);
}

static uint64_t code_warmup(const struct target_job *job, const struct target_lengths *lengths) {
    uint64_t n_warmup = usual_warmup(job, lengths->n_short);
    if (job->wanted_ticks > 0 && job->warmup_ticks > 0)
        n_warmup = (uint64_t)ceil((double)lengths->n_long * job->warmup_ticks / job->wanted_ticks);
    return native_execution_warmup(lengths, n_warmup, job->warmup_times);
}

// What a round times besides the codes.
struct common {
    uint64_t reference_short, reference_long;
    struct target_check checks[BENCH_N_CHECKS]; // n_long 0: no job of the group has it
};

// Times the checks that come before the codes, or those that come after them.
static int time_checks(struct runner *runner, const struct common *common, bool is_first, unsigned r) {
    int error = 0;
    for (unsigned i = 0; i < BENCH_N_CHECKS && !error; i++) {
        const struct target_lengths lengths = {common->checks[i].n_short, common->checks[i].n_long, 1};
        struct target_sample samples[2];
        if (target_check_is_first((enum bench_check)i) != is_first || !lengths.n_long)
            continue;
        error = native_execute_pair(&runner->executor, &runner->checks[i], &lengths,
                                    usual_warmup(runner->jobs, lengths.n_short), samples);
        for (unsigned j = 0; j < runner->n; j++)
            if (runner->jobs[j].checks[i].n_long)
                memcpy(runner->rounds[j][r].checks[i], samples, sizeof samples);
    }
    return error;
}

static int time_reference(struct runner *runner, const struct common *common, struct target_sample samples[2]) {
    const struct target_lengths lengths = {common->reference_short, common->reference_long, 1};
    return native_execute_pair(&runner->executor, &runner->reference, &lengths,
                               usual_warmup(runner->jobs, lengths.n_short), samples);
}

// Times the code of a job, with the co-runner where there is one.
static int time_code(struct runner *runner, unsigned number, const struct target_lengths *lengths,
                     struct target_round *round) {
    struct native_corunner *corunner = runner->corunner;
    struct native_corunner_progress start;
    struct target_sample code[2] = {{0}};
    bool is_running = corunner && native_corunner_go(corunner, &start);
    int error = native_execute_pair(&runner->executor, &runner->codes[number], lengths,
                                    code_warmup(&runner->jobs[number], lengths), code);
    round->corunner = (struct target_corunner){.is_whole = false};
    if (is_running)
        native_corunner_pause(corunner, &start, &round->corunner);
    round->code_short = code[0];
    round->code_long = code[1];
    return error;
}

// Runs round `r` of each job after its first reference, which is the last one of the round before.
static int run_round(struct runner *runner, const struct common *common, const struct target_lengths *lengths,
                     struct target_sample reference[2], unsigned r) {
    for (unsigned j = 0; j < runner->n; j++)
        memcpy(runner->rounds[j][r].reference_before, reference, 2 * sizeof *reference);
    int error = time_checks(runner, common, true, r);
    for (unsigned j = 0; j < runner->n && !error; j++) {
        error = time_code(runner, j, &lengths[j], &runner->rounds[j][r]);
        ++*runner->executor.n_steps;
    }
    error = error ? error : time_checks(runner, common, false, r);
    error = error ? error : time_reference(runner, common, reference);
    for (unsigned j = 0; j < runner->n; j++)
        memcpy(runner->rounds[j][r].reference_after, reference, 2 * sizeof *reference);
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

static struct common find_common(const struct runner *runner) {
    struct common common = {.reference_short = runner->jobs->reference_short,
                            .reference_long = runner->jobs->reference_long};
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        for (unsigned j = 0; j < runner->n && !common.checks[i].n_long; j++)
            common.checks[i] = runner->jobs[j].checks[i];
    return common;
}

// Fills caches and predictors with shorter rounds that are not kept: they write where the first round will. Foreign
// code runs at full length: it may walk, and each page that it reaches for the first time is a fault.
static int run_warmup(struct runner *runner, struct common common) {
    struct target_lengths lengths[MOST_IN_GROUP];
    struct target_sample reference[2] = {{0}};
    int error = 0;
    shorten(&common.reference_short, &common.reference_long);
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        shorten(&common.checks[i].n_short, &common.checks[i].n_long);
    for (unsigned j = 0; j < runner->n; j++) {
        lengths[j] = runner->done[j].lengths;
        if (lengths[j].n_calls <= 1 && !bench_code_is_foreign(runner->jobs[j].code))
            shorten(&lengths[j].n_short, &lengths[j].n_long);
        lengths[j].n_calls = (lengths[j].n_calls + WARMUP_SHARE - 1) / WARMUP_SHARE;
    }
    for (unsigned i = 0; i < runner->jobs->n_warmup && !error; i++)
        error = run_round(runner, &common, lengths, reference, 0);
    return error;
}

// Runs the rounds, with one reference between each two. A disturbed reference disturbs both rounds. So a round's notes
// are compared from before its first reference, which the previous round has taken.
static int run_rounds(struct runner *runner) {
    const struct fault_note *note = runner->executor.room.note;
    const struct common common = find_common(runner);
    struct target_lengths lengths[MOST_IN_GROUP];
    struct target_sample reference[2] = {{0}};
    struct native_notes notes[3];
    int error = run_warmup(runner, common);
    for (unsigned j = 0; j < runner->n && !error; j++) {
        lengths[j] = runner->done[j].lengths;
        error = native_execution_settle(&runner->executor, &runner->codes[j], &lengths[j]);
    }
    native_notes_take(&notes[0]);
    error = error ? error : time_reference(runner, &common, reference);
    native_notes_take(&notes[1]);
    for (unsigned i = 0; i < runner->jobs->n_rounds && !error; i++) {
        error = run_round(runner, &common, lengths, reference, i);
        if (note->outcome != BENCH_OK)
            break;
        native_notes_take(&notes[2]);
        for (unsigned j = 0; j < runner->n; j++) {
            native_notes_compare(&notes[0], &notes[2], &runner->rounds[j][i]);
            runner->done[j].n_done = i + !error;
        }
        notes[0] = notes[1];
        notes[1] = notes[2];
    }
    return error;
}

// Chooses the lengths of a job's code where the caller has none. `code`: in its place.
static int choose_lengths(struct runner *runner, const struct target_job *job, const struct native_code *code,
                          struct native_job_results *done) {
    const struct lengths_request request = {job->wanted_ticks, job->fewest_pilots};
    int error = 0;
    if (done->lengths.n_long) // the group before had no place for it
        return 0;
    done->lengths = (struct target_lengths){job->code_short, job->code_long, job->code_calls};
    if (!job->code_long)
        error = native_execution_choose(&runner->executor, code, &request, &done->lengths, &done->seen);
    ++*runner->executor.n_steps;
    return error;
}

// Whether a job may share rounds with others. Code of unknown origin needs the room for itself, and one that chases the
// caches. One that takes longer
// than wanted even with the fewest iterations would make the others' rounds as long.
static bool can_share(const struct native_batch *batch, unsigned number) {
    enum { FEWEST_ITERATIONS = 2 };
    const struct bench_code *code = batch->jobs[number].code;
    return !batch->corunner && !bench_code_is_foreign(code) && !code->chase.n &&
           batch->results->jobs[number].lengths.n_long > FEWEST_ITERATIONS;
}

// Gathers the group that begins with job `first`. `rounds`: room for its first job's. Returns 0 or an errno.
static int gather_group(struct runner *runner, const struct native_batch *batch, unsigned first,
                        struct target_round *rounds) {
    const struct target_job *jobs = runner->jobs = &batch->jobs[first];
    runner->done = &batch->results->jobs[first];
    runner->n = 0;
    code_room_clean(&runner->executor.room, jobs->code);
    for (unsigned j = 0; j < MOST_IN_GROUP && first + j < batch->n_jobs; j++) {
        if (j > 0 &&
            (bench_code_is_foreign(jobs[j].code) || jobs[j].code->chase.n || !can_share(batch, first + j - 1) ||
             jobs[j].n_rounds != jobs->n_rounds || jobs[j].n_warmup != jobs->n_warmup))
            break;
        if (j > 0)
            code_clear_memory(runner->buffers[j]);
        runner->codes[j] = (struct native_code){jobs[j].code, runner->functions[first + j], runner->buffers[j]};
        runner->rounds[j] = rounds;
        memset(rounds, 0, sizeof *rounds * jobs[j].n_rounds); // brings the pages in
        rounds += jobs[j].n_rounds;
        int error = choose_lengths(runner, &jobs[j], &runner->codes[j], &runner->done[j]);
        if (error)
            return error;
        if (j > 0 && !can_share(batch, first + j))
            break;
        runner->n++;
    }
    return 0;
}

static int run_group(struct runner *runner) {
    const struct code_room *room = &runner->executor.room;
    int error = runner->done->lengths.n_long ? run_rounds(runner) : 0; // n_long 0: the timer stands still
    for (unsigned j = 0; j < runner->n; j++) {
        runner->done[j].outcome = room->note->outcome;
        runner->done[j].seen.fault = room->note->fault;
        runner->done[j].seen.pages = room->memory.n_pages;
        runner->done[j].seen.memory = room->memory.kind;
    }
    return error;
}

static int run_batch(const struct native_batch *batch, struct runner *runner) {
    struct native_results *results = batch->results;
    struct target_round *rounds = results->rounds;
    for (unsigned i = 0; i < batch->n_jobs; i += runner->n) {
        uint64_t start_ns = timer_clock_ns();
        int error = gather_group(runner, batch, i, rounds);
        error = error ? error : run_group(runner);
        if (error)
            return give_up(results, NATIVE_CANNOT_COUNT, error);
        uint64_t ns = timer_clock_ns() - start_ns;
        for (unsigned j = 0; j < runner->n; j++) {
            runner->done[j].ns = ns / runner->n;
            rounds += runner->jobs[j].n_rounds;
        }
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

// Code of unknown origin may be fast in some lines of a page and slow in others, as predictors and caches of code find
// their entries by these. So each process has it in other ones, where it has no address of its own; as far from a
// line's start as ever, and within its page.
static unsigned lines_on(const struct bench_code *code, uint64_t random) {
    enum { LINE = 64, PAGE = 4096 };
    size_t end = code->offset + code->n_bytes;
    bool is_free = bench_code_is_foreign(code) && !code->address && end < PAGE;
    return is_free ? (unsigned)(random % ((PAGE - end) / LINE + 1)) * LINE : 0;
}

static bool map_all(const struct native_batch *batch, struct runner *runner) {
    struct bench_code places[BENCH_MOST_TOGETHER];
    const struct bench_code *codes[BENCH_MOST_TOGETHER];
    for (unsigned i = 0; i < batch->n_jobs; i++) {
        places[i] = *batch->jobs[i].code;
        places[i].offset += lines_on(&places[i], batch->results->canary >> 16);
        codes[i] = &places[i];
    }
    bool is_mapped =
        code_room_open(&runner->executor.room, codes, batch->n_jobs, runner->functions, &batch->results->note) &&
        map_chains(batch, runner);
    runner->buffers[0] = runner->executor.room.buffer;
    for (unsigned i = 1; i < MOST_IN_GROUP && i < batch->n_jobs && is_mapped; i++) {
        runner->buffers[i] = code_map_memory();
        is_mapped = runner->buffers[i] != NULL;
    }
    return is_mapped;
}

// Maps a random number of pages first, to shift all later addresses. Children of one parent otherwise get the same
// addresses. Replicates should differ in them, because branch predictors and way predictors use addresses. Some of the
// pages take memory, as children in a row may also get the same real pages, which caches use.
static void shift_addresses(uint64_t random) {
    enum { MOST_PAGES = 256, MOST_REAL = 32, BYTE = 8 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n_real = random >> BYTE & (MOST_REAL - 1);
    (void)mmap(NULL, (1 + random % MOST_PAGES) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (n_real)
        (void)mmap(NULL, n_real * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
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
