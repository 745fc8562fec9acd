// Private to this folder.
// What only listeners ask for: when each instruction in flight is ready, who it waits for, and which pipes it takes.
// The core itself needs none of it, so it is kept and reported only where somebody listens.
#ifndef ANALYZER_SIM_CORE_WATCH_H
#define ANALYZER_SIM_CORE_WATCH_H

#include "analyzer/sim/core/flight.h"
#include "analyzer/sim/report.h"

struct units;

enum { NO_PIPE = 64 };

// Who makes what one of its sources waits for.
struct watched_source {
    uint64_t maker; // index of the instruction, from 1; 0: the value has always been there
    unsigned write; // of it
};

struct watched {
    int64_t entered, ready; // ticks; UNKNOWN: none of its uops is
    bool is_ready;          // that is reported
    bool is_explained[CORE_N_GROUPS];
    struct watched_source *sources; // by read of the instruction
};

struct watch {
    struct watched *ring; // a place for each of the flights'; null: nobody asks
    uint64_t *stores;     // index of the instruction behind each store, as in store_table; null likewise
    bool is_wanted_of_rename;
};

// One uop is issued.
struct watch_issued {
    enum core_part part;
    unsigned pipe;       // NO_PIPE: it needs none
    int64_t begin, hold; // ticks
};

void watch_open(struct watch *watch, const struct core_plan *plan, const struct reporter *reporter, unsigned places,
                struct stash *stash);
// Those that follow are of a watch that has a ring, but for watch_rename.
// Before the sources of the newest flight are tied.
void watch_enter(struct units *units, const struct flight *flight);
// Reports what renaming and older stores make of the newest flight.
void watch_rename(struct units *units, const struct flight *flight);
// Uops of the flight are ready from then on.
void watch_release(struct units *units, const struct flight *flight, int64_t ready);
// At the end of a cycle's execution: reports those that have become ready.
void watch_ready(struct units *units);
void watch_issue(struct units *units, const struct flight *flight, const struct watch_issued *issued);

#endif
