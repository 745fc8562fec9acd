// The allow-list: findings that are known and accepted, each with a reason. YAML:
//
//     allowances: 1                 # version of the format
//     allow:
//       - finding: "gap:latency/WriteFAdd*"  # identifier, or a pattern with * and ?
//         bound: 50 %               # largest relative difference of its values, also 0.5; left out: any
//         reason: why it is accepted
//         expires: 2027-01-31       # last day that it holds; left out: it does not expire
//
// Unknown keys are errors.
#ifndef CHECK_ALLOW_H
#define CHECK_ALLOW_H

#include "base/arena.h"
#include "base/fail.h"
#include "check/findings.h"

#include <time.h>

struct check_allowance {
    const char *finding;
    double bound; // relative; infinite: any
    const char *reason;
    const char *expires; // "2027-01-31"; null: never
    unsigned line;       // in the file
    size_t n_findings;   // findings that it fits; 0: it is stale
};

struct check_allowances {
    const char *path; // null: there is no file
    struct check_allowance *items;
    size_t n_items;
};

bool check_allowances_read(struct arena *arena, const char *path, struct check_allowances *allowances,
                           struct fail *fail);

// Sets `allowance`, `is_allowed` and `why_not` of a finding. The first that holds counts, else the first that fits.
// `now`: whose day, in UTC, decides whether one has expired.
void check_allow(struct arena *arena, struct check_allowances *allowances, struct check_finding *finding, time_t now);

// Returns the bound that allows a largest difference, rounded up, as findings print it and lists have it: "33.4 %".
const char *check_bound_text(struct arena *arena, double most);

// Returns an allow-list of these findings, with today's differences as bounds, rounded up.
const char *check_allowances_text(struct arena *arena, const struct check_finding *findings, size_t n,
                                  const char *reason);

#endif
