// Private to this folder.
// A search for loops, and what it finds in one function: its loops, and what is in none of them.
#ifndef HOT_LOOPS_PARTS_H
#define HOT_LOOPS_PARTS_H

#include "hot/callers.h"

// A function with samples.
struct hot_spot {
    struct hot_function function;
    unsigned module;
    size_t first, end; // its samples lie between, among others'
    double weight;
    bool is_cold; // by its name, what a compiler moved out of another function
};

struct loops_finder {
    struct arena *arena;
    const struct decoder *decoder;
    const struct hot_profile *profile;
    struct hot_image **images; // of each module; null: it has none here
    struct hot_lines **lines;
    struct hot_spot *spots;
    size_t n_spots;
    size_t *owners;    // of each sample: its function, before they are sorted; SIZE_MAX: none
    bool *are_counted; // of each sample: a function has it
    struct hot_loop *loops;
    size_t n_loops;
    struct callers callers;
    struct hot_skipped *skipped;
    size_t n_skipped;
};

// Adds what is found in function `number` of the spots, and counts its samples.
void loops_add_function(struct loops_finder *finder, size_t number);

// Notes samples that are in none of these; why: one clause. `module` UINT_MAX: of several, or of none.
void loops_skip(struct loops_finder *finder, unsigned module, double samples, const char *why);

#endif
