// Private to this folder.
// An execution resolved for one machine: everything that the cycle loop asks about an instruction and that does not
// change from one iteration to the next; computed once per run.
#ifndef ANALYZER_SIM_MCA_PLAN_H
#define ANALYZER_SIM_MCA_PLAN_H

#include "analyzer/code/execution.h"
#include "analyzer/sched/insn.h"
#include "analyzer/sched/machine.h"
#include "analyzer/sim/mca/registers.h"
#include "analyzer/sim/stash.h"

#include <stdbool.h>
#include <stdint.h>

enum { FEW_GROUPS = 3, SOON_CYCLES = 64 };

// One resource that an instruction holds.
struct plan_use {
    uint8_t bit; // the resource's own (highest) bit
    bool is_group;
    bool reserves;    // the whole group is taken, no unit of it
    unsigned units;   // that must be free
    unsigned acquire; // cycles after issue from which it is held; as llvm-mca does: 0
    unsigned cycles;  // after issue until which it is held
    uint64_t pipes;   // own bits: of a group's members, or of the pipe itself
    bool is_simple;   // of single pipes, for less than SOON_CYCLES
};

// A number of registers of one file.
struct plan_registers {
    unsigned file, n;
};

struct plan_read {
    const struct sched_read *cost;
    uint16_t own_class;       // of the register itself: tells whether it is an alias
    struct class_set depends; // classes whose definitions make up its value
    bool is_independent;
};

struct plan_write {
    uint16_t own_class; // of the renamed register; 0: writes nothing
    // It updates a part of the renamed register and merges with the older definition of the rest.
    bool merges;
    bool is_hidden; // a slower write of the same instruction defines the register
    bool is_zero;
    unsigned latency;
    struct class_set defines;
    struct class_set zeroes; // classes that become known zero or not zero
};

// A source and destination of a move that renaming may do away with.
struct plan_move {
    unsigned write;        // index of the write
    uint16_t source_class; // whose known-zero state the destination takes over
    uint16_t from_class;   // of the renamed source
    uint16_t from_target;  // the renamed source, as a number for aliases
    struct class_set to;   // the classes that become aliases
};

// An older result that an operand needs. From the second iteration on these are the same every time.
struct plan_dependence {
    uint32_t distance; // instructions back
    uint16_t write;    // of the older instruction
    uint16_t operand;  // reads in order, then writes that merge
    int32_t advance;   // cycles before the result is complete at which it is needed
};

struct plan_insn {
    const struct insn *insn;
    const struct sched_insn *cost;
    const struct plan_use *uses;
    const struct plan_read *reads;
    const struct plan_write *writes;
    const struct plan_dependence *dependences; // by operand; only where the plan is fixed
    unsigned n_dependences;
    unsigned n_uses, n_reads, n_writes;
    unsigned position;    // its step
    unsigned issue_class; // instructions of one class use the same resources alike
    // Own bits of the pipes that must each have a free unit, and members of the groups of which one must be free. That
    // is all it takes, if `takes_single_units`.
    uint64_t needs;
    uint64_t groups[FEW_GROUPS];
    unsigned n_groups;
    bool takes_single_units;
    bool is_simple; // so are all its uses, and none takes away what another one needs
    // Copies of the instruction's own, where the cycle loop looks.
    uint64_t buffers, used_groups;
    unsigned uops, latency;
    bool may_load, may_store, begins_group, ends_group;
    unsigned entries; // taken in the reorder buffer
    unsigned width;   // uops dispatched in its first cycle: not more than the machine is wide
    bool is_memory;
    bool issues_at_dispatch;
    bool is_mispredicted;

    const struct plan_registers *needed; // free before it may be dispatched: of the files that have limits
    const struct plan_registers *taken;  // of the same, unless its move is eliminated
    unsigned n_needed, n_taken;
    const unsigned *registers_taken; // the same, of all files

    unsigned n_moves; // 0: not a move that can be eliminated
    uint16_t move_file;
    struct plan_move moves[2];
};

struct simulation_plan {
    const struct machine *machine;
    const struct plan_insn *insns; // by step
    unsigned n_insns;
    unsigned n_classes;
    const struct class_set *alias_targets; // by number; 0 is no target
    unsigned max_uses;                     // of one instruction
    unsigned longest_use;                  // cycles until the last of what one instruction holds is free again
    unsigned max_operands;                 // reads and writes of one instruction
    const unsigned *class_position;        // by issue class: an instruction of it
    unsigned n_issue_classes;
    uint64_t groups;   // own bits of the groups that instructions ask for, themselves or through other groups
    bool has_segments; // some resource is acquired after issue
    bool has_buffers;  // as in the options
    // Dependences are known beforehand: renaming eliminates no move of the block.
    bool is_fixed;
    unsigned max_edges;      // older results that one instruction can wait for
    unsigned max_latency;    // cycles
    unsigned max_delay;      // largest negative read-advance, cycles
    unsigned most_per_cycle; // instructions that `dispatch_width` uops can be at most
};

struct plan_options {
    unsigned dispatch_width, rob_size, default_file_size;
    bool has_buffers;      // instructions wait for resources in buffers; false: they are issued in program order
    bool eliminates_moves; // renaming may do away with moves
    bool as_llvm_mca;      // as in pipeline_options
    bool has_segments;     // treat resources as if some were acquired after issue: another thread's may be
};

// Cycles by which a read may come before the result of a write of that class (see struct sched_advance).
int plan_advance(const struct sched_read *read, unsigned write_class);

void plan_build(struct simulation_plan *plan, const struct machine *machine, const struct execution *execution,
                const struct plan_options *options, struct stash *stash);

#endif
