// The level of a check: its cycles per body on a quiet core. A neighbour only slows, so the level is the fastest
// plateau that the check's times ever show. A plateau is what the rounds of several processes agree on. A neighbour
// that slows the reference makes everything look fast for some rounds; that is not a plateau.
//
// Nothing here knows how checks are timed (checks.c), or where earlier sessions keep their levels (level_file.c).
#ifndef BENCH_MEASURE_LEVEL_H
#define BENCH_MEASURE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>

// LEVEL_PROCESSES must agree on a plateau, and one in LEVEL_SHARE of the last LEVEL_WINDOW: among hundreds of
// processes, some are fast by accident. Below a remembered level, it takes LEVEL_MANY, and half of them.
enum { LEVEL_PROCESSES = 3, LEVEL_MANY = 16, LEVEL_SHARE = 8, LEVEL_WINDOW = 64, LEVEL_MOST_FASTER = 32 };

struct level {
    double cycles;        // the level, cycles per body; 0: not known yet
    double spread;        // distance between the quartiles of a process at the level, relative
    unsigned n_processes; // processes of this session at the level
    double seen;          // mean of those processes, cycles per body
    double slower;        // plateau of slower processes that agree, while none was at the level, cycles per body
    unsigned n_slower;    // number of those processes; 0 where they do not agree
    double remembered;    // level that earlier sessions found; 0: unknown
    bool is_settled;      // the level does not rise any more: slower processes have a neighbour
    bool is_whole;        // the level is a whole number: other plateaus are an error of the reference
    unsigned n_plateaus;  // processes of this session on any plateau
    // Processes of the window on a plateau below the level, fastest first, until enough of them agree.
    unsigned n_faster;
    struct level_plateau {
        double cycles, spread;
        unsigned number; // index among n_plateaus
    } faster[LEVEL_MOST_FASTER];
};

// A level that an earlier session found.
void level_remember(struct level *level, double cycles);

// Settles the level: only a faster plateau replaces it from now on. Does nothing where it is not known.
void level_settle(struct level *level);

// Takes the readings of one process, in any order, and sorts them. `noise`: relative spread of a reading by the timer
// alone; 0: little. True where the level has changed: what the old one judged must be judged again.
bool level_take(struct level *level, double *readings, size_t n, double noise);

// Whether enough processes of this session were at the level.
bool level_is_reached(const struct level *level);

// Largest distance of a reading that is still at the level, relative.
double level_tolerance(const struct level *level);

#endif
