#include "upstream/td_records.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// Names of the fields, sorted, in the order of enum td_field.
static const char *const field_names[TD_N_FIELDS] = {
    "AcquireAtCycles",
    "AliasRW",
    "BaseInstr",
    "Cycles",
    "Instrs",
    "IssueWidth",
    "Latency",
    "MatchRW",
    "Name",
    "NumMicroOps",
    "OperandReadWrites",
    "Predicate",
    "ProcResources",
    "ReadType",
    "ReleaseAtCycles",
    "Repeat",
    "SchedModel",
    "SchedRW",
    "Selected",
    "Unsupported",
    "VLEN",
    "ValidWrites",
    "Variants",
    "WriteType",
    "Writes",
};

static int compare_names(const void *name, const void *element) {
    const struct slice *slice = name;
    const char *const *other = element;
    int order = strncmp(slice->data, *other, slice->length);
    return order ? order : -(int)((*other)[slice->length] != '\0');
}

// "  |File.td:12|" at the end of a line: cuts it off. False: the line has no such end.
static bool take_place(struct slice *line, struct slice *place) {
    if (line->length < 4 || line->data[line->length - 1] != '|')
        return false;
    size_t start = line->length - 1;
    while (start > 0 && line->data[start - 1] != '|')
        start--;
    if (start < 2)
        return false;
    *place = (struct slice){line->data + start, line->length - 1 - start};
    line->length = start - 1;
    *line = slice_trim(*line);
    return true;
}

// The line of "File.td:12", and its file; 0: it has none.
static unsigned read_place(struct slice place, struct slice *file) {
    size_t colon = place.length;
    unsigned line = 0;
    while (colon > 0 && place.data[colon - 1] != ':')
        colon--;
    *file = (struct slice){place.data, colon ? colon - 1 : 0};
    for (size_t i = colon; colon && i < place.length; i++)
        line = 10 * line + (unsigned)(place.data[i] - '0');
    return line;
}

static void set_place(struct arena *arena, struct td_record *record, struct slice place) {
    struct slice file;
    const unsigned line = read_place(place, &file);
    if (!line)
        return;
    record->file = arena_copy(arena, file.data, file.length);
    record->line = line;
}

// "|File.td:12| |Other.td:3|", from the outermost `defm` on.
static void set_sequence(struct arena *arena, struct td_record *record, struct slice places, const char *nested) {
    struct slice place, file;
    for (bool is_first = true; slice_next(&places, '|', &place); is_first = false)
        if (place.length > 1 && (nested ? read_place(place, &file) && slice_is(file, nested) : is_first))
            set_place(arena, record, place);
}

// "    list<int> Cycles = [1]  |File.td:3|"
static void read_field(struct arena *arena, struct slice line, const char *nested, struct td_record *record) {
    struct slice place = {NULL, 0}, file;
    if (!take_place(&line, &place))
        line = slice_trim(line); // a field without a place
    const char *equals = memmem(line.data, line.length, " = ", 3);
    if (!equals)
        return;
    const char *name = equals;
    while (name > line.data && name[-1] != ' ')
        name--;
    struct slice slice = {name, (size_t)(equals - name)};
    const char *const *found = bsearch(&slice, field_names, TD_N_FIELDS, sizeof *field_names, compare_names);
    if (!found)
        return;
    record->fields[found - field_names] = arena_copy(arena, equals + 3, line.length - (size_t)(equals + 3 - line.data));
    const unsigned at = nested ? read_place(place, &file) : 0;
    record->lines[found - field_names] = at && slice_is(file, nested) ? at : 0;
}

static bool has_fields(const struct td_record *record) {
    for (size_t i = 0; i < TD_N_FIELDS; i++)
        if (record->fields[i] && i != TD_NAME && i != TD_PREDICATE && i != TD_CYCLES)
            return true;
    return false;
}

static int compare_records(const void *a, const void *b) {
    const struct td_record *one = a, *other = b;
    return strcmp(one->name, other->name);
}

void td_records_read(struct arena *arena, struct slice text, const char *nested, struct td_records *records) {
    struct td_record record = {0}, *items = NULL;
    size_t n = 0;
    struct slice line, place, rest;
    bool is_inside = false;
    static const char classes_end[] = "------ Records (";
    const char *start = memmem(text.data, text.length, classes_end, strlen(classes_end));
    if (start) {
        text.length -= (size_t)(start - text.data);
        text.data = start;
    }
    while (slice_next(&text, '\n', &line)) {
        if (line.length == 0) {
            if (is_inside && has_fields(&record))
                *ARENA_ADD(arena, items, n) = record;
            is_inside = false;
        } else if (!is_inside) {
            rest = line;
            is_inside = take_place(&rest, &place);
            if (is_inside) {
                record = (struct td_record){.name = arena_copy(arena, rest.data, rest.length)};
                set_place(arena, &record, place);
            }
        } else if (slice_starts(line, "    ")) {
            read_field(arena, line, nested, &record);
        } else if (slice_starts(line, "  Defm sequence: |")) {
            const size_t prefix = strlen("  Defm sequence: |");
            set_sequence(arena, &record, (struct slice){line.data + prefix, line.length - prefix}, nested);
            record.is_multiple = true;
        }
    }
    if (is_inside && has_fields(&record))
        *ARENA_ADD(arena, items, n) = record;
    if (n)
        qsort(items, n, sizeof *items, compare_records);
    *records = (struct td_records){items, n};
}

const struct td_record *td_records_find(const struct td_records *records, const char *name) {
    struct td_record wanted = {.name = name};
    return records->n_items ? bsearch(&wanted, records->items, records->n_items, sizeof wanted, compare_records) : NULL;
}

const char **td_list(struct arena *arena, const char *list, size_t *n) {
    const char **items = NULL;
    *n = 0;
    if (!list || *list != '[')
        return NULL;
    struct slice rest = {list + 1, strcspn(list + 1, "]")}, item;
    while (slice_next(&rest, ',', &item)) {
        item = slice_trim(item);
        if (item.length)
            *ARENA_ADD(arena, items, *n) = arena_copy(arena, item.data, item.length);
    }
    return items;
}
