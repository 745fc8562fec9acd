// Private to this folder.
// Where dispatched instructions wait until they are issued, and run until they are done.
// Behaviour: llvm/lib/MCA/HardwareUnits/Scheduler.cpp.
//
// Nothing is searched: an instruction is looked at when the last result it waits for gets its time, when a memory
// operation before it moves on, and in the cycle in which its operands are there or it is done.
#ifndef ANALYZER_SIM_MCA_SCHEDULER_H
#define ANALYZER_SIM_MCA_SCHEDULER_H

#include "analyzer/sim/event.h"
#include "analyzer/sim/mca/flight.h"
#include "analyzer/sim/mca/load_store.h"
#include "analyzer/sim/mca/ready_lists.h"
#include "analyzer/sim/mca/resources.h"
#include "analyzer/sim/mca/wheel.h"
#include "analyzer/sim/stash.h"

#include <stdbool.h>
#include <stdint.h>

struct slot_set {
    uint32_t *slots;
    unsigned n;
};

struct scheduler {
    struct flight *flight;
    struct resource_unit *resources;
    struct memory_unit *memory;
    struct ready_lists ready;
    struct wheel pending; // those whose operands are there in that cycle
    struct wheel issued;  // memory operations, or all where that is reported, that are done in that cycle
    unsigned n_waiting, n_pending;
    // In the last call of _cycle or _issue; noted only if `is_wanted`.
    bool is_wanted;
    struct slot_set became_pending, became_ready, became_done;
};

// `n_slots`: instructions that can be in flight. `is_wanted`: some listener wants to know what becomes of them.
void scheduler_init(struct scheduler *scheduler, uint64_t n_slots, bool is_wanted, struct stash *stash);

// Whether there is room; else why not.
bool scheduler_can_dispatch(const struct scheduler *scheduler, const struct plan_insn *insn, enum event_stall *why);
// Returns whether the instruction is ready now. One that issues at dispatch is then in no list: issue it.
bool scheduler_dispatch(struct scheduler *scheduler, struct in_flight *insn, int64_t now);
// Begins a cycle: frees pipes, finishes instructions, moves others on.
void scheduler_cycle(struct scheduler *scheduler, int64_t now);
// Takes the next instruction to issue out of the ready ones; null if none can be.
struct in_flight *scheduler_select(struct scheduler *scheduler, int64_t now);
// Issues it; returns the number of `uses`.
unsigned scheduler_issue(struct scheduler *scheduler, struct in_flight *insn, int64_t now, struct event_use *uses);

#endif
