// What LLVM's scheduling model says an instruction costs: plain numbers, resolved once per block. Filled by the LLVM
// module from mca::InstrBuilder; the meaning of each field follows llvm/include/llvm/MCA/Instruction.h. What the
// instruction is, is in analyzer/code/insn.h.
#ifndef ANALYZER_SCHED_INSN_H
#define ANALYZER_SCHED_INSN_H

#include "analyzer/code/block.h"

#include <stdbool.h>
#include <stdint.h>

// Of a register that the instruction writes.
struct sched_write {
    unsigned latency;     // cycles from issue to result
    unsigned write_class; // names the kind of write for read-advances (LLVM: SClassOrWriteResourceID)
    bool is_zero;         // it writes zero, whatever its sources (a zero idiom)
};

// Cycles by which a read may come before the result of a write of class `write_class` is complete; negative:
// later. Class 0 stands for all writes. The first entry that fits counts (MCSubtargetInfo::getReadAdvanceCycles).
struct sched_advance {
    unsigned write_class;
    int cycles;
};

// Of a register that the instruction reads.
struct sched_read {
    const struct sched_advance *advances;
    unsigned n_advances;
    bool independent; // the value does not matter (dependency-breaking idiom): no waiting for it
};

// A resource held over [acquire, release) cycles after issue. llvm-mca's simulation takes acquire as 0, and so must one
// that is to equal it.
struct sched_use {
    uint64_t mask;             // of struct resource
    unsigned acquire, release; // cycles; acquire <= release == LLVM's ResourceUsage.size()
    unsigned units;            // of that resource
    bool reserved;             // LLVM's setReserved: a group is fully reserved by its members' uses
};

// What an instruction is counted in while it is executed, for others to wait until few are left of it (AMD's GPUs:
// s_waitcnt; LLVM: AMDGPUCustomBehaviour). In-order machines only.
enum { SCHED_COUNTERS = 4 };

// What llvm-mca's -instruction-tables=full shows beyond the rest.
struct sched_tables {
    unsigned bypass_latency; // cycles: the latency, less what a reader of the slowest write may come early
    const char *resources;   // as the model's table lists them: "Zn4ALU,Zn4Store[2],Zn4FP[1,3]"
    const char *comment;     // behind the instruction in the source text, with its marks: "// mul"; "" if there is none
};

struct sched_insn {
    unsigned uops;    // micro-operations dispatched
    unsigned latency; // cycles: the longest of its writes (LLVM: MaxLatency)
    // Cycles as llvm-mca's instruction info shows them: without the latency assumed for calls, with the largest delay
    // of a negative read-advance.
    unsigned info_latency;
    double rthroughput; // as LLVM computes it for one instruction; 0: unknown
    unsigned sched_class;
    const char *sched_class_name; // "WriteFAddY"; null: LLVM was built without them

    const struct sched_write *writes; // of each register that the instruction writes, in its order
    const struct sched_read *reads;   // and of each that it reads
    const struct sched_use *uses;     // in LLVM's order: units before the groups that hold them
    unsigned n_uses;
    uint64_t buffers; // masks of buffered resources it waits in, OR-ed: each resource's own (highest) bit
    uint64_t used_units, used_groups; // LLVM: UsedProcResUnits, UsedProcResGroups

    bool begins_group, ends_group; // dispatch groups
    bool retires_out_of_order;
    bool issue_immediately; // LLVM: MustIssueImmediately
    bool eliminable_move;   // LLVM: isOptimizableMove
    bool has_partially_overlapping_groups;

    uint8_t counted;      // bit n: in counter n
    const uint8_t *waits; // by counter: the most that may be left of it before this is issued; null: it does not wait
    const struct sched_tables *tables; // null: not asked for
};

#endif
