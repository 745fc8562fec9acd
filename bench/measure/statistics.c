#include "bench/measure/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Lists of one process's samples are short and sorted again and again: a tenth of a survey's time with qsort alone.
static void sort_short(double *samples, size_t count) {
    for (size_t i = 1; i < count; i++) {
        double sample = samples[i];
        size_t place = i;
        for (; place > 0 && samples[place - 1] > sample; place--)
            samples[place] = samples[place - 1];
        samples[place] = sample;
    }
}

void statistics_sort(double *samples, size_t count) {
    enum { MOST_SHORT = 32 };
    if (count <= MOST_SHORT)
        sort_short(samples, count);
    else
        qsort(samples, count, sizeof *samples, compare_doubles);
}

double statistics_median(const double *sorted, size_t count) {
    assert(count > 0);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

// Returns the probability that exactly k of n samples are below the median: binomial with p = 1/2. Uses logarithms,
// because 2^-n underflows for long lists.
static double binomial_half(size_t n, size_t k) {
    double log_choose = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(log_choose - (double)n * log(2));
}

// Returns the side of the median that a sample is on: -1, 1, or 0 where it is nearer than the timer's resolution.
static double side(double sample, double median, double resolution) {
    return (sample > median + resolution) - (sample < median - resolution);
}

static double correlation(const double *sides, size_t count, size_t lag) {
    double sum = 0;
    for (size_t i = lag; i < count; i++)
        sum += sides[i] * sides[i - lag];
    return sum;
}

// The scatter of the number of samples below the median depends on the autocorrelation of the sides: P. K. Sen, "On the
// Bahadur representation of sample quantiles for sequences of φ-mixing random variables", 1972. The sum over all lags
// is made monotone, and ends where pairs of lags are not positive any more: C. Geyer, "Practical Markov chain Monte
// Carlo", 1992, section 3.3.
double statistics_effective_count(double *in_order, size_t count, double median, double resolution) {
    for (size_t i = 0; i < count; i++)
        in_order[i] = side(in_order[i], median, resolution);
    double power = correlation(in_order, count, 0), time = -1, last = 2;
    if (power <= 0)
        return (double)count;
    for (size_t lag = 0; lag + 1 < count; lag += 2) {
        double pair = (correlation(in_order, count, lag) + correlation(in_order, count, lag + 1)) / power;
        if (pair <= 0)
            break;
        last = fmin(last, pair);
        time += 2 * last;
    }
    return (double)count / fmax(1, time);
}

// The interval from the r-th lowest to the r-th highest sample misses the median if fewer than r samples are below it,
// or fewer than r above: probability 2 P(X < r). Source: David and Nagaraja, Order Statistics, section 7.1. Where the
// effective number of samples is lower, ranks are chosen for that number, and scaled to the list.
struct interval statistics_median_interval(const double *sorted, size_t count, double effective, double confidence) {
    assert(count > 0 && effective >= 0);
    size_t worth = (size_t)fmax(1, fmin(effective, (double)count));
    size_t rank = 0; // rank of the interval's ends among `worth` samples, from 0
    double missed = 2 * binomial_half(worth, 0);
    while (rank + 1 < (worth + 1) / 2) {
        double missed_next = missed + 2 * binomial_half(worth, rank + 1);
        if (1 - missed_next < confidence)
            break;
        missed = missed_next;
        rank++;
    }
    size_t place = worth == count ? rank : (size_t)((double)rank * (double)count / (double)worth);
    return (struct interval){sorted[place], sorted[count - 1 - place], fmax(0, 1 - missed)};
}

// The first look may be wrong in α/2 of the cases, the second in α/6, the k-th in α/(k (k + 1)): in total α for any
// number of looks, by the union bound. Source of spending α over looks: K. Lan and D. DeMets, "Discrete sequential
// boundaries for clinical trials", 1983.
double statistics_look_confidence(double confidence, unsigned look) {
    assert(look > 0);
    return 1 - (1 - confidence) / ((double)look * (look + 1.0));
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

// Returns where to split a sorted list so that the squares within the two parts are least. There the weighted distance
// between their means is largest: W. Fisher, "On grouping for maximum homogeneity", 1958, for two groups.
static size_t best_split(const double *sorted, size_t count) {
    double total = 0, below = 0, most = -1;
    size_t split = 1;
    for (size_t i = 0; i < count; i++)
        total += sorted[i] - sorted[0];
    for (size_t i = 1; i < count; i++) {
        below += sorted[i - 1] - sorted[0];
        double distance = (total - below) / (double)(count - i) - below / (double)i;
        double between = distance * distance * (double)i * (double)(count - i);
        if (between > most) {
            most = between;
            split = i;
        }
    }
    return split;
}

// Returns the number of samples in [low, high].
static size_t count_between(const double *sorted, size_t count, double low, double high) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += sorted[i] >= low && sorted[i] <= high;
    return n;
}

// The same where a sample is anywhere within a step around its number, equally likely; rounded. A timer with steps
// leaves holes between numbers that a stretch may hold more or fewer of; that way, one mode remains one.
static size_t weigh_between(const double *sorted, size_t count, double step, double low, double high) {
    double sum = 0;
    if (step <= 0)
        return count_between(sorted, count, low, high);
    for (size_t i = 0; i < count; i++)
        sum += fmax(0, fmin(high, sorted[i] + step / 2) - fmax(low, sorted[i] - step / 2));
    return (size_t)round(sum / step);
}

// Whether a fair coin would give `few` or fewer of few + many in less than 1 of 1000 cases.
static bool is_rarer(size_t few, size_t many) {
    double chance = 0;
    for (size_t k = 0; k <= few; k++)
        chance += binomial_half(few + many, k);
    return chance < 0.001;
}

// A distribution with one mode falls off on both sides of it. So of three equally wide stretches in a row, the middle
// one cannot be less likely than both others. Where the samples show that it is, there are two modes.
//  - The outer stretches are around the medians of the two parts into which the samples split best. The choice leaves
//    out the lowest and the highest twentieth of the samples.
//  - Rejecting both alternatives, each by a sign test, keeps the level of one: R. Berger, "Multiparameter hypothesis
//    testing and acceptance sampling", 1982. The level is 1/1000, because the same samples choose the stretches.
//  - Modes nearer than 1 % are within the interval anyway. Modes two steps of the timer apart may be its steps, as each
//    end of a run may be a step late.
bool statistics_two_modes(const double *sorted, size_t count, double step, struct statistics_mode modes[2]) {
    static const double least_distance = 0.01, least_steps = 4;
    size_t trimmed = count / 20, inner = count - 2 * trimmed;
    if (inner < 2)
        return false;
    size_t split = trimmed + best_split(sorted + trimmed, inner);
    double low = statistics_median(sorted + trimmed, split - trimmed);
    double high = statistics_median(sorted + split, count - trimmed - split);
    modes[0] = (struct statistics_mode){low, (double)split / (double)count};
    modes[1] = (struct statistics_mode){high, 1 - modes[0].share};
    if (high - low < fmax(least_distance * fabs(low), least_steps * step))
        return false;
    double half = (high - low) / 6, middle = (low + high) / 2;
    size_t n_low = weigh_between(sorted, count, step, low - half, low + half);
    size_t n_high = weigh_between(sorted, count, step, high - half, high + half);
    size_t n_middle = weigh_between(sorted, count, step, middle - half, middle + half);
    return is_rarer(n_middle, n_low) && is_rarer(n_middle, n_high);
}

bool statistics_low_mode(const double *sorted, size_t count, struct statistics_mode *mode) {
    enum { FEWEST = 20 };
    static const double half_width = 0.01, least_share = 0.5, most_below = 0.05;
    if (count < FEWEST)
        return false;
    double middle = sorted[count / 4];
    size_t below = 0, n = 0;
    for (int i = 0; i < 2; i++) { // around a sample, then around the median of those
        double low = middle * (1 - half_width);
        for (below = 0; below < count && sorted[below] < low;)
            below++;
        n = count_between(sorted, count, low, middle * (1 + half_width));
        middle = statistics_median(sorted + below, n);
    }
    *mode = (struct statistics_mode){middle, (double)n / (double)count};
    return mode->share >= least_share && (double)below <= most_below * (double)count;
}

static unsigned common_divisor(unsigned a, unsigned b) {
    return b ? common_divisor(b, a % b) : a;
}

// A number that is not a fraction may look like one by chance. Where the interval is at most 1/20 as wide as the mean
// distance of the fractions k/n up to some n, it contains one by chance in at most one case of twenty. So larger
// denominators need narrower intervals. Takes the first denominator that fits. Leaves out 7: we know no machine with
// seven of anything, and each denominator makes chance hits likelier.
bool statistics_fraction(double low, double high, unsigned *numerator, unsigned *denominator) {
    static const struct {
        unsigned n, fractions_so_far; // denominator; fractions in lowest terms up to it, per unit interval
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

bool statistics_near_fraction(double low, double high) {
    for (unsigned n = 1; n <= 4; n++)
        if (floor(high * n) >= fmax(1, ceil(low * n)))
            return true;
    return false;
}
