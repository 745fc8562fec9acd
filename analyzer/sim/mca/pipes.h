// Private to this folder.
// Execution pipes and their groups: which units are free, whose turn it is, and who holds one until when. What
// resources.h, segments.h and overlap.h are built on; knows none of them.
// Behaviour: llvm/lib/MCA/HardwareUnits/ResourceManager.cpp.
//
// A resource is known by its own (highest) bit of struct resource's mask. Its units are bits of a mask of its own:
// bit n for unit n of several equal pipes, and the members' bits for a group.
#ifndef ANALYZER_SIM_MCA_PIPES_H
#define ANALYZER_SIM_MCA_PIPES_H

#include "analyzer/sched/machine.h"
#include "analyzer/sim/coder.h"
#include "analyzer/sim/event.h"
#include "analyzer/sim/mca/plan.h"
#include "analyzer/sim/stash.h"

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
    bool is_wanted;                  // somebody wants to know which units are used
    // What simple instructions hold: own bits of pipes by the cycle in which they are free again. All else is in
    // `holds`.
    uint64_t free_soon[SOON_CYCLES];
    int64_t last_soon; // latest cycle for which there are some
    struct hold *holds;
    unsigned n_holds, max_holds;
    int64_t next_release;      // earliest cycle in which one of `holds` ends
    struct segments *segments; // null: resources are held from issue on
};

void pipes_init(struct resource_unit *unit, const struct simulation_plan *plan, bool is_wanted, struct stash *stash);
// What influences later cycles.
void pipes_put(const struct resource_unit *unit, const struct simulation_plan *plan, struct coder *coder);
// Frees what is due.
void pipes_cycle(struct resource_unit *unit, int64_t now);

// Units of a pipe, or members of a group, that are free.
uint64_t pipes_ready(const struct resource_unit *unit, unsigned bit);
unsigned pipes_count_ready(const struct resource_unit *unit, unsigned bit);
// Takes a unit for one use; false where none is free.
bool pipes_issue_use(struct resource_unit *unit, const struct plan_use *use, int64_t now, struct event_use *reported);
// Takes a group as a whole.
void pipes_reserve(struct resource_unit *unit, unsigned bit, int64_t until);
// All of an instruction's uses, one after the other; false where one found nothing free. `n`: of those that did.
bool pipes_issue_in_turn(struct resource_unit *unit, const struct plan_insn *insn, int64_t now, struct event_use *uses,
                         unsigned *n);
// A resource without a buffer takes no other instruction before that cycle.
void pipes_block_until(struct resource_unit *unit, unsigned bit, int64_t until);

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

// Units used ahead of their turn are left out of the next round. Without branches, which would be unpredictable.
static inline void pipe_note_used(struct resource_pipe *pipe, uint64_t used) {
    uint64_t next = pipe->next_in_round;
    uint64_t ahead = pipe->used_ahead | (used & -(uint64_t)(used > next));
    uint64_t is_last = -(uint64_t)(used == next);
    pipe->next_in_round = (next & ~used) | ((pipe->all_units ^ ahead) & is_last);
    pipe->used_ahead = ahead & ~is_last;
}

// No unit of the pipe is free any more.
static inline void pipes_note_taken(struct resource_unit *unit, uint64_t own) {
    unit->free &= ~own;
    for (uint64_t groups = unit->pipes[__builtin_ctzll(own)].groups; groups != 0; groups &= groups - 1)
        pipe_note_used(&unit->pipes[__builtin_ctzll(groups)], own);
}

// Takes what one use of a simple instruction asks for. Returns the pipe's own bit; 0 where none is left.
static inline uint64_t pipes_take(struct resource_unit *unit, const struct plan_use *use, int64_t now) {
    uint64_t ready = use->pipes & unit->free;
    if (ready == 0)
        return 0;
    uint64_t own = use->is_group ? pipe_pick_in_round(&unit->pipes[use->bit], ready) : ready;
    int64_t until = now + use->cycles;
    unit->free_soon[until % SOON_CYCLES] |= own;
    unit->last_soon = until > unit->last_soon ? until : unit->last_soon;
    pipes_note_taken(unit, own);
    return own;
}

#endif
