// Private to this folder.
// Latencies and read advances, solved from all measured pairs at once.
#ifndef REPAIR_REPAIR_LATENCIES_H
#define REPAIR_REPAIR_LATENCIES_H

#include "repair/repair_trial.h"

enum { REPAIR_SEVERAL = -1, REPAIR_NONE = 0 };

// Which write and which read each value's latency depends on: their numbers + 1, REPAIR_NONE or REPAIR_SEVERAL.
struct repair_dependences {
    int *write, *read;
};

// Finds them by changing each number of `best`. False: one cannot be predicted.
bool repair_find_dependences(struct repair_search *search, struct arena *arena, struct repair_dependences *found);

// Which pairs a write's latency is from: those whose source does not come early, all, or what bounds it.
enum repair_latencies_from { REPAIR_FROM_OTHERS, REPAIR_FROM_ALL, REPAIR_FROM_BOUNDS };

// Tries latencies of the writes, and from each other pair by how much its source comes early; also with the other uses
// among the first `n_tried` numbers of this round.
void repair_solve_latencies(struct repair_search *search, struct arena *arena, const struct repair_dependences *found,
                            enum repair_latencies_from from, size_t n_tried);

#endif
