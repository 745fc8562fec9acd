// What one instruction means to a machine: plain numbers, resolved once per block. Filled by the LLVM module
// from mca::InstrBuilder; the meaning of each field follows llvm/include/llvm/MCA/Instruction.h.
#ifndef ANALYZER_SCHED_INSN_H
#define ANALYZER_SCHED_INSN_H

#include <stdbool.h>
#include <stdint.h>

// A register that the instruction writes.
struct insn_write {
    uint16_t reg;         // index of the machine's register; 0: none (an optional write that is not there)
    unsigned latency;     // cycles from issue to result
    unsigned write_class; // names the kind of write for read-advances (LLVM: SClassOrWriteResourceID)
    bool clears_supers;   // the write also sets the rest of the containing registers (x86: eax zeroes rax)
    bool is_zero;         // it writes zero, whatever its sources (a zero idiom)
    const char
        *name; // of the register, as it is written in the text's syntax; null: described from bytes, or not asked for
};

// Cycles by which a read may come before the result of a write of class `write_class` is complete; negative:
// later. Class 0 stands for all writes. The first entry that fits counts (MCSubtargetInfo::getReadAdvanceCycles).
struct insn_advance {
    unsigned write_class;
    int cycles;
};

struct insn_read {
    uint16_t reg;
    const struct insn_advance *advances;
    unsigned n_advances;
    bool independent; // the value does not matter (dependency-breaking idiom): no waiting for it
    // LLVM's number of the operand among those that are read, with immediates and what an address consists of; implicit
    // ones follow (MCReadAdvanceEntry::UseIdx).
    uint16_t operand;
};

// A resource held over [acquire, release) cycles after issue. llvm-mca's simulation takes acquire as 0, and so must one
// that is to equal it.
struct insn_use {
    uint64_t mask;             // of struct resource
    unsigned acquire, release; // cycles; acquire <= release == LLVM's ResourceUsage.size()
    unsigned units;            // of that resource
    bool reserved;             // LLVM's setReserved: a group is fully reserved by its members' uses
};

// What an instruction is counted in while it is executed, for others to wait until few are left of it (AMD's GPUs:
// s_waitcnt; LLVM: AMDGPUCustomBehaviour). In-order machines only.
enum { INSN_COUNTERS = 4 };

// Where an instruction's explicit memory operand is: base + index * scale + displacement, in a segment. x86 only.
struct insn_address {
    uint16_t base, index, segment; // registers; 0: none
    unsigned scale;                // 1, 2, 4 or 8
    int64_t displacement;          // bytes
};

// What llvm-mca's -instruction-tables=full shows beyond the rest.
struct insn_tables {
    unsigned bypass_latency; // cycles: the latency, less what a reader of the slowest write may come early
    const char *resources;   // as the model's table lists them: "Zn4ALU,Zn4Store[2],Zn4FP[1,3]"
    const char *comment;     // behind the instruction in the source text, with its marks: "// mul"; "" if there is none
};

struct insn {
    const char *text;                 // as LLVM prints it, tabs as LLVM puts them; null: not asked for
    const char *opcode;               // LLVM's opcode name, "VFMADD231PSZr"
    const struct insn_tables *tables; // null: not asked for
    const uint8_t *bytes;             // encoding; null where it was given as text and not encoded
    unsigned n_bytes;
    unsigned line; // in the source text; 0: unknown (from bytes, or from a macro or repetition in the text)

    unsigned uops;    // micro-operations dispatched
    unsigned latency; // cycles: the longest of its writes (LLVM: MaxLatency)
    // Cycles as llvm-mca's instruction info shows them: without the latency assumed for calls, with the largest delay
    // of a negative read-advance.
    unsigned info_latency;
    double rthroughput; // as LLVM computes it for one instruction; 0: unknown
    unsigned sched_class;
    const char *sched_class_name; // "WriteFAddY"; null: LLVM was built without them

    const struct insn_write *writes; // explicit ones first
    unsigned n_writes;
    const struct insn_read *reads;
    unsigned n_reads;
    const struct insn_use *uses; // in LLVM's order: units before the groups that hold them
    unsigned n_uses;
    uint64_t buffers; // masks of buffered resources it waits in, OR-ed: each resource's own (highest) bit
    uint64_t used_units, used_groups; // LLVM: UsedProcResUnits, UsedProcResGroups

    bool may_load, may_store, side_effects;
    bool load_barrier, store_barrier;
    bool begins_group, ends_group; // dispatch groups
    bool retires_out_of_order;
    bool issue_immediately; // LLVM: MustIssueImmediately
    bool eliminable_move;   // LLVM: isOptimizableMove
    bool has_partially_overlapping_groups;
    bool is_call, is_branch, is_return;

    // Null: it has no such operand, or was described with a scheduling model, which has no use for it.
    const struct insn_address *address;

    uint8_t counted;      // bit n: in counter n
    const uint8_t *waits; // by counter: the most that may be left of it before this is issued; null: it does not wait
    bool is_conditional;  // a branch that may fall through
    bool is_direct;       // a branch or call whose bytes say where it goes,
    int64_t displacement; // from the start of this instruction, bytes
    const char *target;   // label that a branch or call of a text names; null: none, or from bytes
    // Set by who lays out a run (analyzer/predict): this branch goes where it was not expected to.
    bool is_mispredicted;
};

// A place in a text that branches may name.
struct block_label {
    const char *name;
    unsigned insn; // index of the instruction behind it; n_insns: at the end
};

// A straight run of instructions that the simulator repeats.
struct block {
    const char *name; // of its region; "" where it has none
    const struct insn *insns;
    unsigned n_insns;
    bool is_marked;                   // a region of the text that comments mark, with or without a name
    const struct block_label *labels; // of a text, in its order
    unsigned n_labels;
};

#endif
