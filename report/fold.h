// Private to this folder.
// A row of the instruction table beside a scheduling model. A model has one latency for a form, the table one for each
// pair of operands: the largest counts.
#ifndef REPORT_FOLD_H
#define REPORT_FOLD_H

#include "base/arena.h"
#include "survey/table.h"

// Whether there is a number to print. One that is not finite is not a number.
bool fold_is_known(const struct table_value *value);

struct fold {
    const struct table_latency *latency; // the largest; null: none is known
    const char *doubt; // one clause: why another pair may be larger, or this value is not sure; null: no doubt
    size_t n_unknown;  // pairs without a value
};
struct fold fold_latency(struct arena *arena, const struct table_row *row);

// Returns the throughput that a reader wants; null: it is not known.
const struct table_throughput *fold_throughput(const struct table_row *row);
// A known value as tables show it: "4"; "≤7", an upper bound; "0.66~0.88", an interval that holds two speeds, or all of
// a spread.
const char *fold_value(struct arena *arena, const struct table_value *value);
// Returns why its value is not sure, one clause; null: no doubt.
const char *fold_doubt(struct arena *arena, const char *what, const struct table_value *value);

// Where a number that a model has for the whole form must be to agree with what was measured, cycles. Wide open where
// nothing is sure.
struct fold_range {
    double low, high;
};
struct fold_range fold_latency_range(const struct table_row *row);
struct fold_range fold_throughput_range(const struct table_row *row);

// Returns how far outside the range a model's number is, as a factor above 1; 1: inside, or the number is not finite.
double fold_off(double number, struct fold_range range);
// Whether a table marks the number as outside the range. What print alike are not marked: `fold_number` has the digits.
bool fold_differs(struct arena *arena, double number, struct fold_range range);
// Returns the largest of these factors over a row's models, and over latency and throughput.
double fold_most_off(const struct survey_table *table, const struct table_row *row);

// Returns "1 → 0".
const char *fold_pair(struct arena *arena, const struct table_latency *latency);
// Returns digits without trailing zeros: "4", "0.333", "1.5". `decimals`: the most of them.
const char *fold_number(struct arena *arena, double number, int decimals);
// Decimals for people: values below one cycle are often sixths or twelfths, for which two do not suffice.
int fold_decimals(double cycles);

#endif
