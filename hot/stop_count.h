// Private to this folder.
// The number of turns of a loop as one register, or one immediate, decides it: a branch that went one way each time
// goes the other way at a chosen step.
#ifndef HOT_STOP_COUNT_H
#define HOT_STOP_COUNT_H

#include "hot/stop.h"

// Finds the latest such step behind whole turns, else the latest one.
bool stop_count_find(struct arena *arena, const struct trace *trace, struct stop *stop);

#endif
