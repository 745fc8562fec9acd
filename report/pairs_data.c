// The matrix as JSON Lines and as CSV, whose columns stand once.
#include "report/pairs.h"

#include "base/columns.h"

#include <math.h>

// What is the same whatever predicts it.
struct pair_line {
    const char *first, *second; // second: null: the first alone
    int64_t streams;            // of each; -1: it was not measured
    enum column_truth is_unstable;
    const char *doubt;
};
enum { FIRST, SECOND, UNSTABLE, STREAMS, DOUBT, N_PAIR };
static const struct column pair_columns[N_PAIR] = {
    [FIRST] = {"first", COLUMN_TEXT, 0, offsetof(struct pair_line, first)},
    [SECOND] = {"second", COLUMN_TEXT, 0, offsetof(struct pair_line, second)},
    [UNSTABLE] = {"unstable", COLUMN_TRUTH, 0, offsetof(struct pair_line, is_unstable)},
    [STREAMS] = {"n", COLUMN_COUNT, 0, offsetof(struct pair_line, streams)},
    [DOUBT] = {"doubt", COLUMN_TEXT, 0, offsetof(struct pair_line, doubt)},
};

// One number for it, measured or predicted.
struct time_line {
    double cycles, overlap; // NAN: not known
    const char *pairing;
};
enum { CYCLES, OVERLAP, PAIRING, N_TIME };
static const struct column time_columns[N_TIME] = {
    [CYCLES] = {"cycles", COLUMN_REAL, 5, offsetof(struct time_line, cycles)},
    [OVERLAP] = {"overlap", COLUMN_REAL, 4, offsetof(struct time_line, overlap)},
    [PAIRING] = {"pairing", COLUMN_TEXT, 0, offsetof(struct time_line, pairing)},
};
static const unsigned char all_of_time[N_TIME] = {CYCLES, OVERLAP, PAIRING};

struct model_line {
    const char *model;
    enum column_truth disagrees;
};
enum { MODEL, DISAGREES, N_MODEL };
static const struct column model_columns[N_MODEL] = {
    [MODEL] = {"model", COLUMN_TEXT, 0, offsetof(struct model_line, model)},
    [DISAGREES] = {"disagrees", COLUMN_TRUTH, 0, offsetof(struct model_line, disagrees)},
};
static const unsigned char all_of_model[N_MODEL] = {MODEL, DISAGREES};

static enum column_truth truth(bool is_true) {
    return is_true ? COLUMN_YES : COLUMN_NO;
}

static struct time_line time_of(const struct pair_result *result) {
    if (!result->is_known)
        return (struct time_line){NAN, NAN, NULL};
    return (struct time_line){result->mix.cycles, result->pairing.overlap, pairing_name(result->pairing.kind)};
}

static struct pair_line line_of(const struct pairs *pairs, unsigned first, unsigned second,
                                const struct pair_result *measured) {
    const struct experiment *mix = pairs->cells[first * pairs->n_kernels + second].mix;
    return (struct pair_line){pairs->kernels[first]->name, pairs->kernels[second]->name,
                              mix ? (int64_t)mix->program.streams : -1, truth(measured->is_unstable), measured->doubt};
}

static bool has_cell(const struct pairs *pairs, unsigned first, unsigned second) {
    return first < second || (first > second && pairs->has_both_orders);
}

// ---- JSON

static void put_predictions(const struct lab *lab, const struct pairs *pairs, unsigned first, unsigned second,
                            const struct pair_result *measured, struct json_text *json) {
    const struct experiment *mix = pairs->cells[first * pairs->n_kernels + second].mix;
    json_open_list(json, "predicted");
    for (unsigned i = 0; mix && i < lab->models.n_judged; i++) {
        const struct pair_result predicted = pairs_result(lab->arena, pairs, first, second, (int)i);
        const struct time_line time = time_of(&predicted);
        const struct model_line model = {mix->predictions[i].model, truth(pairs_disagree(measured, &predicted))};
        if (!predicted.is_known)
            continue;
        json_open(json, NULL);
        columns_put_members(time_columns, all_of_time, N_TIME, &time, json);
        columns_put_members(model_columns, all_of_model, N_MODEL, &model, json);
        json_close(json);
    }
    json_close_list(json);
}

static bool write_json_cell(const struct lab *lab, const struct pairs *pairs, unsigned first, unsigned second,
                            FILE *out, struct fail *fail) {
    static const unsigned char head[] = {FIRST, SECOND, UNSTABLE, STREAMS}, doubt[] = {DOUBT};
    const struct pair_result measured = pairs_result(lab->arena, pairs, first, second, PAIRS_MEASURED);
    const struct pair_line line = line_of(pairs, first, second, &measured);
    const struct time_line time = time_of(&measured);
    struct json_text json = {.text.arena = lab->arena};
    json_open(&json, NULL);
    json_put_text(&json, "record", "pair");
    columns_put_members(pair_columns, head, sizeof head, &line, &json);
    if (measured.is_known) {
        json_open(&json, "measured");
        columns_put_members(time_columns, all_of_time, N_TIME, &time, &json);
        json_close(&json);
    }
    columns_put_members(pair_columns, doubt, sizeof doubt, &line, &json);
    put_predictions(lab, pairs, first, second, &measured, &json);
    json_close(&json);
    return json_print_line(out, &json, fail);
}

bool pairs_print_json(const struct lab *lab, const struct pairs *pairs, FILE *out, struct fail *fail) {
    for (unsigned i = 0; i < pairs->n_kernels; i++)
        for (unsigned j = 0; j < pairs->n_kernels; j++)
            if (has_cell(pairs, i, j) && !write_json_cell(lab, pairs, i, j, out, fail))
                return false;
    return true;
}

// ---- CSV

static void write_csv_row(struct csv *csv, const struct pair_line *line, const struct time_line *measured,
                          const struct model_line *model, const struct time_line *predicted, FILE *out) {
    columns_put_cells(pair_columns, N_PAIR, line, csv);
    columns_put_cells(time_columns, N_TIME, measured, csv);
    columns_put_cells(model_columns, N_MODEL, model, csv);
    columns_put_cells(time_columns, N_TIME, predicted, csv);
    csv_end_line(csv, out);
}

static struct time_line time_alone(const struct pairs *pairs, unsigned kernel, int model) {
    struct pairing_time time;
    return (struct time_line){pairs_alone(pairs, kernel, model, &time) ? time.cycles : NAN, NAN, NULL};
}

// Of a kernel alone: a row for each model, or one where there is none.
static void write_csv_alone(const struct lab *lab, const struct pairs *pairs, unsigned kernel, struct csv *csv,
                            FILE *out) {
    const struct experiment *alone = pairs->alone[kernel];
    const bool is_unstable = alone->is_done && alone->measurement.verdict == MEASURED_UNSTABLE;
    const struct pair_line line = {pairs->kernels[kernel]->name, NULL,
                                   alone->is_done ? (int64_t)alone->program.streams : -1, truth(is_unstable),
                                   is_unstable ? alone->measurement.why : NULL};
    const struct time_line measured = time_alone(pairs, kernel, PAIRS_MEASURED);
    for (int i = lab->models.n_judged ? 0 : PAIRS_MEASURED; i < (int)lab->models.n_judged; i++) {
        const bool is_model = i != PAIRS_MEASURED;
        const struct time_line predicted = is_model ? time_alone(pairs, kernel, i) : (struct time_line){NAN, NAN, NULL};
        const struct model_line model = {is_model ? lab->models.judged[i].title : NULL, COLUMN_UNKNOWN};
        write_csv_row(csv, &line, &measured, &model, &predicted, out);
    }
}

static void write_csv_cell(const struct lab *lab, const struct pairs *pairs, unsigned first, unsigned second,
                           struct csv *csv, FILE *out) {
    const struct pair_result measured = pairs_result(lab->arena, pairs, first, second, PAIRS_MEASURED);
    const struct pair_line line = line_of(pairs, first, second, &measured);
    const struct time_line time = time_of(&measured);
    for (int i = lab->models.n_judged ? 0 : PAIRS_MEASURED; i < (int)lab->models.n_judged; i++) {
        struct pair_result predicted = {0};
        struct model_line model = {NULL, COLUMN_UNKNOWN};
        if (i != PAIRS_MEASURED) {
            predicted = pairs_result(lab->arena, pairs, first, second, i);
            model.model = lab->models.judged[i].title;
            if (measured.is_known && predicted.is_known)
                model.disagrees = truth(pairs_disagree(&measured, &predicted));
        }
        const struct time_line by_model = time_of(&predicted);
        write_csv_row(csv, &line, &time, &model, &by_model, out);
    }
}

bool pairs_print_csv(const struct lab *lab, const struct pairs *pairs, FILE *out, struct fail *fail) {
    struct csv csv = {.line.arena = lab->arena};
    columns_put_titles(pair_columns, N_PAIR, "", &csv);
    columns_put_titles(time_columns, N_TIME, "measured_", &csv); // measured_cycles, measured_overlap, measured_pairing
    columns_put_titles(model_columns, N_MODEL, "", &csv);
    columns_put_titles(time_columns, N_TIME, "predicted_",
                       &csv); // predicted_cycles, predicted_overlap, predicted_pairing
    csv_end_line(&csv, out);
    for (unsigned i = 0; i < pairs->n_kernels; i++)
        write_csv_alone(lab, pairs, i, &csv, out);
    for (unsigned i = 0; i < pairs->n_kernels; i++)
        for (unsigned j = 0; j < pairs->n_kernels; j++)
            if (has_cell(pairs, i, j))
                write_csv_cell(lab, pairs, i, j, &csv, out);
    return csv_is_written(out, fail);
}
