#include "bench/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void statistics_sort(double *samples, size_t count) {
    qsort(samples, count, sizeof *samples, compare_doubles);
}

double statistics_median(const double *sorted, size_t count) {
    assert(count > 0);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

// Probability that exactly k of n samples lie below the median: binomial with p = 1/2. By logarithms, because
// 2^-n alone underflows for long lists.
static double binomial_half(size_t n, size_t k) {
    double log_choose = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(log_choose - (double)n * log(2));
}

// The interval from the r-th lowest to the r-th highest sample misses the median if fewer than r samples lie
// below it, or fewer than r above: probability 2 P(X < r). (David and Nagaraja, Order Statistics, section 7.1.)
struct interval statistics_median_interval(const double *sorted, size_t count, double confidence) {
    assert(count > 0);
    size_t rank = 0; // from 0: sorted[rank] to sorted[count - 1 - rank]
    double missed = 2 * binomial_half(count, 0);
    while (rank + 1 < (count + 1) / 2) {
        double missed_next = missed + 2 * binomial_half(count, rank + 1);
        if (1 - missed_next < confidence)
            break;
        missed = missed_next;
        rank++;
    }
    return (struct interval){sorted[rank], sorted[count - 1 - rank], fmax(0, 1 - missed)};
}

size_t statistics_samples_needed(double confidence) {
    size_t count = 1;
    while (1 - 2 * binomial_half(count, 0) < confidence)
        count++;
    return count;
}

double statistics_spread(const double *sorted, size_t count) {
    return sorted[count * 3 / 4] - sorted[count / 4];
}

// Two modes: some gap between neighbours leaves at least a fifth of the samples on each side, is four times as wide
// as the inner spread of either side, and the sides' medians are 1 % apart. Below 10 samples nothing can be said:
// gaps of that size come by chance.
bool statistics_two_modes(const double *sorted, size_t count, double modes[2]) {
    size_t fewest = (count + 4) / 5;
    if (count < 10)
        return false;
    size_t split = fewest; // first sample of the upper group, of the widest gap
    for (size_t i = fewest; i <= count - fewest; i++)
        if (sorted[i] - sorted[i - 1] > sorted[split] - sorted[split - 1])
            split = i;
    double gap = sorted[split] - sorted[split - 1];
    double spread = fmax(statistics_spread(sorted, split), statistics_spread(sorted + split, count - split));
    modes[0] = statistics_median(sorted, split);
    modes[1] = statistics_median(sorted + split, count - split);
    return gap > 4 * spread && modes[1] - modes[0] > 0.01 * fabs(modes[0]);
}

static unsigned common_divisor(unsigned a, unsigned b) {
    return b ? common_divisor(b, a % b) : a;
}

// How likely is it that a number which is no fraction at all looks like one? Numbers k/n with n up to some denominator
// are so many in every unit interval; if the interval is not wider than 1/20 of their mean distance, it holds one of
// them by chance in at most one case of twenty. More complex fractions need narrower intervals, and the
// simplest that fits is taken. 7 is left out: no machine we know of has seven of anything, and each more denominator
// makes chance hits likelier.
bool statistics_fraction(double low, double high, unsigned *numerator, unsigned *denominator) {
    static const struct {
        unsigned n, fractions_so_far; // in lowest terms, per unit
    } denominators[] = {{1, 1}, {2, 2}, {3, 4}, {4, 6}, {5, 10}, {6, 12}, {8, 16}};
    for (size_t i = 0; i < sizeof denominators / sizeof denominators[0]; i++) {
        unsigned n = denominators[i].n;
        if ((high - low) * denominators[i].fractions_so_far > 1.0 / 20)
            return false;
        double nearest = round((low + high) / 2 * n);
        if (nearest < 1 || nearest > 1e6 || nearest / n < low || nearest / n > high)
            continue;
        unsigned k = (unsigned)nearest, divisor = common_divisor(k, n);
        *numerator = k / divisor;
        *denominator = n / divisor;
        return true;
    }
    return false;
}
