// Differences of two measurements of the same experiments: which values moved, with a limit on how many of those that
// are reported did not.
//
// A value that moved has intervals that do not meet, is apart by MEASURED_LEAST_DIFFERENCE or more, and is significant
// by the procedure of Benjamini and Hochberg (Controlling the False Discovery Rate, J. R. Statist. Soc. B 57, 1995).
// Its p-value is a model: an interval of confidence c is taken as that of a normal distribution, so its half width is
// z(c) standard deviations; the p-value is that of the difference of two such values. Samples of one run are alike
// more than those of two runs, which is why the other two conditions are there.
#ifndef CHECK_DIFF_H
#define CHECK_DIFF_H

#include "check/values.h"

enum diff_kind {
    DIFF_SAME,
    DIFF_MOVED,
    DIFF_BETTER_KNOWN, // unstable before, stable now
    DIFF_NOW_UNSTABLE, // stable before
    DIFF_BOTH_UNSTABLE,
    DIFF_NEW,          // only the second has it
    DIFF_LOST,         // only the first has it, or only there it is known
    DIFF_INCOMPARABLE, // a bound on one side, and the other one does not contradict it
    DIFF_N_KINDS,
};
const char *diff_kind_name(enum diff_kind kind); // "same", "moved", …

struct diff_entry {
    enum diff_kind kind;
    const struct check_value *before, *after; // null: it has none
    double p; // probability of such a difference between equal values; meaningful where both are stable
};

struct diff {
    struct diff_entry *entries; // by the values' keys
    size_t n_entries;
    size_t n_by_kind[DIFF_N_KINDS];
    size_t n_compared; // tested pairs: of stable values
};

// `rate`: the share of false ones that is accepted among those that moved, 0 to 1.
void diff_make(struct arena *arena, const struct check_results *before, const struct check_results *after, double rate,
               struct diff *diff);

// Two models' numbers of the same values. They are exact, so each difference counts.
struct diff_models_entry {
    const struct check_value *value;
    double before, after; // cycles, or uops; not finite: that model has none
};
struct diff_models {
    struct diff_models_entry *entries; // those that differ, by the values' keys
    size_t n_entries, n_compared, n_unpredicted;
};
struct model;
void diff_models_make(struct arena *arena, const struct check_results *results, const struct model *before,
                      const struct model *after, struct diff_models *diff);

// Half width of a normal distribution's interval, in standard deviations, by its confidence.
double diff_standard_deviations(double confidence);

#endif
