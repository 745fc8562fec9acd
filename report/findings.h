// Findings of the gate (check/check.h), for people and for the programs that watch builds.
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "base/arena.h"
#include "base/fail.h"
#include "check/check.h"

#include <stdbool.h>
#include <stdio.h>

struct findings_options {
    size_t most; // findings to print of each question; 0: all
    bool colour;
};
void findings_print(struct arena *arena, const struct check_report *report, const struct findings_options *options,
                    FILE *out);

// JSON Lines: an object of record "check", then one of record "finding" each, with its values, and of record
// "allowance" for each that fits nothing.
bool findings_write_json(struct arena *arena, const struct check_report *report, FILE *out, struct fail *fail);

// CSV: a line for each value of each finding.
bool findings_write_csv(struct arena *arena, const struct check_report *report, FILE *out, struct fail *fail);

// JUnit's XML: a suite for each question, a test case for each form. A difference that is not allowed is a failure,
// code that did not run is an error, and a form of which no value could be compared is skipped. Lost values are a suite
// of their own, with a test case for each form: skipped, or a failure where they fail the check.
const char *findings_junit(struct arena *arena, const struct check_report *report);

// A comment for a pull request.
const char *findings_markdown(struct arena *arena, const struct check_report *report);

// Workflow commands of GitHub Actions: an error for each of the ten findings that explain most and are not allowed, a
// notice for each stale allowance, and one of lost values. `file`: path of the model's file; they are shown at the line
// that names the form, class or resource. Null: there is no file.
void findings_print_annotations(struct arena *arena, const struct check_report *report, const char *file, FILE *out);

#endif
