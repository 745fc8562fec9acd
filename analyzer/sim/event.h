// What a simulation reports while it runs. Views learn everything from these; they never look into a unit.
// An event holds enough that no view must guess how a unit works.
#ifndef ANALYZER_SIM_EVENT_H
#define ANALYZER_SIM_EVENT_H

#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"

#include <stdint.h>

// The instruction an event is about.
struct event_insn {
    uint64_t index;    // in execution order over all iterations, from 0
    unsigned position; // its step of the execution; of a straight one, its place in the block
    const struct insn *insn;
};

enum { EVENT_PARTS = 27720 }; // of a cycle: 1/1 to 1/12 of it are whole numbers

// A unit of a resource that an instruction was issued to. Of the core of a CPU file, each pipe is a resource of its own
// (analyzer/cpu/pipes.h).
struct event_use {
    unsigned resource; // index of the unit's resource (a group's member, never the group)
    unsigned unit;     // which of its units, from 0
    unsigned cycles;   // it is held
    // The core of a CPU file knows parts of a cycle: that it is held besides `cycles`; from this cycle's begin on until
    // it is held. LLVM's cores leave both 0.
    unsigned parts, parts_later;
};

enum event_stall {
    STALL_REGISTER_FILE, // no physical register free
    STALL_REORDER_BUFFER,
    STALL_DISPATCH_GROUP, // the instruction must begin or has ended a group
    STALL_SCHEDULER,      // a buffer is full
    STALL_LOAD_QUEUE,
    STALL_STORE_QUEUE,
    STALL_CUSTOM,
    STALL_FRONT_END, // it has delivered no further instruction
    STALL_N_KINDS,
};

// What renaming makes of an instruction that it does away with.
enum event_elimination {
    ELIMINATED_IDIOM, // its result is known, whatever its sources are
    ELIMINATED_MOVE,  // its result is another name of its source
    ELIMINATED_NOP,
};

// What a load does about an older store to the same bytes, which is not in the cache yet.
enum event_meeting {
    MEETING_FORWARDS, // it takes the store's data
    MEETING_RENAMES,  // ... which renaming has found
    MEETING_BLOCKS,   // it cannot, and waits until the store has retired
};

// An older instruction whose result came last of those that an instruction waited for.
struct event_dependence {
    uint64_t index;  // of the older instruction
    unsigned cycles; // its result was still away when that became known; 0: there is no such dependence
    uint16_t reg;    // that the older instruction writes; 0 for memory
};

// What kept an instruction from being issued earlier. Source: llvm/lib/MCA/Instruction.cpp (CriticalDependency) and
// Scheduler.cpp (CriticalResourceMask).
struct event_critical {
    uint64_t resources; // busy units and groups when it was last tried in vain: masks of resources, OR-ed
    struct event_dependence on_register, on_memory;
    // Cycles in which `pressed` named it for this reason; for resources, only those in which it was one of the busy
    // ones' users (as BottleneckAnalysis.cpp counts).
    unsigned resource_cycles, register_cycles, memory_cycles;
};

// Why the back end takes less than the front end gives, in a cycle. Source: HWPressureEvent in HWEventListener.h.
enum event_pressure {
    PRESSURE_RESOURCES, // ready instructions find no free pipe
    PRESSURE_REGISTERS, // instructions wait for results on their way
    PRESSURE_MEMORY,    // ... for older loads or stores that are being executed
};

// Moves of one dispatched instruction that renaming might do away with.
struct event_moves {
    unsigned file;       // register file of the first destination
    unsigned candidates; // one; two for an exchange
    unsigned eliminated; // all of them or none
    unsigned zero;       // of those: of a register known to be zero
};

// Each listener sets the calls it wants; the others stay null and cost nothing. As long as one has no `repeated`, all
// iterations are walked.
struct event_listener {
    void *self;
    void (*cycle_begin)(void *self, uint64_t cycle);
    void (*cycle_end)(void *self, uint64_t cycle);
    // uops dispatched this cycle (an instruction wider than the machine takes several) and physical registers taken,
    // per file.
    void (*dispatched)(void *self, const struct event_insn *insn, unsigned uops, const unsigned *registers);
    void (*pending)(void *self, const struct event_insn *insn);
    void (*ready)(void *self, const struct event_insn *insn);
    // Cores of CPU files report each uop by itself, and nothing of what renaming does away with.
    void (*issued)(void *self, const struct event_insn *insn, const struct event_use *uses, unsigned n_uses);
    void (*executed)(void *self, const struct event_insn *insn);
    void (*retired)(void *self, const struct event_insn *insn, const unsigned *registers); // registers freed, per file
    void (*stalled)(void *self, const struct event_insn *insn, enum event_stall kind);
    // Steady state: the simulator does not walk through time that repeats. `marked`: remember your counts as they are
    // now; a later mark replaces an earlier one. `repeated`: all that was reported since the mark happens `times` more
    // times, over `cycles` more cycles and `instructions` more instructions in all; cycle numbers and indices of later
    // events go on from there, also those of instructions in flight now: what was index i is i + `instructions`.
    // Both come between cycles, after cycle_end. What is in use (buffers, registers, entries) is at `repeated` what it
    // was at the mark, and so is every in-flight instruction's event_critical; maxima stay. How long ago something
    // was reported of an instruction in flight may differ: a listener that needs such ages must have all iterations
    // walked, or the first ones (pipeline_options).
    void (*marked)(void *self);
    void (*repeated)(void *self, uint64_t times, uint64_t cycles, uint64_t instructions);
    // Buffers taken at dispatch and given back at issue: masks of resources, OR-ed.
    void (*buffers_taken)(void *self, const struct event_insn *insn, uint64_t buffers);
    void (*buffers_freed)(void *self, const struct event_insn *insn, uint64_t buffers);
    // Right after `dispatched` (each time, where that comes several times), of instructions with as many destinations
    // as sources that the target calls moves.
    void (*moved)(void *self, const struct event_insn *insn, const struct event_moves *moves);
    // Right before `issued`. Out-of-order machines only; eliminated moves have none. Cores of CPU files report two of
    // instructions that access memory: what the address waited for, and what the rest did; only the register is set.
    void (*critical)(void *self, const struct event_insn *insn, const struct event_critical *critical);
    // Before cycle_end, at most once of a kind. `resources`: masks of the busy ones, OR-ed; 0 except for
    // PRESSURE_RESOURCES. Out-of-order machines only.
    void (*pressed)(void *self, enum event_pressure kind, uint64_t resources);
    // Cores of CPU files only, right after `dispatched`. `store`: index of the instruction that stores.
    void (*eliminated)(void *self, const struct event_insn *insn, enum event_elimination what);
    void (*met_store)(void *self, const struct event_insn *insn, uint64_t store, enum event_meeting what);
};

#endif
