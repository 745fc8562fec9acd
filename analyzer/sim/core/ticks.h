// Private to the simulator and its cores.
// A *gate* lets so much through in a cycle: what does not fit any more begins there and ends in the next one, so that
// rates are exact in the long run. Times are in ticks (plan.h).
#ifndef ANALYZER_SIM_CORE_TICKS_H
#define ANALYZER_SIM_CORE_TICKS_H

#include "analyzer/sim/coder.h"
#include "analyzer/sim/core/plan.h"

#include <stdbool.h>
#include <stdint.h>

static inline int64_t ticks_at(int64_t cycle) {
    return cycle * TICKS;
}
static inline int64_t ticks_cycle(int64_t ticks) {
    return ticks / TICKS;
}

// Ticks of each of so many a cycle; 0: the CPU's model does not limit them.
static inline int64_t ticks_of_rate(const struct cpu *cpu, enum cpu_parameter rate) {
    return cpu_knows(cpu, rate) ? ticks_of(1 / cpu_value(cpu, rate)) : 0;
}

struct gate {
    int64_t busy_until; // ticks
};

static inline bool gate_is_open(const struct gate *gate, int64_t cycle) {
    return gate->busy_until < ticks_at(cycle + 1);
}
// Returns when it begins. The gate is open.
static inline int64_t gate_take(struct gate *gate, int64_t cycle, int64_t earliest, int64_t ticks) {
    int64_t begin = gate->busy_until > ticks_at(cycle) ? gate->busy_until : ticks_at(cycle);
    begin = earliest > begin ? earliest : begin;
    gate->busy_until = begin + ticks;
    return begin;
}

enum { LONGEST_LOOK_BACK = 64 }; // cycles

// For the state: a time from so many ticks on; what is longer ago is all alike, and so is what is not known.
static inline uint64_t ticks_since(int64_t ticks, int64_t from) {
    return ticks == INT64_MAX ? UINT64_MAX : ticks > from ? (uint64_t)(ticks - from) : 0;
}
static inline void put_ticks(struct coder *coder, int64_t ticks, int64_t back) {
    coder_put(coder, ticks_since(ticks, ticks_at(coder->now - back)));
}

#endif
