#include "bench/measure/uneven.h"

#include <math.h>
#include <stddef.h>

// Largest part of a short run that its start may differ from the reference's. Two speeds 1.14 times apart and less are
// not told from each other: their difference is 2 % off at most.
static const double most_start = 0.12;
// Least shares of rounds with and without such a start: one round may have met an interrupt.
static const double least_even = 0.1, least_uneven = 0.05;
// Fewest iterations of a short run whose start is comparable. Code that is so long that it has fewer may leave a cache
// from one iteration to the next, and walks that miss all of them differ from run to run.
enum { FEWEST_ITERATIONS = 4 };
// A start that no cold cache explains, as a part of the short run, as the warm-up has run the code before.
static const double cold_start = 0.25;

// Cycles in which any pipeline fills and drains. A start of fewer shows no second speed: runs of a simulated CPU are
// short.
static const double pipeline_cycles = 200;

// What a pair of runs costs besides its iterations, ticks. `each`: what an iteration takes.
static double start_of(const struct target_sample *short_run, const struct target_sample *long_run, uint64_t n_short,
                       uint64_t n_long, double *each) {
    *each = ((double)long_run->ticks - (double)short_run->ticks) / (double)(n_long - n_short);
    return (double)short_run->ticks - *each * (double)n_short;
}

// Each burst of a round starts.
static unsigned bursts_of(const struct target_job *job) {
    return job->n_bursts > 1 ? job->n_bursts : 1;
}

// The reference's start, the mean of before and after the code. A disturbed one may be anything, so it has limits.
static double usual_start(const struct target_job *job, const struct target_round *round) {
    double each, most = most_start * bursts_of(job) * (double)round->code_short.ticks;
    double before = start_of(&round->reference_before[0], &round->reference_before[1], job->reference_short,
                             job->reference_long, &each),
           after = start_of(&round->reference_after[0], &round->reference_after[1], job->reference_short,
                            job->reference_long, &each);
    return fmax(0, fmin((before + after) / 2, most));
}

void uneven_judge(const struct target_job *job, const struct target_round *round, struct sample *sample) {
    const struct bench_code *code = job->code;
    sample->start = 0;
    sample->alone = sample->difference;
    if (job->code_calls > 1 || job->code_short < (uint64_t)FEWEST_ITERATIONS * bursts_of(job) || code->chase.n ||
        bench_code_is_foreign(code))
        return;
    double each, start = start_of(&round->code_short, &round->code_long, job->code_short, job->code_long, &each),
                 usual = usual_start(job, round);
    if (each <= 0 || round->code_short.ticks == 0)
        return;
    bool is_pipeline = start > usual && start - usual < pipeline_cycles * bursts_of(job) * sample->reference_ticks;
    sample->start = is_pipeline ? 0 : (start - usual) / (double)round->code_short.ticks;
    sample->alone = sample->difference * ((double)round->code_long.ticks - usual) / (double)job->code_long / each;
}

// Returns the number of rounds that start as the reference does, and the median of their starts.
static size_t find_even(struct sampling *sampling, double *start) {
    size_t n = 0;
    for (size_t i = 0; i < sampling->n_kept; i++)
        if (fabs(sampling->samples[i].start) <= most_start)
            sampling->scratch[n++] = sampling->samples[i].start;
    if (n)
        statistics_sort(sampling->scratch, n);
    *start = n ? statistics_median(sampling->scratch, n) : 0;
    return n;
}

// Summary of a value's other rounds, to judge one by.
struct company {
    double even_start;       // median of the even ones
    bool has_even, has_less; // enough rounds that are even, and that have less than no start
};

static struct company find_company(struct sampling *sampling) {
    struct company company;
    double n = (double)sampling->n_kept;
    size_t n_less = 0;
    company.has_even = (double)find_even(sampling, &company.even_start) >= least_even * n;
    for (size_t i = 0; i < sampling->n_kept; i++)
        n_less += sampling->samples[i].start < -most_start;
    company.has_less = (double)n_less >= least_uneven * n;
    return company;
}

// Whether a round has two speeds: it has less than no start, or a larger one than even rounds, or there are rounds with
// less than none. Where all start alike, near the limit, none is apart.
static bool is_apart(const struct sample *sample, const struct company *company) {
    bool is_above = sample->start > most_start &&
                    (company->has_less || (company->has_even && sample->start - company->even_start > most_start));
    return sample->start < -most_start || is_above;
}

void uneven_choose(struct sampling *sampling) {
    const struct company company = find_company(sampling);
    size_t n_apart = 0;
    for (size_t i = 0; i < sampling->n_kept; i++)
        n_apart += is_apart(&sampling->samples[i], &company);
    bool is_rare = (double)n_apart < least_uneven * (double)sampling->n_kept;
    for (size_t i = 0; i < sampling->n_kept; i++) {
        struct sample *sample = &sampling->samples[i];
        sample->cycles = !is_rare && is_apart(sample, &company) ? sample->alone : sample->difference;
    }
}

double uneven_slack(struct sampling *sampling) {
    size_t n = sampling->n_kept;
    if (!n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const struct sample *sample = &sampling->samples[i];
        bool may_be = sample->start > most_start && sample->cycles < sample->alone;
        sampling->scratch[i] = may_be ? sample->alone - sample->cycles : 0;
    }
    statistics_sort(sampling->scratch, n);
    return statistics_median(sampling->scratch, n);
}

bool uneven_is_doubtful(struct sampling *sampling) {
    if (!sampling->n_kept)
        return false;
    const double *starts = sampling_sorted(sampling, offsetof(struct sample, start));
    double least = starts[(size_t)(least_even * (double)sampling->n_kept)];
    return least > most_start && statistics_median(starts, sampling->n_kept) > cold_start;
}
