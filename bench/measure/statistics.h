// Private to this folder.
// Median, interval and number of modes of a list of samples. Assumes no distribution: timing noise is skewed and has
// tails. Functions take the samples sorted, where the parameter is called so.
#ifndef BENCH_MEASURE_STATISTICS_H
#define BENCH_MEASURE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double low, high;
    double confidence; // probability that it holds the median of the distribution, 0 to 1
};

void statistics_sort(double *samples, size_t count);
double statistics_median(const double *sorted, size_t count); // count >= 1

// Distance between the quartiles: single outliers do not count.
double statistics_spread(const double *sorted, size_t count); // count >= 1

// Number of independent samples whose median would be as good as that of these; at most `count`. It is less where
// successive samples resemble each other (the same process, a slow change). Differences up to `resolution` do not
// count. `in_order`: the samples in the order they were taken; overwritten.
double statistics_effective_count(double *in_order, size_t count, double median, double resolution);

// The narrowest pair of order statistics, symmetric in rank, that holds the median with at least `confidence`, where
// the samples count as `effective` independent ones. With too few: from the lowest to the highest, with a lower
// `confidence`.
struct interval statistics_median_interval(const double *sorted, size_t count, double effective, double confidence);

// Fewest samples for which the interval above reaches `confidence`.
size_t statistics_samples_needed(double confidence);

// Confidence that the interval of look `look` (from 1) needs, so that all looks together hold the median with
// `confidence`. Whoever looks repeatedly, and stops at a good interval, needs wider ones.
double statistics_look_confidence(double confidence, unsigned look);

struct statistics_mode {
    double value; // median of the group's samples
    double share; // share of all samples, 0 to 1
};

// True if the samples fall into two groups; then `modes` are the two, lower first. `step`: quantum of a sample; 0:
// none.
bool statistics_two_modes(const double *sorted, size_t count, double step, struct statistics_mode modes[2]);

// The lowest mode, where it is dense and holds most samples: those within 1 % of their median, with hardly any below.
// What disturbs only lengthens, so it is what is undisturbed. False where there is no such mode.
bool statistics_low_mode(const double *sorted, size_t count, struct statistics_mode *mode);

// The fraction k/n (n one of 1, 2, 3, 4, 5, 6, 8) that [low, high] holds, in lowest terms, where the interval is
// narrow enough to hold no other by chance; false if it holds no such fraction.
bool statistics_fraction(double low, double high, unsigned *numerator, unsigned *denominator);

// Whether [low, high] holds any k/n with n up to 4, however wide it is.
bool statistics_near_fraction(double low, double high);

#endif
