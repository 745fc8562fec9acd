// Private to this folder.
// The reorder buffer: entries for instructions from dispatch to retirement, which is in program order. Behaviour:
// llvm/lib/MCA/HardwareUnits/RetireControlUnit.cpp.
#ifndef ANALYZER_SIM_MCA_REORDER_BUFFER_H
#define ANALYZER_SIM_MCA_REORDER_BUFFER_H

#include "analyzer/sim/mca/flight.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reorder_buffer {
    unsigned size, used;   // entries; an instruction takes one per uop, at least one and at most all
    unsigned retire_width; // instructions a cycle; 0: unlimited
    uint64_t oldest;       // index of the instruction to retire next
    uint64_t end;          // index after the youngest one
};

static inline bool reorder_buffer_can_enter(const struct reorder_buffer *buffer, const struct plan_insn *insn) {
    return buffer->size - buffer->used >= insn->entries;
}

static inline void reorder_buffer_enter(struct reorder_buffer *buffer, const struct in_flight *insn) {
    assert(reorder_buffer_can_enter(buffer, insn->plan) && insn->index == buffer->end);
    buffer->used += insn->plan->entries;
    buffer->end++;
}

static inline bool reorder_buffer_is_empty(const struct reorder_buffer *buffer) {
    return buffer->oldest == buffer->end;
}

// The oldest instruction if it was executed before this cycle; null otherwise.
static inline struct in_flight *reorder_buffer_retirable(const struct reorder_buffer *buffer,
                                                         const struct flight *flight, int64_t now) {
    if (reorder_buffer_is_empty(buffer))
        return NULL;
    struct in_flight *insn = flight_at(flight, buffer->oldest);
    assert(insn->index == buffer->oldest);
    return insn->done_cycle < now ? insn : NULL;
}

static inline void reorder_buffer_retire(struct reorder_buffer *buffer, struct in_flight *insn) {
    assert(insn->index == buffer->oldest && insn->done_cycle != NEVER);
    insn->stage = STAGE_RETIRED;
    buffer->used -= insn->plan->entries;
    buffer->oldest++;
}

#endif
