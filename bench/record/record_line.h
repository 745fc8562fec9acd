// Private to this folder.
// One line of a measurement file that is a measurement: what its fields say, and whether a run may have written that.
#ifndef BENCH_RECORD_RECORD_LINE_H
#define BENCH_RECORD_RECORD_LINE_H

#include "base/arena.h"
#include "base/fail.h"
#include "base/json.h"
#include "bench/record/record.h"

// Fills a record, all zero but for its place, from the fields that it has; old files lack some. Fails where a field has
// another type, or the record cannot be.
bool record_line_read(struct arena *arena, json_t *json, struct record *record, struct fail *fail);

// Fails where no run can have written such a record. Files also come from others, and computations must not start from
// numbers that nobody measured.
bool record_check(const struct record *record, struct fail *fail);

#endif
