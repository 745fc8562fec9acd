#include "corpus/measured.h"

#include "base/bytes.h"
#include "base/compressed.h"
#include "base/file.h"
#include "base/index.h"
#include "base/line.h"
#include "base/text.h"
#include "bench/record/record.h"
#include "corpus/folder.h"
#include "corpus/value_columns.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Columns of a CSV file that mean something: those of our own files, and one of older ones.
enum { MAY_ALIAS = VALUES_N_COLUMNS, N_COLUMNS };

// In files that begin with "hex", as BHive's, two have other titles.
static const char *title_of(unsigned column, bool begins_with_hex) {
    if (begins_with_hex && (column == VALUES_BLOCK || column == VALUES_BYTES))
        return column == VALUES_BLOCK ? "hex" : "code";
    return column == MAY_ALIAS ? "may_alias" : value_columns[column].name;
}

enum { MOST_CELLS = 64, NOWHERE = -1 };

// The last line of each block and form in a measurement file, by the hash of both alone.
struct last_lines {
    struct arena arena;
    struct index index;
    unsigned *lines;
    size_t n;
};

struct measured {
    struct measured_request request;
    struct arena arena;
    size_t n_malformed;
    // A folder
    size_t folder; // number of the current one
    struct record_stream *stream;
    const char *path;
    bool starts_otherwise; // as in struct corpus_value
    struct last_lines last;
    // A file
    FILE *in;
    const char *name;
    char *text;
    size_t room;
    unsigned line;
    int places[N_COLUMNS]; // index of each column; NOWHERE: not there
    double per;
};

// ---- folders

// The line of the record's block and form, 0 where it was not there yet.
static unsigned *last_line(struct last_lines *last, const struct record *record) {
    uint64_t hash = bytes_hash(record->kernel, strlen(record->kernel)) * 2 + (strcmp(record->form, "looped") == 0);
    size_t place = 0, found = index_next(&last->index, hash, &place);
    if (found != INDEX_END)
        return &last->lines[found];
    index_add(&last->index, hash, last->n);
    unsigned *added = ARENA_ADD(&last->arena, last->lines, last->n);
    *added = 0;
    return added;
}

static void forget_lines(struct last_lines *last) {
    arena_free(&last->arena);
    *last = (struct last_lines){.index.arena = &last->arena};
}

static bool is_of_block(const struct record *record) {
    return record->kernel && record->form && record->bytes && record->mode && strcmp(record->mode, "block") == 0;
}

// Notes which line of each block counts.
static bool find_last_lines(struct measured *measured, struct fail *fail) {
    struct record_stream *stream = record_stream_open(measured->path, fail);
    struct arena scratch = {0};
    struct record record;
    forget_lines(&measured->last);
    while (stream && record_stream_next(stream, &scratch, &record, fail)) {
        if (is_of_block(&record))
            *last_line(&measured->last, &record) = record.line;
        arena_reset(&scratch);
    }
    const char *damage = stream ? record_damage_text(&scratch, measured->path, record_stream_damage(stream)) : NULL;
    if (damage)
        lab_say(measured->request.listener, LAB_WARNING, "%s", damage);
    record_stream_close(stream);
    arena_free(&scratch);
    return fail->status == FAIL_NONE;
}

static bool open_folder(struct measured *measured, struct fail *fail) {
    const char *folder = measured->request.folders[measured->folder];
    measured->path = folder_path(&measured->arena, folder, folder_measurements);
    const char *settings = folder_path(&measured->arena, folder, folder_settings_file);
    if (access(measured->path, R_OK) != 0 || access(settings, R_OK) != 0)
        return fail_set(fail, FAIL_INPUT, "'%s' holds no corpus: 'cyclops corpus run' makes one", folder);
    struct folder_settings start;
    if (!folder_read_settings(&measured->arena, folder, &start, fail) || !find_last_lines(measured, fail))
        return false;
    measured->starts_otherwise = start.registers || (start.fill && *start.fill);
    measured->stream = record_stream_open(measured->path, fail);
    return measured->stream != NULL;
}

static void take_record(const struct measured *measured, const struct record *record, struct corpus_value *value) {
    const struct bench_measurement *m = &record->measurement;
    *value = (struct corpus_value){
        .hex = record->kernel,
        .code = record->bytes,
        .form = strcmp(record->form, "looped") == 0 ? PROGRAM_LOOPED : PROGRAM_UNROLLED,
        .kind = m->outcome != BENCH_OK                                                 ? VALUE_MISSING
                : m->verdict == MEASURED_UNSTABLE || m->samples == 0 || m->cycles <= 0 ? VALUE_UNSTABLE
                                                                                       : VALUE_STABLE,
        .cycles = m->cycles,
        .low = measured_low(m),
        .high = measured_high(m),
        .set = "",
        .notes = "",
        .file = measured->path,
        .line = record->line,
    };
    if (!record->block)
        return;
    value->starts_apart = strcmp(record->block->alias, "disjoint") == 0;
    value->memory_is_own = record->block->memory && strcmp(record->block->memory, "own") == 0;
    value->set = record->block->set ? record->block->set : "";
    value->starts_otherwise = record->block->init || measured->starts_otherwise;
    value->has_pages = true;
    value->pages = record->block->pages;
    value->walks = record->block->walks;
    value->notes = record->block->notes ? record->block->notes : "";
}

static bool next_of_folders(struct measured *measured, struct arena *arena, struct corpus_value *value,
                            struct fail *fail) {
    struct record record;
    while (true) {
        while (record_stream_next(measured->stream, arena, &record, fail)) {
            if (!is_of_block(&record) || *last_line(&measured->last, &record) != record.line)
                continue;
            take_record(measured, &record, value);
            return true;
        }
        if (fail->status != FAIL_NONE || measured->folder + 1 == measured->request.n_folders)
            return false;
        record_stream_close(measured->stream);
        measured->stream = NULL;
        measured->folder++;
        if (!open_folder(measured, fail))
            return false;
    }
}

// ---- CSV files

static unsigned split(struct slice line, struct slice *cells) {
    unsigned n = 0;
    struct slice cell;
    while (n < MOST_CELLS && slice_next(&line, ',', &cell))
        cells[n++] = slice_trim(cell);
    return n;
}

static bool is_word(struct slice cell, const char *word) {
    return cell.length == strlen(word) && strncasecmp(cell.data, word, cell.length) == 0;
}

static bool read_line(struct measured *measured, struct slice *line) {
    ssize_t length;
    do {
        length = line_read(&measured->text, &measured->room, measured->in);
        if (length < 0)
            return false;
        measured->line++;
        *line = slice_trim((struct slice){measured->text, (size_t)length});
    } while (!line->length);
    return true;
}

static const char *list_titles(struct measured *measured, const struct slice *cells, unsigned n) {
    struct text text = {.arena = &measured->arena};
    for (unsigned i = 0; i < n; i++)
        text_addf(&text, "%s%.*s", i ? ", " : "", (int)cells[i].length, cells[i].data);
    return text.data;
}

static bool take_titles(struct measured *measured, const struct slice *cells, unsigned n, struct fail *fail) {
    static const struct {
        const char *title;
        double per;
    } values[] = {{"cycles", 1}, {"cycles_per_100_iterations", 100}, {"throughput", 100}};
    const struct measured_request *request = &measured->request;
    const bool begins_with_hex = is_word(cells[0], title_of(VALUES_BLOCK, true));
    for (unsigned c = 0; c < N_COLUMNS; c++)
        for (unsigned i = 0; i < n; i++)
            if (is_word(cells[i], title_of(c, begins_with_hex)))
                measured->places[c] = (int)i;
    for (size_t v = 0; v < sizeof values / sizeof *values && !request->column; v++)
        for (unsigned i = 0; i < n; i++)
            if (is_word(cells[i], values[v].title)) {
                measured->places[VALUES_CYCLES] = (int)i;
                measured->per = values[v].per;
            }
    for (unsigned i = 0; i < n && request->column; i++)
        if (is_word(cells[i], request->column))
            measured->places[VALUES_CYCLES] = (int)i;
    if (request->per > 0)
        measured->per = request->per;
    if (measured->places[VALUES_CYCLES] != NOWHERE)
        return true;
    return fail_at(fail, measured->name, 1, 0, "no column %s%s holds the values: there are %s; give --column",
                   request->column ? "called " : "", request->column ? request->column : "that is known",
                   list_titles(measured, cells, n));
}

static bool open_file(struct measured *measured, struct fail *fail) {
    const char *path = measured->request.csv;
    bool is_stdin = strcmp(path, "-") == 0;
    struct slice line, cells[MOST_CELLS];
    static const double usual_per = 100;
    measured->name = file_name(path);
    measured->in = is_stdin ? stdin : compressed_open(path);
    if (!measured->in)
        return fail_set(fail, FAIL_INPUT, "cannot read '%s': %s", path, strerror(errno));
    for (unsigned c = 0; c < N_COLUMNS; c++)
        measured->places[c] = NOWHERE;
    measured->places[VALUES_BLOCK] = 0;
    measured->per = measured->request.per > 0 ? measured->request.per : usual_per;
    if (!read_line(measured, &line))
        return fail_at(fail, measured->name, 0, 0, "%s", line_error() ? line_error() : "there is no value in it");
    unsigned n = split(line, cells);
    if (is_word(cells[0], title_of(VALUES_BLOCK, false)) || is_word(cells[0], title_of(VALUES_BLOCK, true)))
        return take_titles(measured, cells, n, fail);
    if (measured->request.column)
        return fail_at(fail, measured->name, 1, 0, "its first line has no titles, so --column finds none");
    measured->places[VALUES_CYCLES] = 1;
    if (!is_stdin || fseek(measured->in, 0, SEEK_SET) == 0) {
        rewind(measured->in);
        measured->line = 0;
        return true;
    }
    return fail_at(fail, measured->name, 1, 0, "lines of standard input need titles: 'hex,cycles'");
}

static struct slice cell_of(const struct measured *measured, const struct slice *cells, unsigned n, unsigned column) {
    int place = measured->places[column];
    return place != NOWHERE && (unsigned)place < n ? cells[place] : (struct slice){"", 0};
}

static bool parse_number(struct slice cell, double *number) {
    char text[64], *end;
    if (cell.length == 0 || cell.length >= sizeof text)
        return false;
    memcpy(text, cell.data, cell.length);
    text[cell.length] = '\0';
    *number = strtod(text, &end);
    return *end == '\0' && isfinite(*number);
}

static bool fail_cell(const struct measured *measured, struct slice cell, struct fail *fail, const char *text) {
    return fail_at(fail, measured->name, measured->line, (unsigned)(cell.data - measured->text) + 1, "%s", text);
}

static bool is_hex(struct slice cell, struct arena *arena) {
    uint8_t *bytes = arena_alloc(arena, cell.length / 2 + 1);
    return cell.length > 0 && cell.length % 2 == 0 && bytes_from_digits(cell.data, cell.length, bytes) == cell.length;
}

static bool take_numbers(const struct measured *measured, const struct slice *cells, unsigned n,
                         struct corpus_value *value, struct fail *fail) {
    struct slice cycles = cell_of(measured, cells, n, VALUES_CYCLES), low = cell_of(measured, cells, n, VALUES_LOW),
                 high = cell_of(measured, cells, n, VALUES_HIGH), pages = cell_of(measured, cells, n, VALUES_PAGES);
    double number;
    if (!cycles.length) {
        value->kind = VALUE_MISSING;
        return true;
    }
    if (!parse_number(cycles, &number) || number < 0)
        return fail_cell(measured, cycles, fail, "this is not a number of cycles");
    value->cycles = value->low = value->high = number / measured->per;
    value->kind = number > 0 ? VALUE_STABLE : VALUE_MISSING;
    if (low.length && !parse_number(low, &value->low))
        return fail_cell(measured, low, fail, "'low' is not a number of cycles");
    if (high.length && !parse_number(high, &value->high))
        return fail_cell(measured, high, fail, "'high' is not a number of cycles");
    value->has_pages = parse_number(pages, &number) && number >= 0 && number < UINT32_MAX;
    value->pages = value->has_pages ? (unsigned)number : 0;
    return true;
}

static bool take_cells(const struct measured *measured, struct arena *arena, const struct slice *cells, unsigned n,
                       struct corpus_value *value, struct fail *fail) {
    struct slice hex = cell_of(measured, cells, n, VALUES_BLOCK), code = cell_of(measured, cells, n, VALUES_BYTES),
                 form = cell_of(measured, cells, n, VALUES_FORM), verdict = cell_of(measured, cells, n, VALUES_VERDICT),
                 notes = cell_of(measured, cells, n, VALUES_NOTES);
    *value = (struct corpus_value){.file = measured->name, .line = measured->line, .set = "", .notes = ""};
    if (!is_hex(hex, arena))
        return fail_cell(measured, hex, fail, "this is not the hexadecimal code of a block, such as 4801d8");
    if (code.length && !is_hex(code, arena))
        return fail_cell(measured, code, fail, "this is not hexadecimal code");
    value->hex = text_lower(arena, arena_copy(arena, hex.data, hex.length));
    value->code = code.length ? arena_copy(arena, code.data, code.length) : value->hex;
    value->is_of_others = !form.length; // ours state it
    value->starts_apart = slice_is(cell_of(measured, cells, n, VALUES_ALIAS), "disjoint");
    value->memory_is_own = slice_is(cell_of(measured, cells, n, VALUES_MEMORY), "own");
    value->form = slice_is(form, "looped") ? PROGRAM_LOOPED : PROGRAM_UNROLLED;
    if (form.length && value->form == PROGRAM_UNROLLED && !slice_is(form, "unrolled"))
        return fail_cell(measured, form, fail, "the form is neither 'unrolled' nor 'looped'");
    if (value->form == PROGRAM_LOOPED && !code.length)
        return fail_cell(measured, form, fail, "a looped value needs the 'code' of its loop");
    if (notes.length)
        value->notes = arena_copy(arena, notes.data, notes.length);
    else if (slice_is(cell_of(measured, cells, n, MAY_ALIAS), "1"))
        value->notes = "aliases";
    value->walks = strstr(value->notes, "walks") != NULL;
    if (!take_numbers(measured, cells, n, value, fail))
        return false;
    if (slice_is(verdict, "unstable"))
        value->kind = VALUE_UNSTABLE;
    return true;
}

static bool next_of_file(struct measured *measured, struct arena *arena, struct corpus_value *value,
                         struct fail *fail) {
    enum { MOST_REPORTS = 20 };
    struct slice line, cells[MOST_CELLS];
    while (read_line(measured, &line)) {
        struct fail why;
        fail_clear(&why);
        unsigned n = split(line, cells);
        if (take_cells(measured, arena, cells, n, value, &why))
            return true;
        if (measured->request.is_strict) {
            *fail = why;
            return false;
        }
        if (measured->n_malformed++ < MOST_REPORTS)
            lab_say_failed(measured->request.listener, &why);
    }
    if (line_error())
        fail_at(fail, measured->name, measured->line + 1, 0, "%s", line_error());
    return false;
}

struct measured *measured_open(const struct measured_request *request, struct fail *fail) {
    struct measured *measured = calloc(1, sizeof *measured);
    if (!measured)
        abort(); // as arenas do
    measured->request = *request;
    if (request->csv ? open_file(measured, fail) : open_folder(measured, fail))
        return measured;
    measured_close(measured);
    return NULL;
}

bool measured_next(struct measured *measured, struct arena *arena, struct corpus_value *value, struct fail *fail) {
    return measured->request.csv ? next_of_file(measured, arena, value, fail)
                                 : next_of_folders(measured, arena, value, fail);
}

size_t measured_malformed(const struct measured *measured) {
    return measured->n_malformed;
}

void measured_close(struct measured *measured) {
    if (!measured)
        return;
    record_stream_close(measured->stream);
    if (measured->in && measured->in != stdin)
        fclose(measured->in);
    forget_lines(&measured->last);
    free(measured->text);
    arena_free(&measured->arena);
    free(measured);
}
