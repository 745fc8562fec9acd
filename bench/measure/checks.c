#include "bench/measure/checks.h"

#include "bench/measure/clock.h"
#include "bench/measure/rounds.h"
#include "bench/measure/statistics.h"

#include <math.h>
#include <stddef.h>

// Relative departure of the median that counts: it shows what single rounds do not.
static const double median_tolerance = 0.0025;

static bool is_chain(const struct bench *bench, const struct bench_code *code) {
    return code == &bench->reference || code == &bench->checks[CHECK_MULTIPLY].code;
}

// Whether a check counts for the code's rounds.
static bool counts_for(const struct bench_code *code, unsigned check) {
    return check < CHECK_USES || code->uses & 1U << (check - CHECK_USES);
}

// Whether a check shows a state of the core that comes without a neighbour, and stays for seconds: a Zen 4
// compares memory into masks at two speeds, and all else takes the same time. It drops no round.
static bool shows_state(unsigned check) {
    return check == CHECK_USES + USE_MASK;
}

static bool judges(const struct bench_code *code, unsigned check) {
    return counts_for(code, check) && !shows_state(check);
}

void checks_put(const struct bench *bench, struct target_job *job) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct bench_check_state *check = &bench->checks[i];
        bool is_wanted = counts_for(job->code, i) || is_chain(bench, job->code);
        if (job->corunner) // even a waiting co-runner takes issue slots, which other checks would show
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
        if (clock_of(bench->clock)->counts)
            cycles[i] = ((double)samples[1].counters[0] - (double)samples[0].counters[0]) / n_bodies;
        else if (reference > 0)
            cycles[i] = ((double)samples[1].ticks - (double)samples[0].ticks) / n_bodies / reference;
    }
}

static bool is_at_level(const struct level *level, double cycles) {
    return fabs(cycles / level->cycles - 1) <= level_tolerance(level);
}

// Whether the reading does not contradict the level, as far as both are known.
static bool is_in_order(const struct bench *bench, enum bench_check check, const double cycles[BENCH_N_CHECKS]) {
    const struct level *level = &bench->checks[check].level;
    return level->cycles <= 0 || cycles[check] <= 0 || is_at_level(level, cycles[check]);
}

static bool is_known(const struct bench *bench, enum bench_check check, const double cycles[BENCH_N_CHECKS]) {
    return cycles[check] <= 0 || bench->checks[check].level.cycles > 0;
}

static bool is_undisturbed(const struct target_job *job, const struct target_round *round) {
    enum bench_drop why;
    return !round->switches && !round->migrations && clock_reference_is_steady(job, round, &why);
}

// Returns how many checks, from the first one on, may learn from a round; its reference must be reliable.
//  - Multiplies show where a neighbour slows the reference.
//  - They do not show what slows both equally, by some percent, as scalar code of a neighbour may do for seconds. All
//    else then looks too fast. Independent instructions show it: such code slows them most.
// So the checks of the uses learn only where both agree.
static unsigned count_lessons(const struct bench *bench, const struct target_job *job, const struct target_round *round,
                              const double cycles[BENCH_N_CHECKS]) {
    if (!is_undisturbed(job, round))
        return 0;
    if (!is_in_order(bench, CHECK_MULTIPLY, cycles))
        return CHECK_MULTIPLY + 1;
    bool is_quiet = is_known(bench, CHECK_MULTIPLY, cycles) && is_known(bench, CHECK_ISSUE, cycles) &&
                    is_in_order(bench, CHECK_ISSUE, cycles);
    return is_quiet ? BENCH_N_CHECKS : CHECK_ISSUE + 1;
}

// Adds the round's readings to those of its process.
static void add_readings(const struct bench *bench, const struct target_job *job, const struct target_round *round,
                         double *readings[BENCH_N_CHECKS], size_t n[BENCH_N_CHECKS]) {
    double cycles[BENCH_N_CHECKS];
    checks_cycles(bench, job, round, cycles);
    unsigned n_lessons = count_lessons(bench, job, round, cycles);
    for (unsigned i = 0; i < n_lessons; i++)
        if (cycles[i] != 0)
            readings[i][n[i]++] = cycles[i];
}

// Corrects the readings of a process where a neighbour slowed the reference in all rounds, by a percent or two: then
// multiplies take less than their whole number of cycles, and all else looks too fast by the same factor.
static void correct_reference(const struct level *multiply, double *readings[BENCH_N_CHECKS],
                              const size_t n[BENCH_N_CHECKS]) {
    static const double negligible = 0.002;
    if (!multiply->is_whole || multiply->cycles <= 0 || !n[CHECK_MULTIPLY])
        return;
    statistics_sort(readings[CHECK_MULTIPLY], n[CHECK_MULTIPLY]);
    double factor = multiply->cycles / statistics_median(readings[CHECK_MULTIPLY], n[CHECK_MULTIPLY]);
    for (unsigned i = 0; i < BENCH_N_CHECKS && factor > 1 + negligible; i++)
        for (size_t k = 0; k < n[i] && i != CHECK_MULTIPLY; k++)
            readings[i][k] *= factor;
}

// Returns the relative spread of a check's reading by the timer alone: that of the reference, whose runs are longer,
// between its two halves. It matters where runs are short, in bursts.
static double timer_noise(const struct bench *bench, const struct target_job *const *jobs, unsigned n_jobs,
                          double *changes) {
    size_t n = 0;
    if (bench->n_bursts <= 1)
        return 0;
    for (unsigned i = 0; i < n_jobs; i++)
        for (unsigned r = 0; r < jobs[i]->n_done; r++)
            if (is_undisturbed(jobs[i], &jobs[i]->rounds[r]))
                changes[n++] = clock_reference_change(jobs[i], &jobs[i]->rounds[r]);
    if (!n)
        return 0;
    statistics_sort(changes, n);
    return statistics_spread(changes, n) * ROUNDS_CODE_SECONDS / ROUNDS_CHECK_SECONDS / sqrt(2);
}

bool checks_learn(struct bench *bench, const struct target_job *const *jobs, unsigned n_jobs) {
    struct arena scratch = {0};
    size_t n_rounds = 0, n[BENCH_N_CHECKS] = {0};
    bool is_news = false;
    double *readings[BENCH_N_CHECKS];
    for (unsigned i = 0; i < n_jobs; i++)
        n_rounds += jobs[i]->n_done;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        readings[i] = ARENA_ARRAY(&scratch, double, n_rounds + 1);
    for (unsigned i = 0; i < n_jobs; i++)
        for (unsigned r = 0; r < jobs[i]->n_done; r++)
            add_readings(bench, jobs[i], &jobs[i]->rounds[r], readings, n);
    correct_reference(&bench->checks[CHECK_MULTIPLY].level, readings, n);
    double noise = timer_noise(bench, jobs, n_jobs, ARENA_ARRAY(&scratch, double, n_rounds + 1));
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++)
        if (n[i] > 0 && level_take(&bench->checks[i].level, readings[i], n[i],
                                   fmax(noise, bench->checks[CHECK_MULTIPLY].level.spread)))
            is_news = true;
    arena_free(&scratch);
    return is_news;
}

bool checks_agree(const struct bench *bench, const struct bench_code *code, const double cycles[BENCH_N_CHECKS],
                  enum bench_drop *why) {
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct level *level = &bench->checks[i].level;
        if (level->cycles <= 0 || cycles[i] == 0 || !judges(code, i) || is_at_level(level, cycles[i]))
            continue;
        *why = i == CHECK_MULTIPLY ? DROP_MULTIPLY : i == CHECK_ISSUE ? DROP_ISSUE : DROP_USES + (i - CHECK_USES);
        return false;
    }
    return true;
}

bool checks_medians_agree(const struct bench *bench, const struct bench_code *code,
                          const double cycles[BENCH_N_CHECKS]) {
    static const double another_level = 0.01;
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        const struct level *level = &bench->checks[i].level;
        if (level->cycles > 0 && cycles[i] != 0 && counts_for(code, i) &&
            fabs(cycles[i] / level->cycles - 1) > fmax(another_level, level->spread))
            return false;
    }
    return true;
}

bool checks_are_faster(const struct bench *bench, const struct bench_code *code, const double cycles[BENCH_N_CHECKS]) {
    const struct level *multiply = &bench->checks[CHECK_MULTIPLY].level;
    if (multiply->cycles > 0 && cycles[CHECK_MULTIPLY] != 0 && !is_at_level(multiply, cycles[CHECK_MULTIPLY]))
        return false; // the reference itself departs
    for (unsigned i = CHECK_MULTIPLY + 1; i < BENCH_N_CHECKS; i++) {
        const struct level *level = &bench->checks[i].level;
        if (judges(code, i) && cycles[i] > 0 && cycles[i] < level->cycles && !is_at_level(level, cycles[i]))
            return true;
    }
    return false;
}

enum bench_check checks_unknown(const struct bench *bench, const struct target_job *job) {
    unsigned i = CHECK_MULTIPLY + 1; // calibration judges that chain
    while (i < BENCH_N_CHECKS && (!job->checks[i].n_long || !judges(job->code, i) || bench->checks[i].level.cycles > 0))
        i++;
    return (enum bench_check)i;
}

// The median of n normal samples scatters by about 0.93 of their quartiles' distance over √n. Three times that is the
// uncertainty: so chance seldom counts as a departure, and a departure is not underestimated.
double checks_departure(const struct bench *bench, const struct bench_code *code, enum bench_check check,
                        const double *sorted, size_t n) {
    double level = bench->checks[check].level.cycles, median = n ? statistics_median(sorted, n) : 0;
    if (level <= 0 || median == 0 || !judges(code, check)) // 0: not timed
        return 0;
    double away = fabs(median / level - 1);
    double uncertainty = 2.8 * statistics_spread(sorted, n) / level / sqrt((double)n);
    return away > fmax(median_tolerance, uncertainty) ? away + uncertainty : 0;
}

double checks_slowing(const struct bench *bench, const struct bench_code *code, enum bench_check check,
                      const double *sorted, size_t n) {
    const struct level *level = &bench->checks[check].level;
    double median = n ? statistics_median(sorted, n) : 0;
    bool is_slow = level->cycles > 0 && median > level->cycles && !is_at_level(level, median);
    return shows_state(check) && counts_for(code, check) && is_slow ? median / level->cycles - 1 : 0;
}

const char *checks_subject(enum bench_check check) {
    static const char *const subjects[BENCH_N_CHECKS] = {
        [CHECK_MULTIPLY] = "dependent multiplies are",
        [CHECK_ISSUE] = "independent instructions are",
        [CHECK_USES + USE_INTEGER] = "independent integer instructions are",
        [CHECK_USES + USE_VECTOR] = "independent vector instructions are",
        [CHECK_USES + USE_LOAD] = "independent loads are",
        [CHECK_USES + USE_STORE] = "independent stores are",
        [CHECK_USES + USE_MASK] = "comparisons of memory into masks are",
    };
    return subjects[check];
}
