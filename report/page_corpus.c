// The CSV files of a corpus, for the page.
#include "report/page_parts.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"
#include "corpus/value_columns.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 32, MOST_BLOCK_BYTES = 4096 };

struct csv_file {
    const char *path;
    struct slice rest, line;
    unsigned number; // of the line, from 1
    struct slice titles[MOST_CELLS], cells[MOST_CELLS];
    unsigned n_titles;
};

// Splits a line; quotes may stand around a whole cell. Returns the number of cells; MOST_CELLS + 1: too many.
static unsigned split(struct slice line, struct slice *cells) {
    unsigned n = 0;
    const char *end = line.data + line.length;
    for (const char *at = line.data; n < MOST_CELLS; n++) {
        bool is_quoted = at < end && *at == '"';
        const char *stop =
            is_quoted ? memchr(at + 1, '"', (size_t)(end - at - 1)) : memchr(at, ',', (size_t)(end - at));
        stop = stop ? stop : end;
        cells[n] = slice_trim((struct slice){at + is_quoted, (size_t)(stop - at) - is_quoted});
        stop += is_quoted && stop < end;
        if (stop >= end)
            return n + 1;
        at = stop + 1;
    }
    return MOST_CELLS + 1;
}

static bool fail_cell(const struct csv_file *csv, struct slice cell, struct fail *fail, const char *text) {
    return fail_at(fail, csv->path, csv->number, (unsigned)(cell.data - csv->line.data) + 1, "%s", text);
}

static bool next_line(struct csv_file *csv) {
    while (slice_next(&csv->rest, '\n', &csv->line)) {
        csv->number++;
        if (csv->line.length && csv->line.data[csv->line.length - 1] == '\r')
            csv->line.length--; // else a quoted last cell would have another behind it
        if (slice_trim(csv->line).length)
            return true;
    }
    return false;
}

// False at the end, and at a line with other than as many cells as titles, which is a failure.
static bool next_row(struct csv_file *csv, struct fail *fail) {
    if (!next_line(csv))
        return false;
    unsigned n = split(csv->line, csv->cells);
    return n == csv->n_titles ||
           fail_at(fail, csv->path, csv->number, 0, "this line has %u cells under %u titles", n, csv->n_titles);
}

static bool open_csv(struct csv_file *csv, struct arena *arena, const char *path, struct fail *fail) {
    char *text;
    size_t length;
    *csv = (struct csv_file){.path = path};
    if (!file_read(arena, path, &text, &length, fail))
        return false;
    csv->rest = (struct slice){text, length};
    if (!next_line(csv))
        return fail_at(fail, path, 0, 0, "there is nothing in it");
    csv->n_titles = split(csv->line, csv->titles);
    return csv->n_titles <= MOST_CELLS ||
           fail_at(fail, path, csv->number, 0, "it has more than %d columns", MOST_CELLS);
}

// Index of a column; n_titles: there is none.
static unsigned find(const struct csv_file *csv, const char *title, const char *other) {
    unsigned i = 0;
    while (i < csv->n_titles && !slice_is(csv->titles[i], title) && !(other && slice_is(csv->titles[i], other)))
        i++;
    return i;
}

static bool find_needed(const struct csv_file *csv, const char *title, const char *other, unsigned *column,
                        struct fail *fail) {
    *column = find(csv, title, other);
    return *column < csv->n_titles || fail_at(fail, csv->path, 1, 0, "there is no column '%s'", title);
}

// An empty cell is no number.
static bool read_number(const struct csv_file *csv, unsigned column, double *number, struct fail *fail) {
    char text[64], *end;
    struct slice cell = csv->cells[column];
    *number = NAN;
    if (!cell.length)
        return true;
    if (cell.length >= sizeof text)
        return fail_cell(csv, cell, fail, "this is not a number");
    memcpy(text, cell.data, cell.length);
    text[cell.length] = '\0';
    *number = strtod(text, &end);
    return (*end == '\0' && isfinite(*number)) || fail_cell(csv, cell, fail, "this is not a number");
}

static void put_slice(struct json_text *json, const char *key, struct slice text) {
    json_put_bytes(json, key, text.data, text.length);
}

// ---- values

struct places {
    unsigned block, form, cycles, low, high, verdict, notes; // notes: n_titles: there is no such column
    unsigned models[MOST_CELLS], n_models;
};

static bool find_place(const struct csv_file *csv, enum value_column column, const char *other, unsigned *place,
                       struct fail *fail) {
    return find_needed(csv, value_columns[column].name, other, place, fail);
}

static bool find_columns(const struct csv_file *csv, struct places *columns, struct fail *fail) {
    *columns = (struct places){.notes = find(csv, value_columns[VALUES_NOTES].name, NULL)};
    if (!find_place(csv, VALUES_BLOCK, "hex", &columns->block, fail) ||
        !find_place(csv, VALUES_FORM, NULL, &columns->form, fail) ||
        !find_place(csv, VALUES_CYCLES, NULL, &columns->cycles, fail) ||
        !find_place(csv, VALUES_LOW, NULL, &columns->low, fail) ||
        !find_place(csv, VALUES_HIGH, NULL, &columns->high, fail) ||
        !find_place(csv, VALUES_VERDICT, NULL, &columns->verdict, fail))
        return false;
    for (unsigned i = 0; i < csv->n_titles; i++)
        if (value_column_is_of_model(csv->titles[i]))
            columns->models[columns->n_models++] = i;
    return columns->n_models ||
           fail_at(fail, csv->path, 1, 0,
                   "no column holds a model's predictions: 'cyclops corpus score --blocks FILE' writes them");
}

// The instructions of a block, with "; " between them; null: unknown.
static const char *text_of(struct arena *arena, const struct decoder *decoder, struct slice hex) {
    uint8_t bytes[MOST_BLOCK_BYTES];
    struct text text = {.arena = arena};
    struct block block;
    struct fail ignored;
    fail_clear(&ignored);
    if (!decoder || hex.length % 2 || hex.length / 2 > sizeof bytes ||
        bytes_from_digits(hex.data, hex.length, bytes) != hex.length ||
        !decoder_decode(decoder, arena, bytes, hex.length / 2, &block, &ignored))
        return NULL;
    text_add(&text, "");
    for (unsigned i = 0; i < block.n_insns; i++)
        text_addf(&text, "%s%s", i ? "; " : "", block.insns[i].text);
    return text.data;
}

// The page's script states the order.
static bool put_value(struct json_text *json, const struct csv_file *csv, const struct places *columns,
                      const struct decoder *decoder, struct fail *fail) {
    double cycles, low, high, predicted;
    struct arena scratch = {0};
    struct slice block = csv->cells[columns->block], verdict = csv->cells[columns->verdict];
    if (!read_number(csv, columns->cycles, &cycles, fail) || !read_number(csv, columns->low, &low, fail) ||
        !read_number(csv, columns->high, &high, fail))
        return false;
    if (!isfinite(cycles) || cycles <= 0)
        return true; // it could not run
    json_open_list(json, NULL);
    put_slice(json, NULL, block);
    json_put_integer(json, NULL, slice_is(csv->cells[columns->form], "looped"));
    json_put_integer(json, NULL, slice_is(verdict, "unstable"));
    page_put_number(json, cycles);
    page_put_number(json, low);
    page_put_number(json, high);
    put_slice(json, NULL, columns->notes < csv->n_titles ? csv->cells[columns->notes] : (struct slice){"", 0});
    const char *text = text_of(&scratch, decoder, block);
    json_put_text(json, NULL, text ? text : "");
    arena_free(&scratch);
    for (unsigned m = 0; m < columns->n_models; m++) {
        if (!read_number(csv, columns->models[m], &predicted, fail))
            return false;
        page_put_number(json, predicted);
    }
    json_close_list(json);
    return true;
}

static bool put_corpus(struct json_text *json, const char *path, const char *name, const struct decoder *decoder,
                       struct fail *fail) {
    struct csv_file csv;
    struct places columns;
    if (!open_csv(&csv, json->text.arena, path, fail) || !find_columns(&csv, &columns, fail))
        return false;
    json_open(json, NULL);
    json_put_text(json, "name", name);
    json_open_list(json, "models");
    for (unsigned m = 0; m < columns.n_models; m++)
        put_slice(json, NULL, csv.titles[columns.models[m]]);
    json_close_list(json);
    json_open_list(json, "values");
    while (next_row(&csv, fail) && put_value(json, &csv, &columns, decoder, fail))
        ;
    json_close_list(json);
    json_close(json);
    return fail->status == FAIL_NONE;
}

bool page_put_corpora(struct json_text *json, const char *const *paths, const char *const *names, size_t n,
                      const struct decoder *decoder, struct fail *fail) {
    json_open_list(json, "corpora");
    for (size_t i = 0; i < n; i++)
        if (!put_corpus(json, paths[i], names[i], decoder, fail))
            return false;
    json_close_list(json);
    return true;
}

// ---- scores

static const char *const score_titles[] = {"model",        "form", "kind",  "blocks",           "mean_error",
                                           "median_error", "bias", "tau_b", "within_5_percent", "in_interval"};
enum { N_SCORES = sizeof score_titles / sizeof *score_titles, N_WORDS = 3 };

static bool put_scores(struct json_text *json, const char *path, struct fail *fail) {
    struct csv_file csv;
    unsigned columns[N_SCORES];
    if (!open_csv(&csv, json->text.arena, path, fail))
        return false;
    for (unsigned i = 0; i < N_SCORES; i++)
        if (!find_needed(&csv, score_titles[i], NULL, &columns[i], fail))
            return false;
    json_open(json, NULL);
    json_put_text(json, "name", file_name(path));
    json_open_list(json, "rows");
    while (next_row(&csv, fail)) {
        json_open_list(json, NULL);
        for (unsigned i = 0; i < N_SCORES; i++) {
            double number;
            if (i < N_WORDS)
                put_slice(json, NULL, csv.cells[columns[i]]);
            else if (read_number(&csv, columns[i], &number, fail))
                page_put_number(json, number);
            else
                return false;
        }
        json_close_list(json);
    }
    json_close_list(json);
    json_close(json);
    return fail->status == FAIL_NONE;
}

bool page_put_scores(struct json_text *json, const char *const *paths, size_t n, struct fail *fail) {
    json_open_list(json, "scores");
    for (size_t i = 0; i < n; i++)
        if (!put_scores(json, paths[i], fail))
            return false;
    json_close_list(json);
    return true;
}
