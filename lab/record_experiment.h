// Turns a line of a measurement file into a row of `cyclops run`. The file may be a stranger's: texts become printable,
// sizes are limited, and the code is only decoded.
#ifndef LAB_RECORD_EXPERIMENT_H
#define LAB_RECORD_EXPERIMENT_H

#include "base/arena.h"
#include "base/fail.h"
#include "bench/record/record.h"
#include "lab/experiment.h"

enum { RECORD_MOST_CODE_BYTES = 1 << 16 };

// The ISA that a record names; null and a failure: it is unknown.
const struct isa *record_isa(struct arena *arena, const struct record *record, struct fail *fail);

// Fails where the record lacks what a row needs, or has more than a program can.
bool record_to_experiment(struct arena *arena, const struct record *record, struct experiment *experiment,
                          struct fail *fail);

// Marks the rows of sweeps, which files do not mark: throughputs of one kernel and form whose n grows by one. Puts them
// in that order, and all rows of a kernel together; a file has them as they were done.
void record_find_sweeps(struct arena *arena, const struct plan *plan);

#endif
