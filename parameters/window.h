// Private to this folder.
// A window: how many fillers of a kind fit between two cache misses. Its curve, and the knee of that.
#ifndef PARAMETERS_WINDOW_H
#define PARAMETERS_WINDOW_H

#include "parameters/fillers.h"

enum { WINDOW_MOST_LINES = 4 };

// A kind of filler: its lines take turns.
struct window {
    const char *name;
    enum recipe_line lines[WINDOW_MOST_LINES];
    unsigned n_lines;
    enum recipe_line leads; // comes once before the fillers; LINE_STEP: nothing
    unsigned leading;       // number of LINE_LOAD_WAITS before the fillers
    unsigned more_leads;    // number of LINE_LOAD_WIDE_WAITS before the fillers
    bool reaches_far;       // many may share an entry, so the largest numbers of fillers are of use
};

// The largest number of fillers with which both misses fit.
struct knee {
    bool is_known, is_beyond; // beyond: they fit with `low`, and more are not known
    bool is_open;             // beyond, as no number behind the step has a steady time
    int low, high;            // between these; equal: exact
    int seen_low, seen_high;  // where the step is seen, steady or not; seen_high: 0: it is not
    const char *why;
};

// The times that mean one miss and two, one after the other.
struct levels {
    bool is_known;
    double one, two; // cycles per iteration
    const char *why;
};

// Why there is no such filler; null: there is.
const char *window_why_not(const struct fillers *fillers, const struct window *window);

// The time of an iteration with so many fillers behind each miss; null: it will be measured.
const struct value *window_ask(struct session *session, const struct fillers *fillers, const struct window *window,
                               unsigned k);

// Finds the knee, and adds the curve to the card.
struct knee window_find_knee(struct session *session, const struct fillers *fillers, const struct window *window,
                             const struct levels *levels);

#endif
