// Private to this folder.
// With --brief, versions of LLVM that predict the same of a CPU share a row or a column: "llvm-22,19/znver4".
#ifndef REPORT_SHARED_H
#define REPORT_SHARED_H

#include "report/run.h"

#include <stdbool.h>
#include <stddef.h>

// Whether the model stands in the place of an earlier one, in a table of these experiments.
bool model_is_shared(const struct run_report *run, const struct experiment *const *rows, size_t n_rows, unsigned model);

// The model's title in that table, with the versions that share its place.
const char *model_shared_title(const struct run_report *run, const struct experiment *const *rows, size_t n_rows,
                               unsigned model);

#endif
