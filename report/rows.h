// Private to this folder.
// What a row of the tables shows.
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "base/table.h"
#include "lab/experiment.h"

// Whether there is a value to compare with another.
bool row_is_trusted(const struct experiment *e);

// Returns the divisor of a row's number: it makes cycles of all streams those of one copy of the kernel's body. It is 1
// for latencies, sweeps and blocks.
double row_divisor(const struct experiment *e);
// Returns the row's quantity: "latency d->x", "reciprocal throughput, n = 12".
const char *row_measures(struct arena *arena, const struct experiment *e);
// Returns ", own lines"; "" without a placement.
const char *row_placement(struct arena *arena, enum program_placement placement);
// Adds a cell: a model's cycles, or "-" where the code is not modelled.
void row_add_prediction(struct table *table, bool is_known, int decimals, double cycles);

#endif
