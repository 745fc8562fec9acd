// Private to this folder.
// Counts that a view keeps, and what steady state does to them (analyzer/sim/event.h): `marked` remembers them,
// `repeated` adds what came since, as often as it repeats. And levels: how much of something is in use.
#ifndef ANALYZER_VIEWS_TALLY_H
#define ANALYZER_VIEWS_TALLY_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

// Zero it and set `arena`; it grows as counts are added. As a histogram, counts[n] says how often n was seen.
struct tally {
    struct arena *arena;
    uint64_t *counts, *marked;
    size_t n, room;
};

void tally_add(struct tally *tally, size_t which, uint64_t count);
uint64_t tally_get(const struct tally *tally, size_t which);
uint64_t tally_sum(const struct tally *tally); // of a histogram: of how many it tells
void tally_mark(struct tally *tally);
void tally_repeat(struct tally *tally, uint64_t times);

// Something of which more or less is in use. 32 bits, as in llvm-mca: where it is told of more that is given back than
// was taken, both show the same nonsense.
struct level {
    uint32_t now, highest;
    uint64_t sum, marked_sum; // over cycles
};

void level_see(struct level *level);       // `highest` takes account of `now`
void level_end_cycle(struct level *level); // so does `sum`
void level_mark(struct level *level);
void level_repeat(struct level *level, uint64_t times);

#endif
