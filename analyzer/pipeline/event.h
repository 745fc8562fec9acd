// What the pipeline tells while it runs. Views learn everything from these; they never look into a unit.
// An event holds enough that no view must guess how a unit works.
#ifndef ANALYZER_PIPELINE_EVENT_H
#define ANALYZER_PIPELINE_EVENT_H

#include "analyzer/model/insn.h"
#include "analyzer/model/machine.h"

#include <stdbool.h>
#include <stdint.h>

// The instruction an event is about.
struct event_insn {
    uint64_t index;    // in execution order over all iterations, from 0
    unsigned position; // in the block
    const struct insn *insn;
};

// A unit of a resource that an instruction was issued to.
struct event_use {
    unsigned resource; // index of the unit's resource (a group's member, never the group)
    unsigned unit;     // which of its units, from 0
    unsigned cycles;   // it is held
};

enum event_stall {
    STALL_REGISTER_FILE, // no physical register free
    STALL_REORDER_BUFFER,
    STALL_DISPATCH_GROUP, // the instruction must begin or has ended a group
    STALL_SCHEDULER,      // a buffer is full
    STALL_LOAD_QUEUE,
    STALL_STORE_QUEUE,
    STALL_CUSTOM,
    STALL_N_KINDS,
};

// Each listener sets the calls it wants; the others stay null and cost a test.
struct event_listener {
    void *self;
    void (*cycle_begin)(void *self, uint64_t cycle);
    void (*cycle_end)(void *self, uint64_t cycle);
    // uops dispatched this cycle (an instruction wider than the machine takes several) and physical registers taken,
    // per file.
    void (*dispatched)(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers);
    void (*pending)(void *self, const struct event_insn *insn);
    void (*ready)(void *self, const struct event_insn *insn);
    void (*issued)(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses);
    void (*executed)(void *self, const struct event_insn *insn);
    void (*retired)(void *self, const struct event_insn *insn, const unsigned *registers); // registers freed, per file
    void (*stalled)(void *self, const struct event_insn *insn, enum event_stall kind);
    // Steady state: the pipeline does not walk through time that repeats. `marked`: remember your counts as they are
    // now. `repeated`: all that was told since the mark happens `times` more times, over `cycles` more cycles and
    // `instructions` more instructions in all; cycle numbers and indices of later events go on from there.
    void (*marked)(void *self);
    void (*repeated)(void *self, uint64_t times, uint64_t cycles, uint64_t instructions);
    // Buffers taken at dispatch and given back at issue: masks of resources, OR-ed.
    void (*buffers_taken)(void *self, const struct event_insn *insn, uint64_t buffers);
    void (*buffers_freed)(void *self, const struct event_insn *insn, uint64_t buffers);
};

#endif
