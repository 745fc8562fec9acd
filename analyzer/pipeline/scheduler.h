// Where dispatched instructions wait until they are issued, and run until they are done. Private to the pipeline.
// Behaviour: llvm/lib/MCA/HardwareUnits/Scheduler.cpp. Four sets: *waiting* (it is not known when operands will be
// there), *pending* (known, but later), *ready*, *issued*.
#ifndef ANALYZER_PIPELINE_SCHEDULER_H
#define ANALYZER_PIPELINE_SCHEDULER_H

#include "analyzer/pipeline/event.h"
#include "analyzer/pipeline/flight.h"
#include "analyzer/pipeline/load_store.h"
#include "analyzer/pipeline/resources.h"

#include <stdbool.h>
#include <stdint.h>

// Slots of instructions. Removal moves the last one into the gap.
struct slot_set {
    uint32_t *slots;
    unsigned n;
};

struct scheduler {
    struct flight *flight;
    struct resource_unit *resources;
    struct memory_unit *memory;
    struct slot_set waiting, pending, ready, issued;
    bool look_at_pending;          // something was added since the pending set was last gone through
    int64_t next_ready, next_done; // earliest cycle in which a pending or issued one may move on
    struct slot_set became_pending, became_ready, became_done; // in the last call of _cycle or _issue
};

void scheduler_init(struct scheduler *scheduler, uint64_t n_slots, struct arena *arena);

// Whether there is room; else why not.
bool scheduler_can_dispatch(const struct scheduler *scheduler, const struct plan_insn *insn, enum event_stall *why);
// Returns whether the instruction is ready now. One that issues at dispatch is then in no set: issue it.
bool scheduler_dispatch(struct scheduler *scheduler, struct in_flight *insn, int64_t now);
// Begins a cycle: frees pipes, finishes instructions, moves others on.
void scheduler_cycle(struct scheduler *scheduler, int64_t now);
// Takes the next instruction to issue out of the ready set; null if none can be.
struct in_flight *scheduler_select(struct scheduler *scheduler);
// Issues it; returns the number of `uses`.
unsigned scheduler_issue(struct scheduler *scheduler, struct in_flight *insn, int64_t now, struct event_use *uses);

#endif
