// A block resolved for one machine: everything that the cycle loop asks about an instruction and that does not change
// from one execution to the next. Private to the pipeline; computed once per run.
#ifndef ANALYZER_PIPELINE_PLAN_H
#define ANALYZER_PIPELINE_PLAN_H

#include "analyzer/model/insn.h"
#include "analyzer/model/machine.h"
#include "analyzer/pipeline/registers.h"
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// One resource that an instruction holds.
struct plan_use {
    uint8_t bit; // the resource's own (highest) bit
    bool is_group;
    bool reserves;   // the whole group is taken, no unit of it
    unsigned units;  // that must be free
    unsigned cycles; // held from issue
};

struct plan_read {
    const struct insn_read *insn;
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

struct plan_insn {
    const struct insn *insn;
    const struct plan_use *uses;
    const struct plan_read *reads;
    const struct plan_write *writes;
    unsigned n_uses, n_reads, n_writes;
    // Own bits of the resources that must each have a free unit. That is all it takes, if `takes_single_units`.
    uint64_t needs;
    bool takes_single_units;
    unsigned entries; // taken in the reorder buffer
    bool is_memory;
    bool issues_at_dispatch;

    const unsigned *registers_needed; // per register file: free before it may be dispatched
    const unsigned *registers_taken;  // per register file, unless its move is eliminated

    unsigned n_moves; // 0: not a move that can be eliminated
    uint16_t move_file;
    struct plan_move moves[2];
};

struct plan {
    const struct machine *machine;
    const struct plan_insn *insns;
    unsigned n_insns;
    unsigned n_classes;
    const struct class_set *alias_targets; // by number; 0 is no target
    unsigned max_writes, max_uses;         // of one instruction
    unsigned max_edges;                    // older results that one instruction can wait for
    unsigned max_latency;                  // cycles
    unsigned max_delay;                    // largest negative read-advance, cycles
    unsigned most_per_cycle;               // instructions that `dispatch_width` uops can be at most
};

void plan_build(struct plan *plan, const struct machine *machine, const struct block *block, unsigned dispatch_width,
                unsigned rob_size, struct arena *arena);

#endif
