// The text of one patch of a model: what it changes and why, with the experiments to repeat, for those who review it.
#ifndef REPORT_SPLIT_H
#define REPORT_SPLIT_H

#include "check/findings.h"
#include "upstream/td_series.h"

struct split_text {
    const struct check_results *results;
    const struct check_finding *finding;
    const struct td_patch *patch;
    const char *model; // "llvm-22/znver4"
    const char *needs; // files of the patches that it needs; "": none
    size_t n_changed;  // opcodes
};

// Markdown. Its values are those of opcodes that the patch changes.
const char *split_write(struct arena *arena, const struct split_text *split);
// The same with one more finding that asks for this edit.
const char *split_add_finding(struct arena *arena, const char *text, const struct check_finding *finding);

#endif
