// Private to this folder.
// Execution pipes, their groups, and the buffers in front of them. Private to the pipeline.
// Behaviour: llvm/lib/MCA/HardwareUnits/ResourceManager.cpp.
//
// A resource is known by its own (highest) bit of struct resource's mask. Its units are bits of a mask of its own:
// bit n for unit n of several equal pipes, and the members' bits for a group.
//
// Nearly all instructions are simple (plan.h): what they ask for is a few bits, and is asked and taken right here.
#ifndef ANALYZER_PIPELINE_RESOURCES_H
#define ANALYZER_PIPELINE_RESOURCES_H

#include "analyzer/model/machine.h"
#include "analyzer/pipeline/event.h"
#include "analyzer/pipeline/plan.h"
#include "analyzer/pipeline/stash.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_RESOURCES = 64 };

struct resource_pipe {
    uint64_t mask;      // identity
    uint64_t all_units; // bits
    uint64_t ready;     // units that are free, of several equal pipes
    uint64_t groups;    // own bits of the groups in use that it belongs to
    // Round robin over units or members: those still to come in this round, and those that others used ahead of it.
    uint64_t next_in_round, used_ahead;
    int buffer_size; // as in struct resource
    unsigned slots;  // free entries of its buffer
    unsigned resource;
    bool is_group;
    bool is_reserved; // a group taken as a whole
};

// A unit that is held.
struct hold {
    uint8_t bit;
    uint64_t unit;
    int64_t until; // the cycle in which it is free again
};

struct resource_unit {
    struct resource_pipe pipes[MAX_RESOURCES]; // by own bit
    uint64_t all;                              // own bits of all resources
    uint64_t plain;                            // of those that are no groups
    uint64_t single;                           // of pipes that there is one of
    uint64_t free;                             // of pipes with a free unit, and of all groups
    uint64_t reserved_groups;
    uint64_t full_buffers;
    uint64_t blocked_buffers;        // of resources without a buffer, while they are in use
    bool has_buffers;                // false: nobody asks for them (in-order machines)
    bool serves_scarce_groups_first; // see struct machine
    bool is_heard;                   // somebody wants to know which units are used
    // What simple instructions hold: own bits of pipes by the cycle in which they are free again. All else is in
    // `holds`.
    uint64_t free_soon[SOON_CYCLES];
    int64_t last_soon; // latest cycle for which there are some
    struct hold *holds;
    unsigned n_holds, max_holds;
    int64_t next_release;      // earliest cycle in which one of `holds` ends
    struct segments *segments; // null: resources are held from issue on
};

enum buffer_state { BUFFER_FREE, BUFFER_FULL, BUFFER_BLOCKED };

void resource_unit_init(struct resource_unit *unit, const struct simulation_plan *plan, bool is_heard,
                        struct stash *stash);
// Frees what is due.
void resource_unit_cycle(struct resource_unit *unit, int64_t now);
// No pipe is held in `now` or later.
bool resource_unit_is_idle(const struct resource_unit *unit, int64_t now);

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

// Chooses the next unit of a round among free ones, which there are.
uint64_t pipe_begin_round(struct resource_pipe *pipe, uint64_t free);
static inline uint64_t pipe_pick_in_round(struct resource_pipe *pipe, uint64_t free) {
    uint64_t candidates = free & pipe->next_in_round;
    if (candidates == 0)
        candidates = pipe_begin_round(pipe, free);
    // Round robin from the highest unit down.
    uint64_t picked = 1ULL << (63 - __builtin_clzll(candidates));
    pipe->next_in_round &= picked | (picked - 1);
    return picked;
}

// Units used ahead of their turn are left out of the next round. Written without branches: nobody can foretell them.
static inline void pipe_note_used(struct resource_pipe *pipe, uint64_t used) {
    uint64_t next = pipe->next_in_round;
    uint64_t ahead = pipe->used_ahead | (used & -(uint64_t)(used > next));
    uint64_t is_last = -(uint64_t)(used == next);
    pipe->next_in_round = (next & ~used) | ((pipe->all_units ^ ahead) & is_last);
    pipe->used_ahead = ahead & ~is_last;
}

// No unit of the pipe is free any more.
static inline void resource_unit_note_taken(struct resource_unit *unit, uint64_t own) {
    unit->free &= ~own;
    for (uint64_t groups = unit->pipes[__builtin_ctzll(own)].groups; groups != 0; groups &= groups - 1)
        pipe_note_used(&unit->pipes[__builtin_ctzll(groups)], own);
}

// Takes what one use of a simple instruction asks for. Returns the pipe's own bit; 0 where none is left.
static inline uint64_t resource_unit_take(struct resource_unit *unit, const struct plan_use *use, int64_t now) {
    uint64_t ready = use->pipes & unit->free;
    if (ready == 0)
        return 0;
    uint64_t own = use->is_group ? pipe_pick_in_round(&unit->pipes[use->bit], ready) : ready;
    int64_t until = now + use->cycles;
    unit->free_soon[until % SOON_CYCLES] |= own;
    unit->last_soon = until > unit->last_soon ? until : unit->last_soon;
    resource_unit_note_taken(unit, own);
    return own;
}

unsigned resource_unit_issue_any(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                                 struct event_use *uses);

// Issues to free pipes. Which ones and how many is told only if the unit is heard; `uses` has room for the plan's
// max_uses.
static inline unsigned resource_unit_issue(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                                           struct event_use *uses) {
    if (!insn->is_simple)
        return resource_unit_issue_any(unit, insn, now, uses);
    unsigned n = 0;
    for (unsigned i = 0; i < insn->n_uses; i++) {
        uint64_t own = resource_unit_take(unit, &insn->uses[i], now);
        if (own != 0 && unit->is_heard)
            uses[n++] = (struct event_use){
                .resource = unit->pipes[__builtin_ctzll(own)].resource, .unit = 0, .cycles = insn->uses[i].cycles};
    }
    return n;
}

// For the segments (segments.h). A resource without a buffer takes no other instruction before that cycle.
void resource_unit_block_until(struct resource_unit *unit, unsigned bit, int64_t until);

// For overlapping groups (overlap.h).
uint64_t resource_unit_ready(const struct resource_unit *unit, unsigned bit);
bool resource_unit_issue_use(struct resource_unit *unit, const struct plan_use *use, int64_t now,
                             struct event_use *told);
void resource_unit_reserve(struct resource_unit *unit, unsigned bit, int64_t until);

#endif
