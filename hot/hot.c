#include "hot/hot.h"

#include "analyzer/predict/bounds_words.h"
#include "analyzer/predict/model_prediction.h"
#include "bench/host/timer.h"
#include "hot/cpu_time.h"
#include "hot/turn_words.h"
#include "hot/usual_turn.h"

#include <math.h>
#include <string.h>

static void take_copies(struct arena *arena, const struct hot_copies *copies, struct hot_finding *finding) {
    finding->moments = ARENA_ARRAY(arena, struct hot_moment, copies->n + 1);
    finding->n_moments = copies->n;
    for (size_t i = 0; i < copies->n; i++)
        finding->moments[i].state = copies->states[i];
}

// Those with neither a state nor a reason.
static bool is_open(const struct hot_finding *finding) {
    return !finding->n_moments && !finding->why;
}

static struct hot_capture request_of(const struct hot_capture *common, const struct hot_findings *findings,
                                     const struct hot_finding *finding) {
    struct hot_capture capture = *common;
    const bool is_call = finding->turn == HOT_TURN_CALL;
    capture.loop = finding->loop;
    capture.module = finding->module;
    capture.head = finding->head;
    capture.is_open = is_call;
    capture.clock = common->pid ? HOT_WALL_CLOCK : findings->profile->clock;
    capture.run_seconds = findings->profiled.elapsed;
    capture.key = findings->profiled.key;
    capture.faults = !common->pid && findings->profile->faults.n ? &findings->profile->faults : NULL;
    capture.run_faults = findings->profiled.faults;
    capture.seconds_of_fault = common->seconds_of_fault;
    return capture;
}

// A loop that has run for a while by then has found its code and its data.
static void set_moments(struct hot_capture *capture, const struct hot_moments *moments) {
    static const double a_while = 5e-3;
    capture->moments = moments->times;
    capture->n_moments = moments->n;
    if (moments->n && moments->before > a_while)
        capture->skipped_hits = 0;
}

// A process that ran: spread over as long a time as it was sampled. It is held up while its loops are stepped through,
// so there are the fewer moments, the more loops.
static void spread_moments(struct arena *arena, double seconds, size_t most, struct hot_capture *captures, size_t n) {
    enum { MOST_COPIES = 15 }; // each has a sixtieth of a second
    for (size_t i = 0; i < n; i++) {
        const size_t most_here = captures[i].is_open || n > MOST_COPIES / 2 ? 1 : MOST_COPIES / n,
                     n_moments = most < most_here ? most : most_here;
        double *times = ARENA_ARRAY(arena, double, n_moments + 1);
        for (size_t k = 0; k < n_moments; k++)
            times[k] = seconds * (double)(2 * k + 1) / (double)(2 * n_moments);
        captures[i].moments = times;
        captures[i].n_moments = n_moments;
        captures[i].skipped_hits = 0; // its code is warm
    }
}

// Behind each time at which something is copied, the program may write to all of its pages. Where that would hold it up
// for too long, moments of several loops are moved further, to fewer times; then there are fewer moments.
static void choose_moments(struct arena *arena, size_t most, const struct hot_findings *findings,
                           struct hot_capture *captures, size_t n) {
    static const double most_seconds = 0.14;
    const double seconds = n ? captures[0].seconds_of_fault * findings->profiled.pages : 0;
    struct hot_moments *all = ARENA_ARRAY(arena, struct hot_moments, n + 1);
    double room = HOT_NARROW;
    for (bool is_over = false, is_first = true; !is_over; is_first = false) {
        for (size_t i = 0; i < n; i++) {
            hot_moments_choose(arena, findings->profile, findings->loops, captures[i].loop,
                               captures[i].is_open && most ? 1 : most, room, &all[i]);
            captures[i].n_wanted = is_first ? all[i].n : captures[i].n_wanted;
        }
        is_over = seconds * (double)hot_moments_join(arena, all, n) <= most_seconds || (room == HOT_WIDE && most <= 1);
        most -= !is_over && room == HOT_WIDE;
        room = HOT_WIDE;
    }
    for (size_t i = 0; i < n; i++)
        set_moments(&captures[i], &all[i]);
}

// Takes what one capture brought, unless it brought nothing and there is another try.
static void take(struct arena *arena, const struct hot_copies *copies, bool is_last, struct hot_findings *findings,
                 struct hot_finding *finding) {
    take_copies(arena, copies, finding);
    hot_moments_weigh(findings->profile, findings->loops, finding->loop, copies->states, copies->n);
    finding->why = is_last ? copies->why : NULL;
}

static void note_moments(const struct hot_findings *findings, bool is_process, size_t most,
                         const struct hot_capture *capture, struct hot_finding *finding) {
    finding->is_untimed = !is_process && !findings->profile->n_timed;
    finding->n_chosen = !is_process && !finding->is_untimed ? capture->n_wanted : capture->is_open ? 1 : most;
}

// Copies those without a state. The last time, where control does not come to the head, each is also waited for at its
// hottest place.
static bool copy(struct arena *arena, const struct decoder *decoder, const struct hot_capture *common,
                 size_t most_moments, struct hot_findings *findings, struct fail *fail) {
    struct hot_capture *captures = ARENA_ARRAY(arena, struct hot_capture, 2 * findings->n + 1);
    struct hot_copies *copies = ARENA_ARRAY(arena, struct hot_copies, 2 * findings->n + 1);
    const bool is_last = !common->skipped_hits;
    size_t n = 0, n_heads;
    for (size_t i = 0; i < findings->n; i++)
        if (is_open(&findings->items[i]))
            captures[n++] = request_of(common, findings, &findings->items[i]);
    n_heads = n;
    if (common->pid && most_moments)
        spread_moments(arena, findings->profiled.elapsed, most_moments, captures, n_heads);
    else
        choose_moments(arena, most_moments, findings, captures, n_heads);
    for (size_t i = 0, at = 0; i < findings->n && most_moments; i++)
        if (is_open(&findings->items[i]))
            note_moments(findings, common->pid, most_moments, &captures[at++], &findings->items[i]);
    for (size_t i = 0; is_last && i < n_heads; i++)
        if (captures[i].loop->hottest != captures[i].head) {
            captures[n] = captures[i];
            captures[n].is_open = true;
            captures[n].head = captures[i].loop->hottest;
            n++;
        }
    choose_moments(arena, common->pid ? 0 : 1, findings, &captures[n_heads], n - n_heads);
    if (n && !hot_state_capture(arena, decoder, captures, n, copies, &findings->copied, fail))
        return false;
    for (size_t i = 0, at = 0, place = n_heads; i < findings->n; i++) {
        struct hot_finding *finding = &findings->items[i];
        if (!is_open(finding))
            continue;
        const bool has_place = place < n && captures[place].loop == finding->loop;
        take(arena, &copies[at], is_last, findings, finding);
        if (has_place && !finding->n_moments && copies[place].n) {
            take(arena, &copies[place], is_last, findings, finding);
            finding->turn = HOT_TURN_PLACE;
            finding->head = captures[place].head;
        }
        at++;
        place += has_place;
    }
    return true;
}

static void describe_turns(struct arena *arena, struct hot_findings *findings) {
    struct turn_words words;
    turn_words_open(&words, arena, findings->profile);
    for (size_t i = 0; i < findings->n; i++)
        for (size_t k = 0; k < findings->items[i].n_moments; k++) {
            struct hot_state *state = findings->items[i].moments[k].state;
            state->turn = turn_words_find(&words, &findings->items[i], state);
        }
    turn_words_close(&words);
}

// Whether two runs take so unlike times that a moment of one may be in another part of the program.
static bool differs(double one, double other) {
    static const double most = 1.25;
    return one > 0 && other > 0 && fmax(one, other) > most * fmin(one, other);
}

// The first turns of a program find cold code and data that are not there yet; so some are left out. A loop that makes
// fewer, or none at its moments, is copied at its first.
bool hot_copy_states(struct arena *arena, const struct decoder *decoder, char *const *argv, int pid,
                     size_t most_moments, struct hot_findings *findings, struct fail *fail) {
    enum { SKIPPED = 200 };
    struct hot_capture common = {.argv = argv, .pid = pid, .skipped_hits = SKIPPED};
    if (argv && findings->profile->clock == HOT_CPU_CLOCK && findings->profile->faults.n)
        common.seconds_of_fault = cpu_time_of_shared_page();
    bool is_done = copy(arena, decoder, &common, most_moments, findings, fail), has_all = true;
    for (size_t i = 0; i < findings->n; i++)
        has_all = has_all && !is_open(&findings->items[i]);
    for (size_t i = 0; i < findings->n; i++)
        findings->items[i].is_shifted = argv && differs(findings->profiled.cpu, findings->copied.cpu);
    common.skipped_hits = 0;
    is_done = is_done && (has_all || copy(arena, decoder, &common, 0, findings, fail));
    if (is_done)
        describe_turns(arena, findings);
    return is_done;
}

static bool is_same_loop(const struct hot_state *a, const struct hot_state *b) {
    return strcmp(a->module.path, b->module.path) == 0 && a->head - a->load_address == b->head - b->load_address;
}

void hot_take_states(struct arena *arena, const struct hot_case *saved, struct hot_findings *findings) {
    struct hot_state *const *states = saved->states;
    const size_t n = saved->n;
    *findings = (struct hot_findings){
        .items = ARENA_ARRAY(arena, struct hot_finding, n + 1), .covered = saved->covered, .cpu = saved->cpu};
    for (size_t first = 0, end; first < n; first = end) {
        struct hot_copies copies = {.n = 0};
        for (end = first; end < n && copies.n < HOT_MOST_MOMENTS && is_same_loop(states[first], states[end]); end++)
            copies.states[copies.n++] = states[end];
        struct hot_finding *finding = &findings->items[findings->n++];
        *finding =
            (struct hot_finding){.module = &states[first]->module, .share = NAN, .covered = NAN, .program_cycles = NAN};
        take_copies(arena, &copies, finding);
    }
}

// By the bounds of the usual turn, repeated as a loop. Null: there are none.
static const char *limit_sentence(struct arena *arena, const struct model *model, const struct hot_moment *moment,
                                  double *cycles) {
    struct block *block = ARENA_NEW(arena, struct block);
    struct bounds_explained *found = ARENA_NEW(arena, struct bounds_explained);
    struct fail fail = {0};
    if (!model->own || !moment->turn_bytes ||
        !model_describe_bytes(model, arena, moment->turn_bytes, moment->n_turn_bytes, block, &fail))
        return NULL;
    const struct bounds_request way = {.cpu = model->own, .block = block, .is_loop = true};
    const struct bounds_words words = {model->own, block, found};
    if (!bounds_explain(arena, &way, found, &fail))
        return NULL;
    *cycles = found->bounds.most;
    return bounds_largest_sentence(arena, &words);
}

static struct hot_forecast forecast(struct arena *arena, const struct model *model, const struct hot_moment *moment) {
    struct hot_forecast result = {.model = model->title, .cycles = NAN, .limit = ""};
    struct execution execution;
    struct prediction prediction;
    struct fail fail = {0};
    if (model->missing) {
        result.missing = model->missing;
        return result;
    }
    const struct prediction_request request = {.execution = &execution, .way.is_loop = true};
    if (!hot_replay_execution(arena, model, moment->state, moment->replay.n_steps, &execution, &fail) ||
        !prediction_by_model(arena, model, &request, &prediction, &fail)) {
        result.missing = arena_strdup(arena, fail.text);
        return result;
    }
    result.cycles = prediction.cycles / (double)moment->replay.turns;
    result.limit = prediction.bottleneck;
    result.notes = prediction.notes;
    result.n_notes = prediction.n_notes;
    result.sentence = limit_sentence(arena, model, moment, &result.usual_cycles);
    return result;
}

// Cycles of the core in a second, by the session's clock.
static double cycles_per_second(const struct lab *lab) {
    static const double watched = 0.01;
    if (!(lab->bench.ticks_per_cycle > 0))
        return NAN;
    const double begin = timer_seconds();
    const uint64_t first = timer_read();
    while (timer_seconds() - begin < watched)
        ;
    return (double)(timer_read() - first) / (timer_seconds() - begin) / lab->bench.ticks_per_cycle;
}

static void judge_moment(struct lab *lab, struct hot_moment *moment) {
    static const double least = 50; // cycles, beside which the error of the subtracted start and end is too large
    const struct bench_measurement *measured = &moment->replay.measurement;
    moment->why = moment->replay.why;
    if (!moment->why && !(measured->cycles >= least))
        moment->why = measured->verdict == MEASURED_UNSTABLE && measured->why
                          ? arena_printf(lab->arena, "it has no value here: %s", measured->why)
                          : "a replay is too short to be timed";
    if (moment->why)
        return;
    struct usual_turn turn;
    if (!usual_turn_find(lab->arena, &lab->decoder, moment->state, moment->replay.n_steps, &turn)) {
        moment->ways_share = turn.share;
        if (turn.is_plain) {
            moment->turn_bytes = turn.bytes;
            moment->n_turn_bytes = turn.n_bytes;
        }
    }
    moment->forecasts = ARENA_ARRAY(lab->arena, struct hot_forecast, lab->models.n_judged + 1);
    for (unsigned i = 0; i < lab->models.n_judged; i++)
        moment->forecasts[i] = forecast(lab->arena, &lab->models.judged[i], moment);
}

// The values of all moments as one. A moment stands for a share of the time, in which the loop makes the more turns,
// the fewer cycles each takes.
static void join_moments(struct arena *arena, size_t n_models, struct hot_finding *finding) {
    static const double even = 1.1;
    double turns = 0, shares = 0, lowest_high = INFINITY, highest_low = 0;
    finding->predicted = ARENA_ARRAY(arena, double, n_models + 1);
    finding->n_models = n_models;
    finding->is_stable = true;
    for (size_t i = 0; i < finding->n_moments; i++) {
        const struct hot_moment *moment = &finding->moments[i];
        const struct hot_replay *replay = &moment->replay;
        if (moment->why) {
            finding->why = finding->why ? finding->why : moment->why;
            continue;
        }
        // Where no moment with a value has a share, they count equally.
        const double share = fmax(moment->state->share, 1e-9), weight = share / replay->cycles_per_turn;
        if (!finding->main || share > finding->main->state->share)
            finding->main = moment;
        shares += share;
        turns += weight;
        finding->low += weight * replay->low;
        finding->high += weight * replay->high;
        finding->is_stable &= replay->measurement.verdict != MEASURED_UNSTABLE;
        finding->least = finding->least > 0 ? fmin(finding->least, replay->cycles_per_turn) : replay->cycles_per_turn;
        finding->most = fmax(finding->most, replay->cycles_per_turn);
        lowest_high = fmin(lowest_high, replay->high);
        highest_low = fmax(highest_low, replay->low);
        for (size_t k = 0; k < n_models; k++)
            finding->predicted[k] += weight * moment->forecasts[k].cycles;
    }
    if (!finding->main)
        return;
    finding->why = NULL;
    finding->cycles = shares / turns;
    finding->low /= turns;
    finding->high /= turns;
    finding->is_uneven = finding->most > even * finding->least && highest_low > lowest_high;
    for (size_t k = 0; k < n_models; k++)
        finding->predicted[k] /= turns;
}

// The turns are counted, the samples are drawn. An interval whose ends are several times apart says nothing.
static void find_program_cycles(const struct lab *lab, const struct hot_profile *profile, struct hot_finding *finding) {
    static const double widest = 3;
    const double samples = finding->loop->all,
                 of_one = profile->seconds_per_sample * cycles_per_second(lab) / finding->loop->turns;
    double low, high;
    hot_profile_interval(samples, profile->total, &low, &high);
    if (!(high <= widest * low))
        return;
    finding->program_cycles = samples * of_one;
    finding->program_low = low * of_one;
    finding->program_high = high * of_one;
}

bool hot_judge(struct lab *lab, const struct hot_findings *findings, struct hot_finding *finding, struct fail *fail) {
    const size_t n = finding->n_moments;
    const struct hot_state **states = ARENA_ARRAY(lab->arena, const struct hot_state *, n + 1);
    struct hot_replay *replays = ARENA_ARRAY(lab->arena, struct hot_replay, n + 1);
    for (size_t i = 0; i < n; i++)
        states[i] = finding->moments[i].state;
    if (!n)
        return true;
    if (!hot_replay_run(lab, states, n, replays, fail))
        return false;
    for (size_t i = 0; i < n; i++) {
        finding->moments[i].replay = replays[i];
        judge_moment(lab, &finding->moments[i]);
    }
    join_moments(lab->arena, lab->models.n_judged, finding);
    const struct hot_profile *profile = findings->profile;
    // Samples of functions that the loop calls are not known to be of its turns.
    const bool is_alone = !finding->why && finding->turn == HOT_TURN_LOOP && !finding->main->state->turn;
    if (is_alone && profile && finding->loop && finding->loop->turns > 0 && profile->seconds_per_sample > 0)
        find_program_cycles(lab, profile, finding);
    return true;
}
