// A machine card: the parameters of a CPU, each with its interval, its verdict and the experiment that shows it. Not
// the text of it: that is report/machine.h.
#ifndef PARAMETERS_CARD_H
#define PARAMETERS_CARD_H

#include "base/arena.h"
#include "base/date.h"

#include <stdbool.h>
#include <stddef.h>

enum card_verdict {
    CARD_EXACT,    // the interval holds one whole number
    CARD_WITHIN,   // between low and high
    CARD_AT_LEAST, // low or more: the experiment reaches no further
    CARD_UNKNOWN,  // not determined; `why` has the reason
    CARD_N_VERDICTS,
};
const char *card_verdict_name(enum card_verdict verdict); // "exact", "within", "at least", "not determined"

struct card_entry {
    const char *group;   // the experiment's: "windows"
    const char *name;    // "reorder-buffer"
    const char *unit;    // "uops"
    const char *how;     // what was varied, one clause
    const char *example; // assembly of one filler or pair; null: none
    enum card_verdict verdict;
    double value, low, high; // in that unit; AT_LEAST: only `low`; UNKNOWN: none
    const char *why;         // one clause; null: nothing to add
    const char *curve;       // name of its curve; null: none
};

// The curve behind an entry: a time by what was varied.
struct card_curve {
    const char *name, *x, *y; // its name, and those of the axes with units
    struct card_point {
        double x, y, low, high;
    } * points; // by x
    size_t n_points;
    double knee_low, knee_high; // ends of the interval of the knee, as x; 0: no knee
};

struct card {
    struct arena *arena;
    struct card_entry *entries;
    size_t n_entries;
    struct card_curve *curves;
    size_t n_curves;
    size_t n_missing;       // values that are not measured yet
    bool is_elsewhere;      // its values are of another machine than this one
    struct date_range when; // when its values were measured
};

// Adds an entry with value, low and high; exact where only one whole number is in the interval, widened by `tolerance`
// (relative), and the interval is that near it.
void card_add_number(struct card *card, const struct card_entry *head, double value, double low, double high,
                     double tolerance);
// A count that is known, zero too.
void card_add_whole(struct card *card, const struct card_entry *head, double whole);
void card_add_unknown(struct card *card, const struct card_entry *head, const char *why);
void card_add_at_least(struct card *card, const struct card_entry *head, double low, const char *why);
// Of a curve whose step is seen, between `low` and `high`, where noise hides what is behind it: not determined.
void card_add_step_seen(struct card *card, const struct card_entry *head, double low, double high, const char *why);
// Null: no such entry.
const struct card_entry *card_find(const struct card *card, const char *name);

#endif
