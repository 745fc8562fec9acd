#include "bench/measure/progress.h"
#include "bench/measure/conclude.h"

#include "bench/measure/checks.h"
#include "bench/measure/moments.h"
#include "bench/measure/rounds.h"
#include "bench/measure/uneven.h"
#include "bench/whole.h"

#include <math.h>
#include <stddef.h>

// A batch is a new process. A value needs several: effects of the pages' places show as differences between batches. So
// more samples come from more processes, not from longer ones. Two processes that agree show little, a third much more:
// scripts/noise-study, kind spread.
enum { FIRST_ROUNDS = 10, WARMUP_ROUNDS = 1 };
// Rounds of the first batches for a coarse precision. With most of them kept, the interval without the lowest and the
// highest sample still has a confidence of 99 %, so single outliers do not matter.
enum { FEWEST_ROUNDS = 5 };
static const double full_precision = 0.002;

// A process with fewer clean rounds had a neighbour. The next one waits: 1 ms, then twice as long each time, up to 32
// ms. Such a value may use DIRTY_BUDGETS times the usual budget.
enum { FEWEST_CLEAN = 2, LONGEST_DOUBLING = 6, DIRTY_BUDGETS = 10 };

// Processes in a row that a neighbour has spoilt before a value of a session of many gives up.
enum { HASTY_DIRTY = 6 };
static const uint64_t SHORTEST_WAIT_NS = 1000000;

// Processes in which a session that is new here searches for the levels of the checks.
enum { SEARCH_PROCESSES = 64 };

// Fewest samples of a value with a tail: with fewer, a second mode of a third of them may look like a tail.
enum { TAIL_SAMPLES = 60 };

// Processes that test whether a slower time is over. Number n waits for n * MEETING_NS.
enum { MOST_MEETINGS = 12 };
static const uint64_t MEETING_NS = 100000000;

// Fewest processes of a value that is not a plain fraction. Such code may have two speeds, and be at one of them for a
// while. Where half of the processes have either, three are alike too often. A fraction may be one of two speeds, too,
// which few processes have, and so may the time of code of unknown origin (docs/how-it-works/method.md has examples). A
// chain's time does not depend on where its instructions find their units.
enum { FRACTIONLESS_PROCESSES = 12, FRACTION_PROCESSES = 6 };

// Fewest where a process was faster than the value: that may be the code's other speed, in too few processes to show as
// a mode. Where a third have it, 12 processes have one at most in 5 % of the cases, and 36 in none. The same holds
// where slower processes were dropped.
enum { FASTER_PROCESSES = 36 };

// Takes a look at the samples, and returns whether the interval is narrow enough. Each look costs some confidence, so
// looks are rare.
static bool is_narrow(struct progress *progress) {
    struct sampling *sampling = progress->sampling;
    progress->lacks_processes = false;
    const struct sampling_look *look = &sampling->look;
    sampling_take_look(sampling);
    progress->look_at = 2 * sampling->n_batches;
    bool is_short_of_modes = sampling->n_kept < TAIL_SAMPLES && moments_have_tail(sampling);
    return look->interval.confidence >= SAMPLING_CONFIDENCE && !look->has_modes && !is_short_of_modes &&
           (look->interval.high - look->interval.low) / 2 <= progress->bench->options.precision * look->median;
}

// Whether the last look saw clearly that there are two modes, or another value in each process. In a session of many
// values, more time for this one shows the same: another session tells whether it is the code's (measured_confirm).
static bool has_clear_modes(const struct progress *progress) {
    struct sampling *sampling = progress->sampling;
    if (!progress->bench->options.is_hasty || sampling->n_kept < TAIL_SAMPLES ||
        sampling->n_processes < FRACTIONLESS_PROCESSES)
        return false;
    if (sampling->look.has_modes)
        return true;
    struct bench_measurement draft = *progress->result;
    conclude_samples(sampling, progress->bench, &progress->job, &draft);
    return draft.look == LOOK_SPREAD;
}

static bool lacks_counts(const struct progress *progress) {
    return bench_clock_counts(progress->bench->clock) && !event_counts_are_enough(&progress->counts);
}

// Whether it is too early for any value: too few processes or batches, an unknown level, or a reference that was
// slowed.
static bool is_early(const struct progress *progress) {
    const struct sampling *sampling = progress->sampling;
    unsigned n_groups = progress->counts.target->n_groups;
    return sampling->n_processes < progress->bench->options.processes || sampling->n_batches < n_groups ||
           checks_unknown(progress->bench, &progress->job) != BENCH_N_CHECKS || sampling_was_slowed(sampling);
}

// Whether there are twice as many batches as at the last look, or enough to confirm it, and enough rounds of each group
// of events.
static bool is_time_to_look(const struct progress *progress) {
    return progress->sampling->n_batches >= progress->look_at && !lacks_counts(progress);
}

static bool is_over(const struct progress *progress, bool can_wait) {
    const struct bench_options *options = &progress->bench->options;
    double patience = can_wait && progress->was_dirty ? DIRTY_BUDGETS : 1;
    return progress->spent_ms >= patience * options->budget_ms || progress->sampling->n_kept >= SAMPLING_MAX;
}

// Whether a neighbour spoils one process after another. In a session of many values, the others have this one's time
// then, and it is measured again later.
static bool is_beside_neighbour(const struct progress *progress) {
    return progress->bench->options.is_hasty && progress->n_dirty >= HASTY_DIRTY;
}

// Whether a chain takes a whole number of cycles a copy. It does so also where an interval is too wide to call it
// exact.
static bool is_whole_chain(const struct progress *progress, double cycles) {
    return progress->job.code->is_chain && fabs(cycles - round(cycles)) <= WHOLE_DRAFT * cycles;
}

// Whether the value is what such code takes, without slower moments or a tail.
static bool is_plain(const struct progress *progress) {
    struct bench_measurement draft = *progress->result;
    conclude_samples(progress->sampling, progress->bench, &progress->job, &draft);
    bool is_whole = is_whole_chain(progress, draft.process_low) && is_whole_chain(progress, draft.process_high) &&
                    round(draft.process_low) == round(draft.process_high);
    return (draft.verdict == MEASURED_EXACT || (draft.verdict == MEASURED_WITHIN && is_whole)) &&
           progress->n_meetings == 0 && !moments_have_tail(progress->sampling);
}

// Fewest processes of a value, the limits of a session aside. In a session of thousands of blocks, another pass looks
// at a value again, at another time.
static unsigned usual_processes(const struct progress *progress) {
    bool is_chain = progress->job.code->is_chain;
    if (!is_chain && (progress->has_dropped_slower || moments_have_faster(progress->sampling)))
        return FASTER_PROCESSES;
    if (!is_plain(progress) || bench_code_is_foreign(progress->job.code))
        return FRACTIONLESS_PROCESSES;
    return is_chain ? 0 : FRACTION_PROCESSES;
}

// Fewest processes that a narrow interval must rest on.
static unsigned needed_processes(const struct progress *progress) {
    const struct bench_options *options = &progress->bench->options;
    const struct bench_code *code = progress->job.code;
    if (options->is_first_look || (bench_code_is_foreign(code) && options->is_hasty))
        return 0;
    unsigned needed = usual_processes(progress);
    if (options->most_needed && needed > options->most_needed)
        needed = options->most_needed;
    return needed > code->seen_processes ? needed - code->seen_processes : 0;
}

// Whether processes of this value are to be some time apart. Looks are, by themselves.
static bool needs_other_time(const struct progress *progress) {
    const struct bench_options *options = &progress->bench->options;
    return options->confirm_seconds > 0 && !options->is_first_look && !progress->job.code->seen_processes;
}

// Whether the samples are from enough processes, and from times that are far enough apart or need not be. If not, sets
// the next look.
static bool is_confirmed(struct progress *progress, bool is_last) {
    const struct bench *bench = progress->bench;
    unsigned needed = needed_processes(progress);
    if (!is_last && progress->sampling->n_processes < needed) {
        progress->look_at = needed;
        progress->lacks_processes = true;
        return false;
    }
    uint64_t first_ns = 0, last_ns = 0, apart_ns = (uint64_t)(fmax(0, bench->options.confirm_seconds) * 1e9);
    moments_judge(progress->sampling, &first_ns, &last_ns);
    if (!needs_other_time(progress) || last_ns - first_ns >= apart_ns || (!bench->is_new_here && is_plain(progress)))
        return true;
    progress->look_ns = first_ns + apart_ns;
    progress->look_at = progress->sampling->n_batches + 1;
    if (progress->sampling->n_kept == SAMPLING_MAX) // without room, no sample of another time comes
        sampling_thin(progress->sampling);
    return false;
}

// Returns whether the value must wait for its next look, and sets when it is due. A search runs many processes until
// its first look; other values run none.
static bool waits_for_look(struct progress *progress, uint64_t now_ns) {
    uint64_t apart_ns = (uint64_t)(fmax(0, progress->bench->options.confirm_seconds) * 1e9);
    if (progress->is_search && progress->look_ns == 0)
        progress->look_ns = progress->first_ns + apart_ns;
    if (now_ns >= progress->look_ns)
        return false;
    progress->due_ns = progress->is_search ? now_ns + apart_ns / SEARCH_PROCESSES : progress->look_ns;
    return true;
}

// Drops processes that were slower than the others, where that is over. Otherwise makes the next process wait, and
// returns true. They may be at the code's other speed instead: where slower ones come again, all stay. That is not for
// chains, which have one speed, nor for a session of many values, which are looked at again.
static bool meets_others(struct progress *progress, uint64_t now_ns, bool can_wait) {
    uint64_t first_ns, last_ns;
    enum moments moments = moments_judge(progress->sampling, &first_ns, &last_ns);
    if (moments == MOMENTS_FASTER && !progress->has_dropped_slower) {
        moments_drop_slower(progress->sampling);
        progress->has_dropped_slower = !progress->job.code->is_chain && !progress->bench->options.is_hasty;
    }
    if (moments != MOMENTS_SLOWER || progress->n_meetings == MOST_MEETINGS || !can_wait)
        return false;
    progress->due_ns = now_ns + ++progress->n_meetings * MEETING_NS;
    return true;
}

static void wait_for_quiet(struct progress *progress, uint64_t now_ns) {
    unsigned n = progress->n_dirty < LONGEST_DOUBLING ? progress->n_dirty : LONGEST_DOUBLING;
    progress->due_ns = now_ns + (SHORTEST_WAIT_NS << (n - 1));
}

// Delays the last of the first processes by the confirmation time: where other values can run (preferred_ns), or in any
// case where the value is not near a fraction (due_ns).
static void hold_back(struct progress *progress) {
    const struct bench_options *options = &progress->bench->options;
    struct sampling *sampling = progress->sampling;
    // With a single process to take, none of its rounds may have been kept yet.
    if (!needs_other_time(progress) || !sampling->n_kept || sampling->n_processes + 1 != options->processes)
        return;
    progress->preferred_ns = progress->first_ns + (uint64_t)(options->confirm_seconds * 1e9);
    const double *sorted = sampling_sorted(sampling, offsetof(struct sample, cycles));
    double median = statistics_median(sorted, sampling->n_kept);
    unsigned numerator, denominator;
    if (!is_whole_chain(progress, median) &&
        !statistics_fraction(median * (1 - WHOLE_DRAFT), median * (1 + WHOLE_DRAFT), &numerator, &denominator))
        progress->due_ns = progress->preferred_ns;
}

void progress_decide(struct progress *progress, uint64_t now_ns, bool can_wait) {
    const struct sampling *sampling = progress->sampling;
    bool is_last = sampling->n_batches >= progress->bench->options.processes &&
                   (is_over(progress, can_wait) || is_beside_neighbour(progress));
    progress->due_ns = progress->preferred_ns = now_ns;
    progress->is_finished = progress->bench->has_no_window;
    if (progress->is_finished)
        return;
    if (progress->n_dirty > 0 && can_wait && !is_last) {
        wait_for_quiet(progress, now_ns);
        return;
    }
    if (waits_for_look(progress, now_ns))
        return;
    if (is_early(progress)) {
        progress->is_finished = is_last;
        hold_back(progress);
        return;
    }
    if (meets_others(progress, now_ns, can_wait) || (!is_last && !is_time_to_look(progress)))
        return;
    if (is_early(progress))
        progress->is_finished = is_last;
    else if (is_narrow(progress))
        progress->is_finished = is_confirmed(progress, is_last);
    else
        progress->is_finished = is_last || has_clear_modes(progress);
    waits_for_look(progress, now_ns);
}

unsigned progress_next_rounds(const struct progress *progress) {
    const struct bench_options *options = &progress->bench->options;
    double share = fmin(1, full_precision / options->precision);
    double usual = progress->lacks_processes         ? FEWEST_ROUNDS
                   : progress->sampling->n_looks < 2 ? FIRST_ROUNDS
                                                     : PROGRESS_MOST_ROUNDS;
    double wanted = fmax(FEWEST_ROUNDS, round(share * usual));
    double most = PROGRESS_MOST_ROUNDS;
    if (progress->round_ms > 0) { // stay within the budget, and far from the time-out
        double left_ms = fmax(0, options->budget_ms - progress->spent_ms);
        most = fmin(left_ms, options->timeout_seconds * 1000 / 4) / progress->round_ms;
    }
    size_t needed = statistics_samples_needed(statistics_look_confidence(SAMPLING_CONFIDENCE, 1));
    double fewest = ceil((double)needed / options->processes);
    return (unsigned)fmax(fewest, fmin(wanted, fmin(most, PROGRESS_MOST_ROUNDS)));
}

unsigned progress_next_group(const struct progress *progress) {
    unsigned n_groups = progress->bench->target->n_groups;
    return n_groups ? progress->sampling->n_batches % n_groups : 0;
}

// Returns the number of rounds that a neighbour has spoilt.
static unsigned count_spoilt(const struct sampling *sampling) {
    unsigned n = sampling->dropped[DROP_ISSUE];
    for (unsigned i = 0; i < BENCH_N_USES; i++)
        n += sampling->dropped[DROP_USES + i];
    return n + sampling->dropped[DROP_GAP] + sampling->dropped[DROP_REFERENCE] + sampling->dropped[DROP_MULTIPLY] +
           sampling->dropped[DROP_STEAL] + sampling->dropped[DROP_SWITCH] + sampling->dropped[DROP_SIBLING];
}

// Only the process that chooses the lengths meets a limit of iterations.
static void take_seen(struct bench_measurement *result, const struct bench_seen *seen) {
    uint64_t most_iterations = result->seen.most_iterations;
    result->seen = *seen;
    if (!seen->most_iterations)
        result->seen.most_iterations = most_iterations;
}

void progress_take(struct progress *progress, uint64_t start_ns) {
    const struct target_job *job = &progress->job;
    struct sampling *sampling = progress->sampling;
    size_t n_before = sampling->n_kept;
    take_seen(progress->result, &job->seen);
    unsigned n_spoilt = count_spoilt(sampling);
    progress->first_ns = sampling->n_batches ? progress->first_ns : start_ns;
    sampling_start_process(sampling, start_ns);
    unsigned n_done = progress->bench->has_no_window ? 0 : job->n_done;
    sampling->dropped[DROP_GAP] += job->n_done - n_done;
    for (unsigned i = 0; i < n_done; i++) {
        size_t n_kept = sampling->n_kept;
        sampling_add(sampling, progress->bench, job, &job->rounds[i]);
        if (bench_clock_counts(job->clock) && sampling->n_kept > n_kept)
            event_counts_add(&progress->counts, job, &job->rounds[i]);
    }
    uneven_choose(sampling);
    bool is_spoilt = sampling->n_kept - n_before < FEWEST_CLEAN && count_spoilt(sampling) > n_spoilt;
    bool is_unknown = sampling->n_batches > LEVEL_PROCESSES && checks_unknown(progress->bench, job) != BENCH_N_CHECKS;
    progress->n_dirty = is_spoilt || is_unknown ? progress->n_dirty + 1 : 0;
    progress->was_dirty |= progress->n_dirty > 0;
}

void progress_restart_alone(struct progress *progress) {
    sampling_clear(progress->sampling);
    progress->counts = (struct event_counts){.arena = progress->counts.arena, .target = progress->counts.target};
    progress->result->seen = (struct bench_seen){0};
    if (progress->bench->target->can_choose)
        progress->job.code_short = progress->job.code_long = progress->job.code_calls = 0;
    progress->spent_ms = progress->round_ms = 0;
    progress->n_dirty = progress->n_meetings = progress->look_at = 0;
    progress->was_dirty = progress->lacks_processes = progress->has_dropped_slower = false;
    progress->due_ns = progress->preferred_ns = 0;
    progress->is_finished = false;
    progress->is_alone = true;
}

// A value of one time is not stable yet.
static void begin_looks(struct progress *progress) {
    struct bench_measurement *result = progress->result;
    if (result->verdict == MEASURED_UNSTABLE)
        return;
    result->verdict = MEASURED_UNSTABLE;
    result->look = LOOK_FIRST;
    result->why = arena_printf(progress->bench->arena, "seen in %u processes only, at one time", result->processes);
}

void progress_conclude(struct progress *progress) {
    struct bench_measurement *result = progress->result;
    result->milliseconds = progress->spent_ms;
    if (result->outcome == BENCH_OK) {
        conclude_samples(progress->sampling, progress->bench, &progress->job, result);
        event_counts_conclude(progress->bench->arena, &progress->counts, result);
        if (progress->bench->options.is_first_look)
            begin_looks(progress);
        return;
    }
    result->verdict = MEASURED_UNSTABLE;
    result->why = bench_outcome_name(result->outcome);
}

void progress_start(struct progress *progress, const struct bench *bench, const struct bench_code *code,
                    const struct bench_code *corunner) {
    progress->bench = bench;
    progress->is_alone = false;
    double wanted_ticks = rounds_wanted_ticks(bench, corunner ? ROUNDS_CORUN_SECONDS : ROUNDS_CODE_SECONDS);
    progress->job = (struct target_job){
        .code = code,
        .wanted_ticks = wanted_ticks,
        .n_bursts = corunner ? 1 : bench->n_bursts,
        .divisor = corunner ? 1 : bench->divisor,
        .fewest_pilots = rounds_fewest_pilots(bench),
        .warmup_ticks = rounds_warmup_ticks(bench, code, wanted_ticks),
        .reference = &bench->reference,
        .reference_short = bench->reference_short,
        .reference_long = bench->reference_long,
        .n_warmup = WARMUP_ROUNDS,
        .timeout_seconds = bench->options.timeout_seconds,
        .clock = bench->clock,
        .ticks_per_cycle = bench->frequency_hz > 0 ? bench->target->ticks_per_second / bench->frequency_hz : 0,
        .shares_core = corunner != NULL,
        .corunner = corunner,
        .corunner_cpu = bench->options.corunner_cpu,
    };
    checks_put(bench, &progress->job);
    *progress->result = (struct bench_measurement){.clock = bench->clock, .clock_error = bench->clock_error};
}
