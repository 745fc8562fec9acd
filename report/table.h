// The instruction table of a survey: as text, as CSV, and as JSON Lines. The caller chooses the rows; the numbers are
// survey/table/table.h's. Numbers that are not finite are never written: such a value counts as unknown.
//     form       instruction             latency  throughput  slots  llvm-22/znver5
//     VADDPSYrr  vaddps %ymm2, %ymm1,…   4        0.5         1      4     0.5
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "base/arena.h"
#include "base/fail.h"
#include "survey/table/table.h"

#include <stdbool.h>
#include <stdio.h>

// Order of the rows. Numbers: the largest first, rows without one last. Rows that are equal go by name.
enum table_sort {
    TABLE_SORT_NAME,
    TABLE_SORT_LATENCY, // largest latency of a pair
    TABLE_SORT_THROUGHPUT,
    TABLE_SORT_MODEL, // how far off a model is, as a factor: of all models, latency and throughput the worst
};
// Reads "name", "latency", "throughput" or "model".
bool table_sort_read(const char *name, enum table_sort *sort, struct fail *fail);

struct table_report_options {
    const char *form; // only this form; null: all
    enum table_sort sort;
    bool with_left_out; // text: also forms that were not measured, with the reason. CSV and JSON have them always
    bool colour;        // text: escape sequences
};

// Prints a head and a row per form; or, where `form` is set or there is only one row, everything known of that form.
// Fails (FAIL_INPUT) where there is no such form.
bool table_report_print(struct arena *arena, const struct survey_table *table,
                        const struct table_report_options *options, FILE *out, struct fail *fail);

// Writes a line of titles, then a line for each value; for a form without values, a line of quantity "none". Quotes as
// RFC 4180 does; lines end in a newline alone. Empty: unknown. Fails where there is no such form, or it cannot be
// written.
bool table_report_write_csv(struct arena *arena, const struct survey_table *table,
                            const struct table_report_options *options, FILE *out, struct fail *fail);

// Writes an object for the table ("record": "table"), then one for each form ("record": "form"). Leaves out what is
// unknown. Fails as above.
bool table_report_write_json(struct arena *arena, const struct survey_table *table,
                             const struct table_report_options *options, FILE *out, struct fail *fail);

// Writes the scheduling classes whose forms differ beyond their intervals, in their largest latency or in reciprocal
// throughput: a line for each group of forms that agree. Only stable values that are no bounds count.
enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON };
bool table_classes_write(struct arena *arena, const struct survey_table *table, enum table_format format, bool colour,
                         FILE *out, struct fail *fail);

// Writes RISC-V's forms with vector configurations: their largest latency and their reciprocal throughput by element
// width and group of registers; which of them the first model states otherwise; and the rule by which cycles grow with
// the registers of a group, with the pairs that it does not hold for. Fails (FAIL_INPUT) where the table has none.
bool table_vectors_write(struct arena *arena, const struct survey_table *table, enum table_format format, bool colour,
                         FILE *out, struct fail *fail);
// Returns the same as a page (pages/vectors.html).
const char *table_vectors_page(struct arena *arena, const struct survey_table *table, struct fail *fail);

#endif
