// Private to this folder.
// A counter that ends a replay: at a place in the loop, or around it, stands a jump to a few
// instructions that count down, then do what stood there. They add to the loop, so the place that runs least often is
// taken.
#ifndef HOT_STOP_CELL_H
#define HOT_STOP_CELL_H

#include "hot/stop.h"

// Finds a place whose last run is behind most of the steps, and if possible behind whole turns.
bool stop_cell_find(struct arena *arena, const struct trace *trace, struct stop *stop);

#endif
