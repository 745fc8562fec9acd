#include "check/check.h"

#include "check/gap.h"
#include "check/mixtures.h"
#include "check/padding.h"
#include "check/predictor.h"
#include "check/sums.h"

#include <math.h>
#include <string.h>

bool check_has_compared(const struct check_report *report) {
    size_t n = 0;
    for (int i = 0; i < CHECK_N_QUESTIONS; i++)
        n += report->counts[i].n_compared;
    return n > 0;
}

bool check_has_failed(const struct check_report *report) {
    bool has_failed = report->fails_lost && report->n_lost;
    for (int i = 0; i < CHECK_N_QUESTIONS; i++)
        has_failed |= report->counts[i].n_allowed < report->counts[i].n_findings;
    return has_failed;
}

struct differences {
    struct check_difference *items;
    size_t n;
};

// What of a value is known before any model is asked; CHECK_AGREES: it can be compared.
static enum check_outcome outcome_of(const struct check_value *value) {
    bool has_run = value->value.n_parts || (value->quantity == CHECK_THROUGHPUT && value->value.bytes);
    if (!value->value.is_known && !has_run)
        return CHECK_NOT_COMPARED; // no experiment shows it
    if (!value->value.is_known)
        return CHECK_FAILED;
    return gap_is_sure(value) ? CHECK_AGREES : CHECK_UNSTABLE;
}

static void count(struct check_counts *counts, enum check_outcome outcome) {
    switch (outcome) {
    case CHECK_AGREES:
        counts->n_compared++;
        counts->n_agree++;
        return;
    case CHECK_DIFFERS:
        counts->n_compared++;
        counts->n_differ++;
        return;
    case CHECK_UNSTABLE:
        counts->n_unstable++;
        return;
    case CHECK_FAILED:
        counts->n_failed++;
        return;
    case CHECK_UNPREDICTED:
        counts->n_unpredicted++;
        return;
    case CHECK_NOT_COMPARED:
        return;
    }
}

// The first question, and what it needs.
struct gap_question {
    struct arena *arena;
    struct predictor *predictor;
    struct sums sums;
    struct differences list;
};

static struct gap_question begin_gap(struct arena *arena, struct predictor *predictor,
                                     const struct check_results *results) {
    struct gap_question question = {.arena = arena, .predictor = predictor};
    sums_open(&question.sums, arena, predictor, results);
    return question;
}

static void ask_gap(struct gap_question *question, const struct check_value *value, const struct predicted *predicted,
                    enum check_outcome *outcome) {
    if (*outcome == CHECK_AGREES && !predicted->is_known)
        *outcome = CHECK_UNPREDICTED;
    bool is_outside = *outcome == CHECK_AGREES && gap_find(value, predicted) > 0,
         is_short = *outcome == CHECK_AGREES && sums_missing(value, predicted) > 0;
    if (!is_outside && !is_short)
        return;
    *outcome = CHECK_DIFFERS;
    struct check_difference difference = is_outside ? gap_describe(question->arena, value, predicted)
                                                    : sums_describe(question->arena, &question->sums, value, predicted);
    if (is_outside)
        padding_blame(question->arena, question->predictor, question->sums.results, predicted, &difference);
    *ARENA_ADD(question->arena, question->list.items, question->list.n) = difference;
}

// Whether two models' numbers are other ones. Equal models give equal numbers, bit for bit.
static bool is_moved(double a, double b) {
    static const double rounding = 1e-9;
    return fabs(a - b) > rounding * fmax(fabs(a), fabs(b));
}

static void ask_model(struct arena *arena, const struct check_value *value, const struct predicted *predicted,
                      const struct predicted *other, enum check_outcome *outcome, struct check_counts *counts,
                      struct differences *list) {
    if (*outcome != CHECK_AGREES)
        return;
    if (!predicted->is_known || !other->is_known) {
        *outcome = CHECK_UNPREDICTED;
        return;
    }
    double now = gap_find(value, predicted), before = gap_find(value, other);
    if (!is_moved(predicted->cycles, other->cycles) || !is_moved(now, before))
        return;
    if (now < before) {
        counts->n_improved++;
        return;
    }
    *outcome = CHECK_DIFFERS;
    struct check_difference difference = gap_describe(arena, value, predicted);
    difference.before = other->cycles;
    *ARENA_ADD(arena, list->items, list->n) = difference;
}

// Mixtures judge the model. They are no values, and make no findings.
static void judge_by_mixtures(struct arena *arena, const struct check_request *request, struct check_report *report) {
    struct predictor predictor;
    double *errors = ARENA_ARRAY(arena, double, report->results.n_mixtures);
    predictor_open(&predictor, arena, request->model);
    predictor.only_cycles = true;
    report->mixture_errors = errors;
    for (size_t i = 0; i < report->results.n_mixtures; i++) {
        const struct check_mixture *mixture = &report->results.mixtures[i];
        struct check_mixture_score *score = &report->mixtures[mixture->use];
        double error = errors[i] = mixtures_error(&predictor, mixture);
        if (!isnan(error))
            score->error += (fabs(error) - score->error) / (double)++score->n;
    }
}

static void ask_models(struct arena *arena, const struct check_request *request, struct check_report *report) {
    size_t n = report->results.n_values;
    struct predictor predictor, other;
    struct differences moves = {0};
    double *numbers = ARENA_ARRAY(arena, double, n);
    const char **why = ARENA_ARRAY(arena, const char *, n);
    predictor_open(&predictor, arena, request->model);
    struct gap_question gaps = begin_gap(arena, &predictor, &report->results);
    if (request->against)
        predictor_open(&other, arena, request->against);
    for (size_t i = 0; i < n; i++) {
        const struct check_value *value = &report->results.values[i];
        enum check_outcome outcome = value->is_for_hardware_only ? CHECK_NOT_COMPARED : outcome_of(value),
                           moved = outcome;
        struct predicted predicted = {.resource = ""};
        if (value->value.n_parts || value->quantity == CHECK_SLOTS)
            predicted = predictor_predict(&predictor, value);
        numbers[i] = predicted.is_known ? predicted.cycles : NAN;
        why[i] = predicted.why;
        if (request->asks_gap) {
            ask_gap(&gaps, value, &predicted, &outcome);
            count(&report->counts[CHECK_GAP], outcome);
            report->outcomes[CHECK_GAP][i] = outcome;
        }
        if (request->against) {
            struct predicted second = {.resource = ""};
            if (moved == CHECK_AGREES)
                second = predictor_predict(&other, value);
            ask_model(arena, value, &predicted, &second, &moved, &report->counts[CHECK_MODEL], &moves);
            count(&report->counts[CHECK_MODEL], moved);
            report->outcomes[CHECK_MODEL][i] = moved;
        }
    }
    report->predicted = numbers;
    report->why = why;
    check_find(arena, CHECK_GAP, gaps.list.items, gaps.list.n, &report->findings[CHECK_GAP],
               &report->n_findings[CHECK_GAP]);
    check_find(arena, CHECK_MODEL, moves.items, moves.n, &report->findings[CHECK_MODEL],
               &report->n_findings[CHECK_MODEL]);
}

static enum check_outcome outcome_of_diff(const struct diff_entry *entry) {
    switch (entry->kind) {
    case DIFF_SAME:
        return CHECK_AGREES;
    case DIFF_MOVED:
        return CHECK_DIFFERS;
    case DIFF_BETTER_KNOWN:
    case DIFF_NOW_UNSTABLE:
    case DIFF_BOTH_UNSTABLE:
        return CHECK_UNSTABLE;
    case DIFF_NEW:
    case DIFF_LOST:
    case DIFF_INCOMPARABLE:
    case DIFF_N_KINDS:
        break;
    }
    return CHECK_NOT_COMPARED;
}

// Counts the lost values by form.
static void find_lost(struct arena *arena, struct check_report *report) {
    struct check_lost *lost = NULL;
    size_t n = 0;
    for (size_t i = 0; i < report->diff.n_entries; i++) {
        const struct diff_entry *entry = &report->diff.entries[i];
        if (entry->kind != DIFF_LOST)
            continue;
        const struct check_value *value = entry->before;
        if (n == 0 || strcmp(lost[n - 1].form, value->form) != 0)
            *ARENA_ADD(arena, lost, n) = (struct check_lost){value->form, value->class_name, 0};
        lost[n - 1].n_values++;
    }
    report->lost = lost;
    report->n_lost = n;
    report->counts[CHECK_HARDWARE].n_lost = report->diff.n_by_kind[DIFF_LOST];
    report->counts[CHECK_HARDWARE].n_new = report->diff.n_by_kind[DIFF_NEW];
}

static void ask_hardware(struct arena *arena, const struct check_request *request, struct check_report *report) {
    struct differences list = {0};
    for (size_t i = 0; i < report->results.n_values; i++)
        report->outcomes[CHECK_HARDWARE][i] = CHECK_NOT_COMPARED;
    diff_make(arena, &report->baseline, &report->results, request->rate, &report->diff);
    for (size_t i = 0; i < report->diff.n_entries; i++) {
        const struct diff_entry *entry = &report->diff.entries[i];
        enum check_outcome outcome = outcome_of_diff(entry);
        count(&report->counts[CHECK_HARDWARE], outcome);
        if (entry->after)
            report->outcomes[CHECK_HARDWARE][entry->after - report->results.values] = outcome;
        if (outcome != CHECK_DIFFERS || !entry->before || !entry->after)
            continue;
        const struct table_value *now = &entry->after->value, *before = &entry->before->value;
        struct check_difference difference = {.value = entry->after, .number = before->cycles, .about = ""};
        difference.gap = (now->cycles - before->cycles) / fmax(fabs(before->cycles), MEASURED_LEAST_DIFFERENCE);
        difference.own = arena_printf(arena, "%s/%s", check_quantity_name(entry->after->quantity),
                                      gap_class_name(arena, entry->after->class_name));
        *ARENA_ADD(arena, list.items, list.n) = difference;
    }
    find_lost(arena, report);
    check_find(arena, CHECK_HARDWARE, list.items, list.n, &report->findings[CHECK_HARDWARE],
               &report->n_findings[CHECK_HARDWARE]);
}

static void allow(struct arena *arena, const struct check_request *request, struct check_report *report) {
    for (int q = 0; q < CHECK_N_QUESTIONS; q++) {
        struct check_finding *list = ARENA_ARRAY(arena, struct check_finding, report->n_findings[q]);
        for (size_t i = 0; i < report->n_findings[q]; i++) {
            list[i] = report->findings[q][i];
            check_allow(arena, &report->allowances, &list[i], request->now);
            report->counts[q].n_allowed += list[i].is_allowed;
            report->counts[q].n_of_sums += list[i].is_of_sums;
            report->counts[q].n_of_slots += list[i].is_of_slots;
        }
        report->counts[q].n_findings = report->n_findings[q];
        report->findings[q] = list;
    }
}

bool check_run(struct arena *arena, const struct check_request *request, struct check_report *report,
               struct fail *fail) {
    *report = (struct check_report){.fails_lost = request->fails_lost};
    if (!check_allowances_read(arena, request->allow, &report->allowances, fail) ||
        !check_results_read(arena, request->results, request->n_results, request->listener, &report->results, fail))
        return false;
    if (request->n_baseline &&
        !check_results_read(arena, request->baseline, request->n_baseline, request->listener, &report->baseline, fail))
        return false;
    report->counts[CHECK_GAP].is_asked = request->model && request->asks_gap;
    report->counts[CHECK_MODEL].is_asked = request->model && request->against;
    report->counts[CHECK_HARDWARE].is_asked = request->n_baseline > 0;
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        if (report->counts[q].is_asked)
            report->outcomes[q] = ARENA_ARRAY(arena, enum check_outcome, report->results.n_values);
    if (request->model) {
        report->model = model_name(request->model);
        report->against = request->against ? model_name(request->against) : NULL;
        ask_models(arena, request, report);
        if (request->asks_gap)
            judge_by_mixtures(arena, request, report);
    }
    if (request->n_baseline)
        ask_hardware(arena, request, report);
    allow(arena, request, report);
    return true;
}
