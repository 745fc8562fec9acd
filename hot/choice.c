// Which loops and functions of a program are replayed.
#include "bench/host/timer.h"
#include "hot/coverage.h"
#include "hot/hot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- before the copies

static bool has(const struct hot_findings *findings, const struct hot_loop *loop) {
    for (size_t i = 0; i < findings->n; i++)
        if (findings->items[i].loop == loop)
            return true;
    return false;
}

static void add(struct arena *arena, const struct hot_loop *loop, struct hot_findings *findings) {
    const struct hot_profile *profile = findings->profile;
    const struct hot_loops *loops = findings->loops;
    const struct hot_loop *caller = !loop->is_loop && loop->caller < loops->n ? &loops->loops[loop->caller] : NULL;
    if (has(findings, loop))
        return;
    *ARENA_ADD(arena, findings->items, findings->n) = (struct hot_finding){
        .loop = loop,
        .turn = loop->is_loop ? HOT_TURN_LOOP : HOT_TURN_CALL,
        .head = loop->head,
        .caller = caller,
        .caller_module = caller ? &profile->modules[caller->module] : NULL,
        .module = &profile->modules[loop->module],
        .share = loop->own / profile->total,
        .program_cycles = NAN,
    };
}

void hot_choose(struct arena *arena, const struct hot_profile *profile, const struct hot_loops *loops,
                const struct hot_choice *choice, struct hot_findings *findings) {
    size_t n[2] = {0, 0}; // functions, loops
    findings->profile = profile;
    findings->loops = loops;
    findings->items = NULL;
    findings->n = 0;
    for (size_t i = 0; i < loops->n; i++) {
        const struct hot_loop *loop = &loops->loops[i];
        if (loop->own < choice->least_share * profile->total || n[loop->is_loop]++ >= choice->most)
            continue;
        add(arena, loop, findings);
    }
    for (size_t i = 0, n_own = findings->n; i < n_own && findings->n < 2 * choice->most; i++)
        if (findings->items[i].caller)
            add(arena, findings->items[i].caller, findings);
}

// ---- the replays

struct judging {
    struct lab *lab;
    const struct hot_choice *choice;
    struct hot_findings *findings;
    struct coverage coverage;
    bool *are_tried;
    size_t n_replays;
    double covered;
    double start; // by timer_seconds
};

static const double most_left = 0.5; // of a function's samples, where a replay has run the rest: it is covered

static size_t entry_of(const struct judging *judging, size_t i) {
    return (size_t)(judging->findings->items[i].loop - judging->findings->loops->loops);
}

static bool try_one(struct judging *judging, size_t i, struct fail *fail) {
    struct hot_finding *finding = &judging->findings->items[i];
    judging->are_tried[i] = true;
    if (!hot_judge(judging->lab, judging->findings, finding, fail))
        return false;
    if (finding->why && finding->n_moments && finding->turn == HOT_TURN_CALL && finding->moments[0].state->turns < 2)
        finding->why = arena_printf(judging->lab->arena, "it is not called again within %zu instructions",
                                    finding->moments[0].state->n_steps);
    if (finding->why)
        return true;
    static const double least_weight = 1e-6;
    judging->n_replays++;
    for (size_t k = 0; k < finding->n_moments; k++)
        if (!finding->moments[k].why)
            coverage_add(&judging->coverage, i, entry_of(judging, i), finding->moments[k].state,
                         finding->moments[k].replay.n_steps, fmax(finding->share, least_weight));
    judging->covered = 0;
    for (size_t k = 0; k < judging->findings->n; k++)
        judging->covered += coverage_of(&judging->coverage, k);
    return true;
}

static bool is_covered(const struct judging *judging, size_t i) {
    return coverage_left(&judging->coverage, entry_of(judging, i)) < most_left * judging->findings->items[i].share;
}

// The loop that calls a function, where its copied turns run the function's code and it was not tried yet; SIZE_MAX:
// none.
static size_t find_caller(const struct judging *judging, size_t i) {
    const struct hot_findings *findings = judging->findings;
    for (size_t k = 0; k < findings->n; k++) {
        const struct hot_finding *caller = &findings->items[k];
        if (caller->loop == findings->items[i].caller && !judging->are_tried[k] && caller->n_moments &&
            coverage_in(&judging->coverage, entry_of(judging, i), caller->moments[0].state) >=
                (1 - most_left) * findings->items[i].share)
            return k;
    }
    return SIZE_MAX;
}

// A function's code is replayed with the loop that calls it, where that is the only one; else from call to call.
static bool try_function(struct judging *judging, size_t i, struct fail *fail) {
    const struct hot_finding *finding = &judging->findings->items[i];
    if (is_covered(judging, i))
        return true;
    const size_t caller = find_caller(judging, i);
    const bool is_only_one = !finding->loop->has_callers;
    if (caller != SIZE_MAX && is_only_one && !try_one(judging, caller, fail))
        return false;
    if (is_covered(judging, i))
        return true;
    if (!try_one(judging, i, fail))
        return false;
    return !finding->why || caller == SIZE_MAX || is_only_one || try_one(judging, caller, fail);
}

// ---- what is left

static void add_uncovered(struct arena *arena, const char *why, double share, struct hot_covered *covered) {
    for (size_t i = 0; i < covered->n_uncovered; i++)
        if (strcmp(covered->uncovered[i].why, why) == 0) {
            covered->uncovered[i].share += share;
            return;
        }
    if (share > 0)
        *ARENA_ADD(arena, covered->uncovered, covered->n_uncovered) = (struct hot_uncovered){share, why};
}

static int compare_uncovered(const void *a, const void *b) {
    const struct hot_uncovered *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

static const char *why_uncovered(const struct judging *judging, size_t entry) {
    const struct hot_findings *findings = judging->findings;
    if (findings->loops->loops[entry].own < judging->choice->least_share * findings->profile->total)
        return "below --least";
    for (size_t i = 0; i < findings->n; i++)
        if (entry_of(judging, i) == entry && (judging->are_tried[i] || is_covered(judging, i)))
            return findings->items[i].why ? findings->items[i].why : "on ways that the copied turns do not take";
    return "not tried any more";
}

static void list_uncovered(struct judging *judging) {
    const struct hot_findings *findings = judging->findings;
    struct hot_covered *covered = &judging->findings->covered;
    struct arena *arena = judging->lab->arena;
    const double total = findings->profile->total;
    *covered = (struct hot_covered){.source = findings->profile->source, .share = judging->covered};
    for (size_t i = 0; i < findings->loops->n; i++)
        add_uncovered(arena, why_uncovered(judging, i), coverage_left(&judging->coverage, i), covered);
    for (size_t i = 0; i < findings->loops->n_skipped; i++)
        add_uncovered(arena, findings->loops->skipped[i].why, findings->loops->skipped[i].samples / total, covered);
    if (covered->n_uncovered)
        qsort(covered->uncovered, covered->n_uncovered, sizeof *covered->uncovered, compare_uncovered);
}

// Keeps what was tried, with what each covers.
static void settle(struct judging *judging) {
    struct hot_findings *findings = judging->findings;
    size_t n = 0;
    list_uncovered(judging);
    for (size_t i = 0; i < findings->n; i++)
        findings->items[i].covered = coverage_of(&judging->coverage, i);
    for (size_t i = 0; i < findings->n; i++)
        if (judging->are_tried[i])
            findings->items[n++] = findings->items[i];
    findings->n = n;
}

// Whether a loop is worth a replay of its own where others cover enough: it has much of the time; or they do not run
// its code, and who waits has not waited for long.
static bool is_worth(const struct judging *judging, size_t i) {
    static const double much = 0.05, most_seconds = 30;
    return judging->covered < judging->choice->enough || judging->findings->items[i].share >= much ||
           (!is_covered(judging, i) && timer_seconds() - judging->start < most_seconds);
}

static bool judge_all(struct judging *judging, struct fail *fail) {
    struct hot_findings *findings = judging->findings;
    const size_t most = judging->choice->most;
    const double least = judging->choice->least_share;
    for (size_t i = 0; i < findings->n && !lab_is_stopped(judging->lab); i++)
        if (findings->items[i].loop->is_loop && findings->items[i].share >= least && judging->n_replays < most &&
            is_worth(judging, i) && !try_one(judging, i, fail))
            return false;
    for (size_t i = 0; i < findings->n && !lab_is_stopped(judging->lab); i++)
        if (!findings->items[i].loop->is_loop && judging->n_replays < most &&
            judging->covered < judging->choice->enough && !try_function(judging, i, fail))
            return false;
    settle(judging);
    return true;
}

bool hot_judge_all(struct lab *lab, const struct hot_choice *choice, struct hot_findings *findings, struct fail *fail) {
    struct judging judging = {.lab = lab,
                              .choice = choice,
                              .findings = findings,
                              .start = timer_seconds(),
                              .are_tried = ARENA_ARRAY(lab->arena, bool, findings->n + 1)};
    if (findings->profile) {
        coverage_open(&judging.coverage, lab->arena, findings->profile, findings->loops);
        return judge_all(&judging, fail);
    }
    for (size_t i = 0; i < findings->n && !lab_is_stopped(lab); i++)
        if (!hot_judge(lab, findings, &findings->items[i], fail))
            return false;
    return true;
}
