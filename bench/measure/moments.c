#include "bench/measure/moments.h"

#include <math.h>
#include <stddef.h>

// Processes that differ by less, relative, are alike; the interval contains such differences.
static const double tolerance = 0.02;
// Fewest samples that judge a process, so that one odd round does not; fewest fast processes at the end that show that
// a slower time is over.
enum { FEWEST_SAMPLES = 3, FEWEST_PROCESSES = 3 };

static const double tail_share = 0.1, tail_distance = 0.01;

// Summary of the samples of one process.
struct moment {
    uint64_t ns;
    unsigned process;
    size_t n; // number of samples
    double median, spread;
};

// Summarises the process whose first sample is number `first`.
static struct moment read_moment(struct sampling *sampling, size_t first) {
    struct moment moment = {.ns = sampling->samples[first].ns, .process = sampling->samples[first].process};
    for (size_t i = first; i < sampling->n_kept && sampling->samples[i].process == moment.process; i++)
        sampling->sorted[moment.n++] = sampling->samples[i].cycles;
    statistics_sort(sampling->sorted, moment.n);
    moment.median = statistics_median(sampling->sorted, moment.n);
    moment.spread = statistics_spread(sampling->sorted, moment.n);
    return moment;
}

// Returns the largest median of a process that is as fast as the fastest. A coarse timer scatters the samples, and so
// the medians.
static double slow_limit(struct sampling *sampling) {
    double least = INFINITY, sum = 0;
    unsigned n = 0;
    struct moment moment;
    for (size_t first = 0; first < sampling->n_kept; first += moment.n) {
        moment = read_moment(sampling, first);
        if (moment.n < FEWEST_SAMPLES)
            continue;
        least = fmin(least, moment.median);
        sum += moment.spread;
        n++;
    }
    return n ? least + fmax(tolerance * least, 1.5 * sum / n) : INFINITY;
}

static bool is_slow(const struct moment *moment, double limit) {
    return moment->n >= FEWEST_SAMPLES && moment->median > limit;
}

enum moments moments_judge(struct sampling *sampling, uint64_t *first_ns, uint64_t *last_ns) {
    double limit = slow_limit(sampling);
    unsigned n_fast = 0, n_in_a_row = 0, n_changes = 0;
    struct moment moment;
    bool was_slow = false;
    for (size_t first = 0; first < sampling->n_kept; first += moment.n) {
        moment = read_moment(sampling, first);
        bool slow = is_slow(&moment, limit);
        n_changes += first > 0 && slow != was_slow;
        n_in_a_row = slow ? 0 : n_in_a_row + 1;
        was_slow = slow;
        if (slow)
            continue;
        *first_ns = n_fast++ ? *first_ns : moment.ns;
        *last_ns = moment.ns;
    }
    if (n_changes == 0)
        return MOMENTS_ALIKE;
    if (n_changes > 2)
        return MOMENTS_MIXED;
    return n_in_a_row >= FEWEST_PROCESSES ? MOMENTS_FASTER : MOMENTS_SLOWER;
}

static enum bench_drop judge_process(const struct sample *sample, const void *context) {
    const bool *slow = context;
    return slow[sample->process] ? DROP_SLOWER : DROP_N_REASONS;
}

void moments_drop_slower(struct sampling *sampling) {
    double limit = slow_limit(sampling);
    bool *slow = ARENA_ARRAY(sampling->arena, bool, sampling->n_batches + 1);
    struct moment moment;
    for (size_t first = 0; first < sampling->n_kept; first += moment.n) {
        moment = read_moment(sampling, first);
        slow[moment.process] = is_slow(&moment, limit);
    }
    sampling_filter(sampling, judge_process, slow);
}

bool moments_have_faster(struct sampling *sampling) {
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, cycles));
    double median = statistics_median(sorted, sampling->n_kept);
    double limit = median - fmax(tail_distance * median, 5 * sampling->look.step);
    struct moment moment;
    for (size_t first = 0; first < sampling->n_kept; first += moment.n) {
        moment = read_moment(sampling, first);
        if (moment.n >= FEWEST_SAMPLES && moment.median < limit)
            return true;
    }
    return false;
}

bool moments_have_tail(struct sampling *sampling) {
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, cycles));
    size_t n = sampling->n_kept, place = (size_t)floor((1 - tail_share) * (double)n);
    double median = statistics_median(sorted, n), step = sampling->look.step;
    return n >= 2 && sorted[place < n ? place : n - 1] > median + fmax(tail_distance * median, 5 * step);
}
