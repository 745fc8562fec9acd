// Execution pipes, their groups, and the buffers in front of them. Private to the pipeline.
// Behaviour: llvm/lib/MCA/HardwareUnits/ResourceManager.cpp.
//
// A resource is known by its own (highest) bit of struct resource's mask. Its units are bits of a mask of its own:
// bit n for unit n of several equal pipes, and the members' bits for a group.
#ifndef ANALYZER_PIPELINE_RESOURCES_H
#define ANALYZER_PIPELINE_RESOURCES_H

#include "analyzer/model/machine.h"
#include "analyzer/pipeline/event.h"
#include "analyzer/pipeline/plan.h"
#include "analyzer/pipeline/stash.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAX_RESOURCES = 64, SOON_CYCLES = 64 };

struct pipe {
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
    struct pipe pipes[MAX_RESOURCES]; // by own bit
    uint64_t all;                     // own bits of all resources
    uint64_t plain;                   // of those that are no groups
    uint64_t single;                  // of pipes that there is one of
    uint64_t simple;                  // of those that have a buffer, if anybody asks for it
    uint64_t free;                    // of pipes with a free unit, and of all groups
    uint64_t reserved_groups;
    uint64_t full_buffers;
    uint64_t blocked_buffers; // of resources without a buffer, while they are in use
    bool has_buffers;         // false: nobody asks for them (in-order machines)
    // Single pipes that are free again within SOON_CYCLES: own bits by cycle. All else is in `holds`.
    uint64_t free_soon[SOON_CYCLES];
    int64_t last_soon; // latest cycle for which there are some
    struct hold *holds;
    unsigned n_holds, max_holds;
    int64_t next_release;      // earliest cycle in which one of `holds` ends
    struct segments *segments; // null: resources are held from issue on
};

enum buffer_state { BUFFER_FREE, BUFFER_FULL, BUFFER_BLOCKED };

void resource_unit_init(struct resource_unit *unit, const struct plan *plan, struct stash *stash);
// Frees what is due.
void resource_unit_cycle(struct resource_unit *unit, int64_t now);
// No pipe is held in `now` or later.
bool resource_unit_is_idle(const struct resource_unit *unit, int64_t now);

enum buffer_state resource_unit_buffers(const struct resource_unit *unit, uint64_t buffers);
void resource_unit_take_buffers(struct resource_unit *unit, uint64_t buffers);
void resource_unit_free_buffers(struct resource_unit *unit, uint64_t buffers);

// Units and groups that keep the instruction from being issued now; 0: it can be.
uint64_t resource_unit_busy(const struct resource_unit *unit, const struct plan_insn *insn, int64_t now);
// Whether it can be issued now.
bool resource_unit_is_free(const struct resource_unit *unit, const struct plan_insn *insn, int64_t now);
// Issues to free pipes; which, is written to `uses`, that has room for the plan's max_uses. Returns their number.
unsigned resource_unit_issue(struct resource_unit *unit, const struct plan_insn *insn, int64_t now,
                             struct event_use *uses);

// For the segments (segments.h).
uint64_t pipe_pick_in_round(struct pipe *pipe, uint64_t free);
void pipe_note_used(struct pipe *pipe, uint64_t used);
// A resource without a buffer takes no other instruction before that cycle.
void resource_unit_block_until(struct resource_unit *unit, unsigned bit, int64_t until);

#endif
