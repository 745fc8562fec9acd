#include "hot/hot.h"

#include "analyzer/predict/bounds_words.h"
#include "analyzer/predict/model_prediction.h"
#include "bench/host/timer.h"
#include "hot/usual_turn.h"

#include <math.h>

void hot_choose(struct arena *arena, const struct hot_profile *profile, const struct hot_loops *loops,
                const struct hot_choice *choice, struct hot_findings *findings) {
    findings->profile = profile;
    findings->loops = loops;
    findings->items = NULL;
    findings->n = 0;
    for (size_t i = 0; i < loops->n && findings->n < choice->most; i++) {
        const struct hot_loop *loop = &loops->loops[i];
        const double share = profile->total > 0 ? loop->own / profile->total : 0;
        if (share < choice->least_share)
            continue;
        const struct hot_loop *caller = !loop->is_loop && loop->caller < loops->n ? &loops->loops[loop->caller] : NULL;
        *ARENA_ADD(arena, findings->items, findings->n) = (struct hot_finding){
            .loop = loop,
            .caller = caller,
            .caller_module = caller ? &profile->modules[caller->module] : NULL,
            .module = &profile->modules[loop->module],
            .why = loop->is_loop ? NULL : "it is no loop, but the rest of the function",
            .share = share,
            .program_cycles = NAN,
        };
    }
}

// The states of those that have neither a state nor a reason.
static bool copy(struct arena *arena, const struct decoder *decoder, char *const *argv, int pid, uint64_t skipped,
                 struct hot_findings *findings, struct fail *fail) {
    struct hot_capture *captures = ARENA_ARRAY(arena, struct hot_capture, findings->n + 1);
    struct hot_state **states = ARENA_ARRAY(arena, struct hot_state *, findings->n + 1);
    const char **whys = ARENA_ARRAY(arena, const char *, findings->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < findings->n; i++) {
        const struct hot_finding *finding = &findings->items[i];
        if (!finding->state && !finding->why)
            captures[n++] = (struct hot_capture){
                .argv = argv, .pid = pid, .loop = finding->loop, .module = finding->module, .skipped_hits = skipped};
    }
    if (n && !hot_state_capture(arena, decoder, captures, n, states, whys, &findings->copied, fail))
        return false;
    n = 0;
    for (size_t i = 0; i < findings->n; i++) {
        struct hot_finding *finding = &findings->items[i];
        if (finding->state || finding->why)
            continue;
        finding->state = states[n];
        finding->why = skipped && !states[n] ? NULL : whys[n];
        n++;
    }
    return true;
}

// The first turns of a program find cold code and data that are not there yet; so some are left out. A loop that makes
// fewer is copied at its first.
bool hot_copy_states(struct arena *arena, const struct decoder *decoder, char *const *argv, int pid,
                     struct hot_findings *findings, struct fail *fail) {
    enum { SKIPPED = 200 };
    if (!copy(arena, decoder, argv, pid, SKIPPED, findings, fail))
        return false;
    for (size_t i = 0; i < findings->n; i++)
        if (!findings->items[i].state && !findings->items[i].why)
            return copy(arena, decoder, argv, pid, 0, findings, fail);
    return true;
}

void hot_take_states(struct arena *arena, struct hot_state *const *states, size_t n, struct hot_findings *findings) {
    *findings = (struct hot_findings){.items = ARENA_ARRAY(arena, struct hot_finding, n + 1), .n = n};
    for (size_t i = 0; i < n; i++)
        findings->items[i] =
            (struct hot_finding){.module = &states[i]->module, .state = states[i], .share = NAN, .program_cycles = NAN};
}

// By the bounds of the usual turn, repeated as a loop.
static const char *limit_sentence(struct arena *arena, const struct model *model, const struct hot_finding *finding) {
    struct block *block = ARENA_NEW(arena, struct block);
    struct bounds_explained *found = ARENA_NEW(arena, struct bounds_explained);
    struct fail fail = {0};
    if (!model->own || !finding->turn_bytes ||
        !model_describe_bytes(model, arena, finding->turn_bytes, finding->n_turn_bytes, block, &fail))
        return NULL;
    const struct bounds_request way = {.cpu = model->own, .block = block, .is_loop = true};
    const struct bounds_words words = {model->own, block, found};
    return bounds_explain(arena, &way, found, &fail) ? bounds_largest_sentence(arena, &words) : NULL;
}

static struct hot_forecast forecast(struct arena *arena, const struct model *model, const struct hot_finding *finding) {
    struct hot_forecast result = {.model = model->title, .cycles = NAN, .limit = ""};
    struct execution execution;
    struct prediction prediction;
    struct fail fail = {0};
    if (model->missing) {
        result.missing = model->missing;
        return result;
    }
    const struct prediction_request request = {.execution = &execution, .way.is_loop = true};
    if (!hot_replay_execution(arena, model, finding->state, finding->replay.n_steps, &execution, &fail) ||
        !prediction_by_model(arena, model, &request, &prediction, &fail)) {
        result.missing = arena_strdup(arena, fail.text);
        return result;
    }
    result.cycles = prediction.cycles / (double)finding->replay.turns;
    result.limit = prediction.bottleneck;
    result.notes = prediction.notes;
    result.n_notes = prediction.n_notes;
    result.sentence = limit_sentence(arena, model, finding);
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

bool hot_judge(struct lab *lab, const struct hot_findings *findings, struct hot_finding *finding, struct fail *fail) {
    if (!finding->state)
        return true;
    if (!hot_replay_run(lab, finding->state, &finding->replay, fail))
        return false;
    static const double least = 50; // cycles, beside which the error of the subtracted start and end is too large
    const struct bench_measurement *measured = &finding->replay.measurement;
    finding->why = finding->replay.why;
    if (!finding->why && !(measured->cycles >= least))
        finding->why = measured->verdict == MEASURED_UNSTABLE && measured->why
                           ? arena_printf(lab->arena, "it has no value here: %s", measured->why)
                           : "a replay is too short to be timed";
    if (finding->why)
        return true;
    struct usual_turn turn;
    if (!usual_turn_find(lab->arena, &lab->decoder, finding->state, finding->replay.n_steps, &turn)) {
        finding->ways_share = turn.share;
        if (turn.is_plain) {
            finding->turn_bytes = turn.bytes;
            finding->n_turn_bytes = turn.n_bytes;
        }
    }
    finding->n_forecasts = lab->models.n_judged;
    finding->forecasts = ARENA_ARRAY(lab->arena, struct hot_forecast, lab->models.n_judged + 1);
    for (unsigned i = 0; i < lab->models.n_judged; i++)
        finding->forecasts[i] = forecast(lab->arena, &lab->models.judged[i], finding);
    const struct hot_profile *profile = findings->profile;
    if (profile && finding->loop && finding->loop->turns > 0 && profile->seconds_per_sample > 0)
        finding->program_cycles =
            finding->loop->own * profile->seconds_per_sample * cycles_per_second(lab) / finding->loop->turns;
    return true;
}
