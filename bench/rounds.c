// Long enough that the timer's noise and steps (10 ns on Zen 4) are about 0.1 % of the difference between long and
// short, short enough that most rounds see no interrupt (1000 a second at most, so 9 % of rounds of 90 µs) and that a
// change of frequency between two references stays small.
#include "bench/rounds.h"

#include <math.h>

enum { WANTED_STEPS = 2000, PILOT_ROUNDS = 2 };
static const double most_iterations = 1e9; // no code is so short, and no timer so coarse, that it needs more

// The first guess is right for instructions of about a cycle, and saves most measurements a second pilot. Code for
// which it is far too many iterations shows by the time-out, and starts again from the fewest there can be.
enum { FIRST_INSTRUCTIONS = 16384 };
static const double first_timeout_seconds = 0.2;

static double wanted_ticks(const struct target *target, double seconds) {
    double rate = target->ticks_per_second > 0 ? target->ticks_per_second : 1e9;
    return fmax(seconds * rate, WANTED_STEPS * (double)target->timer_step);
}

// The quickest long run of a few.
static bool pilot(const struct bench *bench, struct target_job *job, double n_long, double *ticks,
                  enum bench_outcome *outcome, struct fail *fail) {
    struct target *target = bench->target;
    struct target_round rounds[PILOT_ROUNDS];
    unsigned n_done = 0;
    job->code_long = (uint64_t)n_long;
    job->code_short = job->code_long / 2;
    if (!target->ops->run(target, job, rounds, &n_done, outcome, fail))
        return false;
    *ticks = n_done ? INFINITY : 0;
    for (unsigned i = 0; i < n_done; i++)
        *ticks = fmin(*ticks, (double)rounds[i].code_long.ticks);
    return true;
}

static bool first_pilot(const struct bench *bench, struct target_job *job, double *n_long, double *ticks,
                        enum bench_outcome *outcome, struct fail *fail) {
    double timeout_seconds = job->timeout_seconds;
    double n_instructions = fmax(1, job->code->body_instructions);
    *n_long = 2 * fmax(1, round(FIRST_INSTRUCTIONS / 2.0 / job->code->bodies / n_instructions));
    job->timeout_seconds = fmin(timeout_seconds, first_timeout_seconds);
    if (!pilot(bench, job, *n_long, ticks, outcome, fail))
        return false;
    job->timeout_seconds = timeout_seconds;
    if (*outcome != BENCH_TIMEOUT)
        return true;
    *n_long = 2;
    return pilot(bench, job, *n_long, ticks, outcome, fail);
}

// Nothing is known of the code: a body may take a tenth of a nanosecond or a second. Times below an eighth of the
// wanted one are partly overhead, and only say that more is needed.
bool rounds_choose(const struct bench *bench, const struct bench_code *code, double seconds, uint64_t *n_short,
                   uint64_t *n_long, enum bench_outcome *outcome, struct fail *fail) {
    struct target_job job = {
        .code = code,
        .reference = &bench->reference,
        .reference_short = 1,
        .reference_long = 2,
        .n_rounds = PILOT_ROUNDS,
        .timeout_seconds = bench->options.timeout_seconds,
    };
    double wanted = wanted_ticks(bench->target, seconds), n = 0, ticks = 0;
    bool is_run = first_pilot(bench, &job, &n, &ticks, outcome, fail);
    while (is_run && *outcome == BENCH_OK && ticks < wanted / 8 && n < most_iterations) {
        n *= ticks > 0 ? fmax(2, fmin(1000, wanted / ticks)) : 1000; // 0: the timer did not even move
        n = 2 * round(fmin(n, most_iterations) / 2);
        is_run = pilot(bench, &job, n, &ticks, outcome, fail);
    }
    if (!is_run || *outcome != BENCH_OK)
        return is_run;
    if (ticks <= 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "the timer '%s' stands still: it cannot be measured with",
                        bench->target->timer);
    *n_short = (uint64_t)fmax(1, round(n / 2 * wanted / ticks));
    *n_long = 2 * *n_short;
    return true;
}
