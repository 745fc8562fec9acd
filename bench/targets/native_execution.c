#include "bench/targets/native_execution.h"

#include "bench/host/timer.h"

#include <math.h>
#include <stdlib.h>
#include <sys/param.h>

static bool has_fault(const struct native_executor *executor) {
    return executor->room.note->outcome != BENCH_OK;
}

// A predictor learns where a short loop ends, and sooner for short executions than for long ones. A misprediction costs
// as much as several iterations. So the number of iterations varies between calls, in the same way for both lengths:
// then both have as many mispredictions. Loops of few iterations are learnt in any case.
enum { MOST_MORE = 8, FEWEST_WITH_MORE = 32 };

static uint64_t more_iterations(const struct target_lengths *lengths, unsigned call) {
    return lengths->n_short < FEWEST_WITH_MORE ? 0 : (call * 5 + call / MOST_MORE) % MOST_MORE;
}

// The most that it returns.
static uint64_t most_more_iterations(const struct target_lengths *lengths) {
    return lengths->n_calls > 1 && lengths->n_short >= FEWEST_WITH_MORE ? MOST_MORE - 1 : 0;
}

// Notes a loop that ended before it had made its turns, by the register that counts them. Each call with as many turns
// begins in the same state, so the last call shows it for all.
static void check_turns(struct native_executor *executor, const struct native_code *code, uint64_t turns) {
    const struct bench_turns *expected = &code->code->foreign.turns;
    if (!expected->bits || has_fault(executor))
        return;
    uint64_t value = code_frame(code->function, code->code)[expected->word];
    uint64_t difference = value - (expected->factor * turns + expected->addend);
    if (difference << (64 - expected->bits))
        executor->room.note->outcome = BENCH_LEFT_LOOP;
}

// Returns the iterations of the last call.
static uint64_t call_again(struct native_executor *executor, const struct native_code *code,
                           const struct target_lengths *lengths, uint64_t iterations) {
    uint64_t n = iterations;
    for (unsigned call = 1; call < lengths->n_calls && !has_fault(executor); call++) {
        n = iterations + more_iterations(lengths, call);
        demand_memory_fill(&executor->room.memory);
        code->function(n, code->memory);
    }
    return n;
}

static int execute(struct native_executor *executor, const struct native_code *code,
                   const struct target_lengths *lengths, uint64_t iterations, struct target_sample *sample) {
    uint64_t before[TARGET_MAX_COUNTERS] = {0}, after[TARGET_MAX_COUNTERS] = {0};
    const struct perf_group_open *counters = executor->counters;
    code_room_enter(&executor->room, code->code, code->function);
    code_room_reach(&executor->room, code->code, iterations + most_more_iterations(lengths));
    chase_memory_enter(&executor->room.chases, code->code, code->memory);
    int error = counters ? perf_group_read(counters, before) : 0;
    sample->start = timer_read();
    code->function(iterations, code->memory);
    uint64_t last = lengths->n_calls > 1 ? call_again(executor, code, lengths, iterations) : iterations;
    sample->ticks = timer_read() - sample->start;
    check_turns(executor, code, last);
    if (counters && !error)
        error = perf_group_read(counters, after);
    for (unsigned i = 0; i < TARGET_MAX_COUNTERS; i++)
        sample->counters[i] = after[i] - before[i];
    chase_memory_leave(&executor->room.chases, code->code, iterations);
    code_room_leave(&executor->room, code->code);
    return error;
}

// Brings the code back into caches and predictors, and lets the core switch on units that only this code uses.
// Otherwise the short run alone would contain that time, and the difference would be too small. Seen with nops on Zen 4
// and with wide vectors on Sapphire Rapids, most of all with short runs.
static void warm_up(struct native_executor *executor, const struct native_code *code,
                    const struct target_lengths *lengths, uint64_t n_warmup) {
    enum { SHARE = 4 };
    if (lengths->n_calls > 1 && n_warmup > lengths->n_short / SHARE)
        n_warmup = lengths->n_short / SHARE;
    n_warmup = n_warmup ? n_warmup : 1;
    code_room_enter(&executor->room, code->code, code->function);
    code_room_reach(&executor->room, code->code, n_warmup);
    chase_memory_enter(&executor->room.chases, code->code, code->memory);
    code->function(n_warmup, code->memory);
    chase_memory_leave(&executor->room.chases, code->code, n_warmup);
    code_room_leave(&executor->room, code->code);
}

uint64_t native_execution_warmup(const struct target_lengths *lengths, uint64_t wanted, unsigned times) {
    enum { PASSES = 64, SHARE = 4 };
    return MAX(wanted, MIN(PASSES, lengths->n_long * MAX(times, 1U) / SHARE));
}

int native_execute_pair(struct native_executor *executor, const struct native_code *code,
                        const struct target_lengths *lengths, uint64_t n_warmup, struct target_sample samples[2]) {
    warm_up(executor, code, lengths, n_warmup);
    int error = execute(executor, code, lengths, lengths->n_short, &samples[0]);
    return error ? error : execute(executor, code, lengths, lengths->n_long, &samples[1]);
}

static int execute_once(struct native_executor *executor, const struct native_code *code, uint64_t n,
                        struct target_sample *sample) {
    const struct target_lengths once = {.n_calls = 1};
    return execute(executor, code, &once, n, sample);
}

static const double window_instructions = 512; // as many as a CPU holds in its window today

// Whether enough lies between two uses of each real page: more instructions than that, by twice. Of code
// with loops inside, the time says more: an instruction a tick, at least.
static bool are_turns_far(const struct native_executor *executor, const struct native_code *code, uint64_t n,
                          const struct target_sample *sample) {
    static const double fewest_ticks = 600;
    const struct demand_memory *memory = &executor->room.memory;
    double share = (double)memory->fewest_gap / memory->n_arrivals; // of the execution
    double instructions = (double)n * code->code->bodies * code->code->body_instructions;
    return share * instructions >= 2 * window_instructions || share * (double)sample->ticks >= fewest_ticks;
}

// Settles what stands behind the pages of n iterations, where they are more than the cache holds: they take turns where
// they can (demand_memory.h). Runs the code without timing.
static int settle_memory(struct native_executor *executor, const struct native_code *code, uint64_t n) {
    struct demand_memory *memory = &executor->room.memory;
    struct target_sample sample;
    if (has_fault(executor) || !demand_memory_wants_look(memory))
        return 0;
    demand_memory_look_begin(memory);
    int error = execute_once(executor, code, n, &sample);
    demand_memory_look_end(memory);
    if (!error && memory->kind == MEMORY_TURNS)
        error = execute_once(executor, code, n, &sample);
    if (!error && memory->kind == MEMORY_TURNS && !are_turns_far(executor, code, n, &sample))
        demand_memory_end_turns(memory);
    return error;
}

int native_execution_settle(struct native_executor *executor, const struct native_code *code,
                            const struct target_lengths *lengths) {
    uint64_t n = lengths->n_long + most_more_iterations(lengths);
    return bench_code_is_foreign(code->code) ? settle_memory(executor, code, n) : 0;
}

// Times n iterations as often as a pilot needs. Sets `ticks` to the least time. Returns 0 or an errno.
static int time_iterations(struct native_executor *executor, const struct native_code *code, uint64_t n,
                           const struct lengths_request *request, double *ticks) {
    static const double most_times = 100; // gaps as long as so slow a run are rare
    unsigned n_needed = bench_code_is_foreign(code->code) ? 2 : 1;
    struct lengths_pilot pilot = {.fewest = request->fewest_runs};
    struct target_sample sample;
    int error = 0;
    do {
        error = execute_once(executor, code, n, &sample);
        error = error || pilot.n ? error : settle_memory(executor, code, n);
        lengths_pilot_take(&pilot, (double)sample.ticks);
    } while (!error && !has_fault(executor) && !lengths_pilot_is_done(&pilot) &&
             (pilot.n < n_needed || pilot.ticks <= most_times * request->wanted_ticks));
    *ticks = pilot.ticks;
    ++*executor->n_steps;
    return error;
}

// Chooses lengths and calls for code that survives at most `n_most` iterations.
static int choose_limited(struct native_executor *executor, const struct native_code *code,
                          const struct lengths_request *request, uint64_t n_most, struct target_lengths *lengths) {
    enum { SHORT_SHARE = 4, MOST_CALLS = 4096, MOST_TIMES = 16 };
    double short_ticks, long_ticks;
    uint64_t n_short = n_most < SHORT_SHARE ? 1 : n_most / SHORT_SHARE;
    uint64_t n_long = n_short < FEWEST_WITH_MORE ? n_most : n_most - (MOST_MORE - 1);
    int error = time_iterations(executor, code, n_short, request, &short_ticks);
    error = error ? error : time_iterations(executor, code, n_long, request, &long_ticks);
    if (error || has_fault(executor))
        return error;
    double difference = fmax(long_ticks - short_ticks, long_ticks / MOST_TIMES);
    double n_calls =
        fmin(request->wanted_ticks / fmax(1, difference), MOST_TIMES * request->wanted_ticks / fmax(1, long_ticks));
    *lengths = (struct target_lengths){n_short, n_long, (unsigned)fmax(1, fmin(ceil(n_calls), MOST_CALLS))};
    return 0;
}

// Searches for the largest number of iterations that the code survives, to about a quarter: it survives `n_good`, but
// not `n_bad`. Keeps the note of the last fault only where fewer than two iterations remain, or where a loop is left
// after so few that a run is nothing but its start and its end.
static int find_most(struct native_executor *executor, const struct native_code *code,
                     const struct lengths_request *request, uint64_t *n_good, uint64_t n_bad) {
    static const double fewest_ticks = 300;
    struct fault_note note = *executor->room.note;
    double ticks = 0;
    int error = 0;
    while (!error && n_bad - *n_good > 1 + *n_good / 4) {
        uint64_t n = *n_good + (n_bad - *n_good) / 2;
        executor->room.note->outcome = BENCH_OK;
        error = time_iterations(executor, code, n, request, &ticks);
        if (has_fault(executor)) {
            n_bad = n;
            note = *executor->room.note;
        } else {
            *n_good = n;
        }
    }
    executor->room.note->outcome = BENCH_OK;
    if (!error && note.outcome == BENCH_LEFT_LOOP)
        error = time_iterations(executor, code, *n_good, request, &ticks);
    bool leaves_soon = note.outcome == BENCH_LEFT_LOOP && ticks < fewest_ticks;
    *executor->room.note = note;
    if (*n_good >= 2 && !leaves_soon)
        executor->room.note->outcome = BENCH_OK;
    return error;
}

// Increases the iterations until they take long enough, or the code does not survive them. Sets `n_bad` to the number
// that it does not survive, else 0; `n_good` to the largest number that it survives.
static int find_lengths(struct native_executor *executor, const struct native_code *code,
                        const struct lengths_request *request, struct target_lengths *lengths, uint64_t *n_good,
                        uint64_t *n_bad) {
    static const double most_times = 8;    // largest factor between two steps for foreign code
    static const double long_ticks = 2000; // of a shorter run, much is its start
    double n = 1, ticks;
    *n_good = *n_bad = 0;
    for (;;) {
        int error = time_iterations(executor, code, (uint64_t)n, request, &ticks);
        if (has_fault(executor))
            *n_bad = (uint64_t)n;
        if (error || *n_bad)
            return error;
        *n_good = (uint64_t)n;
        double more = lengths_more(n, ticks, request->wanted_ticks);
        if (more == 0)
            break;
        n = bench_code_is_foreign(code->code) ? fmin(more, most_times * n) : more;
    }
    if (ticks <= 0)
        return 0;
    *lengths = lengths_for(n, ticks, request->wanted_ticks);
    if (lengths->n_long <= *n_good || (!bench_code_is_foreign(code->code) && ticks >= long_ticks))
        return 0;
    int error = time_iterations(executor, code, lengths->n_long, request, &ticks);
    if (has_fault(executor))
        *n_bad = lengths->n_long;
    else if (!error && !bench_code_is_foreign(code->code))
        *lengths = lengths_for((double)lengths->n_long, ticks, request->wanted_ticks);
    return error;
}

static int choose(struct native_executor *executor, const struct native_code *code,
                  const struct lengths_request *request, struct target_lengths *lengths, struct bench_seen *seen) {
    uint64_t n_good, n_bad;
    int error = find_lengths(executor, code, request, lengths, &n_good, &n_bad);
    if (error || !n_bad)
        return error;
    *lengths = (struct target_lengths){0};
    error = n_good ? find_most(executor, code, request, &n_good, n_bad) : 0;
    seen->most_iterations = n_good;
    if (error || has_fault(executor))
        return error;
    return choose_limited(executor, code, request, n_good, lengths);
}

// Whether the code cannot run for long with the pages that it may touch: then its start and its end distort the time.
static int is_short(struct native_executor *executor, const struct native_code *code,
                    const struct lengths_request *request, const struct target_lengths *lengths, bool *is_short) {
    static const double fewest_ticks = 2000;
    double ticks = 0;
    int error = 0;
    if (!has_fault(executor))
        error = time_iterations(executor, code, lengths->n_long, request, &ticks);
    *is_short = ticks < fewest_ticks;
    return error;
}

static int compare_ticks(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Finds the ticks of an iteration: the median of pairs that are too short to meet many interruptions.
static int find_pace(struct native_executor *executor, const struct native_code *code,
                     const struct target_lengths *lengths, double *pace) {
    enum { PAIRS = 63, MOST_CALLS = 16 };
    const struct target_lengths some = {lengths->n_short, lengths->n_long, MIN(MAX(lengths->n_calls, 1), MOST_CALLS)};
    double ticks[PAIRS], iterations = (double)(some.n_long - some.n_short) * some.n_calls;
    struct target_sample samples[2];
    for (unsigned i = 0; i < PAIRS; i++) {
        int error = native_execute_pair(executor, code, &some, some.n_short, samples);
        if (error || has_fault(executor))
            return error;
        ticks[i] = (double)samples[1].ticks - (double)samples[0].ticks;
        ++*executor->n_steps;
    }
    qsort(ticks, PAIRS, sizeof *ticks, compare_ticks);
    *pace = ticks[PAIRS / 2] / iterations;
    return 0;
}

// Chooses lengths with no more memory than the first-level cache holds.
static int choose_near(struct native_executor *executor, const struct native_code *code,
                       const struct lengths_request *request, struct target_lengths *lengths, struct bench_seen *seen) {
    demand_memory_limit(&executor->room.memory, executor->room.memory.most_near - 1);
    return choose(executor, code, request, lengths, seen);
}

// Chooses lengths with more memory than the first-level cache holds: all that may be asked for. Where its pages cannot
// take turns, they may do so in shorter runs, which end before a stream runs into what another one has left.
static int choose_far(struct native_executor *executor, const struct native_code *code,
                      const struct lengths_request *request, struct target_lengths *lengths, struct bench_seen *seen) {
    enum { SHORTER = 2, MOST_SHORTER = 4 };
    struct demand_memory *memory = &executor->room.memory;
    unsigned most = code->code->foreign.most_pages, share = 1;
    for (;;) {
        executor->room.note->outcome = BENCH_OK;
        demand_memory_lift(memory);
        demand_memory_limit(memory, most / share);
        seen->most_iterations = 0;
        int error = choose(executor, code, request, lengths, seen);
        share *= SHORTER;
        if (error || memory->kind != MEMORY_LARGE || share > MOST_SHORTER || most / share <= memory->most_near)
            return error;
        code_room_clean(&executor->room, code->code);
    }
}

// Whether runs of these lengths show how long an iteration takes, though they are short: so many instructions lie
// between their ends.
static bool shows_pace(const struct native_executor *executor, const struct native_code *code,
                       const struct target_lengths *lengths, double instructions) {
    double iterations = (double)lengths->n_long - (double)lengths->n_short;
    return !has_fault(executor) && iterations * code->code->bodies * code->code->body_instructions >= instructions;
}

// Tries it first with no more memory than the first-level cache holds. Where that lasts for short runs only, more pages
// appear. A CPU may know a line by its virtual address, and take as long for a page that lends its memory as for one
// that is not in the cache, as a Zen 5 does. Then the short runs are nearer to the truth. So they are where pages
// cannot take turns.
int native_execution_choose(struct native_executor *executor, const struct native_code *code,
                            const struct lengths_request *request, struct target_lengths *lengths,
                            struct bench_seen *seen) {
    static const double most_slower = 1.05, surely_slower = 1.25;
    struct demand_memory *memory = &executor->room.memory;
    double near = 0, far = 0; // ticks of an iteration
    bool needs_more = false;
    int error = choose_near(executor, code, request, lengths, seen);
    if (!error && memory->was_limited)
        error = is_short(executor, code, request, lengths, &needs_more);
    bool shows_near = shows_pace(executor, code, lengths, window_instructions / 2);
    if (!error && needs_more && shows_pace(executor, code, lengths, 1))
        error = find_pace(executor, code, lengths, &near);
    if (error || !needs_more)
        return error;
    error = choose_far(executor, code, request, lengths, seen);
    if (error || near <= 0 || memory->kind == MEMORY_OWN || !shows_pace(executor, code, lengths, window_instructions))
        return error;
    bool fits = memory->kind != MEMORY_LARGE; // else the first-level cache does not hold what short runs need not touch
    if (fits)
        error = find_pace(executor, code, lengths, &far);
    if (error || (fits && far <= (shows_near ? most_slower : surely_slower) * near))
        return error;
    if (!shows_near) { // too short for a value; but it tells that lent pages are not in the cache
        if (fits)
            demand_memory_end_turns(memory);
        return 0;
    }
    code_room_clean(&executor->room, code->code);
    *seen = (struct bench_seen){0};
    return choose_near(executor, code, request, lengths, seen);
}
