#include "report/findings.h"

#include "analyzer/model/model.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "report/findings_words.h"
#include "report/mixtures.h"

#include <string.h>

// A table of findings.
static void print_list(struct arena *arena, const struct check_finding *findings, size_t n,
                       const struct findings_options *options, FILE *out) {
    if (!n)
        return;
    size_t n_shown = options->most && options->most < n ? options->most : n;
    struct table grid = {.arena = arena};
    table_column(&grid, TABLE_RIGHT, "values");
    table_column(&grid, TABLE_RIGHT, "forms");
    table_column(&grid, TABLE_LEFT, "finding");
    table_column(&grid, TABLE_BELOW, "");
    // Those that fail the check come first: they must not hide behind what is allowed.
    for (size_t i = 0, n_rows = 0; i < 2 * n && n_rows < n_shown; i++) {
        const struct check_finding *each = &findings[i % n];
        const char *note = findings_note(arena, each);
        if (each->is_allowed != (i >= n))
            continue;
        n_rows++;
        table_cell(&grid, "%zu", each->n_differences);
        table_cell(&grid, "%zu", each->n_forms);
        table_cell_colour(&grid, each->is_allowed ? TABLE_DIM : TABLE_RED, "%s", each->id);
        table_cell(&grid, "%s%s%s; such as %s; off by up to %s", note, *note ? "; " : "", each->summary,
                   each->typical->value->form, check_bound_text(arena, each->most));
    }
    table_print(&grid, out, options->colour);
    if (n_shown < n)
        screen_print_sentence(arena_printf(arena, "… and %zu more (--all prints them)", n - n_shown), out);
}

// Findings that are listed apart, below a sentence about them.
static void print_apart(struct arena *arena, const char *sentence, const struct check_finding *findings, size_t n,
                        const struct findings_options *options, FILE *out) {
    if (!n)
        return;
    fputc('\n', out);
    screen_print_sentence(sentence, out);
    fputc('\n', out);
    print_list(arena, findings, n, options, out);
}

// A question's findings; apart, those of sums, of which it is not known what is wrong; and those of slots: of two ways
// to count, none is wrong.
static void print_findings(struct arena *arena, const struct check_report *report, int question,
                           const struct findings_options *options, FILE *out) {
    const struct check_finding *findings = report->findings[question];
    size_t n_of_slots = report->counts[question].n_of_slots, n_of_sums = report->counts[question].n_of_sums,
           n = report->n_findings[question] - n_of_slots - n_of_sums;
    if (n)
        fputc('\n', out);
    print_list(arena, findings, n, options, out);
    print_apart(arena,
                "Sums of two latencies, of which neither is measured by itself: the model's are too short. Which of "
                "both is wrong they do not show.",
                findings + n, n_of_sums, options, out);
    print_apart(arena,
                model_is_cpu_file(report->model)
                    ? "Dispatch slots against those of the CPU file: its 'forms' state them."
                    : "Dispatch slots against the model's uops. A model may count uops before fusion, as Intel's "
                      "tables do. 'cyclops repair' changes them with --slots alone.",
                findings + n + n_of_sums, n_of_slots, options, out);
}

// An example of a value without a prediction, and its reason.
static void print_unpredicted(struct arena *arena, const struct check_report *report, int question, FILE *out) {
    for (size_t i = 0; i < report->results.n_values; i++)
        if (report->outcomes[question][i] == CHECK_UNPREDICTED && report->why[i]) {
            const struct check_value *value = &report->results.values[i];
            screen_print_sentence(arena_printf(arena, "No prediction, for example, of %s, %s: %s", value->form,
                                               check_value_label(arena, value), report->why[i]),
                                  out);
            return;
        }
}

// Results that their own kind has earlier: `cyclops repair` leaves these, and a CPU file states them.
static void print_forwarding(struct arena *arena, const struct check_report *report, int question, FILE *out) {
    static const char id[] = "gap:forwarding/";
    size_t n = 0;
    for (size_t i = 0; i < report->n_findings[question]; i++) {
        const struct check_finding *each = &report->findings[question][i];
        n += text_starts(each->id, id) && !each->is_allowed;
    }
    if (n)
        screen_print_sentence(
            arena_printf(arena,
                         model_is_cpu_file(report->model)
                             ? "Of forwarding: %s. A CPU file states such results by 'own-latency' of its 'forms'. An "
                               "allow-list accepts them with \"%s*\"."
                             : "Of forwarding: %s that no latency of a model can mend. 'cyclops repair' counts such "
                               "values as predicted. An allow-list accepts them with \"%s*\".",
                         text_count(arena, n, "finding"), id),
            out);
}

void findings_print(struct arena *arena, const struct check_report *report, const struct findings_options *options,
                    FILE *out) {
    screen_print_sentence(arena_printf(arena, "Measured on %s", check_results_origin(arena, &report->results)), out);
    if (report->counts[CHECK_HARDWARE].is_asked)
        screen_print_sentence(arena_printf(arena, "Earlier on %s", check_results_origin(arena, &report->baseline)),
                              out);
    for (int q = 0; q < CHECK_N_QUESTIONS; q++) {
        if (!report->counts[q].is_asked)
            continue;
        fputc('\n', out);
        screen_print_sentence(findings_question(report, arena, q), out);
        screen_print_sentence(arena_printf(arena, "%s%s.", findings_counts(arena, &report->counts[q], q),
                                           findings_total(arena, &report->counts[q])),
                              out);
        const char *lost = findings_lost_sentence(arena, report, q);
        if (lost)
            screen_print_sentence(lost, out);
        if (report->counts[q].n_unpredicted)
            print_unpredicted(arena, report, q, out);
        print_forwarding(arena, report, q, out);
        print_findings(arena, report, q, options, out);
    }
    mixtures_print_scores(arena, report, out);
    for (size_t i = 0; i < report->allowances.n_items; i++)
        if (report->allowances.items[i].n_findings == 0) {
            fputc('\n', out);
            screen_print_sentence(findings_stale(arena, &report->allowances, &report->allowances.items[i]), out);
        }
}
