#include "bench/checks.h"

#include "bench/clock.h"

#include <math.h>
#include <stddef.h>

// One check of one round is good to about half a percent (timer steps of 10 ns in some µs). What slips through here
// is looked for in the median of all rounds.
static const double round_tolerance = 0.02, median_tolerance = 0.0025;

void checks_put(const struct bench *bench, struct target_job *job) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct bench_check_state *check = &bench->checks[i];
        bool is_wanted = i < CHECK_USES || job->code->uses & 1U << (i - CHECK_USES);
        if (job->beside) // even while it waits, the other thread takes some issue slots: the others would tell of it
            is_wanted = i == CHECK_MULTIPLY;
        job->checks[i] =
            (struct target_check){&check->code, is_wanted ? check->n_short : 0, is_wanted ? check->n_long : 0};
    }
}

void checks_cycles(const struct bench *bench, const struct target_job *job, const struct target_round *round,
                   double cycles[BENCH_N_CHECKS]) {
    double reference = clock_reference_ticks(job, round);
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct target_check *check = &job->checks[i];
        const struct target_sample *samples = round->checks[i];
        cycles[i] = 0;
        if (!check->n_long)
            continue;
        double n_bodies = (double)(check->n_long - check->n_short) * check->code->bodies;
        if (bench_clock_counts(bench->clock))
            cycles[i] = ((double)samples[1].counters[0] - (double)samples[0].counters[0]) / n_bodies;
        else if (reference > 0)
            cycles[i] = ((double)samples[1].ticks - (double)samples[0].ticks) / n_bodies / reference;
    }
}

bool checks_agree(const struct bench *bench, const double cycles[BENCH_N_CHECKS], enum bench_drop *why) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct bench_check_state *check = &bench->checks[i];
        if (check->cycles <= 0 || cycles[i] == 0)
            continue;
        if (fabs(cycles[i] / check->cycles - 1) > fmax(round_tolerance, 3 * check->spread)) {
            *why = i == CHECK_MULTIPLY ? DROP_MULTIPLY : i == CHECK_ISSUE ? DROP_ISSUE : DROP_USES + (i - CHECK_USES);
            return false;
        }
    }
    return true;
}

static const double *sorted_check(struct sampling *sampling, unsigned check) {
    return sampling_sorted(sampling, offsetof(struct sample, checks) + check * sizeof(double));
}

// The median of n samples scatters by about 0.93 of their quartiles' distance over √n where they are normal: taken
// three times, so that chance seldom counts as a departure, and a departure is not taken for less than it is.
double checks_departure(const struct bench *bench, struct sampling *sampling, enum bench_check *worst) {
    double departure = 0;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct bench_check_state *check = &bench->checks[i];
        if (check->cycles <= 0 || !sampling->n_kept)
            continue;
        const double *sorted = sorted_check(sampling, i);
        double median = statistics_median(sorted, sampling->n_kept);
        if (median == 0) // left out
            continue;
        double away = fabs(median / check->cycles - 1);
        double spread = statistics_spread(sorted, sampling->n_kept) / check->cycles;
        double uncertainty = 2.8 * spread / sqrt((double)sampling->n_kept);
        if (away > fmax(median_tolerance, uncertainty) && away + uncertainty > departure) {
            departure = away + uncertainty;
            *worst = (enum bench_check)i;
        }
    }
    return departure;
}

const char *checks_meaning(struct arena *arena, enum bench_check check) {
    static const char *const words[BENCH_N_CHECKS] = {
        [CHECK_ISSUE] = "independent instructions are",
        [CHECK_USES + USE_INTEGER] = "independent adds are",
        [CHECK_USES + USE_VECTOR] = "independent vector instructions are",
        [CHECK_USES + USE_LOAD] = "independent loads are",
        [CHECK_USES + USE_STORE] = "independent stores are",
    };
    if (check == CHECK_MULTIPLY)
        return "the multiply chain is not what it was at calibration";
    return arena_printf(arena, "%s not as fast as at calibration: another thread is busy on the core", words[check]);
}

// A multiplier has no half cycles: what is nearly a whole number is meant to be one.
static double whole_if_near(double cycles) {
    return fabs(cycles / round(cycles) - 1) < 0.01 ? round(cycles) : cycles;
}

// A neighbour may come and go during the calibration as well. It makes a check a good deal longer, and never shorter:
// so where a fifth of the samples lie close together and far below the median, those are what the CPU takes when it is
// ours alone. Single samples may lie anywhere below, where an interrupt fell into the short run.
static const double neighbour_effect = 0.04;

static size_t quietest(const double *sorted, size_t n_kept, size_t *n) {
    double far_below = statistics_median(sorted, n_kept) * (1 - neighbour_effect);
    for (size_t start = 0; start < n_kept && sorted[start] < far_below; start++) {
        for (*n = 0; start + *n < n_kept && sorted[start + *n] <= sorted[start] * (1 + round_tolerance);)
            ++*n;
        if (sorted[start] > 0 && *n > n_kept / 5)
            return start;
    }
    *n = n_kept;
    return 0;
}

static void calibrate(struct bench_check_state *check, const double *sorted, size_t n_kept) {
    size_t n;
    check->scatter = statistics_spread(sorted, n_kept) / statistics_median(sorted, n_kept);
    sorted += quietest(sorted, n_kept, &n);
    check->has_quiet = n < n_kept;
    double cycles = statistics_median(sorted, n);
    if (cycles <= 0 || (check->cycles > 0 && check->cycles < cycles * (1 - round_tolerance)))
        return; // or it was faster before
    check->cycles = cycles;
    check->spread = statistics_spread(sorted, n) / cycles;
}

void checks_calibrate(struct bench *bench, struct sampling *sampling) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        if (bench->checks[i].n_long && sampling->n_kept)
            calibrate(&bench->checks[i], sorted_check(sampling, i), sampling->n_kept);
    struct bench_check_state *multiply = &bench->checks[CHECK_MULTIPLY];
    if (multiply->cycles >= 1)
        multiply->cycles = whole_if_near(multiply->cycles);
}
