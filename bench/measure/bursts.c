#include "bench/measure/bursts.h"

#include "bench/measure/gaps.h"
#include "bench/measure/statistics.h"

#include <math.h>
#include <string.h>

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
    bool is_hit;
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

// Marks pairs of which a gap has hit one. Where many more are long than gaps explain, the code has several speeds, and
// none is marked.
static void mark_hit(const struct bursts *bursts, struct pair *pairs, size_t n) {
    static const double more_than_seen = 1.5; // gaps may come more often than at calibration
    double least_ns = fmax(BENCH_GAP_SPOILS_NS, bursts->bench->gaps.shortest_us * 1e3) / 2;
    double least = least_ns / ticks_to_ns(bursts, 1), sum_share = 0, hit_share;
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

// Adds up the clean pairs of the bursts from `first` on, as many as `n_bursts` have, to what all bursts of a round
// take. Returns false where too few are clean.
static bool add_up(const struct bursts *bursts, const struct pair *pairs, size_t n_pairs, size_t first, size_t n_bursts,
                   struct target_sample whole[2]) {
    enum { FEWEST = 2, LEAST_SHARE = 4 };
    uint64_t sums[2] = {0};
    size_t n_clean = 0, n_all = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        const struct pair *pair = &pairs[i];
        if (pair->burst < first || pair->burst >= first + n_bursts)
            continue;
        n_all++;
        if (pair->is_hit || is_disturbed(&bursts->bursts[pair->burst]))
            continue;
        sums[0] += pair->runs[0].ticks;
        sums[1] += pair->runs[1].ticks;
        n_clean++;
    }
    if (n_clean < FEWEST || n_clean * LEAST_SHARE < n_all)
        return false;
    for (unsigned is_long = 0; is_long < 2; is_long++)
        whole[is_long].ticks = (uint64_t)llround((double)sums[is_long] * bursts->job->n_bursts / (double)n_clean);
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
