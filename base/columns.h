// The columns of a record, declared once: the name of each, its kind, and where the record's struct holds it. Titles
// and cells of CSV and members of JSON objects come from them. Of a record that JSON nests, an object names those of
// its columns that it has.
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include "base/csv.h"
#include "base/json_text.h"

#include <stddef.h>

enum column_truth { COLUMN_UNKNOWN, COLUMN_NO, COLUMN_YES };

// What the struct holds. A value that is absent is an empty cell, and no member.
enum column_kind {
    COLUMN_TEXT,   // const char *; null or "": absent
    COLUMN_QUOTED, // the same; a cell of CSV always has quotes
    COLUMN_TRUTH,  // enum column_truth; COLUMN_UNKNOWN: absent. "yes" or "no" in CSV
    COLUMN_COUNT,  // int64_t; negative: absent
    COLUMN_REAL,   // double with at most `decimals`; not finite: absent
    COLUMN_FIXED,  // the same; a cell of CSV has all of them
    COLUMN_EXACT,  // double with all its digits; not finite: absent
};

struct column {
    const char *name;
    enum column_kind kind;
    int decimals;
    size_t place; // offset in the record's struct, bytes
};

// `prefix`: stands before each title; "": nothing does.
void columns_put_titles(const struct column *columns, size_t n, const char *prefix, struct csv *csv);
void columns_put_cells(const struct column *columns, size_t n, const void *record, struct csv *csv);
// Puts the columns with these numbers.
void columns_put_members(const struct column *columns, const unsigned char *which, size_t n, const void *record,
                         struct json_text *json);

#endif
