// Private to this folder.
// What the files of the instruction table's report share.
#ifndef REPORT_TABLE_ROWS_H
#define REPORT_TABLE_ROWS_H

#include "base/table.h"
#include "report/table.h"

struct table_rows {
    const struct table_row **rows;
    size_t n;
};
// The rows to write, sorted. Fails where there is no such form.
bool table_rows_choose(struct arena *arena, const struct survey_table *table,
                       const struct table_report_options *options, struct table_rows *chosen, struct fail *fail);

// Where a form's throughput comes from: "looped, n = 8, own lines".
const char *table_throughput_text(struct arena *arena, const struct table_row *row,
                                  const struct table_throughput *throughput);
// A cell: "4", "≤7", "0.333 ?"; "-" where the value is not known.
const char *table_value_text(struct arena *arena, const struct table_value *value);
// The row's latencies: "4"; "1;4" for two values; "1..≤7" for more; "-".
const char *table_latency_text(struct arena *arena, const struct table_row *row, bool *is_sure);
enum table_colour table_value_colour(const struct table_value *value);
void table_text_cell(struct table *table, enum table_colour colour, const char *text);
// A model's number, with "≠" where the range excludes it.
struct row_summary_range;
const char *table_model_text(struct arena *arena, double number, const struct row_summary_range *range);

// Prints everything known of a form.
void table_page_print(struct arena *arena, const struct survey_table *table, const struct table_row *row, FILE *out,
                      bool colour);

#endif
