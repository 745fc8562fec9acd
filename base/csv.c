#include "base/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void begin_cell(struct csv *csv) {
    text_add(&csv->line, csv->n_cells++ ? "," : "");
}

void csv_put_quoted(struct csv *csv, const char *text) {
    begin_cell(csv);
    text_add(&csv->line, "\"");
    for (; *text; text++)
        text_addf(&csv->line, "%s%c", *text == '"' ? "\"" : "", *text);
    text_add(&csv->line, "\"");
}

void csv_put(struct csv *csv, const char *text) {
    if (text && strpbrk(text, "\",\r\n")) {
        csv_put_quoted(csv, text);
        return;
    }
    begin_cell(csv);
    text_add(&csv->line, text ? text : "");
}

void csv_put_number(struct csv *csv, double number, int decimals) {
    begin_cell(csv);
    if (isfinite(number))
        text_add_number(&csv->line, number, decimals);
}

void csv_put_fixed(struct csv *csv, double number, int decimals) {
    begin_cell(csv);
    if (isfinite(number))
        text_addf(&csv->line, "%.*f", decimals, number);
}

void csv_put_exact(struct csv *csv, double number) {
    begin_cell(csv);
    if (isfinite(number))
        text_addf(&csv->line, "%.17g", number);
}

void csv_put_count(struct csv *csv, int64_t count) {
    begin_cell(csv);
    text_addf(&csv->line, "%" PRId64, count);
}

static void begin_line(struct csv *csv) {
    csv->line.length = 0;
    csv->n_cells = 0;
}

void csv_end_line(struct csv *csv, FILE *out) {
    fprintf(out, "%s\n", csv->line.data);
    begin_line(csv);
}

void csv_end_text(struct csv *csv, struct text *out) {
    text_addf(out, "%s\n", csv->line.data);
    begin_line(csv);
}

bool csv_is_written(FILE *out, struct fail *fail) {
    return (fflush(out) == 0 && !ferror(out)) || fail_set(fail, FAIL_INPUT, "cannot write: %s", strerror(errno));
}
