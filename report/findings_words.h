// Private to this folder.
// The sentences about findings that all their reports share.
#ifndef REPORT_FINDINGS_WORDS_H
#define REPORT_FINDINGS_WORDS_H

#include "base/arena.h"
#include "check/check.h"

// A number of cycles, as folded tables print it.
const char *findings_number(struct arena *arena, double number);

// "ADD64rr, ADD32rr, ADD16rr and 9 more"
const char *findings_forms(struct arena *arena, const struct check_finding *finding);

// "Gap: does llvm-22/znver4 predict what was measured?"
const char *findings_question(const struct check_report *report, struct arena *arena, int question);

// "1204 of 1213 values agree; 4 unstable, and not compared"
const char *findings_counts(struct arena *arena, const struct check_counts *counts, int question);

// ". Findings: 9 (2 allowed)", behind the counts; "": there is nothing to add.
const char *findings_total(struct arena *arena, const struct check_counts *counts);

// "Lost: 156 values of 33 forms that 'adds' has: VADDPDYrm, VADDPDYrr, VADDPDrm and 30 more"
const char *findings_lost(struct arena *arena, const struct check_report *report);
// The sentence about lost values below a question's counts; null: none is lost.
const char *findings_lost_sentence(struct arena *arena, const struct check_report *report, int question);

// Why a finding is allowed, or what explains it otherwise; "": nothing.
const char *findings_note(struct arena *arena, const struct check_finding *finding);

// That an allowance fits no finding, with its place.
const char *findings_stale(struct arena *arena, const struct check_allowances *allowances,
                           const struct check_allowance *allowance);

#endif
