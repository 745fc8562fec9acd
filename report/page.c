#include "report/page.h"

#include "base/bytes.h"
#include "base/index.h"
#include "base/json_text.h"
#include "report/page_fill.h"
#include "report/page_parts.h"

#include <ctype.h>
#include <string.h>

static const char *outcome_name(enum check_outcome outcome) {
    switch (outcome) {
    case CHECK_AGREES:
        return "agrees";
    case CHECK_DIFFERS:
        return "differs";
    case CHECK_UNSTABLE:
        return "unstable";
    case CHECK_FAILED:
        return "no value";
    case CHECK_UNPREDICTED:
        return "not predicted";
    case CHECK_NOT_COMPARED:
        break;
    }
    return "";
}

// The page's script states the order.
static void put_value(struct json_text *json, const struct check_report *report, size_t i) {
    const struct check_value *value = &report->results.values[i];
    const struct table_value *measured = &value->value;
    json_open_list(json, NULL);
    json_put_integer(json, NULL, (int64_t)value->quantity);
    json_put_text(json, NULL, value->streams ? check_value_label(json->text.arena, value) : value->detail);
    json_put_integer(json, NULL, measured->relation == TABLE_AT_MOST);
    json_put_integer(json, NULL, measured->is_known && measured->verdict == MEASURED_UNSTABLE);
    page_put_number(json, measured->is_known ? measured->cycles : NAN);
    page_put_number(json, measured->is_known ? measured->low : NAN);
    page_put_number(json, measured->is_known ? measured->high : NAN);
    page_put_number(json, report->predicted ? report->predicted[i] : NAN);
    json_put_text(json, NULL, report->outcomes[CHECK_GAP] ? outcome_name(report->outcomes[CHECK_GAP][i]) : "");
    json_put_text(json, NULL, measured->kernel ? measured->kernel : "");
    json_put_text(json, NULL, measured->why ? measured->why : "");
    json_put_integer(json, NULL, value->streams);
    json_close_list(json);
}

// Examples in the other syntax, by name.
struct examples {
    const struct form *forms;
    struct index index;
};

static struct examples read_examples(struct arena *arena, const struct decoder *decoder) {
    struct examples examples = {.index.arena = arena};
    struct fail without = {0};
    size_t n;
    if (!decoder || !decoder->backend->forms(decoder->cpu, arena, &examples.forms, &n, &without))
        return examples;
    for (size_t i = 0; i < n; i++)
        if (examples.forms[i].text)
            index_add(&examples.index, bytes_hash(examples.forms[i].name, strlen(examples.forms[i].name)), i);
    return examples;
}

static bool has_word(const char *text, const char *word, size_t length) {
    for (const char *found = text; (found = strstr(found, word)); found++)
        if ((found == text || !isalnum((unsigned char)found[-1])) && !isalnum((unsigned char)found[length]))
            return true;
    return false;
}

// Whether both have the same registers and numbers. LLVM makes each example anew, and some with other operands.
static bool is_of_same_operands(struct arena *arena, const char *text, const char *other) {
    for (const char *at = text; *at; at++) {
        bool is_operand = at != text && (isdigit((unsigned char)*at) || at[-1] == '%');
        size_t length = strspn(at, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        if (length && is_operand && !has_word(other, arena_copy(arena, at, length), length))
            return false;
        at += length ? length - 1 : 0;
    }
    return true;
}

// Null: there is none, or it is the same.
static const char *other_example(struct arena *arena, const struct examples *examples,
                                 const struct check_value *value) {
    uint64_t hash = bytes_hash(value->form, strlen(value->form));
    if (!examples->index.n)
        return NULL;
    for (size_t place = 0, i; (i = index_next(&examples->index, hash, &place)) != INDEX_END;) {
        char *text = arena_strdup(arena, examples->forms[i].text);
        if (strcmp(examples->forms[i].name, value->form) != 0)
            continue;
        for (char *tab = text; (tab = strchr(tab, '\t'));)
            *tab = ' ';
        bool is_other = value->example && strcmp(text, value->example) != 0;
        return is_other && is_of_same_operands(arena, value->example, text) ? text : NULL;
    }
    return NULL;
}

static void put_forms(struct json_text *json, const struct check_report *report, const struct decoder *decoder) {
    const struct check_value *values = report->results.values;
    const struct examples examples = read_examples(json->text.arena, decoder);
    json_open_list(json, "forms");
    for (size_t first = 0, end; first < report->results.n_values; first = end) {
        const struct check_value *value = &values[first];
        for (end = first + 1; end < report->results.n_values && strcmp(values[end].form, value->form) == 0;)
            end++;
        json_open(json, NULL);
        json_put_text(json, "f", value->form);
        json_put_text(json, "e", value->example ? value->example : "");
        json_put_text(json, "i", other_example(json->text.arena, &examples, value));
        json_put_text(json, "c", value->class_name);
        json_open_list(json, "v");
        for (size_t i = first; i < end; i++)
            put_value(json, report, i);
        json_close_list(json);
        json_close(json);
    }
    json_close_list(json);
}

static void put_findings(struct json_text *json, const struct check_report *report) {
    json_open_list(json, "findings");
    for (size_t i = 0; i < report->n_findings[CHECK_GAP]; i++) {
        const struct check_finding *finding = &report->findings[CHECK_GAP][i];
        const char *last = "";
        json_open(json, NULL);
        json_put_text(json, "id", finding->id);
        json_put_text(json, "summary", finding->summary);
        json_put_integer(json, "n", (int64_t)finding->n_differences);
        json_open_list(json, "forms");
        for (size_t k = 0; k < finding->n_differences; k++) {
            const char *form = finding->differences[k].value->form;
            if (strcmp(form, last) != 0)
                json_put_text(json, NULL, form);
            last = form;
        }
        json_close_list(json);
        json_close(json);
    }
    json_close_list(json);
}

static void put_check(struct json_text *json, const struct check_report *report, const struct decoder *decoder) {
    const struct check_counts *counts = &report->counts[CHECK_GAP];
    json_put_text(json, "machine", report->results.machine);
    json_put_text(json, "clock", report->results.clock);
    json_put_text(json, "when", date_range_text(json->text.arena, &report->results.when));
    json_put_text(json, "model", report->model ? report->model : "none");
    json_put_integer(json, "compared", (int64_t)counts->n_compared);
    json_put_integer(json, "agree", (int64_t)counts->n_agree);
    json_put_integer(json, "unstable", (int64_t)counts->n_unstable);
    put_findings(json, report);
    put_forms(json, report, decoder);
}

// Null and a failure where a file is not what it should be.
static const char *data_of(struct arena *arena, const struct page_contents *contents, struct fail *fail) {
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "title", contents->title);
    json_put_text(&json, "author", contents->author);
    json_put_text(&json, "made", contents->made);
    if (contents->check)
        put_check(&json, contents->check, contents->decoder);
    if (!page_put_corpora(&json, contents->corpora, contents->corpus_names, contents->n_corpora, contents->decoder,
                          fail) ||
        !page_put_scores(&json, contents->scores, contents->n_scores, fail) ||
        !page_put_cards(&json, contents->cards, contents->n_cards, fail) || !page_put_runs(&json, contents, fail))
        return NULL;
    json_close(&json);
    return json.text.data;
}

const char *page_make(struct arena *arena, const struct page_contents *contents, struct fail *fail) {
    const char *data = data_of(arena, contents, fail);
    return data ? page_fill(arena, "report.html", data, fail) : NULL;
}
