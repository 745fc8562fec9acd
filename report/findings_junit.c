// Findings as JUnit's XML.
#include "report/findings.h"

#include "base/text.h"
#include "report/findings_words.h"

#include <string.h>

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

// What the values of a form show.
struct form_case {
    struct text failures, allowed; // a line for each difference
    size_t n_compared;             // values
    const char *error, *skipped;   // why the first such value failed, or was left out; null: none was
    const char *message;           // the first difference that is not allowed; null: there is none
};

static void look_at_outcome(const struct check_report *report, int q, size_t i, struct form_case *seen) {
    const char *why = report->results.values[i].value.why;
    enum check_outcome outcome = report->outcomes[q][i];
    seen->n_compared += outcome == CHECK_AGREES || outcome == CHECK_DIFFERS;
    if (outcome == CHECK_FAILED && !seen->error)
        seen->error = why ? why : "it has no value";
    if (outcome == CHECK_UNSTABLE && !seen->skipped)
        seen->skipped = why ? why : "unstable";
    if (outcome == CHECK_UNPREDICTED && q == CHECK_GAP && !seen->skipped)
        seen->skipped = report->why[i] ? report->why[i] : "the model has no prediction";
}

static struct form_case look_at_values(struct arena *arena, const struct check_report *report, int q,
                                       const struct form_differences *by_value, size_t first, size_t end) {
    const struct check_value *values = report->results.values;
    struct form_case seen = {.failures = {.arena = arena}, .allowed = {.arena = arena}};
    for (size_t i = first; i < end; i++) {
        look_at_outcome(report, q, i, &seen);
        if (!by_value->findings[i])
            continue;
        const struct check_finding *finding = by_value->findings[i];
        text_addf(finding->is_allowed ? &seen.allowed : &seen.failures, "%s: %s %s, measured %s%s (%s)\n",
                  check_value_label(arena, &values[i]), q == CHECK_HARDWARE ? "earlier" : "model",
                  findings_number(arena, by_value->differences[i]->number),
                  values[i].value.relation == TABLE_AT_MOST ? "at most " : "",
                  findings_number(arena, values[i].value.cycles), finding->id);
        if (!seen.message && !finding->is_allowed)
            seen.message = arena_printf(arena, "%s: %s%s%s", finding->id, finding->summary,
                                        finding->why_not ? "; " : "", finding->why_not ? finding->why_not : "");
    }
    return seen;
}

// Adds the test case of a form, whose values are [first, end).
static enum case_kind add_case(struct arena *arena, struct text *text, const struct check_report *report, int q,
                               const struct form_differences *by_value, size_t first, size_t end) {
    const struct check_value *values = report->results.values;
    const struct form_case seen = look_at_values(arena, report, q, by_value, first, end);
    text_add(text, "    <testcase");
    add_attribute(text, "classname", values[first].class_name);
    add_attribute(text, "name", values[first].form);
    text_add(text, ">");
    // A form of which some values were compared has run: a value that is not known then is no error.
    enum case_kind kind = seen.failures.length          ? CASE_FAILED
                          : seen.n_compared             ? CASE_PASSED
                          : seen.error && !seen.skipped ? CASE_ERROR
                                                        : CASE_SKIPPED;
    if (kind == CASE_FAILED || kind == CASE_ERROR) {
        text_add(text, kind == CASE_FAILED ? "<failure" : "<error");
        add_attribute(text, "message", kind == CASE_FAILED ? seen.message : seen.error);
        add_attribute(text, "type", kind == CASE_FAILED ? "difference" : "not run");
        text_add(text, ">");
        add_xml(text, kind == CASE_FAILED ? seen.failures.data : seen.error);
        text_add(text, kind == CASE_FAILED ? "</failure>" : "</error>");
    } else if (kind == CASE_SKIPPED) {
        text_add(text, "<skipped");
        add_attribute(text, "message", seen.skipped ? seen.skipped : "not compared");
        text_add(text, "/>");
    }
    if (seen.allowed.length) {
        text_add(text, "<system-out>allowed: ");
        add_xml(text, seen.allowed.data);
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
