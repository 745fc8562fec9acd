#include "report/csv.h"

#include "report/fold.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { DECIMALS = 5 };

void csv_put(struct csv *csv, const char *text) {
    text = text ? text : "";
    text_add(&csv->line, csv->n_cells++ ? "," : "");
    if (!strpbrk(text, "\",\r\n")) {
        text_add(&csv->line, text);
        return;
    }
    text_add(&csv->line, "\"");
    for (; *text; text++)
        text_addf(&csv->line, "%s%c", *text == '"' ? "\"" : "", *text);
    text_add(&csv->line, "\"");
}

void csv_put_number(struct csv *csv, bool is_known, double number) {
    csv_put(csv, is_known && isfinite(number) ? fold_number(csv->line.arena, number, DECIMALS) : "");
}

void csv_put_exact(struct csv *csv, double number) {
    csv_put(csv, isfinite(number) ? arena_printf(csv->line.arena, "%.17g", number) : "");
}

void csv_put_truth(struct csv *csv, bool value) {
    csv_put(csv, value ? "yes" : "no");
}

void csv_put_all(struct csv *csv, const char *const *texts, size_t n) {
    for (size_t i = 0; i < n; i++)
        csv_put(csv, texts[i]);
}

void csv_end_line(struct csv *csv, FILE *out) {
    fprintf(out, "%s\n", csv->line.data);
    csv->line.length = 0;
    csv->n_cells = 0;
}

bool csv_is_written(FILE *out, struct fail *fail) {
    return (fflush(out) == 0 && !ferror(out)) || fail_set(fail, FAIL_INPUT, "cannot write: %s", strerror(errno));
}
