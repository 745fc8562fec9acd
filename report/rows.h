// Private to this folder.
// What a row of the tables is of.
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "lab/experiment.h"

// What a row's number is divided by: cycles of all streams become cycles of one copy of the kernel's body; latencies,
// sweeps and blocks stay as they are.
double row_divisor(const struct experiment *e);
// "latency d->x", "reciprocal throughput, n = 12"
const char *row_measures(struct arena *arena, const struct experiment *e);
// ", own lines"; "" where there is none.
const char *row_placement(struct arena *arena, enum program_placement placement);

#endif
