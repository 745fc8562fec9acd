#include "bench/measure/conclude.h"

#include "bench/bench.h"
#include "bench/measure/checks.h"
#include "bench/measure/clock.h"
#include "bench/measure/gaps.h"
#include "bench/measure/moments.h"
#include "bench/measure/uneven.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// Largest half-width of an interval that is a result, relative.
static const double widest_half = 0.01;

// Least distance of processes' medians that makes a value one of each process, relative.
static const double apart_processes = 0.03;
// Processes fall into two groups where a gap is at least this part of their range.
static const double least_gap = 0.5;

// Where more rounds were dropped than this many times those that were kept, a neighbour may have made the modes.
static const unsigned most_dropped = 4;

// Largest relative distance from a simple fraction of a value that does not contradict the frequency of the time clock.
// Starting a program and leaving its loop also take time: the article's 5.017 seconds are 5 cycles.
static const double near_fraction = 0.005;

static enum bench_drop main_reason(const unsigned dropped[DROP_N_REASONS]) {
    enum bench_drop reason = DROP_SWITCH;
    for (enum bench_drop i = DROP_SWITCH; i < DROP_N_REASONS; i++)
        if (dropped[i] > dropped[reason])
            reason = i;
    return reason;
}

// Whether nearly each process stays in one of the two modes.
static bool is_mode_of_process(const struct sampling *sampling) {
    const struct statistics_mode *modes = sampling->look.modes;
    double middle = (modes[0].value + modes[1].value) / 2;
    size_t n_changes = 0;
    for (size_t i = 1; i < sampling->n_kept; i++) {
        const struct sample *last = &sampling->samples[i - 1], *sample = last + 1;
        n_changes += last->process == sample->process && (last->cycles < middle) != (sample->cycles < middle);
    }
    return n_changes * 20 < sampling->n_kept;
}

static const char *describe_modes(const struct sampling *sampling, const struct bench *bench,
                                  const struct bench_measurement *result) {
    return arena_printf(bench->arena, "two modes%s: %.4g (%.0f %%) and %.4g (%.0f %%) cycles",
                        is_mode_of_process(sampling) ? ", by process" : "", result->modes[0].cycles,
                        result->modes[0].share * 100, result->modes[1].cycles, result->modes[1].share * 100);
}

static const char *describe_scarcity(const struct sampling *sampling, const struct bench *bench) {
    if (sampling->n_kept && sampling->look.effective * 2 < (double)sampling->n_kept)
        return arena_printf(bench->arena,
                            "%zu samples of %u processes count as %.0f: successive samples resemble each other",
                            sampling->n_kept, sampling->n_batches, sampling->look.effective);
    return arena_printf(bench->arena, "only %zu samples in the time allowed", sampling->n_kept);
}

// Summarises the reference in the kept samples.
static struct clock_seen see(struct sampling *sampling) {
    struct clock_seen seen = {.n = (unsigned)sampling->n_kept, .step = sampling->look.step / sampling->look.median};
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, reference_ticks));
    seen.ticks_per_cycle = statistics_median(sorted, sampling->n_kept);
    sorted = sampling_sorted(sampling, offsetof(struct sample, reference_change));
    seen.change_spread = statistics_spread(sorted, sampling->n_kept);
    return seen;
}

// Returns the number of rounds that were dropped because of the code, the clock, the counters or the co-runner, and not
// because of a neighbour.
static unsigned count_wrong(const struct sampling *sampling) {
    return sampling->dropped[DROP_NEGATIVE] + sampling->dropped[DROP_RETIRED] + sampling->dropped[DROP_FAULT] +
           sampling->dropped[DROP_CORUNNER];
}

static const char *describe_dropped(const struct sampling *sampling, const struct bench *bench) {
    unsigned n_dropped = sampling_n_dropped(sampling);
    return arena_printf(bench->arena, "%u of %u rounds dropped, most of them for: %s", n_dropped,
                        n_dropped + (unsigned)sampling->n_kept, bench_drop_name(main_reason(sampling->dropped)));
}

// Returns a message where too few rounds or processes are left; null: there are enough.
static const char *find_scarcity(const struct sampling *sampling, const struct bench *bench,
                                 const struct bench_measurement *result) {
    bool are_most_wrong = count_wrong(sampling) > sampling->n_kept;
    bool are_few = result->processes < bench->options.processes || result->confidence < SAMPLING_CONFIDENCE;
    if (sampling_n_dropped(sampling) > sampling->n_kept && (are_most_wrong || are_few))
        return describe_dropped(sampling, bench);
    if (sampling->n_kept && result->processes < bench->options.processes)
        return arena_printf(bench->arena, "samples of %u processes only: all rounds of the others were dropped",
                            result->processes);
    return NULL;
}

// Returns a message where processes at other times were faster, and the last ones still are slower; null otherwise.
static const char *find_slower_moment(struct sampling *sampling, const struct bench *bench,
                                      const struct bench_measurement *result) {
    uint64_t first_ns, last_ns;
    if (!sampling->n_kept || moments_judge(sampling, &first_ns, &last_ns) != MOMENTS_SLOWER)
        return NULL;
    return arena_printf(bench->arena, "%.4g cycles at one time and %.4g at another", result->process_low,
                        result->process_high);
}

// Returns why the interval is not reliable; null: it is.
static const char *find_vagueness(struct sampling *sampling, const struct bench *bench,
                                  const struct bench_measurement *result) {
    if (result->confidence < SAMPLING_CONFIDENCE)
        return describe_scarcity(sampling, bench);
    double half = (result->high - result->low) / 2 / result->cycles;
    if (result->clock_error > widest_half) {
        struct clock_seen seen = see(sampling);
        return clock_of(bench->clock)->describe_error(bench, &seen, result->clock_error);
    }
    if (half > widest_half)
        return arena_printf(bench->arena, "still ±%.1f %% after %zu samples", half * 100, sampling->n_kept);
    return NULL;
}

// Returns why the samples are not reliable; null: they are.
static const char *find_disturbance(struct sampling *sampling, const struct bench *bench, const char *doubt,
                                    const struct bench_measurement *result) {
    const char *why = find_scarcity(sampling, bench, result);
    why = why || bench->stable ? why : bench->unstable_why;
    if (!why && doubt && sampling_n_dropped(sampling) > sampling->n_kept)
        return arena_printf(bench->arena, "%s; %s", doubt, describe_dropped(sampling, bench));
    why = why ? why : doubt;
    if (!why && sampling_was_slowed(sampling))
        why = "another thread was busy on this core during calibration";
    return why ? why : find_slower_moment(sampling, bench, result);
}

static double clock_error_of(struct sampling *sampling, const struct bench *bench) {
    const struct clock *clock = clock_of(bench->clock);
    if (!clock->error || bench->ticks_per_cycle <= 0 || !sampling->n_kept)
        return bench->clock_error;
    struct clock_seen seen = see(sampling);
    return clock->error(bench, &seen);
}

// Returns the largest departure of a check in the kept samples.
static double worst_departure(struct sampling *sampling, const struct bench *bench, const struct bench_code *code,
                              enum bench_check *worst) {
    double largest = 0;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const double *sorted = sampling_sorted(sampling, offsetof(struct sample, checks) + i * sizeof(double));
        double departure = checks_departure(bench, code, i, sorted, sampling->n_kept);
        if (departure > largest)
            *worst = (enum bench_check)i;
        largest = fmax(largest, departure);
    }
    return largest;
}

// Returns the medians of processes with so many samples at least, in ascending order.
static double *find_medians(struct sampling *sampling, size_t fewest, struct arena *arena, unsigned *n) {
    double *medians = NULL;
    *n = 0;
    for (size_t first = 0, end; first < sampling->n_kept; first = end) {
        for (end = first; end < sampling->n_kept && sampling->samples[end].process == sampling->samples[first].process;
             end++)
            sampling->sorted[end - first] = sampling->samples[end].cycles;
        if (end - first < fewest)
            continue;
        statistics_sort(sampling->sorted, end - first);
        *ARENA_ADD(arena, medians, *n) = statistics_median(sampling->sorted, end - first);
    }
    if (*n)
        statistics_sort(medians, *n);
    return medians;
}

static double share_below(const struct sampling *sampling, double cycles) {
    size_t n = 0;
    for (size_t i = 0; i < sampling->n_kept; i++)
        n += sampling->samples[i].cycles < cycles;
    return (double)n / (double)sampling->n_kept;
}

// Whether the processes' medians are apart; then takes their ends for two modes. Leaves out a tenth of the processes on
// each side, and at least one: a neighbour may have spoilt it. So it has where it left only a round or two.
// `are_groups`: the others fall into two.
static bool are_processes_apart(struct sampling *sampling, struct arena *arena, struct bench_measurement *result,
                                bool *are_groups) {
    enum { FEWEST_SAMPLES = 3 };
    unsigned n;
    const double *medians = find_medians(sampling, FEWEST_SAMPLES, arena, &n);
    unsigned left_out = n < 10 ? 1 : n / 10;
    if (n < 2 * left_out + 2)
        return false;
    double low = medians[left_out], high = medians[n - 1 - left_out], widest = 0;
    for (unsigned i = left_out + 1; i < n - left_out; i++)
        widest = fmax(widest, medians[i] - medians[i - 1]);
    *are_groups = widest >= least_gap * (high - low);
    if (high - low <= apart_processes * result->cycles)
        return false;
    double share = share_below(sampling, (low + high) / 2);
    result->modes[0] = (struct bench_mode){low, share};
    result->modes[1] = (struct bench_mode){high, 1 - share};
    return true;
}

// Makes a value with two modes, or with another value in each process, unstable. A chain has no spread of its own: its
// time does not depend on where its instructions find their units.
static void judge_modes(struct sampling *sampling, const struct bench *bench, const struct bench_code *code,
                        struct bench_measurement *result) {
    bool are_groups = true;
    if (sampling->look.has_modes)
        result->why = describe_modes(sampling, bench, result);
    else if (are_processes_apart(sampling, bench->arena, result, &are_groups))
        result->why = arena_printf(bench->arena, "another value in each process: %.4g to %.4g cycles",
                                   result->modes[0].cycles, result->modes[1].cycles);
    if (result->why && sampling_n_dropped(sampling) <= most_dropped * sampling->n_kept)
        result->look = are_groups ? LOOK_MODES : code->is_chain ? LOOK_NONE : LOOK_SPREAD;
}

// Adds the checks' departures to the clock's error. Returns a doubt where one is large, or a level is unknown.
static const char *doubt_of_checks(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                                   double *clock_error) {
    enum bench_check check = checks_unknown(bench, job);
    if (check != BENCH_N_CHECKS)
        return arena_printf(bench->arena, "%s now fast and now slow: another thread is busy on the core",
                            checks_subject(check));
    double departure = worst_departure(sampling, bench, job->code, &check);
    *clock_error = fmax(*clock_error, departure);
    if (departure <= widest_half)
        return NULL;
    return arena_printf(bench->arena, "%s %.1f %% off%s", checks_subject(check), departure * 100,
                        check == CHECK_MULTIPLY ? " a whole number of cycles" : ": another thread is busy on the core");
}

// Share of the value that may be gaps, where one pass through the code is so long that hardly one is clean.
static double hidden_share(const struct bench *bench, const struct target_job *job, double cycles) {
    double rate = bench->target->ticks_per_second, n_bursts = job->n_bursts > 1 ? job->n_bursts : 1;
    if (clock_of(bench->clock)->counts || rate <= 0)
        return 0;
    double iteration_ns = job->code->bodies * cycles * bench->ticks_per_cycle * 1e9 / rate / n_bursts;
    return gaps_hidden_share(&bench->gaps, (double)job->code_long * iteration_ns,
                             (double)(job->code_long - job->code_short) * iteration_ns, n_bursts > 1);
}

static void fill_value(struct sampling *sampling, struct bench_measurement *result) {
    if (!sampling->n_looks)
        sampling_take_look(sampling);
    const struct sampling_look *look = &sampling->look;
    // Even a timer without noise, which repeats exactly, has an error of half a step.
    double half_step = look->step / 2;
    result->cycles = look->median;
    result->low = fmin(look->interval.low, look->median - half_step);
    result->high = fmax(look->interval.high, look->median + half_step) + uneven_slack(sampling);
    result->confidence = look->interval.confidence;
    for (int i = 0; i < 2 && look->has_modes; i++)
        result->modes[i] = (struct bench_mode){look->modes[i].value, look->modes[i].share};
}

// Makes a value that a state of the core may slow a range, from the speed without that state to the measured one. An
// exact one is bound by something else.
static void judge_state(struct sampling *sampling, const struct bench *bench, const struct bench_code *code,
                        struct bench_measurement *result) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const double *sorted = sampling_sorted(sampling, offsetof(struct sample, checks) + i * sizeof(double));
        double slowing = checks_slowing(bench, code, i, sorted, sampling->n_kept);
        if (slowing <= 0)
            continue;
        result->low /= 1 + slowing;
        result->modes[0] = (struct bench_mode){result->cycles / (1 + slowing), 0};
        result->modes[1] = (struct bench_mode){result->cycles, 1};
        result->warning = arena_printf(bench->arena, "two speeds: %s %.1f %% slower at times, as now",
                                       checks_subject(i), slowing * 100);
    }
}

// Whether the interval may stand for one number. It may not where it is wide, or where processes differ.
static bool may_be_exact(const struct sampling *sampling, double low, double high) {
    return high - low <= widest_half * (low + high) / 2 && sampling->look.effective * 4 >= (double)sampling->n_kept;
}

// Fills the co-runner's cycles and interval; zero without a co-runner.
static void fill_corunner(struct sampling *sampling, const struct target *target, struct bench_measurement *result) {
    size_t n = sampling->n_kept;
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, corunner));
    struct interval interval = statistics_median_interval(sorted, n, sampling->look.effective, SAMPLING_CONFIDENCE);
    result->corunner = statistics_median(sorted, n);
    result->corunner_low = interval.low - target->corunner_error * result->corunner;
    result->corunner_high = interval.high + target->corunner_error * result->corunner;
}

// Makes an unstable value one that is about its lowest mode, where the clock is unsteady and most samples are there.
static void judge_about(struct sampling *sampling, const struct bench *bench, struct bench_measurement *result) {
    static const double half_width = 0.01;
    struct statistics_mode mode;
    bool is_unsteady = bench->is_plateau || (!bench->stable && bench->is_doubtful);
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, cycles));
    if (!is_unsteady || !statistics_low_mode(sorted, sampling->n_kept, &mode))
        return;
    result->is_about = true;
    result->cycles = mode.value;
    result->low = mode.value * (1 - half_width);
    result->high = mode.value * (1 + half_width);
    result->clock_error = 0; // not known, and not small
    result->why = arena_printf(
        bench->arena, "another guest is busy on this core: %.0f %% of the rounds are at this value", mode.share * 100);
}

// Finds why the value is not to be trusted, if it is not. `doubt`: of the checks. `hidden`: share of its time that gaps
// between its windows may hide.
static void find_reason(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                        const char *doubt, double hidden, struct bench_measurement *result) {
    result->why = find_disturbance(sampling, bench, doubt, result);
    if (!result->why)
        judge_modes(sampling, bench, job->code, result);
    if (result->why)
        return;
    if (uneven_is_doubtful(sampling))
        result->why = "its short runs and its long ones have different speeds";
    else if (hidden > 2 * widest_half)
        result->why = arena_printf(bench->arena,
                                   "each run is longer than the windows between gaps, which may be %.2g %% of its time",
                                   hidden * 100);
    else
        result->why = find_vagueness(sampling, bench, result);
}

void conclude_samples(struct sampling *sampling, const struct bench *bench, const struct target_job *job,
                      struct bench_measurement *result) {
    double *medians = find_medians(sampling, 1, bench->arena, &result->processes), hidden = 0;
    if (sampling->n_kept) {
        fill_value(sampling, result);
        result->process_low = medians[0];
        result->process_high = medians[result->processes - 1];
        fill_corunner(sampling, bench->target, result);
        hidden = hidden_share(bench, job, result->cycles);
        result->low = fmin(result->low, result->cycles * (1 - hidden));
    }
    result->clock_error = clock_error_of(sampling, bench);
    const char *doubt = doubt_of_checks(sampling, bench, job, &result->clock_error);
    result->samples = (unsigned)sampling->n_kept;
    memcpy(result->dropped, sampling->dropped, sizeof result->dropped);
    find_reason(sampling, bench, job, doubt, hidden, result);
    double low = measured_low(result), high = measured_high(result);
    if (result->why) {
        result->verdict = MEASURED_UNSTABLE;
        judge_about(sampling, bench, result);
    } else if (may_be_exact(sampling, low, high) &&
               statistics_fraction(low, high, &result->numerator, &result->denominator)) {
        result->verdict = MEASURED_EXACT;
    } else {
        result->verdict = MEASURED_WITHIN;
    }
    if (result->verdict == MEASURED_WITHIN && !job->code->is_chain)
        judge_state(sampling, bench, job->code, result);
    // A wrong frequency is a factor in every value. Code takes whole cycles, or simple fractions of them.
    if (clock_of(bench->clock)->believes && result->verdict == MEASURED_WITHIN &&
        !statistics_near_fraction(fmin(low, result->cycles * (1 - near_fraction)),
                                  fmax(high, result->cycles * (1 + near_fraction))))
        result->warning =
            arena_printf(bench->arena, "not near k/n cycles for any n up to 4: check that the frequency is %g GHz",
                         bench->frequency_hz / 1e9);
}
