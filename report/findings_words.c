#include "report/findings_words.h"

#include "base/text.h"
#include "report/row_summary.h"

#include <string.h>

enum { MOST_NAMES = 3 };

const char *findings_number(struct arena *arena, double number) {
    return row_summary_number(arena, number, row_summary_decimals(number));
}

const char *findings_forms(struct arena *arena, const struct check_finding *finding) {
    struct text text = {.arena = arena};
    size_t n = 0;
    const char *last = "";
    for (size_t i = 0; i < finding->n_differences && n < MOST_NAMES; i++) {
        const char *form = finding->differences[i].value->form;
        if (strcmp(form, last) != 0)
            text_addf(&text, "%s%s", n++ ? ", " : "", form);
        last = form;
    }
    if (finding->n_forms > n)
        text_addf(&text, " and %zu more", finding->n_forms - n);
    return text.data;
}

const char *findings_question(const struct check_report *report, struct arena *arena, int question) {
    switch (question) {
    case CHECK_GAP:
        return arena_printf(arena, "Gap: does %s predict what was measured?", report->model);
    case CHECK_MODEL:
        return arena_printf(arena, "Model: is %s further from what was measured than %s?", report->model,
                            report->against);
    default:
        return arena_printf(arena, "Hardware: have measured values moved since %s?", report->baseline.path);
    }
}

const char *findings_counts(struct arena *arena, const struct check_counts *counts, int question) {
    struct text text = {.arena = arena};
    const char *agree = question == CHECK_GAP ? "agree" : question == CHECK_MODEL ? "are as near or nearer" : "stayed";
    text_addf(&text, "%zu of %s %s", counts->n_agree, text_count(arena, counts->n_compared, "value"), agree);
    if (counts->n_improved)
        text_addf(&text, "; %zu are nearer than before", counts->n_improved);
    if (counts->n_unstable)
        text_addf(&text, "; %zu unstable, and not compared", counts->n_unstable);
    if (counts->n_unpredicted)
        text_addf(&text, "; for %zu there is no prediction", counts->n_unpredicted);
    if (counts->n_failed)
        text_addf(&text, "; %zu without a value", counts->n_failed);
    if (counts->n_lost)
        text_addf(&text, "; %zu lost", counts->n_lost);
    if (counts->n_new)
        text_addf(&text, "; %zu new", counts->n_new);
    return text.data;
}

const char *findings_lost(struct arena *arena, const struct check_report *report) {
    struct text text = {.arena = arena};
    text_addf(&text,
              "Lost: %s of %s that '%s' has: ", text_count(arena, report->counts[CHECK_HARDWARE].n_lost, "value"),
              text_count(arena, report->n_lost, "form"), report->baseline.path);
    for (size_t i = 0; i < report->n_lost && i < MOST_NAMES; i++)
        text_addf(&text, "%s%s", i ? ", " : "", report->lost[i].form);
    if (report->n_lost > MOST_NAMES)
        text_addf(&text, " and %zu more", report->n_lost - MOST_NAMES);
    return text.data;
}

const char *findings_lost_sentence(struct arena *arena, const struct check_report *report, int question) {
    if (question != CHECK_HARDWARE || !report->n_lost)
        return NULL;
    return arena_printf(arena, "%s. %s.", findings_lost(arena, report),
                        report->fails_lost ? "The check fails for them" : "With --fail-lost, the check fails for them");
}

const char *findings_total(struct arena *arena, const struct check_counts *counts) {
    struct text text = {.arena = arena};
    if (counts->n_findings == 0) // where nothing was compared, there could not be any
        return counts->n_compared ? ". No findings" : "";
    text_addf(&text, ". Findings: %zu", counts->n_findings);
    if (counts->n_allowed)
        text_addf(&text, " (%zu allowed)", counts->n_allowed);
    if (counts->n_of_sums)
        text_addf(&text, "; of sums of latencies: %zu", counts->n_of_sums);
    if (counts->n_of_slots)
        text_addf(&text, "; of dispatch slots: %zu", counts->n_of_slots);
    return text.data;
}

const char *findings_note(struct arena *arena, const struct check_finding *finding) {
    if (finding->is_allowed)
        return arena_printf(arena, "allowed: %s", finding->allowance->reason);
    return finding->why_not ? finding->why_not : "";
}

const char *findings_stale(struct arena *arena, const struct check_allowances *allowances,
                           const struct check_allowance *allowance) {
    return arena_printf(arena, "%s:%u: the allowance '%s' fits no finding: remove it", allowances->path,
                        allowance->line, allowance->finding);
}
