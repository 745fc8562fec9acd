// Findings in a pull request: a comment, and annotations.
#include "report/findings.h"

#include "base/file.h"
#include "base/text.h"
#include "report/findings_words.h"

#include <ctype.h>
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

// Number of the first line where a word stands by itself; 0: nowhere.
static unsigned line_of(const char *text, const char *word, size_t length) {
    unsigned line = 1;
    for (const char *at = text, *from = text; length && (at = memmem(at, strlen(at), word, length)); at++) {
        bool is_begun = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        for (; from < at; from++)
            line += *from == '\n';
        if (!is_begun && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return line;
    }
    return 0;
}

// Where the model's file names the finding's form, or else the class or resource that its id ends with; "": nowhere.
static const char *place_of(struct arena *arena, const struct check_finding *finding, const char *file,
                            const char *model) {
    const char *form = finding->typical->value->form;
    unsigned line = form ? line_of(model, form, strlen(form)) : 0;
    struct slice rest = {finding->id, strlen(finding->id)}, part;
    while (!line && slice_next(&rest, '/', &part))
        line = line_of(model, part.data, part.length);
    return line ? arena_printf(arena, "file=%s,line=%u,", file, line) : arena_printf(arena, "file=%s,", file);
}

void findings_print_annotations(struct arena *arena, const struct check_report *report, const char *file, FILE *out) {
    enum { MOST = 10 }; // GitHub shows no more of a step
    static const char in_texts[] = "%\r\n", in_properties[] = "%\r\n:,";
    struct fail no_file = {0};
    char *model = NULL;
    size_t length, n = 0;
    const char *escaped_file = file ? escaped(arena, file, in_properties) : NULL;
    if (file && !file_read(arena, file, &model, &length, &no_file))
        model = NULL; // it was read before, to be checked
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        for (size_t i = 0; i < report->n_findings[q]; i++) {
            const struct check_finding *each = &report->findings[q][i];
            if (each->is_allowed || n++ >= MOST)
                continue;
            const char *why = each->why_not ? arena_printf(arena, "; %s", each->why_not) : "";
            const char *text = arena_printf(arena, "%s: %s%s", each->summary, findings_forms(arena, each), why);
            fprintf(out, "::error %stitle=%s::%s\n", model ? place_of(arena, each, escaped_file, model) : "",
                    escaped(arena, each->id, in_properties), escaped(arena, text, in_texts));
        }
    if (n > MOST)
        fprintf(out, "::notice title=more findings::%zu more findings explain fewer values each\n", n - MOST);
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
