// Private to this folder.
// A row of the instruction table beside a scheduling model. A model has one latency for a form, the table one for each
// pair of operands: the largest counts.
#ifndef REPORT_ROW_SUMMARY_H
#define REPORT_ROW_SUMMARY_H

#include "base/arena.h"
#include "survey/table/table.h"

// Whether there is a number to print. One that is not finite is not a number.
bool row_summary_is_known(const struct table_value *value);

struct row_summary {
    const struct table_latency *latency; // the largest; null: none is known
    const char *doubt; // one clause: why another pair may be larger, or this value is not sure; null: no doubt
    size_t n_unknown;  // pairs without a value
};
struct row_summary row_summary_latency(struct arena *arena, const struct table_row *row);

// Returns the throughput that a reader wants; null: it is not known.
const struct table_throughput *row_summary_throughput(const struct table_row *row);
// A known value as tables show it: "4"; "≤7", an upper bound; "0.66~0.88", an interval that holds two speeds, or all of
// a spread.
const char *row_summary_value(struct arena *arena, const struct table_value *value);
// Returns why its value is not sure, one clause; null: no doubt.
const char *row_summary_doubt(struct arena *arena, const char *what, const struct table_value *value);

// Where a number that a model has for the whole form must be to agree with what was measured, cycles. Wide open where
// nothing is sure.
struct row_summary_range {
    double low, high;
};
struct row_summary_range row_summary_latency_range(const struct table_row *row);
struct row_summary_range row_summary_throughput_range(const struct table_row *row);

// Returns how far outside the range a model's number is, as a factor above 1; 1: inside, or the number is not finite.
double row_summary_off(double number, struct row_summary_range range);
// Whether a table marks the number as outside the range. What print alike are not marked: `row_summary_number` has the
// digits.
bool row_summary_differs(struct arena *arena, double number, struct row_summary_range range);
// Returns the largest of these factors over a row's models, and over latency and throughput.
double row_summary_most_off(const struct survey_table *table, const struct table_row *row);

// Returns "1 → 0".
const char *row_summary_pair(struct arena *arena, const struct table_latency *latency);
// Returns digits without trailing zeros: "4", "0.333", "1.5". `decimals`: the most of them.
const char *row_summary_number(struct arena *arena, double number, int decimals);
// Decimals for people: values below one cycle are often sixths or twelfths, for which two do not suffice.
int row_summary_decimals(double cycles);

#endif
