#include "bench/measure/bursts.h"

#include "bench/measure/gaps.h"
#include "bench/measure/statistics.h"

#include <math.h>
#include <string.h>
#include <sys/param.h>

// The bursts of one job, of all its rounds.
struct bursts {
    const struct bench *bench;
    const struct target_job *job;
    const struct target_round *bursts;
    size_t n;
    double *sorted;     // room for a list of runs
    struct pair *pairs; // likewise
};

// The short run and the long one of some code in a burst.
struct pair {
    struct target_sample runs[2];
    unsigned burst; // index of the burst
    bool is_hit;    // a gap has hit one of them
    bool is_cold;   // one came before them
};

static double ticks_to_ns(const struct bursts *bursts, double ticks) {
    double rate = bursts->bench->target->ticks_per_second;
    return ticks * 1e9 / (rate > 0 ? rate : 1e9);
}

// Whether nothing of the burst counts. A switch of the thread and stolen time are gaps as any other: they lengthen one
// run, or none.
static bool is_disturbed(const struct target_round *burst) {
    return burst->migrations || burst->faults;
}

// Returns what the runs in `sorted` take without a gap: what half of the clean ones take. Gaps only lengthen a run, so
// the clean ones are the shortest.
static double plateau_of(const struct bursts *bursts, size_t n, double *hit_share) {
    statistics_sort(bursts->sorted, n);
    *hit_share = gaps_hit_share(&bursts->bench->gaps, ticks_to_ns(bursts, bursts->sorted[n / 4]));
    return bursts->sorted[(size_t)((1 - fmin(0.95, *hit_share)) / 2 * (double)n)];
}

// Returns by how much a run that a gap has hit is longer than others at least, ticks.
static double least_gap_ticks(const struct bursts *bursts) {
    return fmax(BENCH_GAP_SPOILS_NS, bursts->bench->gaps.shortest_us * 1e3) / 2 / ticks_to_ns(bursts, 1);
}

// Returns the ticks from the start of the pair before to that of pair `i`; 0: it is the same pair, or this is not
// known.
static double distance_of(const struct pair *pairs, size_t i) {
    return (double)pairs[i].runs[0].start - (double)pairs[i - 1].runs[0].start;
}

// Marks pairs of which a gap has hit one. Where many more are long than gaps explain, the code has several speeds, and
// none is marked.
static void mark_hit(const struct bursts *bursts, struct pair *pairs, size_t n) {
    static const double more_than_seen = 1.5; // gaps may come more often than at calibration
    double least = least_gap_ticks(bursts), sum_share = 0, hit_share;
    size_t n_hit = 0;
    for (unsigned is_long = 0; is_long < 2; is_long++) {
        for (size_t i = 0; i < n; i++)
            bursts->sorted[i] = (double)pairs[i].runs[is_long].ticks;
        double most = plateau_of(bursts, n, &hit_share) + least;
        sum_share += hit_share;
        for (size_t i = 0; i < n; i++)
            pairs[i].is_hit |= (double)pairs[i].runs[is_long].ticks > most;
    }
    for (size_t i = 0; i < n; i++)
        n_hit += pairs[i].is_hit;
    double expected = more_than_seen * sum_share * (double)n;
    if ((double)n_hit <= expected + 3 * sqrt(expected) + 2)
        return;
    for (size_t i = 0; i < n; i++)
        pairs[i].is_hit = false;
}

// The differences of both runs of pairs that no gap has hit.
struct differences {
    double median, error; // error: of the median
    size_t n;
};

static struct differences differences_of(const struct bursts *bursts, const struct pair *pairs, size_t n,
                                         bool are_cold) {
    struct differences differences = {.n = 0};
    for (size_t i = 0; i < n; i++)
        if (!pairs[i].is_hit && pairs[i].is_cold == are_cold)
            bursts->sorted[differences.n++] = (double)pairs[i].runs[1].ticks - (double)pairs[i].runs[0].ticks;
    if (!differences.n)
        return differences;
    statistics_sort(bursts->sorted, differences.n);
    differences.median = statistics_median(bursts->sorted, differences.n);
    differences.error = 1.25 * statistics_spread(bursts->sorted, differences.n) / sqrt((double)differences.n);
    return differences;
}

// Whether the pairs behind gaps take another time than the others, by more than chance.
static bool cold_ones_differ(const struct bursts *bursts, const struct pair *pairs, size_t n) {
    enum { FEWEST = 4 };
    struct differences warm = differences_of(bursts, pairs, n, false), cold = differences_of(bursts, pairs, n, true);
    return warm.n >= FEWEST && cold.n >= FEWEST && fabs(cold.median - warm.median) > 3 * hypot(cold.error, warm.error);
}

// Marks pairs that a gap came before, since the same code ran last: such a run may be cold, and takes longer than
// others by less than a gap. The distance of the two runs shows the gap, whatever the code itself takes. Each burst has
// `each` pairs, in the order of time. The last one of a burst may be the first one of the next. Where those pairs take
// as long as the others, none is marked: more pairs are less noise.
static void mark_cold(const struct bursts *bursts, struct pair *pairs, size_t n, size_t each) {
    double hit_share, least = least_gap_ticks(bursts);
    for (size_t k = 0; k < each; k++) {
        size_t n_distances = 0;
        for (size_t i = k ? k : each; i < n; i += each)
            if (distance_of(pairs, i) > 0)
                bursts->sorted[n_distances++] = distance_of(pairs, i);
        double most = n_distances ? plateau_of(bursts, n_distances, &hit_share) + least : INFINITY;
        for (size_t i = k ? k : each; i < n; i += each)
            pairs[i].is_cold = distance_of(pairs, i) > most;
    }
    for (size_t i = 1; i < n; i++)
        if (pairs[i].runs[0].start && distance_of(pairs, i) == 0)
            pairs[i].is_cold = pairs[i - 1].is_cold;
    if (cold_ones_differ(bursts, pairs, n))
        return;
    for (size_t i = 0; i < n; i++)
        pairs[i].is_cold = false;
}

// Sums of pairs.
struct sums {
    uint64_t ticks[2];
    size_t n;
};

static void add_pair(struct sums *sums, const struct pair *pair) {
    sums->ticks[0] += pair->runs[0].ticks;
    sums->ticks[1] += pair->runs[1].ticks;
    sums->n++;
}

// Adds up the clean pairs of the bursts from `first` on, as many as `n_bursts` have, to what all bursts of a round
// take: those that are not cold, where these are enough. Returns false where too few are clean.
static bool add_up(const struct bursts *bursts, const struct pair *pairs, size_t n_pairs, size_t first, size_t n_bursts,
                   struct target_sample whole[2]) {
    enum { FEWEST = 2, LEAST_SHARE = 4 };
    struct sums clean = {.n = 0}, warm = {.n = 0};
    size_t n_all = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        const struct pair *pair = &pairs[i];
        if (pair->burst < first || pair->burst >= first + n_bursts)
            continue;
        n_all++;
        if (pair->is_hit || is_disturbed(&bursts->bursts[pair->burst]))
            continue;
        add_pair(&clean, pair);
        if (!pair->is_cold)
            add_pair(&warm, pair);
    }
    size_t needed = MAX(FEWEST, (n_all + LEAST_SHARE - 1) / LEAST_SHARE);
    const struct sums *sums = warm.n >= needed ? &warm : &clean;
    if (sums->n < needed)
        return false;
    for (unsigned is_long = 0; is_long < 2; is_long++)
        whole[is_long].ticks =
            (uint64_t)llround((double)sums->ticks[is_long] * bursts->job->n_bursts / (double)sums->n);
    return true;
}

// Puts what bursts with too few clean runs have seen into the round, which is then dropped.
static void give_up(const struct bursts *bursts, size_t first, struct target_round *round) {
    round->is_interrupted = true;
    for (size_t i = first; i < first + bursts->job->n_bursts; i++) {
        round->switches += bursts->bursts[i].switches;
        round->migrations += bursts->bursts[i].migrations;
        round->faults += bursts->bursts[i].faults;
        round->stolen_ns += bursts->bursts[i].stolen_ns;
    }
}

// Adds up the code's runs, or those of a check.
static void add_code(const struct bursts *bursts, int check) {
    const struct target_job *job = bursts->job;
    for (size_t i = 0; i < bursts->n; i++) {
        const struct target_round *burst = &bursts->bursts[i];
        struct pair *pair = &bursts->pairs[i];
        *pair = (struct pair){.runs = {burst->code_short, burst->code_long}, .burst = (unsigned)i};
        if (check >= 0)
            memcpy(pair->runs, burst->checks[check], sizeof pair->runs);
    }
    mark_hit(bursts, bursts->pairs, bursts->n);
    mark_cold(bursts, bursts->pairs, bursts->n, 1);
    for (unsigned r = 0; r < job->n_rounds; r++) {
        struct target_round *round = &job->rounds[r];
        struct target_sample whole[2] = {{0}};
        size_t first = (size_t)r * job->n_bursts;
        if (!add_up(bursts, bursts->pairs, bursts->n, first, job->n_bursts, whole))
            give_up(bursts, first, round);
        if (check >= 0) {
            memcpy(round->checks[check], whole, sizeof whole);
            continue;
        }
        round->code_short = whole[0];
        round->code_long = whole[1];
    }
}

// Adds up the reference's runs: those of the first half of a round's bursts are from before the rest. So a frequency
// that changes in between shows as usual.
static void add_reference(const struct bursts *bursts) {
    const struct target_job *job = bursts->job;
    for (size_t i = 0; i < bursts->n; i++) {
        struct pair *pairs = &bursts->pairs[2 * i];
        pairs[0] = pairs[1] = (struct pair){.burst = (unsigned)i};
        memcpy(pairs[0].runs, bursts->bursts[i].reference_before, sizeof pairs->runs);
        memcpy(pairs[1].runs, bursts->bursts[i].reference_after, sizeof pairs->runs);
    }
    mark_hit(bursts, bursts->pairs, 2 * bursts->n);
    mark_cold(bursts, bursts->pairs, 2 * bursts->n, 2);
    for (unsigned r = 0; r < job->n_rounds; r++) {
        struct target_round *round = &job->rounds[r];
        size_t first = (size_t)r * job->n_bursts, half = job->n_bursts / 2;
        if (!add_up(bursts, bursts->pairs, 2 * bursts->n, first, half, round->reference_before) ||
            !add_up(bursts, bursts->pairs, 2 * bursts->n, first + half, job->n_bursts - half, round->reference_after))
            give_up(bursts, first, round);
    }
}

// Makes whole rounds of the job's bursts.
static void join(const struct bench *bench, const struct target_round *all, struct target_job *job) {
    struct arena scratch = {0};
    size_t n = (size_t)job->n_rounds * job->n_bursts;
    const struct bursts bursts = {.bench = bench,
                                  .job = job,
                                  .bursts = all,
                                  .n = n,
                                  .sorted = ARENA_ARRAY(&scratch, double, 2 * n),
                                  .pairs = ARENA_ARRAY(&scratch, struct pair, 2 * n)};
    for (unsigned r = 0; r < job->n_rounds; r++)
        job->rounds[r] = (struct target_round){.has_busy_sibling = all[(size_t)r * job->n_bursts].has_busy_sibling};
    add_reference(&bursts);
    for (int i = 0; i < BENCH_N_CHECKS; i++)
        if (job->checks[i].n_long)
            add_code(&bursts, i);
    add_code(&bursts, -1);
    arena_free(&scratch);
}

// Returns the target's job for a job whose rounds have bursts.
static struct target_job burst_job(const struct target_job *job, struct target_round *rounds) {
    struct target_job burst = *job;
    burst.code_short /= job->n_bursts;
    burst.code_long /= job->n_bursts;
    burst.reference_short /= job->n_bursts;
    burst.reference_long /= job->n_bursts;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        burst.checks[i].n_short /= job->n_bursts;
        burst.checks[i].n_long /= job->n_bursts;
    }
    burst.wanted_ticks /= job->divisor;
    burst.warmup_times = job->divisor;
    burst.n_rounds *= job->n_bursts;
    burst.rounds = rounds;
    return burst;
}

// Takes what the target has written.
static void take(const struct bench *bench, const struct target_job *burst, struct target_job *job) {
    job->code_short = burst->code_short * job->n_bursts;
    job->code_long = burst->code_long * job->n_bursts;
    job->code_calls = burst->code_calls;
    job->ns = burst->ns;
    job->outcome = burst->outcome;
    job->seen = burst->seen;
    job->n_done = burst->n_done == burst->n_rounds ? job->n_rounds : 0;
    if (job->n_done)
        join(bench, burst->rounds, job);
}

bool bursts_run(const struct bench *bench, struct target_job *jobs, unsigned n_jobs, enum bench_outcome *outcome,
                struct fail *fail) {
    struct target *target = bench->target;
    if (jobs->n_bursts <= 1)
        return target->ops->run(target, jobs, n_jobs, outcome, fail);
    struct arena scratch = {0};
    struct target_job bursts[BENCH_MOST_TOGETHER];
    for (unsigned i = 0; i < n_jobs; i++)
        bursts[i] = burst_job(&jobs[i],
                              ARENA_ARRAY(&scratch, struct target_round, (size_t)jobs[i].n_rounds * jobs[i].n_bursts));
    bool is_run = target->ops->run(target, bursts, n_jobs, outcome, fail);
    for (unsigned i = 0; i < n_jobs && is_run; i++)
        take(bench, &bursts[i], &jobs[i]);
    arena_free(&scratch);
    return is_run;
}
