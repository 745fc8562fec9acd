// A CPU file from a survey: what was measured of each form, in place of what the base says.
//
// An experiment is predicted by bounds, with the base and what is known so far. Where it took another time, the number
// that it shows is changed: latencies from each source to each result; slots; how long which pipes are held, where a
// throughput contradicts the base's; the time between two of what the CPU runs by microcode. At the end, all
// experiments are predicted by the new file.
//
// Only stable values count. The part of the base that people wrote, with its parameters, stays as it is, and its rules
// count after those that are made here.
#ifndef INFER_SURVEY_IMPORT_H
#define INFER_SURVEY_IMPORT_H

#include "analyzer/model/model.h"
#include "check/values.h"

struct import_request {
    const struct check_results *results; // of a survey
    const struct model *model;           // with a CPU file, which is the base
    const char *text;                    // of that file
    const char *name;                    // of the new one, for messages
    const char *llvm;                    // as in model_open
    const struct lab_listener *listener;
};

struct import_count {
    size_t n;          // values that are stable and predicted
    size_t n_off;      // those that the prediction is off by more than 5 %, and a tenth of a cycle
    size_t n_above;    // of these, predictions above the measurement: a bound must not be
    size_t n_unstable; // values that are not taken
};

struct import_result {
    const char *text; // of the new file
    struct import_count before, after;
    size_t n_rules, n_opcodes; // that the rules are of
};

// Fails where the base cannot be bound, or the new file would be wrong.
bool import_run(struct arena *arena, const struct import_request *request, struct import_result *result,
                struct fail *fail);

// The text without what an import has written. Lives in `arena`.
const char *import_kept_text(struct arena *arena, const char *text);

#endif
