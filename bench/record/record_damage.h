// Private to this folder.
// Which lines of a measurement file were left out, as they are not JSON, and what explains it.
#ifndef BENCH_RECORD_RECORD_DAMAGE_H
#define BENCH_RECORD_RECORD_DAMAGE_H

#include "base/text.h"
#include "bench/record/record.h"

// Notes line `number`, which is not JSON for the reason `why`. `is_last`: it has no newline.
void record_damage_add(struct record_damage *damage, struct slice line, unsigned number, bool is_last,
                       const struct fail *why);
// Notes a line that is JSON.
void record_damage_pass(struct record_damage *damage, bool is_header);
// Fails where no line of the whole file is JSON, and no killed run explains that.
bool record_damage_check(const struct record_damage *damage, struct fail *fail);

#endif
