// From samples to a value and how far to trust it.
#include "bench/checks.h"
#include "bench/sampling.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// An interval wider than this to either side is no result.
static const double widest_half = 0.01;

static enum bench_drop main_reason(const unsigned dropped[DROP_N_REASONS]) {
    enum bench_drop reason = DROP_SWITCH;
    for (enum bench_drop i = DROP_SWITCH; i < DROP_N_REASONS; i++)
        if (dropped[i] > dropped[reason])
            reason = i;
    return reason;
}

// Why the value is not to be trusted; null if it is.
static const char *find_fault(const struct sampling *sampling, const struct bench *bench, const double *sorted,
                              const char *doubt, const struct bench_measurement *result) {
    unsigned n_dropped = sampling_n_dropped(sampling);
    double modes[2];
    if (n_dropped > sampling->n_kept)
        return arena_printf(bench->arena, "%u of %u rounds dropped, most of them for: %s", n_dropped,
                            n_dropped + (unsigned)sampling->n_kept, bench_drop_name(main_reason(sampling->dropped)));
    if (result->confidence < SAMPLING_CONFIDENCE)
        return arena_printf(bench->arena, "only %zu samples in the time allowed", sampling->n_kept);
    if (!bench->stable)
        return bench->unstable_why;
    if (doubt)
        return doubt;
    if (statistics_two_modes(sorted, sampling->n_kept, modes))
        return arena_printf(bench->arena, "two modes: %.3g and %.3g cycles", modes[0], modes[1]);
    double half = (result->high - result->low) / 2 / result->cycles;
    if (result->clock_error > widest_half)
        return arena_printf(bench->arena, "the reference scatters: the clock is good to %.1f %% only",
                            result->clock_error * 100);
    if (half > widest_half)
        return arena_printf(bench->arena, "still ±%.1f %% after %zu samples", half * 100, sampling->n_kept);
    return NULL;
}

// Who shares our core (another hardware thread, which a VM does not even see) slows a chain of adds by up to a percent
// without a switch or a fault to show for it: then the reference scatters more than at calibration, and is longer.
// A change of frequency only makes it longer or shorter, and cancels. So where it scatters, all of its change counts as
// error. Steady sharing escapes this: about once in a thousand measurements beside a busy neighbour, 0.7 % off.
static double clock_error_of(struct sampling *sampling, const struct bench *bench) {
    if (bench->clock != CLOCK_RATIO || bench->ticks_per_cycle <= 0 || !sampling->n_kept)
        return bench->clock_error;
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, reference_ticks));
    double median = statistics_median(sorted, sampling->n_kept);
    double spread = statistics_spread(sorted, sampling->n_kept) / median;
    if (spread <= 1.5 * bench->reference_spread)
        return bench->clock_error;
    return fmax(bench->clock_error, fmax(spread, fabs(median / bench->ticks_per_cycle - 1)));
}

// What the checks say: a small departure widens the clock's error, a larger one is returned as a doubt.
static const char *doubt_of_checks(struct sampling *sampling, const struct bench *bench, double *clock_error) {
    enum bench_check check = CHECK_MULTIPLY;
    double departure = checks_departure(bench, sampling, &check);
    *clock_error = fmax(*clock_error, departure);
    return departure > widest_half
               ? arena_printf(bench->arena, "%s (%.1f %% off)", checks_meaning(check), departure * 100)
               : NULL;
}

void sampling_conclude(struct sampling *sampling, const struct bench *bench, struct bench_measurement *result) {
    result->clock_error = clock_error_of(sampling, bench);
    const char *doubt = doubt_of_checks(sampling, bench, &result->clock_error);
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, cycles));
    result->samples = (unsigned)sampling->n_kept;
    memcpy(result->dropped, sampling->dropped, sizeof result->dropped);
    if (sampling->n_kept) {
        struct interval interval = statistics_median_interval(sorted, sampling->n_kept, SAMPLING_CONFIDENCE);
        result->cycles = statistics_median(sorted, sampling->n_kept);
        // A timer without noise repeats itself exactly, and is still only good to half a step.
        double half_step = sampling->timer_step / 2 * result->cycles;
        result->low = fmin(interval.low, result->cycles - half_step);
        result->high = fmax(interval.high, result->cycles + half_step);
        result->confidence = interval.confidence;
    }
    result->why = find_fault(sampling, bench, sorted, doubt, result);
    double low = result->low * (1 - result->clock_error), high = result->high * (1 + result->clock_error);
    if (result->why)
        result->verdict = MEASURED_UNSTABLE;
    else if (statistics_fraction(low, high, &result->numerator, &result->denominator))
        result->verdict = MEASURED_EXACT;
    else
        result->verdict = MEASURED_WITHIN;
}
