// What differs between two measurements, or between two models' predictions of one (check/diff.h): as text, as JSON
// Lines, and as CSV.
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "base/arena.h"
#include "base/fail.h"
#include "check/diff.h"

#include <stdbool.h>
#include <stdio.h>

struct diff_sides {
    const struct check_results *before, *after;
};

// Those that moved come first, the largest change before the others; `most`: rows of each kind, 0: all.
void diff_print(struct arena *arena, const struct diff_sides *sides, const struct diff *diff, double rate, size_t most,
                FILE *out, bool colour);
bool diff_write_json(struct arena *arena, const struct diff_sides *sides, const struct diff *diff, FILE *out,
                     struct fail *fail);
// A line for each value that is not the same.
bool diff_write_csv(struct arena *arena, const struct diff *diff, FILE *out, struct fail *fail);

struct diff_model_names {
    const char *before, *after;
};
void diff_models_print(struct arena *arena, const struct diff_model_names *names, const struct diff_models *diff,
                       size_t most, FILE *out, bool colour);
bool diff_models_write_json(struct arena *arena, const struct diff_model_names *names, const struct diff_models *diff,
                            FILE *out, struct fail *fail);
bool diff_models_write_csv(struct arena *arena, const struct diff_models *diff, FILE *out, struct fail *fail);

#endif
