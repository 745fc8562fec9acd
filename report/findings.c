#include "report/findings.h"

#include "base/json_text.h"
#include "base/screen.h"
#include "base/table.h"
#include "base/text.h"
#include "report/csv.h"
#include "report/fold.h"
#include "report/mixtures.h"

#include <math.h>
#include <string.h>

enum { DECIMALS = 5, MOST_NAMES = 3 };

static const char *number_text(struct arena *arena, double number) {
    return fold_number(arena, number, fold_decimals(number));
}

// "ADD64rr, ADD32rr, ADD16rr and 9 more"
static const char *forms_text(struct arena *arena, const struct check_finding *finding) {
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

static const char *question_text(const struct check_report *report, struct arena *arena, int question) {
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

static const char *counts_text(struct arena *arena, const struct check_counts *counts, int question) {
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

// "Lost: 156 values of 33 forms that 'adds' has: VADDPDYrm, VADDPDYrr, VADDPDrm and 30 more"
static const char *lost_text(struct arena *arena, const struct check_report *report) {
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

// The sentence about lost values below a question's counts; null: none is lost.
static const char *lost_sentence(struct arena *arena, const struct check_report *report, int question) {
    if (question != CHECK_HARDWARE || !report->n_lost)
        return NULL;
    return arena_printf(arena, "%s. %s.", lost_text(arena, report),
                        report->fails_lost ? "The check fails for them" : "With --fail-lost, the check fails for them");
}

// A sentence to add; "": there is none.
static const char *findings_count_text(struct arena *arena, const struct check_counts *counts) {
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

static const char *finding_note(struct arena *arena, const struct check_finding *finding) {
    if (finding->is_allowed)
        return arena_printf(arena, "allowed: %s", finding->allowance->reason);
    return finding->why_not ? finding->why_not : "";
}

static const char *stale_text(struct arena *arena, const struct check_allowances *allowances,
                              const struct check_allowance *allowance) {
    return arena_printf(arena, "%s:%u: the allowance '%s' fits no finding: remove it", allowances->path,
                        allowance->line, allowance->finding);
}

// ---- text

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
        const char *note = finding_note(arena, each);
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
                "Dispatch slots against the model's uops. A model may count uops before fusion, as Intel's tables do. "
                "'cyclops repair' changes them with --slots alone.",
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

// What `cyclops repair` leaves: results that their own kind has earlier.
static void print_forwarding(struct arena *arena, const struct check_report *report, int question, FILE *out) {
    static const char id[] = "gap:forwarding/";
    size_t n = 0;
    for (size_t i = 0; i < report->n_findings[question]; i++) {
        const struct check_finding *each = &report->findings[question][i];
        n += strncmp(each->id, id, strlen(id)) == 0 && !each->is_allowed;
    }
    if (n)
        screen_print_sentence(
            arena_printf(
                arena,
                "Of forwarding: %s that no latency of a model can mend. 'cyclops repair' counts such values as "
                "predicted. An allow-list accepts them with \"%s*\".",
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
        screen_print_sentence(question_text(report, arena, q), out);
        screen_print_sentence(arena_printf(arena, "%s%s.", counts_text(arena, &report->counts[q], q),
                                           findings_count_text(arena, &report->counts[q])),
                              out);
        const char *lost = lost_sentence(arena, report, q);
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
            screen_print_sentence(stale_text(arena, &report->allowances, &report->allowances.items[i]), out);
        }
}

// ---- JSON

static const char *const mixture_uses[] = {
    [TABLE_MIXTURE_TO_CHOOSE] = "choose", [TABLE_MIXTURE_TO_JUDGE] = "judge", [TABLE_MIXTURE_PROBE] = "probes"};

static void put_mixtures(struct json_text *json, const struct check_report *report) {
    bool has_any = false;
    for (size_t i = 0; i < sizeof mixture_uses / sizeof *mixture_uses; i++)
        has_any |= report->mixtures[i].n > 0;
    if (!has_any)
        return;
    json_open(json, "mixtures");
    for (size_t i = 0; i < sizeof mixture_uses / sizeof *mixture_uses; i++) {
        if (!report->mixtures[i].n)
            continue;
        json_open(json, mixture_uses[i]);
        json_put_integer(json, "n", (int64_t)report->mixtures[i].n);
        json_put_real(json, "error", report->mixtures[i].error, 5);
        json_close(json);
    }
    json_close(json);
}

static bool write_head(struct arena *arena, const struct check_report *report, FILE *out, struct fail *fail) {
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "check");
    json_put_text(&json, "machine", report->results.machine);
    json_put_text(&json, "clock", report->results.clock);
    json_put_dates(&json, "time", &report->results.when);
    json_put_text(&json, "model", report->model);
    json_put_text(&json, "against", report->against);
    json_put_text(&json, "baseline", report->counts[CHECK_HARDWARE].is_asked ? report->baseline.machine : NULL);
    json_put_integer(&json, "forms", (int64_t)report->results.n_forms);
    json_open(&json, "questions"); // one is called model, as is a key above
    for (int q = 0; q < CHECK_N_QUESTIONS; q++) {
        const struct check_counts *counts = &report->counts[q];
        if (!counts->is_asked)
            continue;
        json_open(&json, check_question_name((enum check_question)q));
        json_put_integer(&json, "compared", (int64_t)counts->n_compared);
        json_put_integer(&json, "agree", (int64_t)counts->n_agree);
        json_put_integer(&json, "differ", (int64_t)counts->n_differ);
        json_put_integer(&json, "improved", (int64_t)counts->n_improved);
        json_put_integer(&json, "unstable", (int64_t)counts->n_unstable);
        json_put_integer(&json, "unpredicted", (int64_t)counts->n_unpredicted);
        json_put_integer(&json, "failed", (int64_t)counts->n_failed);
        if (q == CHECK_HARDWARE) {
            json_put_integer(&json, "lost", (int64_t)counts->n_lost);
            json_put_integer(&json, "new", (int64_t)counts->n_new);
        }
        json_put_integer(&json, "findings", (int64_t)counts->n_findings);
        json_put_integer(&json, "allowed", (int64_t)counts->n_allowed);
        if (q == CHECK_GAP)
            json_put_integer(&json, "sums", (int64_t)counts->n_of_sums);
        if (q != CHECK_HARDWARE)
            json_put_integer(&json, "slots", (int64_t)counts->n_of_slots);
        json_close(&json);
    }
    json_close(&json);
    put_mixtures(&json, report);
    json_close(&json);
    return json_print_line(out, &json, fail);
}

static void put_difference(struct json_text *json, const struct check_difference *difference,
                           enum check_question question) {
    const struct check_value *value = difference->value;
    json_open(json, NULL);
    json_put_text(json, "form", value->form);
    json_put_text(json, "class", value->class_name);
    json_put_text(json, "quantity", check_quantity_name(value->quantity));
    json_put_text(json, "detail", *value->detail ? value->detail : NULL);
    json_put_text(json, "relation", value->value.relation == TABLE_AT_MOST ? "at most" : "equal");
    json_put_real(json, "measured", value->value.cycles, DECIMALS);
    json_put_real(json, "low", value->value.low, DECIMALS);
    json_put_real(json, "high", value->value.high, DECIMALS);
    json_put_real(json, question == CHECK_HARDWARE ? "earlier" : "predicted", difference->number, DECIMALS);
    if (difference->sum > 0) {
        json_put_real(json, "sum", value->value.sum, DECIMALS);
        json_put_real(json, "predicted_sum", difference->sum, DECIMALS);
    }
    if (question == CHECK_MODEL)
        json_put_real(json, "against", difference->before, DECIMALS);
    json_put_text(json, "kernel", value->value.kernel);
    json_close(json);
}

static bool write_mixtures(struct arena *arena, const struct check_report *report, FILE *out, struct fail *fail) {
    for (size_t i = 0; report->mixture_errors && i < report->results.n_mixtures; i++) {
        const struct check_mixture *mixture = &report->results.mixtures[i];
        const struct table_value *value = &mixture->value.value;
        struct json_text json = {.text.arena = arena};
        if (!isfinite(report->mixture_errors[i]))
            continue;
        json_open(&json, NULL);
        json_put_text(&json, "record", "mixture");
        json_put_text(&json, "mixture", mixture->name);
        json_put_text(&json, "about", mixture->about);
        json_put_text(&json, "use", mixture_uses[mixture->use]);
        json_put_real(&json, "measured", value->cycles, DECIMALS);
        json_put_real(&json, "low", value->low, DECIMALS);
        json_put_real(&json, "high", value->high, DECIMALS);
        json_put_real(&json, "predicted", value->cycles * (1 + report->mixture_errors[i]), DECIMALS);
        json_close(&json);
        if (!json_print_line(out, &json, fail))
            return false;
    }
    return true;
}

bool findings_write_json(struct arena *arena, const struct check_report *report, FILE *out, struct fail *fail) {
    bool is_written = write_head(arena, report, out, fail);
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        for (size_t i = 0; is_written && i < report->n_findings[q]; i++) {
            const struct check_finding *each = &report->findings[q][i];
            struct json_text json = {.text.arena = arena};
            json_open(&json, NULL);
            json_put_text(&json, "record", "finding");
            json_put_text(&json, "id", each->id);
            json_put_text(&json, "question", check_question_name((enum check_question)q));
            json_put_text(&json, "summary", each->summary);
            json_put_integer(&json, "forms", (int64_t)each->n_forms);
            json_put_integer(&json, "classes", (int64_t)each->n_classes);
            json_put_real(&json, "most", each->most, DECIMALS);
            json_put_bool(&json, "allowed", each->is_allowed);
            json_put_text(&json, "reason", each->is_allowed ? each->allowance->reason : NULL);
            json_put_text(&json, "why_not", each->why_not);
            json_open_list(&json, "values");
            for (size_t k = 0; k < each->n_differences; k++)
                put_difference(&json, &each->differences[k], (enum check_question)q);
            json_close_list(&json);
            json_close(&json);
            is_written = json_print_line(out, &json, fail);
        }
    is_written = is_written && write_mixtures(arena, report, out, fail);
    for (size_t i = 0; is_written && i < report->allowances.n_items; i++) {
        const struct check_allowance *each = &report->allowances.items[i];
        struct json_text json = {.text.arena = arena};
        if (each->n_findings)
            continue;
        json_open(&json, NULL);
        json_put_text(&json, "record", "allowance");
        json_put_text(&json, "finding", each->finding);
        json_put_integer(&json, "line", each->line);
        json_put_bool(&json, "stale", true);
        json_close(&json);
        is_written = json_print_line(out, &json, fail);
    }
    return is_written;
}

// ---- CSV

static void write_csv_difference(struct csv *csv, const struct check_finding *finding,
                                 const struct check_difference *difference, enum check_question question, FILE *out) {
    const struct check_value *value = difference->value;
    const char *const texts[] = {
        check_question_name(question),
        finding->id,
        finding->is_allowed ? "yes" : "no",
        value->form,
        value->class_name,
        check_quantity_name(value->quantity),
        value->detail,
    };
    csv_put_all(csv, texts, sizeof texts / sizeof *texts);
    csv_put_number(csv, true, value->value.cycles);
    csv_put_number(csv, true, value->value.low);
    csv_put_number(csv, true, value->value.high);
    csv_put(csv, value->value.relation == TABLE_AT_MOST ? "at most" : "equal");
    csv_put_number(csv, question != CHECK_HARDWARE, difference->number);
    csv_put_number(csv, question == CHECK_HARDWARE, difference->number);
    csv_put_number(csv, question == CHECK_MODEL, difference->before);
    csv_put(csv, value->value.kernel);
    csv_end_line(csv, out);
}

bool findings_write_csv(struct arena *arena, const struct check_report *report, FILE *out, struct fail *fail) {
    static const char *const titles[] = {"question", "finding",   "allowed",  "form",    "class",
                                         "quantity", "detail",    "measured", "low",     "high",
                                         "relation", "predicted", "earlier",  "against", "kernel"};
    struct csv csv = {.line.arena = arena};
    csv_put_all(&csv, titles, sizeof titles / sizeof *titles);
    csv_end_line(&csv, out);
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        for (size_t i = 0; i < report->n_findings[q]; i++)
            for (size_t k = 0; k < report->findings[q][i].n_differences; k++)
                write_csv_difference(&csv, &report->findings[q][i], &report->findings[q][i].differences[k],
                                     (enum check_question)q, out);
    return csv_is_written(out, fail);
}

// ---- JUnit

static void add_xml(struct text *text, const char *string) {
    bool is_shown;
    for (size_t n; (n = text_character(string, &is_shown)) > 0; string += n)
        if (*string == '&' || *string == '<' || *string == '>' || *string == '"')
            text_addf(text, "&#%d;", *string);
        else if (is_shown || *string == '\n')
            text_append(text, string, n);
        else
            text_add(text, "?");
}

static void add_attribute(struct text *text, const char *name, const char *value) {
    text_addf(text, " %s=\"", name);
    add_xml(text, value);
    text_add(text, "\"");
}

static void add_property(struct text *text, const char *name, const char *value) {
    text_add(text, "      <property");
    add_attribute(text, "name", name);
    add_attribute(text, "value", value);
    text_add(text, "/>\n");
}

// A form's differences under one question, by number of its value.
struct form_differences {
    const struct check_finding **findings;       // by value; null: it agrees
    const struct check_difference **differences; // likewise
};

static struct form_differences differences_by_value(struct arena *arena, const struct check_report *report, int q) {
    size_t n = report->results.n_values;
    struct form_differences by_value = {ARENA_ARRAY(arena, const struct check_finding *, n),
                                        ARENA_ARRAY(arena, const struct check_difference *, n)};
    for (size_t i = 0; i < report->n_findings[q]; i++)
        for (size_t k = 0; k < report->findings[q][i].n_differences; k++) {
            const struct check_difference *each = &report->findings[q][i].differences[k];
            size_t at = (size_t)(each->value - report->results.values);
            by_value.findings[at] = &report->findings[q][i];
            by_value.differences[at] = each;
        }
    return by_value;
}

enum case_kind { CASE_PASSED, CASE_SKIPPED, CASE_FAILED, CASE_ERROR };

// Adds the test case of a form, whose values are [first, end).
static enum case_kind add_case(struct arena *arena, struct text *text, const struct check_report *report, int q,
                               const struct form_differences *by_value, size_t first, size_t end) {
    const struct check_value *values = report->results.values;
    struct text failures = {.arena = arena}, allowed = {.arena = arena};
    size_t n_compared = 0;
    const char *error = NULL, *skipped = NULL, *message = NULL;
    for (size_t i = first; i < end; i++) {
        enum check_outcome outcome = report->outcomes[q][i];
        n_compared += outcome == CHECK_AGREES || outcome == CHECK_DIFFERS;
        if (outcome == CHECK_FAILED && !error)
            error = values[i].value.why ? values[i].value.why : "it has no value";
        if (outcome == CHECK_UNSTABLE && !skipped)
            skipped = values[i].value.why ? values[i].value.why : "unstable";
        if (outcome == CHECK_UNPREDICTED && q == CHECK_GAP && !skipped)
            skipped = report->why[i] ? report->why[i] : "the model has no prediction";
        if (!by_value->findings[i])
            continue;
        const struct check_finding *finding = by_value->findings[i];
        text_addf(finding->is_allowed ? &allowed : &failures, "%s: %s %s, measured %s%s (%s)\n",
                  check_value_label(arena, &values[i]), q == CHECK_HARDWARE ? "earlier" : "model",
                  number_text(arena, by_value->differences[i]->number),
                  values[i].value.relation == TABLE_AT_MOST ? "at most " : "",
                  number_text(arena, values[i].value.cycles), finding->id);
        if (!message && !finding->is_allowed)
            message = arena_printf(arena, "%s: %s%s%s", finding->id, finding->summary, finding->why_not ? "; " : "",
                                   finding->why_not ? finding->why_not : "");
    }
    text_add(text, "    <testcase");
    add_attribute(text, "classname", values[first].class_name);
    add_attribute(text, "name", values[first].form);
    text_add(text, ">");
    // A form of which some values were compared has run: a value that is not known then is no error.
    enum case_kind kind = failures.length     ? CASE_FAILED
                          : n_compared        ? CASE_PASSED
                          : error && !skipped ? CASE_ERROR
                                              : CASE_SKIPPED;
    if (kind == CASE_FAILED || kind == CASE_ERROR) {
        text_add(text, kind == CASE_FAILED ? "<failure" : "<error");
        add_attribute(text, "message", kind == CASE_FAILED ? message : error);
        add_attribute(text, "type", kind == CASE_FAILED ? "difference" : "not run");
        text_add(text, ">");
        add_xml(text, kind == CASE_FAILED ? failures.data : error);
        text_add(text, kind == CASE_FAILED ? "</failure>" : "</error>");
    } else if (kind == CASE_SKIPPED) {
        text_add(text, "<skipped");
        add_attribute(text, "message", skipped ? skipped : "not compared");
        text_add(text, "/>");
    }
    if (allowed.length) {
        text_add(text, "<system-out>allowed: ");
        add_xml(text, allowed.data);
        text_add(text, "</system-out>");
    }
    text_add(text, "</testcase>\n");
    return kind;
}

static void add_suite(struct arena *arena, struct text *text, const struct check_report *report, int q) {
    const struct check_value *values = report->results.values;
    struct form_differences by_value = differences_by_value(arena, report, q);
    struct text cases = {.arena = arena};
    size_t n_by_kind[CASE_ERROR + 1] = {0}, n = 0;
    text_add(&cases, "");
    for (size_t first = 0, end; first < report->results.n_values; first = end) {
        for (end = first + 1; end < report->results.n_values && strcmp(values[end].form, values[first].form) == 0;)
            end++;
        n_by_kind[add_case(arena, &cases, report, q, &by_value, first, end)]++;
        n++;
    }
    text_add(text, "  <testsuite");
    add_attribute(text, "name", check_question_name((enum check_question)q));
    text_addf(text, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0\"", n,
              n_by_kind[CASE_FAILED], n_by_kind[CASE_ERROR], n_by_kind[CASE_SKIPPED]);
    text_add(text, ">\n    <properties>\n");
    add_property(text, "machine", report->results.machine);
    add_property(text, "clock", report->results.clock);
    add_property(text, "measured", date_range_said(arena, &report->results.when));
    add_property(text, "compared with",
                 q == CHECK_GAP     ? report->model
                 : q == CHECK_MODEL ? report->against
                                    : report->baseline.machine);
    if (q == CHECK_HARDWARE) {
        add_property(text, "its clock", report->baseline.clock);
        add_property(text, "measured before", date_range_said(arena, &report->baseline.when));
    }
    text_add(text, "    </properties>\n");
    text_append(text, cases.data, cases.length);
    text_add(text, "  </testsuite>\n");
}

// Lost values are a suite of their own, with a test case for each form: they are no measured values of this check.
static void add_lost_suite(struct arena *arena, struct text *text, const struct check_report *report) {
    text_add(text, "  <testsuite name=\"lost\"");
    text_addf(text, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"0\">\n", report->n_lost,
              report->fails_lost ? report->n_lost : 0, report->fails_lost ? 0 : report->n_lost);
    for (size_t i = 0; i < report->n_lost; i++) {
        const struct check_lost *each = &report->lost[i];
        text_add(text, "    <testcase");
        add_attribute(text, "classname", each->class_name);
        add_attribute(text, "name", each->form);
        text_add(text, report->fails_lost ? "><failure type=\"lost\"" : "><skipped");
        add_attribute(
            text, "message",
            arena_printf(arena, "%s of '%s' lost", text_count(arena, each->n_values, "value"), report->baseline.path));
        text_add(text, "/></testcase>\n");
    }
    text_add(text, "  </testsuite>\n");
}

const char *findings_junit(struct arena *arena, const struct check_report *report) {
    struct text text = {.arena = arena};
    text_add(&text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cyclops check\">\n");
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        if (report->counts[q].is_asked)
            add_suite(arena, &text, report, q);
    if (report->n_lost)
        add_lost_suite(arena, &text, report);
    text_add(&text, "</testsuites>\n");
    return text.data;
}

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

const char *findings_markdown(struct arena *arena, const struct check_report *report) {
    enum { MOST = 20 };
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
        add_cell(&text, question_text(report, arena, q));
        text_addf(&text, "** %s%s.\n", counts_text(arena, &report->counts[q], q),
                  findings_count_text(arena, &report->counts[q]));
        const char *lost = lost_sentence(arena, report, q);
        if (lost) {
            text_add(&text, "\n");
            add_cell(&text, lost);
            text_add(&text, "\n");
        }
        size_t n = report->n_findings[q];
        if (n)
            text_add(&text, "\n| finding | values | what differs | forms | remark |\n|---|--:|---|---|---|\n");
        for (size_t i = 0; i < n && i < MOST; i++) {
            const struct check_finding *each = &report->findings[q][i];
            text_add(&text, "| ");
            add_cell(&text, each->id);
            text_addf(&text, " | %zu | ", each->n_differences);
            add_cell(&text, each->summary);
            text_add(&text, " | ");
            add_cell(&text, forms_text(arena, each));
            text_add(&text, " | ");
            add_cell(&text, finding_note(arena, each));
            text_add(&text, " |\n");
        }
        if (n > MOST)
            text_addf(&text, "\n… and %zu more.\n", n - MOST);
    }
    for (size_t i = 0; i < report->allowances.n_items; i++)
        if (report->allowances.items[i].n_findings == 0) {
            text_add(&text, "\n* ");
            add_cell(&text, stale_text(arena, &report->allowances, &report->allowances.items[i]));
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
            const char *text = arena_printf(arena, "%s: %s%s", each->summary, forms_text(arena, each), why);
            fprintf(out, "::error %stitle=%s::%s\n", place, escaped(arena, each->id, in_properties),
                    escaped(arena, text, in_texts));
        }
    if (report->n_lost)
        fprintf(out, "::%s title=lost values::%s\n", report->fails_lost ? "error" : "warning",
                escaped(arena, lost_text(arena, report), in_texts));
    for (size_t i = 0; i < report->allowances.n_items; i++) {
        const struct check_allowance *each = &report->allowances.items[i];
        if (each->n_findings == 0)
            fprintf(out, "::notice file=%s,line=%u,title=stale allowance::%s\n",
                    escaped(arena, report->allowances.path, in_properties), each->line,
                    escaped(arena, arena_printf(arena, "'%s' fits no finding: remove it", each->finding), in_texts));
    }
}
