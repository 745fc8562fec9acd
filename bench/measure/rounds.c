// The lengths of rounds.
//  - They are so long that the timer's noise and steps (often 10 ns) are about 0.1 % of the difference between the
//    long and the short run.
//  - They are so short that most rounds see no interrupt (at most 1000 per second, so 5 % of rounds of 50 µs), and that
//    the frequency changes little between two references.
//  - The short run cancels the cost of starting: the call, the first pass through the code, the timer. An eighth of the
//    long run is many times that cost.
#include "bench/measure/rounds.h"

#include "bench/measure/clock.h"
#include "bench/measure/gaps.h"

#include <math.h>

enum { WANTED_STEPS = 1000, WARMUP_SHARE = 16, PILOT_ROUNDS = 4 };

// Precision for which the lengths above are. A coarser one needs less, but at least this share of the time: otherwise
// occasional effects, such as a mispredicted exit of a loop, would not stay small.
static const double full_precision = 0.002, least_share = 0.4;

// Returns the part of the usual time that this precision needs.
static double share_of(const struct bench *bench) {
    return fmax(least_share, fmin(1, full_precision / bench->options.precision));
}

// A round has half as many bursts again as make up for their shorter runs: their noise adds up, and gaps hit some.
void rounds_split(struct bench *bench) {
    bool counts = clock_of(bench->clock)->counts;
    bench->divisor = counts ? 1 : gaps_divisor(&bench->gaps, ROUNDS_CODE_SECONDS * share_of(bench));
    bench->n_bursts = bench->divisor > 1 ? bench->divisor + (bench->divisor + 1) / 2 : 1;
}

double rounds_wanted_ticks(const struct bench *bench, double seconds) {
    const struct target *target = bench->target;
    double rate = target->ticks_per_second > 0 ? target->ticks_per_second : 1e9;
    double share = share_of(bench);
    double least = WANTED_STEPS * seconds / ROUNDS_CODE_SECONDS * (double)target->timer_step;
    double difference = fmax(seconds * rate, least) * share;
    return difference * LENGTHS_SHORT_SHARE / (LENGTHS_SHORT_SHARE - 1);
}

// A single gap makes two runs disagree. Frequent ones may hit two runs alike.
unsigned rounds_fewest_pilots(const struct bench *bench) {
    enum { QUIET = 2, BETWEEN_GAPS = 3 };
    return bench->divisor > 1 || bench->gaps.seconds <= 0 ? BETWEEN_GAPS : QUIET;
}

// Other code has taken the place of this code in caches and predictors. The warm-up, half of the short run, restores
// it.
double rounds_warmup_ticks(const struct bench *bench, const struct bench_code *code, double wanted_ticks) {
    const struct target *target = bench->target;
    double wide = ROUNDS_WIDE_WARMUP_SECONDS * (target->ticks_per_second > 0 ? target->ticks_per_second : 1e9);
    return fmax(wanted_ticks / WARMUP_SHARE, code->is_wide ? wide : 0);
}

// The first guess fits instructions of about one cycle, so most measurements need no second pilot. Where it is far too
// long, the code times out, and the search starts again from the fewest iterations.
enum { FIRST_INSTRUCTIONS = 16384 };
static const double first_timeout_seconds = 0.2;

// Sets `ticks` to the quickest long run of a few; 0: there is none.
static bool pilot(const struct bench *bench, struct target_job *job, double n_long, double *ticks,
                  enum bench_outcome *outcome, struct fail *fail) {
    struct target *target = bench->target;
    struct target_round rounds[PILOT_ROUNDS];
    job->rounds = rounds;
    job->code_long = (uint64_t)n_long;
    job->code_short = job->code_long / 2;
    if (!target->ops->run(target, job, 1, outcome, fail))
        return false;
    *ticks = job->n_done ? INFINITY : 0;
    for (unsigned i = 0; i < job->n_done; i++)
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

static bool standing_timer(const struct bench *bench, struct fail *fail) {
    return fail_set(fail, FAIL_UNAVAILABLE, "the timer '%s' stands still, so it cannot time code",
                    bench->target->timer);
}

// Lets the target choose the lengths, by running one round.
static bool let_choose(const struct bench *bench, struct target_job *job, struct target_lengths *lengths,
                       enum bench_outcome *outcome, struct fail *fail) {
    struct target_round round;
    job->n_rounds = 1;
    job->rounds = &round;
    if (!bench->target->ops->run(bench->target, job, 1, outcome, fail))
        return false;
    *lengths = (struct target_lengths){job->code_short, job->code_long, job->code_calls};
    return *outcome != BENCH_OK || lengths->n_long > 0 || standing_timer(bench, fail);
}

// Finds the lengths by pilots.
static bool search(const struct bench *bench, struct target_job *job, struct target_lengths *lengths,
                   enum bench_outcome *outcome, struct fail *fail) {
    double n = 0, ticks = 0, more;
    bool is_run = first_pilot(bench, job, &n, &ticks, outcome, fail);
    while (is_run && *outcome == BENCH_OK && (more = lengths_more(n, ticks, job->wanted_ticks)) > 0) {
        n = more;
        is_run = pilot(bench, job, n, &ticks, outcome, fail);
    }
    if (!is_run || *outcome != BENCH_OK)
        return is_run;
    if (ticks <= 0)
        return standing_timer(bench, fail);
    *lengths = lengths_for(n, ticks, job->wanted_ticks);
    return true;
}

// A body may take anything between a tenth of a nanosecond and a second.
bool rounds_choose(const struct bench *bench, const struct bench_code *code, double wanted_ticks,
                   struct target_lengths *lengths, enum bench_outcome *outcome, struct fail *fail) {
    struct target_job job = {
        .code = code,
        .reference = &bench->reference,
        .reference_short = 1,
        .reference_long = 2,
        .n_rounds = PILOT_ROUNDS,
        .timeout_seconds = bench->options.timeout_seconds,
        .wanted_ticks = wanted_ticks / bench->divisor,
        .fewest_pilots = rounds_fewest_pilots(bench),
    };
    bool is_run = bench->target->can_choose ? let_choose(bench, &job, lengths, outcome, fail)
                                            : search(bench, &job, lengths, outcome, fail);
    lengths->n_short *= bench->n_bursts;
    lengths->n_long *= bench->n_bursts;
    return is_run;
}
