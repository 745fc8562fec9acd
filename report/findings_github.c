// Findings in a pull request: a comment, and annotations.
#include "report/findings.h"

#include "base/text.h"
#include "report/findings_words.h"

#include <string.h>

// ---- Markdown

// Adds text as part of a cell: what Markdown would take as a mark is escaped.
static void add_cell(struct text *text, const char *string) {
    for (; *string; string++)
        text_addf(text, "%s%c", strchr("|\\`*_<>[]", *string) ? "\\" : "", *string == '\n' ? ' ' : *string);
}

static bool has_allowed(const struct check_report *report) {
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        if (report->counts[q].n_allowed)
            return true;
    return false;
}

static bool has_lost_only(const struct check_report *report) {
    bool has_finding = false;
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        has_finding |= report->counts[q].n_allowed < report->counts[q].n_findings;
    return report->fails_lost && report->n_lost && !has_finding;
}

static void add_findings(struct arena *arena, const struct check_report *report, int q, struct text *text) {
    enum { MOST = 20 };
    size_t n = report->n_findings[q];
    if (n)
        text_add(text, "\n| finding | values | what differs | forms | remark |\n|---|--:|---|---|---|\n");
    for (size_t i = 0; i < n && i < MOST; i++) {
        const struct check_finding *each = &report->findings[q][i];
        text_add(text, "| ");
        add_cell(text, each->id);
        text_addf(text, " | %zu | ", each->n_differences);
        add_cell(text, each->summary);
        text_add(text, " | ");
        add_cell(text, findings_forms(arena, each));
        text_add(text, " | ");
        add_cell(text, findings_note(arena, each));
        text_add(text, " |\n");
    }
    if (n > MOST)
        text_addf(text, "\n… and %zu more.\n", n - MOST);
}

const char *findings_markdown(struct arena *arena, const struct check_report *report) {
    struct text text = {.arena = arena};
    text_addf(&text, "### Cyclops: %s\n\n",
              has_lost_only(report)         ? "lost values"
              : check_has_failed(report)    ? "findings"
              : !check_has_compared(report) ? "nothing compared"
              : has_allowed(report)         ? "all findings are allowed"
                                            : "no findings");
    text_add(&text, "Measured on ");
    add_cell(&text, check_results_origin(arena, &report->results));
    text_add(&text, ".\n");
    if (report->counts[CHECK_HARDWARE].is_asked) {
        text_add(&text, "Earlier on ");
        add_cell(&text, check_results_origin(arena, &report->baseline));
        text_add(&text, ".\n");
    }
    for (int q = 0; q < CHECK_N_QUESTIONS; q++) {
        if (!report->counts[q].is_asked)
            continue;
        text_add(&text, "\n**");
        add_cell(&text, findings_question(report, arena, q));
        text_addf(&text, "** %s%s.\n", findings_counts(arena, &report->counts[q], q),
                  findings_total(arena, &report->counts[q]));
        const char *lost = findings_lost_sentence(arena, report, q);
        if (lost) {
            text_add(&text, "\n");
            add_cell(&text, lost);
            text_add(&text, "\n");
        }
        add_findings(arena, report, q, &text);
    }
    for (size_t i = 0; i < report->allowances.n_items; i++)
        if (report->allowances.items[i].n_findings == 0) {
            text_add(&text, "\n* ");
            add_cell(&text, findings_stale(arena, &report->allowances, &report->allowances.items[i]));
            text_add(&text, "\n");
        }
    return text.data;
}

// ---- GitHub

// What a workflow command takes literally: in properties, more is escaped.
static const char *escaped(struct arena *arena, const char *string, const char *letters) {
    struct text text = {.arena = arena};
    text_add(&text, "");
    for (; *string; string++)
        if (strchr(letters, *string))
            text_addf(&text, "%%%02X", (unsigned char)*string);
        else
            text_append(&text, string, 1);
    return text.data;
}

void findings_print_annotations(struct arena *arena, const struct check_report *report, const char *file, FILE *out) {
    static const char in_texts[] = "%\r\n", in_properties[] = "%\r\n:,";
    const char *place = file ? arena_printf(arena, "file=%s,", escaped(arena, file, in_properties)) : "";
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        for (size_t i = 0; i < report->n_findings[q]; i++) {
            const struct check_finding *each = &report->findings[q][i];
            if (each->is_allowed)
                continue;
            const char *why = each->why_not ? arena_printf(arena, "; %s", each->why_not) : "";
            const char *text = arena_printf(arena, "%s: %s%s", each->summary, findings_forms(arena, each), why);
            fprintf(out, "::error %stitle=%s::%s\n", place, escaped(arena, each->id, in_properties),
                    escaped(arena, text, in_texts));
        }
    if (report->n_lost)
        fprintf(out, "::%s title=lost values::%s\n", report->fails_lost ? "error" : "warning",
                escaped(arena, findings_lost(arena, report), in_texts));
    for (size_t i = 0; i < report->allowances.n_items; i++) {
        const struct check_allowance *each = &report->allowances.items[i];
        if (each->n_findings == 0)
            fprintf(out, "::notice file=%s,line=%u,title=stale allowance::%s\n",
                    escaped(arena, report->allowances.path, in_properties), each->line,
                    escaped(arena, arena_printf(arena, "'%s' fits no finding: remove it", each->finding), in_texts));
    }
}
