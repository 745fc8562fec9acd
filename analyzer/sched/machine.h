// Everything the simulator knows of a CPU, as plain numbers. Filled from LLVM's scheduling model by the LLVM
// module (or, later, by an overlay file); no LLVM header is known here. Words are LLVM's.
// Sources of the meanings: llvm/include/llvm/MC/MCSchedule.h, llvm/lib/MCA.
#ifndef ANALYZER_SCHED_MACHINE_H
#define ANALYZER_SCHED_MACHINE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// An execution pipe, several equal pipes, or a group of them (LLVM's ProcResource, ProcResGroup).
struct resource {
    const char *name;
    // Identity as LLVM computes it (mca::computeProcResourceMasks): a unit has one bit of its own; a group has one bit
    // of its own, its highest, and the bits of its members. 0 for entry 0, which LLVM leaves invalid.
    uint64_t mask;
    unsigned units; // pipes in it, or members of the group
    // Where instructions wait for it. -1: in the machine's common buffer; 0: not at all, it is taken at dispatch
    // (in-order); 1: dispatch stalls while it is in use; above: entries of a buffer of its own.
    int buffer_size;
    unsigned super; // index of the resource that contains it; 0: none
    bool is_group;
    const unsigned *members; // indices of a group's members; `units` of them; null for a unit
};

// A register file of physical registers for renaming.
struct register_file {
    const char *name;
    unsigned n_physical;           // 0: unlimited
    unsigned max_moves_eliminated; // per cycle; 0: unlimited
    bool zero_moves_only;          // only moves from registers known to be zero are eliminated
};

// An architectural register, numbered as in LLVM's target. Entry 0 is no register.
struct machine_register {
    const char *name;
    const uint16_t *sub;   // registers contained in it, all levels; `n_sub`
    const uint16_t *super; // registers that contain it, all levels; `n_super`
    uint16_t n_sub, n_super;
    uint16_t file;        // index into the machine's register files; 0: the unlimited default file
    uint16_t cost;        // physical registers that a write to it takes in that file
    uint16_t rename_as;   // register whose mapping a write to it renames; 0: its own
    bool move_eliminable; // moves between such registers may be eliminated at renaming
    bool is_constant;     // reads the same value always (a zero register): no dependence
};

struct machine {
    const char *name;     // for people: "LLVM 19/znver4"
    const char *id;       // in files: "llvm-19/znver4"
    const char *cpu;      // LLVM's name of the CPU
    const char *same_cpu; // the name that stands for it where `cpu` is another name of it (apple-m1: apple-a14)
    const char *triple;
    bool in_order; // LLVM: MicroOpBufferSize is 0 or 1

    // In order only. Of two hardware threads one issues in a cycle, and the other nothing, unless an instruction of
    // several cycles is being executed; false: both do.
    bool threads_take_turns;

    // Of groups with pipes in common that one instruction uses, the one with the fewest free pipes chooses first
    // (LLVM 22); false: they choose in the order of the model's table (LLVM 19).
    bool serves_scarce_groups_first;

    unsigned dispatch_width;          // uops a cycle (LLVM: IssueWidth)
    unsigned rob_size;                // uops in the reorder buffer; 0: in order, there is none
    unsigned retire_width;            // instructions retired a cycle (LLVM: MaxRetirePerCycle); 0: unlimited
    unsigned load_queue, store_queue; // entries; 0: unlimited
    // Indices of the resources whose buffers are the load and store queue (LLVM: LoadQueueID, StoreQueueID); 0: none.
    unsigned load_queue_resource, store_queue_resource;
    unsigned load_latency, high_latency; // cycles; LLVM's defaults for unknown loads and slow instructions
    unsigned mispredict_penalty;         // cycles (LLVM: MispredictPenalty); nothing here simulates it
    unsigned loop_buffer;                // uops (LLVM: LoopMicroOpBufferSize); 0: unknown. Nor this

    const struct resource *resources; // [1 .. n_resources-1]; entry 0 is invalid, as in LLVM
    unsigned n_resources;
    const struct register_file *register_files; // [0] is the default file, unlimited
    unsigned n_register_files;
    const struct machine_register *registers; // [1 .. n_registers-1]
    unsigned n_registers;
};

// Whether a register is the condition flags, of the targets that have some.
bool machine_is_flags(const struct machine *machine, unsigned reg);

// The one bit that is a resource's own: its mask's highest. 0 for 0.
uint64_t resource_bit(uint64_t mask);
// The bits of the pipes that it stands for: all but its own for a group, its own for a pipe.
uint64_t resource_pipes(uint64_t mask);
// Null where the machine has none such.
const struct resource *machine_resource_of_mask(const struct machine *machine, uint64_t mask);
const struct resource *machine_resource_named(const struct machine *machine, const char *name);

// Whether two resources are groups of the very same pipes.
bool machine_same_pipes(const struct machine *machine, unsigned a, unsigned b);

// The one name by which reports call a resource, and overlays may. It is LLVM's, but for several groups of the same
// pipes: these are called by the pipes ("Zn4FP01" for Zn4FP0 and Zn4FP1), because which of them an instruction was
// written with is not recorded in LLVM's tables.
const char *machine_pipes_name(struct arena *arena, const struct machine *machine, unsigned resource);
// By either name; of several groups of the same pipes the first. Null where the machine has none such.
const struct resource *machine_resource_called(const struct machine *machine, const char *name);

#endif
