// The gate: holds measured values against a model, another model and an earlier measurement, and makes findings of what
// differs. Prints nothing.
//
//     values ─┬─ model's predictions of the same programs ─► gap
//             ├─ those of another model beside them       ─► model
//             └─ an earlier measurement's values           ─► hardware
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "analyzer/model/model.h"
#include "check/allow.h"
#include "check/diff.h"
#include "check/findings.h"

#include <time.h>

struct check_request {
    const char *const *results; // folders of a survey, or measurement files
    size_t n_results;
    const struct model *model;   // null: no gap and no model question
    const struct model *against; // the other model; null: that question is not asked
    const char *const *baseline; // the earlier measurement's files; n_baseline 0: that question is not asked
    size_t n_baseline;
    bool asks_gap;
    bool fails_lost;   // values that only the earlier measurement has fail the check
    double rate;       // of false discoveries, as in diff_make
    const char *allow; // path of the allow-list; null: none
    time_t now;
    const struct lab_listener *listener; // null: none
};

// What became of a question's values.
struct check_counts {
    bool is_asked;
    size_t n_compared, n_agree, n_differ;
    size_t n_unstable;    // measured, but not to be trusted
    size_t n_failed;      // not known: the code did not run, or its chain is open
    size_t n_unpredicted; // the model has no number
    size_t n_improved;    // CHECK_MODEL: nearer to the measured value than the other model
    size_t n_lost, n_new; // CHECK_HARDWARE: values of the earlier measurement alone, and of this one alone
    size_t n_allowed;     // findings
    size_t n_findings;
    size_t n_of_sums;  // of the findings: sums of latencies that a model has too short
    size_t n_of_slots; // likewise: dispatch slots against a model's uops
};

// What became of a value under one question.
enum check_outcome { CHECK_AGREES, CHECK_DIFFERS, CHECK_UNSTABLE, CHECK_FAILED, CHECK_UNPREDICTED, CHECK_NOT_COMPARED };

// A form of which the earlier measurement has values that are not known now.
struct check_lost {
    const char *form, *class_name;
    size_t n_values;
};

// How far the model is off on mixtures of one use.
struct check_mixture_score {
    size_t n;     // those that could be compared
    double error; // mean of the relative errors, without their signs
};

struct check_report {
    struct check_results results, baseline;
    const char *model, *against; // names; null: no model
    struct check_counts counts[CHECK_N_QUESTIONS];
    enum check_outcome *outcomes[CHECK_N_QUESTIONS]; // by value of `results`; null: not asked
    const double *predicted;                         // the model's number by value; not finite: it has none
    const char *const *why;                          // why it has none, by value; null: it has one
    const struct check_finding *findings[CHECK_N_QUESTIONS];
    size_t n_findings[CHECK_N_QUESTIONS];
    struct check_mixture_score mixtures[TABLE_MIXTURE_PROBE + 1]; // by use, of the gap question
    const double *mixture_errors; // by mixture of `results`: predicted less measured cycles, relative to the measured
                                  // ones; not finite: not compared. Null: the gap is not asked
    struct check_allowances allowances;
    struct diff diff;              // against the earlier measurement
    const struct check_lost *lost; // by name of the form
    size_t n_lost;                 // forms
    bool fails_lost;               // as requested
};

// Whether any value was compared, and whether the check fails: by a finding that is not allowed, or by lost values.
bool check_has_compared(const struct check_report *report);
bool check_has_failed(const struct check_report *report);

bool check_run(struct arena *arena, const struct check_request *request, struct check_report *report,
               struct fail *fail);

#endif
