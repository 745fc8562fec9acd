// The clean level of a check: what it takes when the core is ours alone. A thread beside us only slows, so that is the
// fastest plateau that its times ever show. A plateau is what the rounds of several processes agree on: a reference
// that a neighbour lengthened makes everything beside it look fast for some rounds, and is no plateau.
//
// Levels are in cycles per body. Nothing here knows how they are timed (checks.c) or where earlier sessions have left
// theirs (level_file.c).
#ifndef BENCH_MEASURE_LEVEL_H
#define BENCH_MEASURE_LEVEL_H

#include <stdbool.h>
#include <stddef.h>

// Processes that must agree, and one in LEVEL_SHARE of the last LEVEL_WINDOW: among hundreds, some are fast by
// accident.
enum { LEVEL_PROCESSES = 3, LEVEL_SHARE = 8, LEVEL_WINDOW = 64, LEVEL_MOST_FASTER = 16 };

struct level {
    double cycles;        // 0: not known yet
    double spread;        // distance between the quartiles of a process there, relative
    unsigned n_processes; // of this session that were at this level
    double seen;          // mean of those
    double slower;        // plateau of processes that were slower, all alike, while none was at the level
    unsigned n_slower;    // as many; 0 where they do not agree
    double remembered;    // what earlier sessions found; 0: nothing
    bool is_settled;      // nothing lifts it any more: slower processes have a neighbour
    bool is_whole;        // it takes a whole number of cycles: other plateaus are the reference's fault
    unsigned n_plateaus;  // processes of this session that were on any
    // Those of the window that were on a plateau below the level, fastest first: until enough of them agree.
    unsigned n_faster;
    struct level_plateau {
        double cycles, spread;
        unsigned number; // of n_plateaus
    } faster[LEVEL_MOST_FASTER];
};

// A level that an earlier session found.
void level_remember(struct level *level, double cycles);

// What is known of it now is the level, but for faster plateaus. Nothing where it is not known.
void level_settle(struct level *level);

// Takes one process's readings, in any order, which are sorted. `noise`: spread that a reading has by the timer alone,
// relative; 0: little. True where the level is another now, and what was judged by the old one must be judged again.
bool level_take(struct level *level, double *readings, size_t n, double noise);

// Enough processes of this session have been at the level.
bool level_is_reached(const struct level *level);

// How far one reading may be from the level, and still be there: relative.
double level_tolerance(const struct level *level);

#endif
