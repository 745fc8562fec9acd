#include "bench/measure/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

// cmocka's own compares floats.
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { MAX = 2000 };

// xorshift64*: the tests must draw the same numbers everywhere.
static double uniform(uint64_t *seed) {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (double)((*seed * 2685821657736338717u) >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *seed) {
    double radius = sqrt(-2 * log(1 - uniform(seed)));
    return radius * cos(6.283185307179586 * uniform(seed));
}

static void median_of_few(void **state) {
    (void)state;
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    statistics_sort(odd, 3);
    statistics_sort(even, 4);
    assert_near(statistics_median(odd, 3), 2, 1e-12);
    assert_near(statistics_median(even, 4), 2.5, 1e-12);
}

// Ranks from tables of the sign test (binomial, p = 1/2): n, lower rank from 1, confidence.
static void interval_ranks(void **state) {
    (void)state;
    static const struct {
        size_t n, rank;
        double confidence;
    } cases[] = {{7, 1, 0.984375},  {8, 1, 0.9921875}, {10, 1, 0.998047},
                 {20, 4, 0.997423}, {24, 6, 0.993389}, {100, 37, 0.993363}};
    double sorted[MAX];
    for (size_t i = 0; i < MAX; i++)
        sorted[i] = (double)i + 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct interval interval = statistics_median_interval(sorted, cases[i].n, (double)cases[i].n, 0.99);
        assert_near(interval.low, (double)cases[i].rank, 1e-9);
        assert_near(interval.high, (double)(cases[i].n + 1 - cases[i].rank), 1e-9);
        assert_near(interval.confidence, cases[i].confidence, 1e-5);
    }
    assert_int_equal(statistics_samples_needed(0.99), 8);
    assert_true(statistics_median_interval(sorted, MAX, MAX, 0.99).confidence >= 0.99); // 2^-n underflows no more
}

// A skewed distribution with a heavy tail: the truth is the median of the distribution.
static double draw_skewed(uint64_t *seed) {
    return 4 + 0.01 * exp(normal(seed));
}

static void interval_covers_as_often_as_it_says(void **state) {
    (void)state;
    static const size_t counts[] = {8, 12, 24, 61, 200};
    enum { REPEATS = 4000 };
    double samples[200];
    uint64_t seed = 42;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        unsigned n_covered = 0;
        double confidence = 0;
        for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
            for (size_t i = 0; i < counts[c]; i++)
                samples[i] = draw_skewed(&seed);
            statistics_sort(samples, counts[c]);
            struct interval interval = statistics_median_interval(samples, counts[c], (double)counts[c], 0.99);
            n_covered += interval.low <= 4.01 && 4.01 <= interval.high;
            confidence = interval.confidence;
        }
        double share = (double)n_covered / REPEATS, deviation = sqrt(confidence * (1 - confidence) / REPEATS);
        assert_true(confidence >= 0.99);
        assert_true(fabs(share - confidence) < 4 * deviation);
    }
}

// A source of samples that are alike from one to the next, around a median of 4.
typedef void (*source)(uint64_t *seed, double *samples, size_t count);

static void independent(uint64_t *seed, double *samples, size_t count) {
    for (size_t i = 0; i < count; i++)
        samples[i] = 4 + 0.01 * normal(seed);
}

static void wandering(uint64_t *seed, double *samples, size_t count) { // a first-order autoregression
    double away = normal(seed);
    for (size_t i = 0; i < count; i++) {
        samples[i] = 4 + 0.01 * away;
        away = 0.6 * away + 0.8 * normal(seed);
    }
}

static void by_process(uint64_t *seed, double *samples, size_t count) { // twelve rounds each
    double process = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % 12 == 0)
            process = normal(seed);
        samples[i] = 4 + 0.01 * process + 0.001 * normal(seed);
    }
}

// Share of intervals that hold the median, of those that claim the confidence; `claims` becomes their share.
static double coverage(source take, size_t count, double *claims) {
    enum { REPEATS = 2000 };
    double samples[MAX];
    unsigned n_covered = 0, n_claimed = 0;
    uint64_t seed = 99 + count;
    for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
        take(&seed, samples, count);
        double in_order[MAX];
        memcpy(in_order, samples, count * sizeof *samples);
        statistics_sort(samples, count);
        double effective = statistics_effective_count(in_order, count, statistics_median(samples, count), 0);
        struct interval interval = statistics_median_interval(samples, count, effective, 0.99);
        if (interval.confidence < 0.99)
            continue;
        n_claimed++;
        n_covered += interval.low <= 4 && 4 <= interval.high;
    }
    *claims = (double)n_claimed / REPEATS;
    return (double)n_covered / n_claimed;
}

static void likeness_widens_the_interval(void **state) {
    (void)state;
    double claims;
    assert_true(coverage(independent, 24, &claims) >= 0.985);
    assert_true(claims > 0.9);
    assert_true(coverage(independent, 200, &claims) >= 0.985);
    assert_true(claims == 1);
    assert_true(coverage(wandering, 200, &claims) >= 0.97);
    assert_true(coverage(by_process, 96, &claims) >= 0.97);
    coverage(by_process, 24, &claims); // two processes are hardly evidence: a claim is rare, and then by chance
    assert_true(claims < 0.15);
}

static void effective_counts(void **state) {
    (void)state;
    double constant[20] = {0}, halves[24], turns[24];
    for (size_t i = 0; i < 24; i++) {
        halves[i] = i < 12 ? 1 : 2;
        turns[i] = i % 2 ? 1 : 2;
    }
    assert_near(statistics_effective_count(constant, 20, 0, 0), 20, 1e-9);
    double copy[24];
    memcpy(copy, halves, sizeof copy);
    assert_true(statistics_effective_count(copy, 24, 1.5, 0) < 4);
    assert_near(statistics_effective_count(halves, 24, 1.5, 0.6), 24, 1e-9); // no difference that could be seen
    assert_near(statistics_effective_count(turns, 24, 1.5, 0), 24, 1e-9);    // never better than independent
}

// Looks whose α sum up to that of one.
static void looks_share_the_confidence(void **state) {
    (void)state;
    double wrong = 0;
    for (unsigned look = 1; look <= 1000; look++)
        wrong += 1 - statistics_look_confidence(0.99, look);
    assert_near(statistics_look_confidence(0.99, 1), 0.995, 1e-12);
    assert_near(wrong, 0.01, 1e-4);
    assert_true(wrong < 0.01);
}

static void fractions(void **state) {
    (void)state;
    static const struct {
        double low, high;
        unsigned numerator, denominator; // 0/0: none
    } cases[] = {
        {3.99, 4.01, 4, 1},     {4.40, 4.42, 0, 0},     {0.4995, 0.501, 1, 2},   {0.333, 0.3335, 1, 3},
        {0.124, 0.1255, 1, 8},  {0.166, 0.167, 1, 6},   {2.5985, 2.6025, 13, 5}, {2.59, 2.61, 0, 0},
        {0.2495, 0.2505, 1, 4}, {4.49, 4.51, 9, 2},     {3.5, 4.5, 0, 0},        {3.95, 4.05, 0, 0},
        {4.30, 4.37, 0, 0},     {0.0001, 0.0002, 0, 0}, {20, 20, 20, 1},         {5.3, 5.35, 0, 0},
        {0.1428, 0.1429, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned numerator = 0, denominator = 0;
        bool is_found = statistics_fraction(cases[i].low, cases[i].high, &numerator, &denominator);
        assert_int_equal(is_found, cases[i].denominator != 0);
        assert_int_equal(numerator, cases[i].numerator);
        assert_int_equal(denominator, cases[i].denominator);
    }
}

// Numbers that are no fractions are seldom taken for one, whatever the interval's width.
static void chance_hits_are_rare(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (unsigned step = 0; step < 18; step++) {
        double width = 0.0005 * pow(1.3, step); // to 0.06
        unsigned hits = 0, tries = 20000;
        for (unsigned i = 0; i < tries; i++) {
            double value = 1 + 9 * uniform(&seed);
            unsigned numerator, denominator;
            hits += statistics_fraction(value - width / 2, value + width / 2, &numerator, &denominator);
        }
        assert_true(hits < 0.056 * tries); // 1/20, and four standard deviations
    }
}

// Whatever interval is accepted holds no second fraction.
static void fractions_are_unique(void **state) {
    (void)state;
    static const unsigned denominators[] = {1, 2, 3, 4, 5, 6, 8};
    uint64_t seed = 7;
    for (unsigned repeat = 0; repeat < 20000; repeat++) {
        double low = 10 * uniform(&seed), high = low + 0.1 * uniform(&seed) * uniform(&seed);
        unsigned numerator, denominator;
        if (!statistics_fraction(low, high, &numerator, &denominator))
            continue;
        for (size_t i = 0; i < sizeof denominators / sizeof denominators[0]; i++)
            for (int k = (int)ceil(low * denominators[i]); k <= (int)floor(high * denominators[i]); k++)
                assert_near(k / (double)denominators[i], (double)numerator / denominator, 1e-9);
    }
}

static void modes_are_seen(void **state) {
    (void)state;
    double samples[60];
    struct statistics_mode modes[2];
    uint64_t seed = 3;
    for (size_t i = 0; i < 60; i++)
        samples[i] = (i % 3 ? 4.0 : 8.01) + 0.004 * normal(&seed);
    samples[7] = 40; // an interrupt that nobody saw
    statistics_sort(samples, 60);
    assert_true(statistics_two_modes(samples, 60, 0, modes));
    assert_near(modes[0].value, 4.0, 0.01);
    assert_near(modes[1].value, 8.01, 0.01);
    assert_near(modes[0].share, 2.0 / 3, 0.02);
    assert_near(modes[0].share + modes[1].share, 1, 1e-12);
    assert_false(statistics_two_modes(samples, 60, 1.1, modes)); // a timer as coarse as that shows nothing
}

// Modes that overlap are found with samples enough: 8 times as far apart as each is wide at its quartiles.
static void overlapping_modes_are_seen(void **state) {
    (void)state;
    double samples[200];
    struct statistics_mode modes[2];
    uint64_t seed = 5;
    unsigned n_seen = 0;
    for (unsigned repeat = 0; repeat < 200; repeat++) {
        for (size_t i = 0; i < 200; i++)
            samples[i] = (i % 2 ? 4.0 : 4.2) + 0.04 * normal(&seed);
        statistics_sort(samples, 200);
        n_seen += statistics_two_modes(samples, 200, 0, modes);
    }
    assert_true(n_seen > 190);
}

// On a Zen 5, independent loads take 3.006 cycles in a third of the rounds and 3.06 in the others, hardly ten steps of
// the timer apart.
static void modes_a_few_steps_apart_are_seen(void **state) {
    (void)state;
    enum { COUNT = 90 };
    static const double step = 0.0053, least_difference = 0.0031; // cycles per body; without the reference's part
    double samples[COUNT];
    struct statistics_mode modes[2];
    uint64_t seed = 17;
    unsigned n_seen = 0;
    for (unsigned repeat = 0; repeat < 200; repeat++) {
        for (size_t i = 0; i < COUNT; i++) {
            double cycles = (i % 3 ? 3.06 : 3.006) + 0.004 * normal(&seed);
            samples[i] = least_difference * round(cycles / least_difference + 0.5 * uniform(&seed));
        }
        statistics_sort(samples, COUNT);
        n_seen += statistics_two_modes(samples, COUNT, step, modes);
    }
    assert_true(n_seen > 190);
}

// One mode on a timer with steps, however wide it is, and however flat: between two steps there is never a sample.
static void steps_are_no_modes(void **state) {
    (void)state;
    enum { MOST = 600, REPEATS = 4000 };
    static const double step = 0.02;
    static double samples[MOST];
    struct statistics_mode modes[2];
    uint64_t seed = 23;
    for (unsigned is_flat = 0; is_flat < 2; is_flat++) {
        unsigned n_wrong = 0;
        for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
            double width = step * (0.5 + repeat % 12), centre = 4 + step * uniform(&seed);
            size_t count = 30 + repeat % (MOST - 30);
            for (size_t i = 0; i < count; i++)
                samples[i] = step * round((centre + width * (is_flat ? 2 * uniform(&seed) : normal(&seed))) / step);
            statistics_sort(samples, count);
            n_wrong += statistics_two_modes(samples, count, repeat % 2 ? step : 1.5 * step, modes);
        }
        assert_true(n_wrong < REPEATS / 200);
    }
}

// One mode, with noise of several shapes, is called two in less than 1 % of the cases.
static void modes_are_not_imagined(void **state) {
    (void)state;
    double samples[60];
    struct statistics_mode modes[2];
    uint64_t seed = 11;
    for (unsigned shape = 0; shape < 4; shape++) {
        unsigned n_wrong = 0;
        for (unsigned repeat = 0; repeat < 3000; repeat++) {
            size_t count = 12 + repeat % 48;
            for (size_t i = 0; i < count; i++) {
                double noise = normal(&seed);
                samples[i] = 4 + (shape == 0 ? 0.05 * noise : shape == 1 ? 0.05 * exp(noise) : 0.0);
                if (shape == 3) // flat: on the edge of having two
                    samples[i] = 4 + uniform(&seed);
                if (shape == 2) // steps of a coarse timer, and interrupts
                    samples[i] += 0.01 * round(noise) + (uniform(&seed) < 0.1 ? -0.5 * log(1 - uniform(&seed)) : 0);
            }
            statistics_sort(samples, count);
            n_wrong += statistics_two_modes(samples, count, shape == 2 ? 0.01 : 0, modes);
        }
        assert_true(n_wrong < 30);
    }
}

static void a_low_mode_holds_most_samples(void **state) {
    (void)state;
    static double samples[100];
    struct statistics_mode mode;
    for (size_t i = 0; i < 100; i++) // 70 at 3, the others slower by anything
        samples[i] = i < 70 ? 3 + 0.0001 * (double)i : 3.1 + 0.02 * (double)i;
    assert_true(statistics_low_mode(samples, 100, &mode));
    assert_true(fabs(mode.value - 3) < 0.01 && fabs(mode.share - 0.7) < 0.011);
    assert_false(statistics_low_mode(samples, 19, &mode));      // too few
    assert_false(statistics_low_mode(samples + 45, 55, &mode)); // fewer than half
    for (size_t i = 0; i < 100; i++)                            // no mode: a slope
        samples[i] = 3 + 0.01 * (double)i;
    assert_false(statistics_low_mode(samples, 100, &mode));
    for (size_t i = 0; i < 100; i++) // most are at 4, but not the lowest
        samples[i] = i < 20 ? 3 : 4;
    assert_false(statistics_low_mode(samples, 100, &mode));
}

static void near_a_fraction_or_not(void **state) {
    (void)state;
    assert_true(statistics_near_fraction(4.99, 5.02));
    assert_true(statistics_near_fraction(0.249, 0.2505));
    assert_true(statistics_near_fraction(1.33, 1.34));
    assert_false(statistics_near_fraction(4.6, 4.64));
    assert_false(statistics_near_fraction(0.12, 0.13));
    assert_false(statistics_near_fraction(0, 0.1)); // nothing takes no time
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_few),
        cmocka_unit_test(interval_ranks),
        cmocka_unit_test(interval_covers_as_often_as_it_says),
        cmocka_unit_test(likeness_widens_the_interval),
        cmocka_unit_test(effective_counts),
        cmocka_unit_test(looks_share_the_confidence),
        cmocka_unit_test(fractions),
        cmocka_unit_test(chance_hits_are_rare),
        cmocka_unit_test(fractions_are_unique),
        cmocka_unit_test(modes_are_seen),
        cmocka_unit_test(overlapping_modes_are_seen),
        cmocka_unit_test(modes_a_few_steps_apart_are_seen),
        cmocka_unit_test(steps_are_no_modes),
        cmocka_unit_test(modes_are_not_imagined),
        cmocka_unit_test(a_low_mode_holds_most_samples),
        cmocka_unit_test(near_a_fraction_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
