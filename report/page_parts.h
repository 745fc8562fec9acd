// Private to this folder.
// Parts of the report page: each adds one member to the page's data, from files as the user named them.
#ifndef REPORT_PAGE_PARTS_H
#define REPORT_PAGE_PARTS_H

#include "base/fail.h"
#include "base/json_text.h"
#include "blocks/decoder.h"
#include "report/page.h"

#include <math.h>
#include <stddef.h>

enum { PAGE_DECIMALS = 5 };

// Adds a number to a list; null where it is not finite.
static inline void page_put_number(struct json_text *json, double number) {
    if (isfinite(number))
        json_put_real(json, NULL, number, PAGE_DECIMALS);
    else
        json_put_text_or_null(json, NULL, NULL);
}

// "corpora": the values of blocks in CSV files, with the predictions that stand in them. `decoder`: null: without text.
bool page_put_corpora(struct json_text *json, const char *const *paths, const char *const *names, size_t n,
                      const struct decoder *decoder, struct fail *fail);
// "scores": the scores in CSV files.
bool page_put_scores(struct json_text *json, const char *const *paths, size_t n, struct fail *fail);
// "cards": machine cards, with the pictures of their curves that lie beside them.
bool page_put_cards(struct json_text *json, const char *const *paths, size_t n, struct fail *fail);
// "sweeps" and "pairs" of measurement files.
bool page_put_runs(struct json_text *json, const struct page_contents *contents, struct fail *fail);

#endif
