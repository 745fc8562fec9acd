// What one instruction is: its bytes, what it reads and writes, where it goes. The same for every model; what a model
// says it costs is elsewhere (analyzer/sched/insn.h). Filled by the LLVM module.
#ifndef ANALYZER_CODE_INSN_H
#define ANALYZER_CODE_INSN_H

#include <stdbool.h>
#include <stdint.h>

// A register that the instruction writes.
struct insn_write {
    uint16_t reg;       // index of the machine's register; 0: none (an optional write that is not there)
    bool clears_supers; // the write also sets the rest of the containing registers (x86: eax zeroes rax)
    const char
        *name; // of the register, as it is written in the text's syntax; null: described from bytes, or not asked for
};

struct insn_read {
    uint16_t reg;
    // LLVM's number of the operand among those that are read, with immediates and what an address consists of; implicit
    // ones follow (MCReadAdvanceEntry::UseIdx).
    uint16_t operand;
};

// Where an instruction's explicit memory operand is, or what lea computes: base + index * scale + displacement, in a
// segment. x86 only.
struct insn_address {
    uint16_t base, index, segment; // registers; 0: none
    unsigned scale;                // 1, 2, 4 or 8
    unsigned bytes;                // of an access; 0: unknown, or nothing is accessed (lea)
    int64_t displacement;          // bytes
};

struct sched_insn;

struct insn {
    const char *text;   // as LLVM prints it, tabs as LLVM puts them; null: not asked for
    const char *opcode; // LLVM's opcode name, "VFMADD231PSZr"
    // The form that it is of, by struct form's name: "VFMADD231PSZr", "LEA64r-base-index", "ADD8rr-high0",
    // "LOCK_ADD64mr". Several forms of an opcode differ by their operands (form_names.cpp). Null: no form is like
    // that, or it was not asked for.
    const char *form;
    const uint8_t *bytes; // encoding; null where it was given as text and not encoded
    unsigned n_bytes;
    unsigned line; // in the source text; 0: unknown (from bytes, or from a macro or repetition in the text)

    const struct insn_write *writes; // explicit ones first
    unsigned n_writes;
    const struct insn_read *reads;
    unsigned n_reads;
    const struct insn_address *address; // null: it has no such operand, or it was not asked for

    bool may_load, may_store, side_effects;
    // x86: it pushes or pops, so it accesses memory at the stack pointer, which no operand names. Found where addresses
    // are asked for.
    bool uses_stack;
    bool load_barrier, store_barrier;
    bool is_call, is_branch, is_return;
    bool is_conditional;  // a branch that may fall through
    bool is_taken;        // in a block that execution_lay_out made: it went elsewhere than to the one behind it
    bool is_direct;       // a branch or call whose bytes say where it goes,
    int64_t displacement; // from the start of this instruction, bytes
    const char *target;   // label that a branch or call of a text names; null: none, or from bytes

    // What the model that it was described with says it costs; null: it was described without one. Another model's
    // takes a copy of the instruction, which shares all the rest.
    const struct sched_insn *cost;
};

// Whether control may go on elsewhere than at the instruction behind it.
static inline bool insn_changes_way(const struct insn *insn) {
    return insn->is_branch || insn->is_call || insn->is_return;
}

#endif
