#include "infer/evidence.h"

#include "base/bytes.h"
#include "base/compressed.h"
#include "base/file.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

unsigned evidence_form(struct evidence *evidence, const char *name) {
    uint64_t hash = bytes_hash(name, strlen(name));
    evidence->names.arena = evidence->arena;
    for (size_t place = 0, i; (i = index_next(&evidence->names, hash, &place)) != INDEX_END;)
        if (strcmp(evidence->forms[i], name) == 0)
            return (unsigned)i;
    index_add(&evidence->names, hash, evidence->n_forms);
    *ARENA_ADD(evidence->arena, evidence->forms, evidence->n_forms) = name;
    return (unsigned)evidence->n_forms - 1;
}

static int compare_terms(const void *a, const void *b) {
    const struct evidence_term *x = a, *y = b;
    return (x->form > y->form) - (x->form < y->form);
}

void evidence_add(struct evidence *evidence, const struct evidence_term *terms, unsigned n_terms, double cycles,
                  double low, double high, const char *id, const char *set) {
    struct evidence_item item = {.terms = ARENA_ARRAY(evidence->arena, struct evidence_term, n_terms),
                                 .cycles = cycles,
                                 .low = low,
                                 .high = high,
                                 .id = id,
                                 .set = set};
    memcpy(item.terms, terms, n_terms * sizeof *terms);
    qsort(item.terms, n_terms, sizeof *terms, compare_terms);
    for (unsigned i = 0; i < n_terms; i++) {
        item.n_insns += item.terms[i].count;
        if (item.n_terms && item.terms[item.n_terms - 1].form == item.terms[i].form)
            item.terms[item.n_terms - 1].count += item.terms[i].count;
        else
            item.terms[item.n_terms++] = item.terms[i];
    }
    *ARENA_ADD(evidence->arena, evidence->items, evidence->n_items) = item;
}

bool evidence_is_same(const struct evidence_item *a, const struct evidence_item *b) {
    return a->n_terms == b->n_terms && memcmp(a->terms, b->terms, a->n_terms * sizeof *a->terms) == 0;
}

uint64_t evidence_hash(const struct evidence_item *item) {
    uint64_t hash = item->n_terms;
    for (unsigned t = 0; t < item->n_terms; t++)
        hash = (hash ^ ((uint64_t)item->terms[t].form << 16 ^ item->terms[t].count)) * 0x9e3779b97f4a7c15;
    return hash;
}

enum column { CYCLES, LOW, HIGH, FORMS, ID, SET, N_COLUMNS };
static const char *const column_names[N_COLUMNS] = {"cycles", "low", "high", "forms", "id", "set"};

struct reading {
    struct evidence *evidence;
    const char *path;
    unsigned line;
    char separator;
    int columns[N_COLUMNS]; // where each stands; -1: it is not there
    double relative;
    struct fail *fail;
};

// Takes a field off the front, in place, without its quotation marks. Null: the line ends.
static char *next_field(char **rest, char separator) {
    char *from = *rest, *to = from, *start = from;
    if (!from)
        return NULL;
    if (separator == ',' && *from == '"') {
        from++;
        while (*from && !(*from == '"' && *++from != '"'))
            *to++ = *from++;
    } else
        for (; *from && *from != separator; from++)
            *to++ = *from;
    while (*from && *from != separator)
        from++;
    *rest = *from ? from + 1 : NULL;
    *to = 0;
    return start;
}

static bool read_header(struct reading *reading, char *line) {
    reading->separator = strchr(line, '\t') ? '\t' : ',';
    for (unsigned c = 0; c < N_COLUMNS; c++)
        reading->columns[c] = -1;
    char *field, *rest = line;
    for (int at = 0; (field = next_field(&rest, reading->separator)); at++) {
        size_t c = text_starts(field, "instructions") ? (size_t)FORMS : text_find(field, column_names, N_COLUMNS);
        if (c < N_COLUMNS && reading->columns[c] < 0)
            reading->columns[c] = at;
    }
    for (unsigned c = CYCLES; c <= FORMS; c += FORMS - CYCLES)
        if (reading->columns[c] < 0)
            return fail_at(reading->fail, reading->path, reading->line, 0,
                           "there is no column '%s': the first line names the columns, such as 'cycles,forms'",
                           column_names[c]);
    return true;
}

static bool read_number(struct reading *reading, enum column column, const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    if (end == text || *end || !isfinite(*number) || *number <= 0)
        return fail_at(reading->fail, reading->path, reading->line, 0, "%s '%s' is not a number above 0",
                       column_names[column], text_printable(reading->evidence->arena, text, 40));
    return true;
}

static bool read_forms(struct reading *reading, char *text, struct evidence_term **terms, unsigned *n) {
    struct arena *arena = reading->evidence->arena;
    enum { MOST_COUNT = 10000 };
    size_t n_terms = 0;
    char *name;
    for (char *rest = text; (name = next_field(&rest, ';'));) {
        char *end;
        unsigned long count = strtoul(name, &end, 10);
        if (end != name && *end == '*')
            name = end + 1;
        else
            count = 1;
        if (!*name || count == 0 || count > MOST_COUNT)
            return fail_at(reading->fail, reading->path, reading->line, 0,
                           "'forms' holds a %s: write names with ';' between them, 1 to %d of each ('3*NAME')",
                           *name ? "count that is too small or too large" : "form without a name", MOST_COUNT);
        struct evidence_term term = {evidence_form(reading->evidence, arena_strdup(arena, name)), (unsigned)count};
        *ARENA_ADD(arena, *terms, n_terms) = term;
    }
    *n = (unsigned)n_terms;
    return true;
}

static bool read_row(struct reading *reading, char *line) {
    struct arena *arena = reading->evidence->arena;
    char *fields[N_COLUMNS] = {0}, *field, *rest = line;
    for (int at = 0; (field = next_field(&rest, reading->separator)); at++)
        for (unsigned c = 0; c < N_COLUMNS; c++)
            if (reading->columns[c] == at)
                fields[c] = field;
    if (!fields[CYCLES] || !fields[FORMS])
        return fail_at(reading->fail, reading->path, reading->line, 0, "the line has fewer columns than the first one");
    double cycles, low, high;
    struct evidence_term *terms = NULL;
    unsigned n_terms = 0;
    if (!read_number(reading, CYCLES, fields[CYCLES], &cycles) || !read_forms(reading, fields[FORMS], &terms, &n_terms))
        return false;
    low = cycles * (1 - reading->relative);
    high = cycles * (1 + reading->relative);
    if ((fields[LOW] && *fields[LOW] && !read_number(reading, LOW, fields[LOW], &low)) ||
        (fields[HIGH] && *fields[HIGH] && !read_number(reading, HIGH, fields[HIGH], &high)))
        return false;
    if (low > cycles || high < cycles)
        return fail_at(reading->fail, reading->path, reading->line, 0, "%g cycles are not within [%g, %g]", cycles, low,
                       high);
    const char *id =
        fields[ID] && *fields[ID] ? arena_strdup(arena, fields[ID]) : arena_printf(arena, "line %u", reading->line);
    evidence_add(reading->evidence, terms, n_terms, cycles, low, high, id,
                 fields[SET] ? arena_strdup(arena, fields[SET]) : "");
    return true;
}

bool evidence_read(struct evidence *evidence, const char *path, double relative, struct fail *fail) {
    struct reading reading = {.evidence = evidence, .path = file_name(path), .relative = relative, .fail = fail};
    char *data, *line;
    size_t length;
    if (!compressed_read(evidence->arena, path, &data, &length, fail))
        return false;
    if (strlen(data) != length)
        return fail_at(fail, reading.path, 0, 0, "this is not text");
    for (char *rest = data; (line = strsep(&rest, "\n"));) {
        size_t n = strlen(line);
        if (n && line[n - 1] == '\r')
            line[n - 1] = 0;
        reading.line++;
        bool is_header = reading.line == 1;
        if (*line && !(is_header ? read_header(&reading, line) : read_row(&reading, line)))
            return false;
        if (is_header && !*line)
            break;
    }
    if (evidence->n_items == 0)
        return fail_at(fail, reading.path, 0, 0,
                       "there is no experiment in it: a first line such as 'cycles,forms', then one line for each");
    return true;
}
