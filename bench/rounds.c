// Long enough that the timer's noise (some 10 ns) and its steps are below 0.1 % of the difference between long and
// short, short enough that most rounds see no interrupt (1000 a second at most, so 6 % of rounds of 60 µs) and that a
// change of frequency between two references stays small.
#include "bench/rounds.h"

#include <math.h>

static const double wanted_seconds = 20e-6;
enum { WANTED_STEPS = 4000, PILOT_ROUNDS = 3, MAX_PILOTS = 16 };

static double wanted_ticks(const struct target *target) {
    double rate = target->ticks_per_second > 0 ? target->ticks_per_second : 1e9;
    return fmax(wanted_seconds * rate, WANTED_STEPS * (double)target->timer_step);
}

// The quickest long run of a few.
static bool pilot(const struct bench *bench, const struct bench_code *code, uint64_t n_long, double *ticks,
                  enum bench_outcome *outcome, struct fail *fail) {
    struct target *target = bench->target;
    struct target_round rounds[PILOT_ROUNDS];
    struct target_job job = {
        .code = code,
        .reference = &bench->reference,
        .code_short = n_long / 2,
        .code_long = n_long,
        .reference_short = 1,
        .reference_long = 2,
        .n_rounds = PILOT_ROUNDS,
        .timeout_seconds = bench->options.timeout_seconds,
    };
    unsigned n_done = 0;
    if (!target->ops->run(target, &job, rounds, &n_done, outcome, fail))
        return false;
    *ticks = n_done ? INFINITY : 0;
    for (unsigned i = 0; i < n_done; i++)
        *ticks = fmin(*ticks, (double)rounds[i].code_long.ticks);
    return true;
}

// Grows the count from 2, because nothing is known of the code: one iteration may take a nanosecond or a second.
// Times below a quarter of the wanted one are mostly overhead, and only say that more is needed.
bool rounds_choose(const struct bench *bench, const struct bench_code *code, uint64_t *n_short, uint64_t *n_long,
                   enum bench_outcome *outcome, struct fail *fail) {
    double wanted = wanted_ticks(bench->target), n = 2, ticks = 0;
    for (unsigned i = 0; i < MAX_PILOTS && ticks < wanted / 4; i++) {
        if (ticks > 0)
            n *= fmax(2, fmin(1000, wanted / ticks));
        else if (i > 0)
            n *= 1000; // the timer did not even move
        n = 2 * round(n / 2);
        if (!pilot(bench, code, (uint64_t)n, &ticks, outcome, fail))
            return false;
        if (*outcome != BENCH_OK)
            return true;
    }
    if (ticks <= 0)
        return fail_set(fail, FAIL_UNAVAILABLE, "the timer '%s' stands still: it cannot be measured with",
                        bench->target->timer);
    *n_short = (uint64_t)fmax(1, round(n / 2 * wanted / ticks));
    *n_long = 2 * *n_short;
    return true;
}
