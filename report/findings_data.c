// Findings for programs that read JSON or CSV.
#include "report/findings.h"

#include "base/columns.h"
#include "base/text.h"

#include <math.h>

enum { DECIMALS = 5 };

// ---- values of findings

struct line {
    const char *question, *finding;
    enum column_truth allowed;
    const char *form, *class_name, *quantity, *detail;
    double measured, low, high;
    const char *relation;
    double predicted, earlier, against;
    const char *kernel;
    double sum, predicted_sum;
};

// Columns of CSV, then those that only JSON has.
enum {
    QUESTION,
    FINDING,
    ALLOWED,
    FORM,
    CLASS,
    QUANTITY,
    DETAIL,
    MEASURED,
    LOW,
    HIGH,
    RELATION,
    PREDICTED,
    EARLIER,
    AGAINST,
    KERNEL,
    N_OF_CSV,
    SUM = N_OF_CSV,
    PREDICTED_SUM,
    N_COLUMNS
};
static const struct column columns[N_COLUMNS] = {
    [QUESTION] = {"question", COLUMN_TEXT, 0, offsetof(struct line, question)},
    [FINDING] = {"finding", COLUMN_TEXT, 0, offsetof(struct line, finding)},
    [ALLOWED] = {"allowed", COLUMN_TRUTH, 0, offsetof(struct line, allowed)},
    [FORM] = {"form", COLUMN_TEXT, 0, offsetof(struct line, form)},
    [CLASS] = {"class", COLUMN_TEXT, 0, offsetof(struct line, class_name)},
    [QUANTITY] = {"quantity", COLUMN_TEXT, 0, offsetof(struct line, quantity)},
    [DETAIL] = {"detail", COLUMN_TEXT, 0, offsetof(struct line, detail)},
    [MEASURED] = {"measured", COLUMN_REAL, DECIMALS, offsetof(struct line, measured)},
    [LOW] = {"low", COLUMN_REAL, DECIMALS, offsetof(struct line, low)},
    [HIGH] = {"high", COLUMN_REAL, DECIMALS, offsetof(struct line, high)},
    [RELATION] = {"relation", COLUMN_TEXT, 0, offsetof(struct line, relation)},
    [PREDICTED] = {"predicted", COLUMN_REAL, DECIMALS, offsetof(struct line, predicted)},
    [EARLIER] = {"earlier", COLUMN_REAL, DECIMALS, offsetof(struct line, earlier)},
    [AGAINST] = {"against", COLUMN_REAL, DECIMALS, offsetof(struct line, against)},
    [KERNEL] = {"kernel", COLUMN_TEXT, 0, offsetof(struct line, kernel)},
    [SUM] = {"sum", COLUMN_REAL, DECIMALS, offsetof(struct line, sum)},
    [PREDICTED_SUM] = {"predicted_sum", COLUMN_REAL, DECIMALS, offsetof(struct line, predicted_sum)},
};

static struct line line_of(const struct check_finding *finding, const struct check_difference *difference,
                           enum check_question question) {
    const struct check_value *value = difference->value;
    bool has_sum = difference->sum > 0;
    return (struct line){
        .question = check_question_name(question),
        .finding = finding->id,
        .allowed = finding->is_allowed ? COLUMN_YES : COLUMN_NO,
        .form = value->form,
        .class_name = value->class_name,
        .quantity = check_quantity_name(value->quantity),
        .detail = value->detail,
        .measured = value->value.cycles,
        .low = value->value.low,
        .high = value->value.high,
        .relation = value->value.relation == TABLE_AT_MOST ? "at most" : "equal",
        .predicted = question == CHECK_HARDWARE ? NAN : difference->number,
        .earlier = question == CHECK_HARDWARE ? difference->number : NAN,
        .against = question == CHECK_MODEL ? difference->before : NAN,
        .kernel = value->value.kernel,
        .sum = has_sum ? value->value.sum : NAN,
        .predicted_sum = has_sum ? difference->sum : NAN,
    };
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

// The counts of one question.
static void put_counts(struct json_text *json, enum check_question question, const struct check_counts *counts) {
    json_open(json, check_question_name(question));
    json_put_integer(json, "compared", (int64_t)counts->n_compared);
    json_put_integer(json, "agree", (int64_t)counts->n_agree);
    json_put_integer(json, "differ", (int64_t)counts->n_differ);
    json_put_integer(json, "improved", (int64_t)counts->n_improved);
    json_put_integer(json, "unstable", (int64_t)counts->n_unstable);
    json_put_integer(json, "unpredicted", (int64_t)counts->n_unpredicted);
    json_put_integer(json, "failed", (int64_t)counts->n_failed);
    if (question == CHECK_HARDWARE) {
        json_put_integer(json, "lost", (int64_t)counts->n_lost);
        json_put_integer(json, "new", (int64_t)counts->n_new);
    }
    json_put_integer(json, "findings", (int64_t)counts->n_findings);
    json_put_integer(json, "allowed", (int64_t)counts->n_allowed);
    if (question == CHECK_GAP)
        json_put_integer(json, "sums", (int64_t)counts->n_of_sums);
    if (question != CHECK_HARDWARE)
        json_put_integer(json, "slots", (int64_t)counts->n_of_slots);
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
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        if (report->counts[q].is_asked)
            put_counts(&json, (enum check_question)q, &report->counts[q]);
    json_close(&json);
    put_mixtures(&json, report);
    json_close(&json);
    return json_print_line(out, &json, fail);
}

static void put_difference(struct json_text *json, const struct line *line) {
    static const unsigned char which[] = {FORM, CLASS,     QUANTITY, DETAIL, RELATION,      MEASURED, LOW,
                                          HIGH, PREDICTED, EARLIER,  SUM,    PREDICTED_SUM, AGAINST,  KERNEL};
    json_open(json, NULL);
    columns_put_members(columns, which, sizeof which, line, json);
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

static bool write_finding(struct arena *arena, enum check_question question, const struct check_finding *finding,
                          FILE *out, struct fail *fail) {
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "finding");
    json_put_text(&json, "id", finding->id);
    json_put_text(&json, "question", check_question_name(question));
    json_put_text(&json, "summary", finding->summary);
    json_put_integer(&json, "forms", (int64_t)finding->n_forms);
    json_put_integer(&json, "classes", (int64_t)finding->n_classes);
    json_put_real(&json, "most", finding->most, DECIMALS);
    json_put_bool(&json, "allowed", finding->is_allowed);
    json_put_text(&json, "reason", finding->is_allowed ? finding->allowance->reason : NULL);
    json_put_text(&json, "why_not", finding->why_not);
    json_open_list(&json, "values");
    for (size_t k = 0; k < finding->n_differences; k++) {
        struct line line = line_of(finding, &finding->differences[k], question);
        put_difference(&json, &line);
    }
    json_close_list(&json);
    json_close(&json);
    return json_print_line(out, &json, fail);
}

static bool write_stale(struct arena *arena, const struct check_allowance *allowance, FILE *out, struct fail *fail) {
    struct json_text json = {.text.arena = arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "allowance");
    json_put_text(&json, "finding", allowance->finding);
    json_put_integer(&json, "line", allowance->line);
    json_put_bool(&json, "stale", true);
    json_close(&json);
    return json_print_line(out, &json, fail);
}

bool findings_write_json(struct arena *arena, const struct check_report *report, FILE *out, struct fail *fail) {
    bool is_written = write_head(arena, report, out, fail);
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        for (size_t i = 0; is_written && i < report->n_findings[q]; i++)
            is_written = write_finding(arena, (enum check_question)q, &report->findings[q][i], out, fail);
    is_written = is_written && write_mixtures(arena, report, out, fail);
    for (size_t i = 0; is_written && i < report->allowances.n_items; i++)
        if (!report->allowances.items[i].n_findings)
            is_written = write_stale(arena, &report->allowances.items[i], out, fail);
    return is_written;
}

// ---- CSV

bool findings_write_csv(struct arena *arena, const struct check_report *report, FILE *out, struct fail *fail) {
    struct csv csv = {.line.arena = arena};
    columns_put_titles(columns, N_OF_CSV, "", &csv);
    csv_end_line(&csv, out);
    for (int q = 0; q < CHECK_N_QUESTIONS; q++)
        for (size_t i = 0; i < report->n_findings[q]; i++) {
            const struct check_finding *finding = &report->findings[q][i];
            for (size_t k = 0; k < finding->n_differences; k++) {
                struct line line = line_of(finding, &finding->differences[k], (enum check_question)q);
                columns_put_cells(columns, N_OF_CSV, &line, &csv);
                csv_end_line(&csv, out);
            }
        }
    return csv_is_written(out, fail);
}
