// Opening a session: choose the clock, and find out how good it is here.
//
// Two chains are measured like any other code. The reference against itself must be 1 cycle (or what a step of it is
// said to take): what it is off is the harness's own error. The multiply chain must be a whole number of cycles,
// because a multiplier has no half ones: what it is off is the reference's error (not one add a cycle, a change of
// frequency unseen). The clock's relative error is the larger of the two, each with its interval's half-width; a
// measurement cannot be better than that.
#include "bench/checks.h"
#include "bench/measure.h"
#include "bench/rounds.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// A burst of noise is no property of the host, so calibration is tried a few times.
enum { ATTEMPTS = 3 };
enum { FEWEST_PROCESSES = 3 };
static const double stable_error = 0.01;

// Why a tier cannot be used on this target; null: it can.
static const char *why_not(const struct target *target, enum bench_clock clock) {
    if (clock == CLOCK_PERF && !target->has_counters)
        return target->counters_note ? target->counters_note : "this target has none";
    if (clock == CLOCK_RDPMC && !target->has_user_reads)
        return target->user_reads_note ? target->user_reads_note : "this target has none";
    return NULL;
}

static bool ran(const char *what, enum bench_outcome outcome, struct fail *fail) {
    return outcome == BENCH_OK ||
           fail_set(fail, FAIL_UNAVAILABLE, "the %s chain does not run here: %s", what, bench_outcome_name(outcome));
}

// Relative distance of a measured chain from what it must be, at the far end of its interval.
static double error_of(const struct bench_measurement *result, double truth) {
    if (result->verdict == MEASURED_UNSTABLE || truth < 1)
        return INFINITY;
    return (fabs(result->cycles - truth) + (result->high - result->low) / 2) / truth;
}

// What the reference looks like here: later measurements are held against it.
static void keep_reference(struct bench *bench, struct sampling *sampling) {
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, reference_ticks));
    if (!sampling->n_kept)
        return;
    bench->ticks_per_cycle = statistics_median(sorted, sampling->n_kept);
    sorted = sampling_sorted(sampling, offsetof(struct sample, reference_change));
    bench->reference_spread = statistics_spread(sorted, sampling->n_kept);
}

// The time clock's reference takes what it takes: two cycles on a MIPS 74K. Whole ones, unless the frequency is wrong.
static bool takes_other_cycles(struct bench *bench, double cycles) {
    bool is_free = bench->clock == CLOCK_TIME && bench->options.reference_cycles <= 0;
    if (!is_free || round(cycles) < 1 || round(cycles) == bench->reference.body_cycles)
        return false;
    bench->reference.body_cycles = round(cycles);
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) // they were found in cycles of another length
        bench->checks[i].cycles = bench->checks[i].spread = 0;
    return true;
}

static const char *describe_instability(struct bench *bench, const struct bench_measurement *self,
                                        const struct bench_measurement *cross, bool is_cross_worse) {
    const char *frequency = "";
    if (bench->clock_error <= stable_error)
        return arena_printf(bench->arena,
                            "independent instructions scatter by %.1f %%: another thread is busy on the core",
                            bench->checks[CHECK_ISSUE].scatter * 100);
    if (self->why || cross->why)
        return arena_printf(bench->arena, "the calibration chains have no steady time%s: %s",
                            bench->clock == CLOCK_TIME ? ", as where the frequency drifts" : "",
                            cross->why ? cross->why : self->why);
    if (bench->clock == CLOCK_TIME)
        frequency = arena_printf(bench->arena, ": the frequency is not %g GHz", bench->frequency_hz / 1e9);
    if (is_cross_worse)
        return arena_printf(bench->arena, "the multiply chain takes %.3f cycles, and not a whole number%s",
                            cross->cycles, frequency);
    return arena_printf(bench->arena, "%s takes %.3f cycles, and not %g%s",
                        bench->clock == CLOCK_TIME ? "a dependent add" : "the reference against itself", self->cycles,
                        bench->reference.body_cycles, frequency);
}

// Independent instructions share the core with whoever else is on it, dependent ones hardly notice: a neighbour that is
// there during all of the calibration shows by how much more the former scatter, with no round that is undisturbed.
// Alone they do not, beyond the timer's noise, which both have.
static bool is_shared(const struct bench *bench) {
    static const double steady_scatter = 0.01;
    const struct bench_check_state *issue = &bench->checks[CHECK_ISSUE];
    return issue->scatter > steady_scatter + 3 * bench->checks[CHECK_MULTIPLY].scatter && !issue->has_quiet;
}

// Measures the two chains once.
static bool measure_chains(struct bench *bench, struct sampling *sampling, struct fail *fail) {
    struct bench_measurement self, cross;
    sampling_clear(sampling);
    bench->stable = true; // nothing is known against it yet
    bench->clock_error = 0;
    bench->ticks_per_cycle = 0;
    bench->checks[CHECK_MULTIPLY].cycles = 0; // of the issue check, the lowest of all attempts is kept
    if (!measure_samples(bench, &bench->checks[CHECK_MULTIPLY].code, sampling, &cross, fail) ||
        !ran("multiply", cross.outcome, fail))
        return false;
    checks_calibrate(bench, sampling);
    sampling_clear(sampling);
    if (!measure_samples(bench, &bench->reference, sampling, &self, fail) || !ran("reference", self.outcome, fail))
        return false;

    bench->cross_check_cycles = cross.cycles;
    if (takes_other_cycles(bench, self.cycles)) {
        bench->stable = false;
        bench->unstable_why = "the length of an add changes";
        return true;
    }
    keep_reference(bench, sampling);
    checks_calibrate(bench, sampling);
    double self_error = error_of(&self, bench->reference.body_cycles),
           cross_error = error_of(&cross, round(cross.cycles));
    bench->clock_error = fmax(self_error, cross_error);
    bench->stable = bench->clock_error <= stable_error && !is_shared(bench);
    if (bench->stable)
        return true;
    bench->unstable_why = describe_instability(bench, &self, &cross, cross_error > self_error);
    bench->clock_error = fmin(bench->clock_error, 1); // JSON has no infinity
    return true;
}

static void write_counter_note(struct bench *bench, const char *error) {
    const struct target *target = bench->target;
    bool is_perf = bench->clock == CLOCK_PERF;
    const char *why_perf = bench->passed_over ? bench->passed_over : target->user_reads_note;
    char groups[80] = "";
    if (target->n_groups > 1)
        snprintf(groups, sizeof groups, "; events in %u groups, each counted in runs of its own", target->n_groups);
    snprintf(bench->clock_note, sizeof bench->clock_note, "hardware cycles %s; %s%s%s%s",
             is_perf ? "through perf" : "read by the thread itself (rdpmc)", error, groups,
             is_perf && why_perf ? "; not by the thread itself: " : "", is_perf && why_perf ? why_perf : "");
}

static void write_note(struct bench *bench) {
    const struct target *target = bench->target;
    char frequency[64] = "", error[160];
    if (target->ticks_per_second > 0 && bench->ticks_per_cycle > 0)
        snprintf(frequency, sizeof frequency, " (%.2f GHz then)",
                 target->ticks_per_second / bench->ticks_per_cycle / 1e9);
    if (bench->stable)
        snprintf(error, sizeof error, "multiply %.3f, error ±%.2f %%", bench->cross_check_cycles,
                 bench->clock_error * 100);
    else
        snprintf(error, sizeof error, "unstable: %s", bench->unstable_why);
    const char *counters = target->has_counters ? "there, not used" : target->counters_note;
    if (bench->passed_over)
        counters = bench->passed_over;
    if (bench->clock == CLOCK_RATIO)
        snprintf(bench->clock_note, sizeof bench->clock_note,
                 "ratio clock: %s over a chain of dependent adds, taken as %g cycle%s each%s; %s; counters: %s",
                 target->timer, bench->reference.body_cycles, bench->reference.body_cycles == 1 ? "" : "s", frequency,
                 error, counters ? counters : "none");
    else if (bench->clock == CLOCK_TIME)
        snprintf(bench->clock_note, sizeof bench->clock_note,
                 "time clock: %s × %.10g Hz (%s); a dependent add takes %g cycle%s of it; %s, and how the frequency "
                 "drifts is not known",
                 target->timer, bench->frequency_hz, bench->options.frequency_source, bench->reference.body_cycles,
                 bench->reference.body_cycles == 1 ? "" : "s", error);
    else
        write_counter_note(bench, error);
}

// How many iterations of the session's own chains a round runs.
static bool choose_lengths(struct bench *bench, struct fail *fail) {
    enum bench_outcome outcome;
    struct target_lengths lengths = {0};
    if (!rounds_choose(bench, &bench->reference, rounds_wanted_ticks(bench, ROUNDS_CODE_SECONDS), &lengths, &outcome,
                       fail) ||
        !ran("reference", outcome, fail))
        return false;
    bench->reference_short = lengths.n_short;
    bench->reference_long = lengths.n_long;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        struct bench_check_state *check = &bench->checks[i];
        check->n_short = check->n_long = 0;
        if (!check->code.bodies)
            continue;
        if (!rounds_choose(bench, &check->code, rounds_wanted_ticks(bench, ROUNDS_CHECK_SECONDS), &lengths, &outcome,
                           fail) ||
            (i < CHECK_USES && !ran(bench_check_name((enum bench_check)i), outcome, fail)))
            return false;
        check->n_short = outcome == BENCH_OK ? lengths.n_short : 0;
        check->n_long = outcome == BENCH_OK ? lengths.n_long : 0; // a check of a use may need what this CPU lacks
    }
    return true;
}

// What the user says, or else the target.
static bool choose_frequency(struct bench *bench, struct fail *fail) {
    struct bench_options *options = &bench->options;
    if (options->frequency_hz <= 0) {
        options->frequency_hz = bench->target->core_hz;
        options->frequency_source = "as the target states it";
    }
    if (options->frequency_hz <= 0 || bench->target->ticks_per_second <= 0)
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "no time clock: nothing here states the core's frequency; say it with --frequency");
    bench->frequency_hz = options->frequency_hz;
    return true;
}

// One tier, calibrated. Unstable is no failure.
static bool open_clock(struct bench *bench, enum bench_clock clock, struct fail *fail) {
    const char *why = why_not(bench->target, clock);
    if (why)
        return fail_set(fail, FAIL_UNAVAILABLE, "no %s clock: %s; --clock ratio needs no counters",
                        bench_clock_name(clock), why);
    bench->clock = clock;
    if (clock == CLOCK_TIME && !choose_frequency(bench, fail))
        return false;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) // what another clock said of them is of no use
        bench->checks[i].cycles = bench->checks[i].spread = 0;
    if (!choose_lengths(bench, fail))
        return false;
    struct arena scratch = {0};
    struct sampling sampling = sampling_new(&scratch);
    bool is_open = true;
    double precision = bench->options.precision;
    bench->options.precision = precision / 4; // done once, and every measurement carries its error
    bench->stable = false;
    for (unsigned i = 0; i < ATTEMPTS && is_open && !bench->stable; i++)
        is_open = measure_chains(bench, &sampling, fail);
    arena_free(&scratch);
    bench->options.precision = precision;
    write_note(bench);
    return is_open;
}

// The first tier that works and is stable. Counters may be there and lie (some hypervisors' do): then the next tier is
// better. Where none is stable, it is the last one.
static bool open_best_clock(struct bench *bench, struct fail *fail) {
    static const enum bench_clock tiers[] = {CLOCK_RDPMC, CLOCK_PERF, CLOCK_RATIO};
    bool is_open = false;
    for (unsigned i = 0; i < sizeof tiers / sizeof *tiers && !(is_open && bench->stable); i++) {
        bool is_last_resort = tiers[i] == CLOCK_RATIO;
        if (why_not(bench->target, tiers[i]) || (is_last_resort && bench->options.needs_counters))
            continue;
        is_open = open_clock(bench, tiers[i], fail);
        if (!is_open)
            return false;
        if (!bench->stable)
            bench->passed_over =
                arena_printf(bench->arena, "%s was passed over: %s", bench_clock_name(tiers[i]), bench->unstable_why);
    }
    return is_open ||
           fail_set(fail, FAIL_UNAVAILABLE, "no events can be counted: %s", why_not(bench->target, CLOCK_PERF));
}

// Their code begins where no other's does, as far as that goes: they are all in the cache at once. All of them run
// beside the chains, so that the calibration shows what each takes.
static void put_chains(struct bench *bench, const struct bench_chains *chains) {
    enum { STRIDE = 1152, PAGE = 4096 };
    bench->reference = chains->reference;
    bench->reference.uses = BENCH_ALL_USES;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        struct bench_code *code = &bench->checks[i].code;
        *code = chains->checks[i];
        code->offset = (i + 1) * STRIDE % PAGE;
        code->uses = i == CHECK_MULTIPLY ? BENCH_ALL_USES : i < CHECK_USES ? 0 : 1U << (i - CHECK_USES);
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
    bench->reference.body_cycles = bench->options.reference_cycles > 0 ? bench->options.reference_cycles : 1;
    return bench->options.clock == CLOCK_AUTO ? open_best_clock(bench, fail)
                                              : open_clock(bench, bench->options.clock, fail);
}
