// The columns of a CSV file of values, as `corpus score --blocks` writes it: declared once for who writes it and for
// who reads it. Columns of models follow (struct predicted_model), whose titles are the models' names.
#ifndef CORPUS_VALUE_COLUMNS_H
#define CORPUS_VALUE_COLUMNS_H

#include "base/columns.h"

struct value_line {
    const char *block, *form; // block: hexadecimal
    double cycles, low, high; // of an iteration
    const char *verdict, *bytes;
    int64_t pages;
    const char *notes, *alias, *memory;
};

enum value_column {
    VALUES_BLOCK,
    VALUES_FORM,
    VALUES_CYCLES,
    VALUES_LOW,
    VALUES_HIGH,
    VALUES_VERDICT,
    VALUES_BYTES,
    VALUES_PAGES,
    VALUES_NOTES,
    VALUES_ALIAS,
    VALUES_MEMORY,
    VALUES_N_COLUMNS,
};
extern const struct column value_columns[VALUES_N_COLUMNS];

enum { VALUES_DECIMALS = 4 };

// Whether a column of that title holds a model's predictions.
bool value_column_is_of_model(struct slice title);

#endif
