// Private to this folder.
// What a list of samples says: median, interval, number of modes. Assumes no distribution: timing noise is skewed
// and has tails. All functions want the samples sorted.
#ifndef BENCH_MEASURE_STATISTICS_H
#define BENCH_MEASURE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double low, high;
    double confidence; // that it holds the median of the distribution, 0 to 1
};

void statistics_sort(double *samples, size_t count);
double statistics_median(const double *sorted, size_t count); // count >= 1

// Distance between the quartiles: single outliers don't count.
double statistics_spread(const double *sorted, size_t count); // count >= 1

// How many independent samples as many in the order they were taken are worth for their median; at most `count`.
// Neighbours that are alike (the same process, a slow change) make it fewer; differences up to `resolution` are none.
// Overwrites the list.
double statistics_effective_count(double *in_order, size_t count, double median, double resolution);

// The narrowest pair of order statistics, symmetric in rank, that holds the median with at least `confidence`, where
// the samples are worth `effective` independent ones. With too few: from the lowest to the highest, and `confidence`
// says how little that is worth.
struct interval statistics_median_interval(const double *sorted, size_t count, double effective, double confidence);

// Fewest samples for which the interval above reaches `confidence`.
size_t statistics_samples_needed(double confidence);

// Who looks again and again, and stops when he likes the interval, must take wider ones: what the interval of look
// `look` (from 1) needs, so that all of them together hold the median with `confidence`.
double statistics_look_confidence(double confidence, unsigned look);

struct statistics_mode {
    double value; // median of the samples there
    double share; // of the samples, 0 to 1
};

// True if the samples fall into two groups; then `modes` are the two, lower first. `step`: what a sample is
// quantised to, 0 where it is not.
bool statistics_two_modes(const double *sorted, size_t count, double step, struct statistics_mode modes[2]);

// The fraction k/n (n one of 1, 2, 3, 4, 5, 6, 8) that [low, high] holds, in lowest terms, where the interval is
// narrow enough to hold no other by chance; false if there is none.
bool statistics_fraction(double low, double high, unsigned *numerator, unsigned *denominator);

// Whether [low, high] holds any k/n with n up to 4, however wide it is.
bool statistics_near_fraction(double low, double high);

#endif
