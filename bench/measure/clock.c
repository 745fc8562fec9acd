#include "bench/measure/clock.h"

#include <assert.h>
#include <math.h>

static double ticks_of(const struct target_sample *short_run, const struct target_sample *long_run) {
    return (double)long_run->ticks - (double)short_run->ticks;
}

static double code_ticks(const struct target_round *round) {
    return ticks_of(&round->code_short, &round->code_long);
}

static double code_counts(const struct target_round *round) {
    return (double)round->code_long.counters[0] - (double)round->code_short.counters[0];
}

static double n_bodies(const struct target_job *job) {
    return (double)target_job_iterations(job) * job->code->bodies;
}

// ---- the reference

// Largest relative difference between the two references of a round. Timer noise alone is 0.1 to 0.3 % of the 10 µs of
// a reference. The error of their mean is at most half the difference.
static const double reference_tolerance = 0.01;

static double ticks_per_cycle(const struct target_job *job, const struct target_sample samples[2]) {
    double bodies = (double)(job->reference_long - job->reference_short) * job->reference->bodies;
    return ticks_of(&samples[0], &samples[1]) / (bodies * job->reference->body_cycles);
}

double clock_reference_ticks(const struct target_job *job, const struct target_round *round) {
    double before = ticks_per_cycle(job, round->reference_before), after = ticks_per_cycle(job, round->reference_after);
    return before > 0 && after > 0 ? (before + after) / 2 : 0;
}

double clock_reference_change(const struct target_job *job, const struct target_round *round) {
    double mean = clock_reference_ticks(job, round);
    return mean > 0 ? 2 * (mean - ticks_per_cycle(job, round->reference_before)) / mean : 0;
}

bool clock_reference_is_steady(const struct target_job *job, const struct target_round *round, enum bench_drop *why) {
    double before = ticks_per_cycle(job, round->reference_before), after = ticks_per_cycle(job, round->reference_after);
    *why = DROP_NEGATIVE;
    if (before <= 0 || after <= 0)
        return false;
    *why = DROP_REFERENCE;
    return fabs(before - after) <= reference_tolerance * fmin(before, after);
}

static const char *describe_scatter(const struct bench *bench, const struct clock_seen *seen, double error) {
    (void)seen;
    return arena_printf(bench->arena, "the reference's times scatter: the clock's error is %.1f %%", error * 100);
}

// ---- rdpmc and perf: the hardware counts cycles (perf_group.h).
//  - The frequency does not matter, so these clocks do not use the reference.
//  - The constant cost of reading the counters cancels between the short run and the long one.
//  - The number of instructions is known, so another count shows that the counters saw something else. On many CPUs an
//    interrupt adds one (V. Weaver, D. Terpstra, S. Moore: "Non-determinism and overcount on modern hardware
//    performance counter implementations", ISPASS 2013). A sample with an interrupt is dropped.

static const char *why_no_user_reads(const struct target *target) {
    return target->has_user_reads ? NULL : target->user_reads_note ? target->user_reads_note : "this target has none";
}

static const char *why_no_counters(const struct target *target) {
    return target->has_counters ? NULL : target->counters_note ? target->counters_note : "this target has none";
}

static bool count(const struct target_job *job, const struct target_round *round, double *cycles,
                  enum bench_drop *why) {
    uint64_t instructions = round->code_long.counters[1] - round->code_short.counters[1];
    *cycles = code_counts(round) / n_bodies(job);
    *why = DROP_RETIRED;
    if (job->code->iteration_instructions &&
        instructions != target_job_iterations(job) * job->code->iteration_instructions)
        return false;
    *why = DROP_NEGATIVE;
    return *cycles > 0;
}

// Relative resolution of a difference of two counts.
static double count_step(const struct bench *bench, const struct target_round *round) {
    (void)bench;
    return 2 / code_counts(round);
}

static const char *no_unit(const struct bench *bench) {
    (void)bench;
    return "";
}

static const char *note_counters(const struct bench *bench, const char *how, const char *why_not_better,
                                 const char *error) {
    unsigned n_groups = bench->target->n_groups;
    const char *groups = "";
    if (n_groups > 1)
        groups = arena_printf(bench->arena, "; events in %u groups, each counted in runs of its own", n_groups);
    return arena_printf(bench->arena, "hardware cycles %s; %s%s%s%s", how, error, groups,
                        why_not_better ? "; not by the thread itself: " : "", why_not_better ? why_not_better : "");
}

static const char *note_rdpmc(const struct bench *bench, const char *error) {
    return note_counters(bench, "read by the thread itself (rdpmc)", NULL, error);
}

static const char *note_perf(const struct bench *bench, const char *error) {
    return note_counters(bench, "through perf",
                         bench->passed_over ? bench->passed_over : bench->target->user_reads_note, error);
}

// ---- ratio: cycles without a counter. The reference is a chain of dependent register adds. Each is assumed to take
// one cycle, or as many as the user states (two on a MIPS 74K). So the reference's time gives the length of a cycle,
// and cycles = time of the code / that length.
//  - A change of frequency between rounds cancels. One within a round shows as a difference between the reference
//    before the code and after it.
//  - Time-stamp timers have another rate than the core, so they do not count cycles without this quotient.
//  - The chain must not have immediate adds: Golden Cove executes several dependent ones per cycle.

static bool divide(const struct target_job *job, const struct target_round *round, double *cycles,
                   enum bench_drop *why) {
    double code = code_ticks(round) / n_bodies(job);
    *why = DROP_NEGATIVE;
    if (code <= 0 || !clock_reference_is_steady(job, round, why))
        return false;
    *cycles = code / clock_reference_ticks(job, round);
    return true;
}

static double divide_step(const struct bench *bench, const struct target_round *round) {
    double reference = ticks_of(&round->reference_before[0], &round->reference_before[1]) +
                       ticks_of(&round->reference_after[0], &round->reference_after[1]);
    return (double)bench->target->timer_step * sqrt(fmax(1, bench->n_bursts)) * (1 / code_ticks(round) + 1 / reference);
}

// A neighbour, which a VM does not even see, slows a chain of adds by up to a percent, without a switch or a fault.
// Then the reference changes more within rounds than at calibration, and that change is its error. checks_departure
// measures how much longer it is, by the chain of multiplies. A change of frequency affects it equally before and after
// the code, and cancels.
static double divide_error(const struct bench *bench, const struct clock_seen *seen) {
    double chance = 1.5 + 3 / sqrt(seen->n); // quartiles of few samples scatter
    bool is_usual = seen->change_spread <= fmax(chance * bench->reference_spread, 2 * seen->step);
    return is_usual ? bench->clock_error : fmax(bench->clock_error, seen->change_spread);
}

static const char *cycles_of_add(const struct bench *bench) {
    double cycles = bench->reference.body_cycles;
    return arena_printf(bench->arena, "%g cycle%s", cycles, cycles == 1 ? "" : "s");
}

static const char *ratio_unit(const struct bench *bench) {
    return arena_printf(bench->arena, " (%s = 1 dependent add)", cycles_of_add(bench));
}

static const char *note_ratio(const struct bench *bench, const char *error) {
    const struct target *target = bench->target;
    const char *frequency = "";
    const char *counters = bench->passed_over     ? bench->passed_over
                           : target->has_counters ? "there, not used"
                                                  : target->counters_note;
    if (target->ticks_per_second > 0 && bench->ticks_per_cycle > 0)
        frequency =
            arena_printf(bench->arena, " (%.2f GHz then)", target->ticks_per_second / bench->ticks_per_cycle / 1e9);
    return arena_printf(bench->arena,
                        "ratio clock: %s over a chain of dependent adds, taken as %s each%s; %s; counters: %s",
                        target->timer, cycles_of_add(bench), frequency, error, counters ? counters : "none");
}

// ---- time: cycles = seconds × frequency, where the user or the target states the frequency. This is the method of the
// article "Benchmarking instruction timings": where a loop has as many iterations as the frequency in Hz, its seconds
// are the cycles of its body. It needs neither counters nor an assumption on adds, so it shows adds of two cycles. But
// a wrong frequency is in full in every value. These show it:
//  - the chains of adds and multiplies, which take whole cycles at the true frequency (calibrate.c);
//  - the chain of adds in each measurement;
//  - values that are not near any fraction of small numbers (conclude.c).

// Takes the user's frequency, or else the target's. Fails without either.
static bool choose_frequency(struct bench *bench, struct fail *fail) {
    struct bench_options *options = &bench->options;
    if (options->frequency_hz <= 0) {
        options->frequency_hz = bench->target->core_hz;
        options->frequency_source = "as the target states it";
    }
    if (options->frequency_hz <= 0 || bench->target->ticks_per_second <= 0)
        return fail_set(fail, FAIL_UNAVAILABLE,
                        "no time clock: nothing here states the core's frequency; state it with --frequency");
    if (!options->frequency_source)
        options->frequency_source = "as stated";
    bench->frequency_hz = options->frequency_hz;
    return true;
}

static bool multiply(const struct target_job *job, const struct target_round *round, double *cycles,
                     enum bench_drop *why) {
    *cycles = code_ticks(round) / n_bodies(job) / job->ticks_per_cycle;
    *why = DROP_NEGATIVE;
    return *cycles > 0 && clock_reference_is_steady(job, round, why);
}

// Relative resolution of a difference of two times.
static double multiply_step(const struct bench *bench, const struct target_round *round) {
    return 2 * (double)bench->target->timer_step * sqrt(fmax(1, bench->n_bursts)) / code_ticks(round);
}

// Returns the core's frequency by the chain of adds, Hz.
static double seen_frequency(const struct bench *bench, const struct clock_seen *seen) {
    return bench->target->ticks_per_second / seen->ticks_per_cycle;
}

static double multiply_error(const struct bench *bench, const struct clock_seen *seen) {
    return fmax(bench->clock_error, fabs(bench->frequency_hz / seen_frequency(bench, seen) - 1));
}

static const char *describe_frequency(const struct bench *bench, const struct clock_seen *seen, double error) {
    (void)error;
    return arena_printf(bench->arena, "by the chain of adds the frequency was %.4g GHz, not %g",
                        seen_frequency(bench, seen) / 1e9, bench->frequency_hz / 1e9);
}

static const char *time_unit(const struct bench *bench) {
    return arena_printf(bench->arena, " (1 cycle = 1 s / %.10g, %s; a dependent add takes %g)", bench->frequency_hz,
                        bench->options.frequency_source, bench->reference.body_cycles);
}

static const char *note_time(const struct bench *bench, const char *error) {
    return arena_printf(bench->arena,
                        "time clock: %s × %.10g Hz (%s); a dependent add takes %s of it; %s, and how the frequency "
                        "drifts is not known",
                        bench->target->timer, bench->frequency_hz, bench->options.frequency_source,
                        cycles_of_add(bench), error);
}

// ---- the table

static const struct clock clocks[BENCH_N_CLOCKS] = {
    [CLOCK_RDPMC] = {.counts = true,
                     .why_not = why_no_user_reads,
                     .convert = count,
                     .step = count_step,
                     .describe_error = describe_scatter,
                     .unit = no_unit,
                     .note = note_rdpmc},
    [CLOCK_PERF] = {.counts = true,
                    .why_not = why_no_counters,
                    .convert = count,
                    .step = count_step,
                    .describe_error = describe_scatter,
                    .unit = no_unit,
                    .note = note_perf},
    [CLOCK_RATIO] = {.convert = divide,
                     .step = divide_step,
                     .error = divide_error,
                     .describe_error = describe_scatter,
                     .unit = ratio_unit,
                     .note = note_ratio},
    [CLOCK_TIME] = {.believes = true,
                    .open = choose_frequency,
                    .convert = multiply,
                    .step = multiply_step,
                    .error = multiply_error,
                    .describe_error = describe_frequency,
                    .unit = time_unit,
                    .note = note_time},
};

const struct clock *clock_of(enum bench_clock clock) {
    assert(clock > CLOCK_AUTO && clock < BENCH_N_CLOCKS);
    return &clocks[clock];
}

const enum bench_clock *clock_tiers(void) {
    static const enum bench_clock tiers[] = {CLOCK_RDPMC, CLOCK_PERF, CLOCK_RATIO, CLOCK_AUTO};
    return tiers;
}

bool bench_clock_counts(enum bench_clock clock) {
    return clock == CLOCK_AUTO || clocks[clock].counts;
}

const char *bench_clock_summary(const struct bench *bench) {
    const struct clock *clock = clock_of(bench->clock);
    const char *name = bench_clock_name(bench->clock), *unit = clock->unit(bench);
    if (!bench->stable)
        return arena_printf(bench->arena, "%s clock%s, UNSTABLE: %s", name, unit, bench->unstable_why);
    return arena_printf(bench->arena, "%s clock%s, ±%.2f %%%s", name, unit, bench->clock_error * 100,
                        clock->believes ? " and unknown drift" : "");
}
