// Private to this folder.
// What instructions ask of the execution pipes (pipes.h) and of the buffers in front of them.
// Behaviour: llvm/lib/MCA/HardwareUnits/ResourceManager.cpp.
//
// Nearly all instructions are simple (plan.h): what they ask for is a few bits, and is asked and taken right here.
#ifndef ANALYZER_SIM_MCA_RESOURCES_H
#define ANALYZER_SIM_MCA_RESOURCES_H

#include "analyzer/sim/mca/pipes.h"
#include "analyzer/sim/mca/segments.h"

#include <stdbool.h>
#include <stdint.h>

enum buffer_state { BUFFER_FREE, BUFFER_FULL, BUFFER_BLOCKED };

void resource_unit_init(struct resource_unit *unit, const struct simulation_plan *plan, bool is_wanted,
                        struct stash *stash);
// No pipe is held in `now` or later.
bool resource_unit_is_idle(const struct resource_unit *unit, int64_t now);

// What influences later cycles.
void resource_unit_put(const struct resource_unit *unit, const struct simulation_plan *plan, struct coder *coder);

// Frees what is due.
static inline void resource_unit_cycle(struct resource_unit *unit, int64_t now) {
    pipes_cycle(unit, now);
    if (unit->segments != NULL)
        segments_cycle(unit->segments, now);
}

static inline enum buffer_state resource_unit_buffers(const struct resource_unit *unit, uint64_t buffers) {
    if (buffers & unit->blocked_buffers)
        return BUFFER_BLOCKED;
    return buffers & unit->full_buffers ? BUFFER_FULL : BUFFER_FREE;
}

static inline void resource_unit_take_buffers(struct resource_unit *unit, uint64_t buffers) {
    for (; buffers != 0; buffers &= buffers - 1) {
        uint64_t own = buffers & -buffers;
        struct resource_pipe *pipe = &unit->pipes[__builtin_ctzll(own)];
        if (pipe->buffer_size == 0)
            unit->blocked_buffers ^= own; // until its pipes are free again
        else if (pipe->buffer_size > 0 && --pipe->slots == 0)
            unit->full_buffers |= own;
    }
}

static inline void resource_unit_free_buffers(struct resource_unit *unit, uint64_t buffers) {
    unit->full_buffers &= ~buffers;
    for (; buffers != 0; buffers &= buffers - 1)
        unit->pipes[__builtin_ctzll(buffers)].slots++; // counts only where there is a size
}

// Units and groups that keep the instruction from being issued now; 0: it can be.
uint64_t resource_unit_busy(const struct resource_unit *unit, const struct plan_insn *insn, int64_t now);

// Whether it can be issued now.
static inline bool resource_unit_is_free(const struct resource_unit *unit, const struct plan_insn *insn, int64_t now) {
    if (!insn->takes_single_units)
        return resource_unit_busy(unit, insn, now) == 0;
    for (unsigned g = 0; g < insn->n_groups; g++)
        if ((insn->groups[g] & unit->free) == 0)
            return false;
    return ((insn->needs & ~unit->free) | (insn->used_groups & unit->reserved_groups)) == 0;
}

unsigned resource_unit_issue_any(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                                 struct event_use *uses);

// Issues to free pipes. Which ones and how many is noted only if some listener wants it; `uses` has room for the plan's
// max_uses.
static inline unsigned resource_unit_issue(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                                           struct event_use *uses) {
    if (!insn->is_simple)
        return resource_unit_issue_any(unit, insn, now, uses);
    unsigned n = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        uint64_t own = pipes_take(unit, &insn->uses[i], now);
        if (own != 0 && unit->is_wanted)
            uses[n++] = (struct event_use){
                .resource = unit->pipes[__builtin_ctzll(own)].resource, .unit = 0, .cycles = insn->uses[i].cycles};
    }
    return n;
}

#endif
