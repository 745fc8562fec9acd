// Private to this folder.
// What brings instructions to rename: its parts (predecoding, decoders, the cache of decoded instructions) each deliver
// in steps of their own, and each feeds the next. Between two of them is a queue.
#ifndef ANALYZER_SIM_CORE_FRONT_END_H
#define ANALYZER_SIM_CORE_FRONT_END_H

#include "analyzer/sim/core/plan.h"
#include "analyzer/sim/core/ticks.h"

struct front_end {
    const struct core_plan *plan;
    uint64_t total, queue; // instructions in all; that fit between two parts
    struct front_end_part {
        struct gate gate;
        unsigned step;
        uint64_t delivered; // instructions
    } parts[CORE_MOST_SUPPLIES];
};

void front_end_open(struct front_end *front, const struct core_plan *plan, uint64_t total);
// One cycle. `next`: instructions that rename has taken. Returns whether one was delivered.
bool front_end_cycle(struct front_end *front, int64_t cycle, uint64_t next);
// Instructions that rename may have taken.
uint64_t front_end_delivered(const struct front_end *front);
// Instructions that have come in.
uint64_t front_end_entered(const struct front_end *front);

void front_end_put(const struct front_end *front, struct coder *coder);

#endif
