// A draft of the text for those who review a repair of LLVM's model: what changes, how it was measured, how to repeat
// it.
#ifndef REPORT_REVIEW_H
#define REPORT_REVIEW_H

#include "base/arena.h"
#include "repair/repair.h"
#include "upstream/td.h"

struct review_request {
    const struct check_results *results;
    const struct repair_result *repaired;
    const struct td_result *td; // null: LLVM's own file was not asked for
    const char *model;          // "llvm-22/znver4"
    const char *mcpu;           // as it is given to --mcpu
    const char *const *folders; // of the survey, as they were given
    size_t n_folders;
    const char *overlay; // path of the file
    const char *td_path; // of LLVM's file; null: likewise
    // Other options of the command, as they were given; null or 0: were not.
    const char *llvm, *name, *td_output, *tblgen;
    double held_out; // percent
    bool wants_slots;
};

// Sentences about what a repair left open, which the command prints as well: dispatch slots that are not uops, pipes
// that are guesses, latencies that are splits, and those that are left as only bounds are measured.
const char *review_slots(struct arena *arena, const struct repair_result *repaired);
const char *review_guesses(struct arena *arena, const struct repair_result *repaired);
const char *review_splits(struct arena *arena, const struct repair_result *repaired);
const char *review_bounded(struct arena *arena, const struct repair_result *repaired);

// Markdown.
const char *review_write(struct arena *arena, const struct review_request *request);

#endif
