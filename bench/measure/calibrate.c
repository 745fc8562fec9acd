// Opens a session: chooses the clock, and finds its error here.
//
// Calibration measures two chains like any other code:
//  - The reference against itself must take 1 cycle, or as many as the user states. Its deviation is the harness's
//    error.
//  - The multiply chain must take a whole number of cycles. Its deviation is the reference's error: adds of other than
//    one cycle, or an unseen change of frequency.
// The clock's relative error is the larger of the two, each with its interval's half-width. A measurement cannot be
// more precise than that.
#include "bench/measure/bursts.h"
#include "bench/measure/checks.h"
#include "bench/measure/clock.h"
#include "bench/measure/gaps.h"
#include "bench/measure/measure.h"
#include "bench/measure/rounds.h"
#include "bench/whole.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A burst of noise is not a property of the host, so calibration has several attempts.
enum { ATTEMPTS = 3 };
enum { FEWEST_PROCESSES = 3 };
static const double usual_confirm_seconds = 1;
static const double least_budget_ms = 50; // of each chain; a survey's first look allows a value 2 ms

// Returns why a tier cannot be used on this target; null: it can.
static const char *why_not(const struct target *target, enum bench_clock tier) {
    const struct clock *clock = clock_of(tier);
    return clock->why_not ? clock->why_not(target) : NULL;
}

static bool ran(const char *what, enum bench_outcome outcome, struct fail *fail) {
    return outcome == BENCH_OK ||
           fail_set(fail, FAIL_UNAVAILABLE, "the %s chain does not run here: %s", what, bench_outcome_name(outcome));
}

// Returns the relative distance of a measured chain from its true cycles, at the far end of its interval.
static double error_of(const struct bench_measurement *result, double truth) {
    if (result->verdict == MEASURED_UNSTABLE || truth < 1)
        return INFINITY;
    return (fabs(result->cycles - truth) + (result->high - result->low) / 2) / truth;
}

// The relative distance of a chain's lowest mode from its true cycles, where that mode is dense, holds most samples,
// and lies there; infinite otherwise. What takes the core away only lengthens, so such a mode is undisturbed. Only
// between gaps (bursts.h): elsewhere nothing says that there is such a thing.
static double mode_error(const struct bench *bench, struct sampling *sampling, double truth) {
    static const double near_truth = 0.005;
    struct statistics_mode mode;
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, cycles));
    if (bench->n_bursts <= 1 || !statistics_low_mode(sorted, sampling->n_kept, &mode))
        return INFINITY;
    double whole = truth > 0 ? truth : round(mode.value);
    double error = whole >= 1 ? fabs(mode.value / whole - 1) : INFINITY;
    return error <= near_truth ? near_truth : INFINITY;
}

// Keeps the reference's time and spread, with which later measurements are compared.
static void keep_reference(struct bench *bench, struct sampling *sampling) {
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, reference_ticks));
    if (!sampling->n_kept)
        return;
    bench->ticks_per_cycle = statistics_median(sorted, sampling->n_kept);
    sorted = sampling_sorted(sampling, offsetof(struct sample, reference_change));
    bench->reference_spread = statistics_spread(sorted, sampling->n_kept);
}

// Resets the levels to those that earlier sessions found with this clock.
static void forget_levels(struct bench *bench) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        struct level *level = &bench->checks[i].level;
        double remembered = bench->options.remembered[bench->clock][i];
        *level = (struct level){.is_whole = i == CHECK_MULTIPLY};
        if (remembered > 0)
            level_remember(level, remembered);
    }
}

// With the time clock, an add may take another whole number of cycles: two on a MIPS 74K. Sets that number. Returns
// true where it has changed.
static bool takes_other_cycles(struct bench *bench, double cycles) {
    bool is_free = clock_of(bench->clock)->believes && bench->options.reference_cycles <= 0;
    if (!is_free || round(cycles) < 1 || round(cycles) == bench->reference.body_cycles)
        return false;
    bench->reference.body_cycles = round(cycles);
    forget_levels(bench); // they were found in cycles of another length
    return true;
}

// Returns a doubt about this moment from the checks that every round has; null: there is no doubt.
static const char *doubt_levels(struct bench *bench) {
    for (unsigned i = CHECK_MULTIPLY; i < CHECK_USES; i++) {
        const struct level *level = &bench->checks[i].level;
        const char *subject = checks_subject((enum bench_check)i);
        if (level_is_reached(level) || !bench->checks[i].n_long)
            continue;
        if (level->remembered > 0)
            return arena_printf(bench->arena,
                                "%s slower than this CPU has shown (%.4g cycles): another thread is busy on the core",
                                subject, level->remembered);
        if (i != CHECK_MULTIPLY)
            return arena_printf(bench->arena, "%s now fast and now slow: another thread is busy on the core", subject);
    }
    return NULL;
}

static const char *describe_instability(struct bench *bench, const struct bench_measurement *self,
                                        const struct bench_measurement *cross, bool is_cross_worse) {
    const char *frequency = "";
    bool believes = clock_of(bench->clock)->believes;
    if (self->why || cross->why)
        return arena_printf(bench->arena, "the calibration chains have no steady time%s: %s",
                            believes ? ", as where the frequency drifts" : "", cross->why ? cross->why : self->why);
    if (believes)
        frequency = arena_printf(bench->arena, ": the frequency is not %g GHz", bench->frequency_hz / 1e9);
    if (is_cross_worse)
        return arena_printf(bench->arena, "the multiply chain takes %.3f cycles, not a whole number%s", cross->cycles,
                            frequency);
    return arena_printf(bench->arena, "%s takes %.3f cycles, not %g%s",
                        believes ? "a dependent add" : "the reference against itself", self->cycles,
                        bench->reference.body_cycles, frequency);
}

// Whether the levels of all checks are known, so that the session need not search for them.
static bool knows_levels(const struct bench *bench) {
    for (unsigned i = CHECK_MULTIPLY + 1; i < BENCH_N_CHECKS; i++)
        if (bench->checks[i].n_long && bench->checks[i].level.remembered <= 0)
            return false;
    return !bench->options.remembers_little;
}

static void settle_levels(struct bench *bench) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        level_settle(&bench->checks[i].level);
}

// `self_mode`, `cross_mode`: errors by the lowest modes.
static void judge_chains(struct bench *bench, const struct bench_measurement *self,
                         const struct bench_measurement *cross, double self_mode, double cross_mode) {
    double self_error = error_of(self, bench->reference.body_cycles),
           cross_error = error_of(cross, round(cross->cycles));
    const char *doubt = doubt_levels(bench);
    bench->is_plateau = fmax(self_error, cross_error) > WHOLE_CLOCK;
    if (bench->is_plateau) {
        self_error = fmin(self_error, self_mode);
        cross_error = fmin(cross_error, cross_mode);
    }
    bench->clock_error = fmax(self_error, cross_error);
    bench->is_plateau = bench->is_plateau && bench->clock_error <= WHOLE_CLOCK;
    bench->stable = bench->clock_error <= WHOLE_CLOCK && !doubt;
    if (bench->stable)
        return;
    bench->is_doubtful = self->why || cross->why || bench->clock_error <= WHOLE_CLOCK;
    bench->unstable_why =
        bench->clock_error <= WHOLE_CLOCK ? doubt : describe_instability(bench, self, cross, cross_error > self_error);
    bench->clock_error = fmin(bench->clock_error, 1); // JSON has no infinity
}

// Measures the two chains once.
static bool measure_chains(struct bench *bench, struct sampling *sampling, struct fail *fail) {
    struct bench_measurement self, cross;
    sampling_clear(sampling);
    bench->stable = true; // until judge_chains
    bench->is_doubtful = bench->is_plateau = false;
    bench->clock_error = 0;
    bench->ticks_per_cycle = 0;
    bench->is_new_here = !knows_levels(bench) && bench->options.confirm_seconds > 0;
    if (!measure_samples(bench, &bench->checks[CHECK_MULTIPLY].code, bench->is_new_here, sampling, &cross, fail) ||
        !ran("multiply", cross.outcome, fail))
        return false;
    double cross_mode = mode_error(bench, sampling, 0);
    sampling_clear(sampling);
    if (!measure_samples(bench, &bench->reference, false, sampling, &self, fail) ||
        !ran("reference", self.outcome, fail))
        return false;
    bench->cross_check_cycles = cross.cycles;
    if (takes_other_cycles(bench, self.cycles)) {
        bench->stable = false;
        bench->is_doubtful = true;
        bench->unstable_why = "the length of an add changes";
        return true;
    }
    keep_reference(bench, sampling);
    settle_levels(bench);
    judge_chains(bench, &self, &cross, mode_error(bench, sampling, bench->reference.body_cycles), cross_mode);
    return true;
}

static void write_note(struct bench *bench) {
    const char *error = bench->stable ? arena_printf(bench->arena, "multiply %.3f, error ±%.2f %%",
                                                     bench->cross_check_cycles, bench->clock_error * 100)
                                      : arena_printf(bench->arena, "unstable: %s", bench->unstable_why);
    bench->clock_note = clock_of(bench->clock)->note(bench, error);
}

// Chooses the iterations per round of a chain of the session. A gap in its pilot makes them too few, and a check of too
// few iterations misses its level in each round: so where rounds are split, the most of three pilots count.
static bool choose_length(const struct bench *bench, const struct bench_code *chain, double seconds,
                          struct target_lengths *lengths, enum bench_outcome *outcome, struct fail *fail) {
    unsigned n_pilots = bench->divisor > 1 ? 3 : 1;
    *lengths = (struct target_lengths){0};
    for (unsigned i = 0; i < n_pilots; i++) {
        struct target_lengths chosen = {0};
        if (!rounds_choose(bench, chain, rounds_wanted_ticks(bench, seconds), &chosen, outcome, fail))
            return false;
        if (*outcome == BENCH_OK && chosen.n_long > lengths->n_long)
            *lengths = chosen;
    }
    *outcome = lengths->n_long ? BENCH_OK : *outcome;
    return true;
}

// Chooses the iterations per round of the session's own chains.
static bool choose_lengths(struct bench *bench, struct fail *fail) {
    enum bench_outcome outcome;
    struct target_lengths lengths;
    if (!choose_length(bench, &bench->reference, ROUNDS_CODE_SECONDS, &lengths, &outcome, fail) ||
        !ran("reference", outcome, fail))
        return false;
    bench->reference_short = lengths.n_short;
    bench->reference_long = lengths.n_long;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        struct bench_check_state *check = &bench->checks[i];
        check->n_short = check->n_long = 0;
        if (!check->code.bodies)
            continue;
        if (!choose_length(bench, &check->code, ROUNDS_CHECK_SECONDS, &lengths, &outcome, fail) ||
            (i < CHECK_USES && !ran(bench_check_name((enum bench_check)i), outcome, fail)))
            return false;
        check->n_short = lengths.n_short; // 0: a check of a use may need what this CPU lacks
        check->n_long = lengths.n_long;
    }
    return true;
}

// Watches for gaps until there is a clean window. Fails where the target cannot be watched.
static bool find_windows(struct bench *bench, struct fail *fail) {
    enum { TIMES = 8 };
    static const uint64_t pause_ns = 500000000;
    for (unsigned i = 0;; i++) {
        if (!gaps_watch(bench->target, &bench->gaps, fail))
            return false;
        bench->has_no_window = !clock_of(bench->clock)->counts && gaps_leave_nothing(&bench->gaps);
        if (!bench->has_no_window || i == TIMES || measure_is_stopped(bench))
            return true;
        measure_wait(bench, pause_ns, false);
    }
}

// Fits the rounds to the windows between gaps.
static bool fit_rounds(struct bench *bench, struct fail *fail) {
    unsigned divisor = bench->divisor;
    if (!find_windows(bench, fail))
        return false;
    rounds_split(bench);
    return bench->divisor == divisor || choose_lengths(bench, fail);
}

// Ends a calibration without a clean window: codes run, to show how they end, and have no value.
static bool give_up(struct bench *bench) {
    bench->stable = bench->is_doubtful = false;
    bench->clock_error = 1;
    bench->unstable_why = "nothing can be timed on this CPU now";
    write_note(bench);
    return true;
}

// Calibrates with four times the precision of measurements: each of these contains the clock's error. Neither is it a
// first look, nor hasty, nor in a hurry, whatever the measurements are: all of them depend on it.
static bool calibrate(struct bench *bench, struct fail *fail) {
    struct arena scratch = {0};
    struct sampling sampling = sampling_new(&scratch);
    struct bench_options options = bench->options;
    if (!fit_rounds(bench, fail) || bench->has_no_window) {
        arena_free(&scratch);
        return fail->status == FAIL_NONE && give_up(bench);
    }
    bench->options.precision = options.precision / 4;
    bench->options.budget_ms = fmax(options.budget_ms, least_budget_ms);
    bench->options.is_first_look = bench->options.is_hasty = false;
    bool is_done = measure_chains(bench, &sampling, fail);
    bench->options = options;
    arena_free(&scratch);
    if (is_done)
        write_note(bench);
    return is_done;
}

// Opens and calibrates one tier. An unstable clock is not a failure.
static bool open_clock(struct bench *bench, enum bench_clock clock, struct fail *fail) {
    const char *why = why_not(bench->target, clock);
    if (why)
        return fail_set(fail, FAIL_UNAVAILABLE, "no %s clock: %s; --clock ratio needs no counters",
                        bench_clock_name(clock), why);
    bench->clock = clock;
    if (clock_of(clock)->open && !clock_of(clock)->open(bench, fail))
        return false;
    forget_levels(bench); // levels by another clock do not count
    bench->divisor = 0;   // calibrate chooses it, and the lengths
    bench->stable = false;
    bench->is_doubtful = true;
    double for_values_ms = bench->retry_ms / 2; // part of the retry time that calibration must leave
    bool is_run = true;
    bench->retry_ms -= for_values_ms;
    for (unsigned i = 0; i < ATTEMPTS && bench->is_doubtful && is_run; i++)
        is_run = calibrate(bench, fail);
    bench->retry_ms += for_values_ms;
    return is_run;
}

// Calibrates every 100 ms until the session is not doubtful, or until `end_ns`.
static bool calibrate_until(struct bench *bench, uint64_t end_ns, bool is_retry, const struct bench_listener *listener,
                            struct fail *fail) {
    static const uint64_t pause_ns = 100000000;
    uint64_t now_ns;
    while (bench->is_doubtful && (now_ns = measure_now_ns(bench->target)) < end_ns && !measure_is_stopped(bench)) {
        if (listener && listener->waiting)
            listener->waiting(listener->context, 0, (double)(end_ns - now_ns) / 1e9);
        measure_wait(bench, pause_ns, is_retry);
        if (!calibrate(bench, fail))
            return false;
    }
    return true;
}

// Calibrates again while the session is doubtful, for at most half of its time for retries: a later moment may be
// quiet.
static bool calibrate_if_doubtful(struct bench *bench, const struct bench_listener *listener, struct fail *fail) {
    uint64_t half_ns = (uint64_t)(bench->retry_ms / 2 * 1e6);
    return calibrate_until(bench, measure_now_ns(bench->target) + half_ns, true, listener, fail);
}

// Whether most rounds of one process have all checks at their levels. Sets `is_run` to false, and fails, where the
// process cannot be run.
static bool is_quiet(struct bench *bench, struct fail *fail, bool *is_run) {
    enum { ROUNDS = 8, FEWEST_QUIET = 6 };
    struct target_round rounds[ROUNDS];
    struct bench_code chain = bench->reference;
    struct target_job job = {.code = &bench->reference,
                             .code_short = bench->reference_short,
                             .code_long = bench->reference_long,
                             .n_rounds = ROUNDS,
                             .rounds = rounds,
                             .reference = &bench->reference,
                             .reference_short = bench->reference_short,
                             .reference_long = bench->reference_long,
                             .n_warmup = 1,
                             .n_bursts = bench->n_bursts,
                             .divisor = bench->divisor,
                             .timeout_seconds = bench->options.timeout_seconds,
                             .clock = bench->clock};
    const struct target_job *jobs[] = {&job};
    enum bench_outcome outcome;
    unsigned n = 0;
    checks_put(bench, &job);
    *is_run = bursts_run(bench, &job, 1, &outcome, fail);
    if (!*is_run || outcome != BENCH_OK)
        return false;
    checks_learn(bench, jobs, 1);
    chain.uses = BENCH_ALL_USES;
    for (unsigned i = 0; i < job.n_done; i++) {
        double cycles[BENCH_N_CHECKS];
        enum bench_drop why;
        checks_cycles(bench, &job, &rounds[i], cycles);
        n += clock_reference_is_steady(&job, &rounds[i], &why) && checks_agree(bench, &chain, cycles, &why);
    }
    return n >= FEWEST_QUIET;
}

bool bench_wait_steady(struct bench *bench, double seconds, const struct bench_listener *listener, struct fail *fail) {
    return calibrate_until(bench, measure_now_ns(bench->target) + (uint64_t)(seconds * 1e9), false, listener, fail);
}

bool bench_wait_quiet(struct bench *bench, double seconds, const struct bench_listener *listener, struct fail *fail) {
    static const uint64_t pause_ns = 20000000;
    uint64_t end_ns = measure_now_ns(bench->target) + (uint64_t)(seconds * 1e9), now_ns;
    bool is_run = bench_wait_steady(bench, seconds, listener, fail);
    while (is_run && (now_ns = measure_now_ns(bench->target)) < end_ns && !measure_is_stopped(bench)) {
        if (is_quiet(bench, fail, &is_run))
            break;
        if (listener && listener->waiting)
            listener->waiting(listener->context, 0, (double)(end_ns - now_ns) / 1e9);
        measure_wait(bench, pause_ns, false);
    }
    return is_run;
}

// Opens the first tier that works and is stable, else the last one that works. Counters may exist and be wrong, as with
// some hypervisors: then the next tier is better.
static bool open_best_clock(struct bench *bench, struct fail *fail) {
    bool is_open = false;
    for (const enum bench_clock *tier = clock_tiers(); *tier != CLOCK_AUTO && !(is_open && bench->stable); tier++) {
        if (why_not(bench->target, *tier) || (bench->options.needs_counters && !clock_of(*tier)->counts))
            continue;
        is_open = open_clock(bench, *tier, fail);
        if (!is_open)
            return false;
        if (!bench->stable)
            bench->passed_over =
                arena_printf(bench->arena, "%s was passed over: %s", bench_clock_name(*tier), bench->unstable_why);
    }
    return is_open ||
           fail_set(fail, FAIL_UNAVAILABLE, "no events can be counted: %s", why_not(bench->target, CLOCK_PERF));
}

// Takes the chains. Their code begins at different offsets in a page, as far as possible: all are in the cache at once.
static void put_chains(struct bench *bench, const struct bench_chains *chains) {
    enum { STRIDE = 1152, PAGE = 4096 };
    bench->reference = chains->reference;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        struct bench_code *code = &bench->checks[i].code;
        *code = chains->checks[i];
        code->offset = (i + 1) * STRIDE % PAGE;
        code->uses = i < CHECK_USES ? 0 : 1U << (i - CHECK_USES);
    }
}

bool bench_open(struct bench *bench, struct arena *arena, struct target *target, const struct bench_options *options,
                const struct bench_chains *chains, struct fail *fail) {
    *bench = (struct bench){
        .arena = arena,
        .target = target,
        .options = *options,
    };
    put_chains(bench, chains);
    if (bench->options.precision <= 0)
        bench->options.precision = 0.002;
    if (bench->options.budget_ms <= 0)
        bench->options.budget_ms = 200;
    if (bench->options.timeout_seconds <= 0)
        bench->options.timeout_seconds = 2;
    if (!bench->options.processes)
        bench->options.processes = FEWEST_PROCESSES;
    if (bench->options.confirm_seconds == 0)
        bench->options.confirm_seconds = usual_confirm_seconds;
    bench->retry_ms = bench->options.retry_seconds * 1e3;
    bench->reference.body_cycles = bench->options.reference_cycles > 0 ? bench->options.reference_cycles : 1;
    return bench->options.clock == CLOCK_AUTO ? open_best_clock(bench, fail)
                                              : open_clock(bench, bench->options.clock, fail);
}

bool bench_measure(struct bench *bench, const struct bench_code *codes, struct bench_measurement *results, size_t n,
                   const struct bench_listener *listener, struct fail *fail) {
    return calibrate_if_doubtful(bench, listener, fail) &&
           measure_codes(bench, codes, NULL, results, n, listener, fail);
}

bool bench_measure_corun(struct bench *bench, const struct bench_code *code, const struct bench_code *corunner,
                         struct bench_measurement *result, struct fail *fail) {
    return calibrate_if_doubtful(bench, NULL, fail) && measure_codes(bench, code, corunner, result, 1, NULL, fail);
}
